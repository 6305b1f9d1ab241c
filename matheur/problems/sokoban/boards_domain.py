"""All Sokoban levels of one size as one state space, from which a network for unseen levels learns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import BaseDomain, Kernel
from matheur.methods.statespace.packing import Packing
from matheur.problems.sokoban import boards_domain_kernels as kernels
from matheur.problems.sokoban.instance import MOVES, Instance
from matheur.problems.sokoban.settled import Settled

__all__ = ["BOX", "GOAL", "PLAYER", "SokobanBoards", "board_of", "fingerprint_of"]

GOAL, BOX, PLAYER = 2, 2, 4
"""Code of an empty goal, and what a box and the player add to the code of a cell.

0 is a wall, 1 floor, 2 a goal, 3 a box, 4 a box on a goal, 5 the player, 6 the player on a goal."""


def fingerprint_of(rows: int, columns: int) -> str:
    """Fingerprint of the moves on all boards of a size; each move costs 1."""
    return f"sokoban boards {rows}x{columns}"


def board_of(instance: Instance) -> NDArray[np.uint8]:
    """uint8[cells]: walls, floor and goals of a level, without boxes and player.

    Cells that the player cannot reach and boxes that no plan moves are walls, so that levels that differ only there are
    equal.
    """
    board = np.zeros(instance.rows * instance.columns, dtype=np.uint8)
    board[list(Settled.of(instance).cells)] = 1
    goals = [cell for cell in instance.goals if board[cell]]
    board[goals] = 2
    return board


class SokobanBoards(BaseDomain):
    """Steps and pushes on boards of one size, whatever their walls and goals; moves 0 to 3 are U D L R.

    Component c of a state is the code of cell c. Every board without a box off a goal is a goal state, so this domain
    is not for searches, which need a single goal; it is for training networks.

    Parameters
    ----------
    levels
        Levels of the same size, each with as many boxes as reachable goals.
    backwards
        Whether moves are reversed: the successors are the boards from which a step or push leads to a board.

    Raises
    ------
    ConfigurationError
        If the levels do not satisfy this.
    """

    reversible = False

    def __init__(self, levels: Sequence[Instance], *, backwards: bool = False) -> None:
        if len({(one.rows, one.columns) for one in levels}) != 1:
            raise ConfigurationError("levels of one size are needed to learn from, at least one")
        self._levels = list(levels)
        rows, columns = levels[0].rows, levels[0].columns
        boards = np.array([board_of(one) for one in levels], dtype=np.uint8)
        self._solved = boards + np.uint8(BOX) * (boards == 2)
        if not ((boards == 1).any(axis=1) & (boards == 2).any(axis=1)).all():
            raise ConfigurationError("levels to learn from need a goal and a free cell that the player can get to")
        self._columns, cells = columns, rows * columns
        self.name = self.fingerprint = fingerprint_of(rows, columns)
        self.packing: Packing = Packing((3,) * cells)
        self.moves: int = len(MOVES)
        self.branching: int = 2 * len(MOVES) if backwards else len(MOVES)
        self.goal_mask: NDArray[np.bool_] = np.ones(cells, dtype=np.bool_)
        self.goal: NDArray[np.uint8] = np.zeros(cells, dtype=np.uint8)  # every board has floor
        self.start: NDArray[np.uint8] = self._solved[0].copy()
        self.start[np.flatnonzero(self.start == 1)[0]] += PLAYER
        numbers = np.array([self.packing.words, columns, cells], dtype=np.int64)
        self.expander: Kernel | None = Kernel(kernels.expand_back if backwards else kernels.expand, numbers)

    @property
    def size(self) -> int:
        """Number of levels."""
        return len(self._solved)

    def backwards(self) -> SokobanBoards:
        """The same boards with reversed moves."""
        return SokobanBoards(self._levels, backwards=True)

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> SokobanBoards:
        """The same domain: its boards have no fixed endpoints."""
        del start, goal
        return self

    def is_goal(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Mask of the boards without a box off a goal."""
        return ~np.asarray((self.packing.unpack(keys) == 1 + BOX).any(axis=1), dtype=np.bool_)

    def goals(self, most: int) -> NDArray[np.uint64]:
        """Solved boards of the first levels, with the player in every free cell, until there are at least `most`."""
        found = []
        for board in self._solved:
            free = np.flatnonzero(board == 1)
            rows = np.repeat(board[None], len(free), axis=0)
            rows[np.arange(len(free)), free] += PLAYER
            found.append(rows)
            if (most := most - len(free)) <= 0:
                break
        return self.packing.pack(np.concatenate(found))

    def walks_back(
        self, count: int, longest: int, rng: Generator
    ) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int32]]:
        """Boards on walks of reversed moves from solved boards of random levels.

        Returns
        -------
        keys, steps, back
            uint64[(longest + 1) * count, words], walk by walk within each step; int32, the number of moves from there
            to a solved board; int32, the first of these moves, -1 at the solved board.
        """
        cells = self._solved.shape[1]
        chosen = rng.integers(0, self.size, count)
        draws = rng.random((count, cells)) * (self._solved[chosen] == 1)
        boards = np.empty((longest + 1, count, cells), dtype=np.uint8)
        steps, back = (np.empty((longest + 1, count), dtype=np.int32) for _ in range(2))
        state = rng.integers(1, 1 << 63, 1, dtype=np.uint64)
        kernels.walks_back(
            self._solved, chosen, np.argmax(draws, axis=1), self._columns, longest, state, boards, steps, back
        )  # fmt: skip
        return self.packing.pack(boards.reshape(-1, cells)), steps.reshape(-1), back.reshape(-1)
