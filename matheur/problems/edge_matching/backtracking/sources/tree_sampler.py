"""Samples of the search tree of a quota, which estimate its number of placements and the promise of its boards."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator as Random
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.quotas import Quota
from matheur.problems.edge_matching.backtracking.slip_tables import SlipTables
from matheur.problems.edge_matching.instance import DOWN, RIGHT, Instance

__all__ = ["DRAWN", "TreeSample", "TreeSampler"]

DRAWN = 5_000
"""Number of boards drawn from a sample, to check which quotas they meet."""

_STEP = 5  # cells between two samples
_DEPTH = 0.73  # share of the board up to which boards are sampled
_KEPT = 300_000  # maximum boards of a sample


@dataclass(frozen=True, slots=True, eq=False)
class TreeSample:
    """Estimates from a sample of all partial boards that a quota allows.

    Attributes
    ----------
    placements
        Estimated number of placements without mismatches, up to the sampled depth.
    promise
        Logarithm of the number of full boards if all ways to join the remaining sides were equally likely, up to a
        constant of the puzzle.
    boards
        Some of the partial boards, drawn in proportion to their promise: pieces by depth, shape (any, cells).
    """

    placements: float
    promise: float
    boards: NDArray[np.uint16]

    @property
    def worth(self) -> float:
        """Logarithm of the promised boards per placement."""
        return self.promise - math.log(self.placements)


class TreeSampler:
    """Samples the partial boards that a quota allows, some cells at a time.

    A random sample of the boards with some cells filled is extended to all boards with some more cells, of which a
    sample is continued: stratified sampling of a search tree (Knuth 1975, Estimating the efficiency of backtrack
    programs; Chen 1992, Heuristic sampling). Trees of 10^12 placements take a second and are usually estimated to
    within a fifth.

    Parameters
    ----------
    order
        Cells, each after the cells above it and on its left.
    """

    def __init__(self, instance: Instance, order: NDArray[np.int64]) -> None:
        self._instance = instance
        self._tables = tables = SlipTables(instance, order, 0)
        entries = np.array(sorted(tables.candidates()), dtype=np.int64).reshape(-1, 4)
        self._start = np.searchsorted(entries[:, 0], np.arange(int(tables.base[-1]) + 2))
        self._rights, self._downs = entries[:, 1].copy(), entries[:, 2].copy()
        self._pieces = entries[:, 3] >> 2
        names = np.union1d(instance.sides, 0)
        self._sides = (instance.pieces[:, :, None] == names).sum(axis=1)  # by piece and colour
        hinted = np.flatnonzero(tables.fixed >= 0)
        self._free = self._sides.sum(axis=0) - self._sides[tables.fixed[hinted] >> 2].sum(axis=0)
        self._names, self._hinted = names, hinted
        self._used = np.zeros(instance.cells, dtype=np.bool_)
        most = max(self._free.max(), 1) + 1
        self._logarithms = np.array([math.lgamma(number + 1) for number in range(most)])
        cells = len(tables.order)
        self._depths = [*range(_STEP, int(_DEPTH * cells), _STEP), int(_DEPTH * cells)]

    def sample(self, quota: Quota, effort: int, rng: Random) -> TreeSample | None:
        """Sample the tree of a quota with about `effort` placements per stage; None if no board is left."""
        # Numba is imported where it is used, to keep importing the package cheap.
        from matheur.problems.edge_matching.backtracking import quota_kernels as kernels

        tables = self._tables
        spent, asked = self._spent(quota)
        spent = spent[self._pieces]
        right, down = tables.right.copy(), tables.down.copy()
        rows, random = (
            np.zeros((3, len(tables.order) + 1), dtype=np.int64),
            rng.integers(1 << 63, size=1, dtype=np.uint64),
        )
        sample, begin, weight, placements = np.zeros((1, 0), dtype=np.uint16), 0, 1.0, 0.0
        for end in self._depths:
            grown = np.empty((_KEPT, end), dtype=np.uint16)
            taken, ways, made = kernels.grow(
                sample, rng.permutation(len(sample)), effort, begin, end, tables.base, tables.above, tables.left,
                self._start, self._rights, self._downs, self._pieces, spent, asked, right, down, self._used, rows,
                random, grown,
            )  # fmt: skip
            if not ways:
                return None
            weight *= len(sample) / taken
            placements += weight * made
            sample, begin = grown[: min(ways, _KEPT)], end
            weight *= ways / len(sample)
        promises = self._promises(sample, begin)
        best = promises.max()
        if best == -np.inf:
            return None
        shares = np.cumsum(np.exp(promises - best))
        drawn = np.searchsorted(shares, (np.arange(DRAWN) + rng.random()) * shares[-1] / DRAWN)
        boards = self._pieces[sample[np.minimum(drawn, len(sample) - 1)]].astype(np.uint16)
        return TreeSample(placements, float(best + math.log(shares[-1] * weight)), boards)

    def meeting(self, boards: NDArray[np.uint16], quota: Quota) -> NDArray[np.bool_]:
        """Which partial boards, as in a `TreeSample`, meet a quota."""
        spent, asked = self._spent(quota)
        met: NDArray[np.bool_] = np.cumsum(spent[boards], axis=1) >= asked[: boards.shape[1]]
        return np.asarray(met.all(axis=1))

    def _spent(self, quota: Quota) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Sides of each piece that a quota counts, and the number required by depth without those of fixed pieces."""
        tables = self._tables
        spent = np.isin(self._instance.pieces, quota.colours).sum(axis=1)
        fixed = int(spent[tables.fixed[self._hinted] >> 2].sum())
        return spent, quota.asked(self._instance)[self._instance.cells - len(tables.order) :] - fixed

    def _promises(self, sample: NDArray[np.uint16], filled: int) -> NDArray[np.float64]:
        from matheur.problems.edge_matching.backtracking import quota_kernels as kernels

        instance, tables = self._instance, self._tables
        laid = np.isin(np.arange(instance.cells), tables.order[:filled])
        laid[self._hinted] = True
        empty = (instance.neighbours >= 0) & ~laid[instance.neighbours]  # by side
        wanted = np.zeros(len(self._names), dtype=np.int64)
        shown = instance.sides[tables.fixed[self._hinted]]
        np.add.at(wanted, np.searchsorted(self._names, shown[empty[self._hinted]]), 1)
        promises = np.zeros(len(sample))
        kernels.expected(
            sample, filled, self._free, wanted, self._sides[self._pieces], self._rights,
            self._downs // tables.colours, empty[tables.order][:, [RIGHT, DOWN]].T.copy(), self._logarithms, promises,
        )  # fmt: skip
        return promises
