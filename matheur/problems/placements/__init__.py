"""Constructions of every problem whose solutions are assignments that are made slot by slot.

They are searches over the states of a `PlacingDomain`, the same ones that find plans of puzzles. A problem has them by
the line `shares = "matheur.problems.placements"` of its registration, and the domain by `domain`.
"""

__all__: list[str] = []
