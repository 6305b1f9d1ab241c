"""Operators specific to Rubik's cube; the others are shared by all plans."""

__all__: list[str] = []
