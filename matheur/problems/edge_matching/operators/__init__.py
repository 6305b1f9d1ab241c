"""Operators of edge-matching puzzles; `matheur.engine.operators` finds them by name."""

__all__: list[str] = []
