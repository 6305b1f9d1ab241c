"""Searches that know no problem: state spaces, cliques, evolution, learning, models within a budget."""

__all__: list[str] = []
