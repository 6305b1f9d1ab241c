"""Rubik's cube by its own engines: coordinates, tables, iterative deepening, two-phase search and a guided beam."""

__all__: list[str] = []
