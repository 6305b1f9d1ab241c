"""Sokoban by its own engine: A* over pushes."""
