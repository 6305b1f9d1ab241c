"""Sokoban as a domain: the player's cell, and one bit per cell for the boxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import BaseDomain, Kernel, View
from matheur.methods.statespace.heuristics.base import UNREACHED, Heuristic
from matheur.methods.statespace.packing import Packing
from matheur.problems.sokoban import domain_kernels as sokoban_kernels
from matheur.problems.sokoban.boards_domain import BOX, GOAL, PLAYER, board_of, fingerprint_of
from matheur.problems.sokoban.instance import MOVES, Instance
from matheur.problems.sokoban.problem import Sokoban
from matheur.problems.sokoban.search.floor import Floor

__all__ = ["SokobanDomain", "sokoban_domain"]

_CELLS_MAX = 255


class SokobanDomain(BaseDomain):
    """Steps and pushes of a level; moves 0 to 3 are U D L R.

    Component 0 of a state is the number of the player's cell, component i + 1 whether a box is in cell i; cells are
    numbered as in `Floor`. Pushes are not reversible, so searches from the goal are ruled out.

    Parameters
    ----------
    instance
        The level, which supplies the walls and the cost.
    start, goal
        States; the player's cell in the goal matters only if `player_matters`.

    Raises
    ------
    ConfigurationError
        If the player can walk on more than 255 cells.
    """

    reversible = False

    def __init__(
        self, instance: Instance, start: NDArray[np.uint8], goal: NDArray[np.uint8], *, player_matters: bool = False
    ) -> None:
        self._instance, self._floor = instance, Floor.of(instance)
        cells = len(self._floor.cells)
        if cells > _CELLS_MAX:
            raise ConfigurationError(f"the searches take levels of up to {_CELLS_MAX} free cells ({cells})")
        self.start: NDArray[np.uint8] = np.array(start, dtype=np.uint8)
        self.goal: NDArray[np.uint8] = np.array(goal, dtype=np.uint8)
        self.name: str = f"sokoban {instance.rows}x{instance.columns}"
        self.packing: Packing = Packing((8, *(1,) * cells))
        self.goal_mask: NDArray[np.bool_] = np.ones(cells + 1, dtype=np.bool_)
        self.goal_mask[0] = player_matters
        self.moves: int = len(MOVES)
        self.branching: int = self.moves
        self.unit_costs: bool = instance.cost == "moves"
        adjacent = np.where(self._floor.adjacent < 0, _CELLS_MAX, self._floor.adjacent).astype(np.uint8)
        places = np.stack([self.packing.word[1:], self.packing.shift[1:]], axis=1).astype(np.uint64)
        self._places = np.ascontiguousarray(places)
        numbers = np.array([self.packing.words, int(self.unit_costs)], dtype=np.int64)
        self.expander: Kernel | None = Kernel(
            sokoban_kernels.expand, numbers, (np.ascontiguousarray(adjacent), self._places)
        )

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> SokobanDomain:
        """The same level with other endpoints, including the player's cell."""
        return SokobanDomain(self._instance, start, goal, player_matters=True)

    def view(self) -> View | None:
        """The level as a member of all levels of its size, counted in moves (`SokobanBoards`)."""
        one, cells = self._instance, np.array(self._floor.cells)
        ground = board_of(one)
        goals = np.flatnonzero(self.goal[1:])
        if not self.unit_costs or self.goal_mask[0] or not np.array_equal(cells[goals], np.flatnonzero(ground == GOAL)):
            return None
        place = np.full((1 + len(cells), 256), -1, dtype=np.int64)
        shown = np.zeros((1 + len(cells), 256), dtype=np.uint8)
        place[0, : len(cells)], shown[0, : len(cells)] = cells, ground[cells] + PLAYER
        place[1:, 1], shown[1:, 1] = cells, ground[cells] + BOX
        return View(fingerprint_of(one.rows, one.columns), ground, place, shown)

    def heuristics(self) -> Mapping[str, Callable[[], Heuristic]]:
        """`pushes`."""
        return {"pushes": self.pushes}

    def pushes(self) -> Heuristic:
        """Sum over the boxes of the pushes to the nearest goal on an otherwise empty level."""
        cells = len(self._floor.cells)
        goals = np.flatnonzero(self.goal[1:])
        nearest = _pushes(self._floor.adjacent, goals)
        numbers = np.array([self.packing.words, cells], dtype=np.int64)
        return Heuristic("pushes", True, True, Kernel(sokoban_kernels.goal_pushes, numbers, (nearest, self._places)))


def _pushes(adjacent: NDArray[np.int64], goals: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Pushes from each cell to the nearest goal; `UNREACHED` for dead squares and large distances."""
    nearest = np.full(len(adjacent), UNREACHED, dtype=np.uint8)
    nearest[goals] = 0
    frontier, depth = goals.tolist(), 0
    while frontier and depth < UNREACHED - 1:
        depth += 1
        following = []
        for cell in frontier:
            for move in range(len(MOVES)):
                there = int(adjacent[cell, move])
                if there >= 0 and adjacent[there, move] >= 0 and nearest[there] == UNREACHED:
                    nearest[there] = depth
                    following.append(there)
        frontier = following
    return nearest


def sokoban_domain(problem: Sokoban) -> SokobanDomain:
    """The domain of a level with as many boxes as goals.

    Raises
    ------
    ConfigurationError
        If there are more goals than boxes (many states would be goals), or too many cells.
    """
    one, floor = problem.instance, Floor.of(problem.instance)
    number = {cell: i for i, cell in enumerate(floor.cells)}
    boxes, goals = ([number[cell] for cell in cells if cell in number] for cells in (one.boxes, one.goals))
    if len(boxes) != len(goals):
        raise ConfigurationError(
            f"the state-space searches take levels with as many boxes as goals ({len(boxes)}, {len(goals)}). "
            "Maybe --construction push-astar?"
        )
    start, goal = (np.zeros(len(floor.cells) + 1, dtype=np.uint8) for _ in range(2))
    start[0] = goal[0] = number[one.player]
    start[np.array(boxes, dtype=np.int64) + 1] = 1
    goal[np.array(goals, dtype=np.int64) + 1] = 1
    return SokobanDomain(one, start, goal)
