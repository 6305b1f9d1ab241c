"""Colours that a cell requires of its tile, for the kernels of the moves on boards."""

from __future__ import annotations

from matheur.kernels import kernel

__all__ = ["required"]


@kernel
def required(position, placements, neighbours, sides, need):  # type: ignore[no-untyped-def]
    """Write the colours that the neighbours show to a position: -1 outside the board, -2 next to an empty cell."""
    for side in range(4):
        beside = neighbours[position, side]
        if beside < 0:
            need[side] = -1
        elif placements[beside] < 0:
            need[side] = -2
        else:
            need[side] = sides[placements[beside], (side + 2) & 3]
