"""Operators of edge-matching puzzles; `matheur.operators` finds them by name."""

__all__: list[str] = []
