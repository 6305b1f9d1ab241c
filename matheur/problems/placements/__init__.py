"""Operators for every problem whose solutions are assignments made slot by slot.

Constructions search the states of a `PlacingDomain` with the algorithms that find plans of puzzles. A problem enables
the operators with the line `shares = "matheur.problems.placements"` in its registration, and names its domain there
with `domain`.
"""

__all__: list[str] = []
