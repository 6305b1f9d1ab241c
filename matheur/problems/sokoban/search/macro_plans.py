"""Conversion of moves of one box, by any number of pushes, to single moves of the player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from matheur.problems.sokoban.search.board_kernels import walk

__all__ = ["BoxMove", "single_moves", "walk_between"]


@dataclass(frozen=True, slots=True)
class BoxMove:
    """A move of a box from one cell to another, after which the player can reach the cell `player`."""

    box: int
    to: int
    player: int


_Place: TypeAlias = tuple[int, int]
"""A cell of the box, and one of the player."""


def single_moves(
    adjacent: NDArray[np.int64], boxes: Sequence[int], player: int, moves: Sequence[BoxMove], *, pushes: bool
) -> list[int]:
    """Walks and pushes that make these box moves one after another, each with the fewest moves in total.

    Parameters
    ----------
    adjacent
        int64[n, 4]: cells up, down, left, right, or -1.
    boxes, player
        Initial cells.
    pushes
        Whether each box move uses the fewest pushes, with moves as the tie-breaker.
    """
    carrier = _Carrier(adjacent)
    carrier.taken[list(boxes)] = True
    plan = list[int]()
    for move in moves:
        steps, player = carrier.carry(move, player, 1 << 20 if pushes else 1)
        plan += steps
    return plan


def walk_between(beside: list[list[int]], here: int, steps: NDArray[np.int64]) -> list[int]:
    """Moves from the origin of the step counts to a cell."""
    moves = list[int]()
    while steps[here] > 0:
        for move, there in enumerate(beside[here]):
            if there >= 0 and steps[there] == steps[here] - 1:
                moves.append(move ^ 1)
                here = there
                break
    return moves[::-1]


class _Carrier:
    """Moves of one box past the boxes marked in `taken` (between calls, the box itself is marked as well)."""

    def __init__(self, adjacent: NDArray[np.int64]) -> None:
        self._adjacent, self._beside = adjacent, adjacent.tolist()
        self.taken = np.zeros(len(adjacent), dtype=np.bool_)
        self._queue = np.zeros(len(adjacent), dtype=np.int64)

    def _steps(self, player: int, box: int) -> NDArray[np.int64]:
        steps = np.empty(len(self._beside), dtype=np.int64)
        self.taken[box] = True
        walk(player, self.taken, self._adjacent, steps, self._queue)
        self.taken[box] = False
        return steps

    def carry(self, move: BoxMove, player: int, price: int) -> tuple[list[int], int]:
        """The single moves and the final cell of the player; a push costs `price`, a step 1."""
        self.taken[move.box] = False
        first: _Place = (move.box, player)
        costs: dict[_Place, int] = {first: 0}
        came: dict[_Place, tuple[_Place, int]] = {}
        waiting = [(0, first)]
        arrived = self._steps(move.player, move.to)
        while waiting:
            cost, place = heappop(waiting)
            if cost > costs[place]:
                continue
            box, here = place
            if box == move.to and arrived[here] >= 0:
                break
            steps = self._steps(here, box)
            for push, there in enumerate(self._beside[box]):
                behind = self._beside[box][push ^ 1]
                if there < 0 or behind < 0 or self.taken[there] or steps[behind] < 0:
                    continue
                after, total = (there, box), cost + int(steps[behind]) + price
                if total < costs.get(after, total + 1):
                    costs[after], came[after] = total, (place, push)
                    heappush(waiting, (total, after))
        else:
            raise AssertionError(f"a box cannot be moved as planned ({move})")
        end, parts = place, list[list[int]]()
        while place != first:
            before, push = came[place]
            behind = self._beside[before[0]][push ^ 1]
            parts.append([*walk_between(self._beside, behind, self._steps(before[1], before[0])), push])
            place = before
        self.taken[move.to] = True
        return [step for part in reversed(parts) for step in part], end[1]
