"""Operators of Rubik's cube alone; the others are those of all plans."""

__all__: list[str] = []
