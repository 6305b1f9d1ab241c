"""Solvability of boards: a parity and, on a single row, the order of the tiles.

A slide is a transposition of a tile with the blank, which moves by one cell. So the parity of the permutation from the
tiles to the goal equals the parity of the blank's taxicab distance to its goal (Johnson and Story 1879). On boards of
at least two rows and columns this condition is sufficient (Wilson 1974; for the 2 x 2 board by counting); on a single
row the tiles never change their order.
"""

from __future__ import annotations

from collections.abc import Sequence

from matheur.errors import shown
from matheur.problems.sliding_tile.instance import Instance, goal_tiles

__all__ = ["reachable", "unsolvable_reason"]


def reachable(rows: int, columns: int, tiles: Sequence[int], goal: str) -> bool:
    """Whether slides lead from the tiles to the goal."""
    target = goal_tiles(rows * columns, goal)
    if rows == 1 or columns == 1:
        return [tile for tile in tiles if tile] == [tile for tile in target if tile]
    return _odd(tiles, target) == bool(_distance(columns, tiles.index(0), target.index(0)) % 2)


def unsolvable_reason(instance: Instance) -> str | None:
    """A sentence if the goal cannot be reached, else None."""
    one = instance
    if reachable(one.rows, one.columns, one.tiles, one.goal):
        return None
    if one.rows == 1 or one.columns == 1:
        return "on a single line tiles cannot pass each other, and they are not in the order of the goal"
    steps = _distance(one.columns, one.blank, one.target.index(0))
    kind = "odd" if _odd(one.tiles, one.target) else "even"
    return (
        f"the permutation to the goal {shown(one.goal)} is {kind}, but the blank is {steps} steps from its goal: "
        f"every slide changes both parities"
    )


def _distance(columns: int, here: int, there: int) -> int:
    return abs(here // columns - there // columns) + abs(here % columns - there % columns)


def _odd(tiles: Sequence[int], target: Sequence[int]) -> bool:
    """Parity of the permutation that takes the tiles to the target, by its cycles."""
    place = {tile: cell for cell, tile in enumerate(target)}
    seen = [False] * len(tiles)
    odd = False
    for cell in range(len(tiles)):
        length = 0
        while not seen[cell]:
            seen[cell] = True
            cell = place[tiles[cell]]
            length += 1
        odd ^= length > 0 and length % 2 == 0
    return odd
