"""Dedicated searches for Rubik's cube: coordinates, tables, iterative deepening, two-phase search and a guided beam."""

__all__: list[str] = []
