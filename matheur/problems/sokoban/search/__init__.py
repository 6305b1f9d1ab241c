"""Sokoban by its own engine: A* over pushes."""

__all__: list[str] = []
