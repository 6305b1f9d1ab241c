"""An exact search in slices: branch and bound with the dual ascent of `bounding_kernels`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.quadratic_assignment.operators.bounding_kernels import (
    DEPTH,
    FAR,
    LIMIT,
    NODES,
    ROUND,
    WORK,
    advance,
    begin,
    multiply,
)
from matheur.problems.quadratic_assignment.operators.symmetry import automorphisms
from matheur.problems.quadratic_assignment.restriction import Restriction

__all__ = ["ROOM", "SIZE_MAX", "Tree", "magnitude"]

SIZE_MAX = 45  # 0.3 GB
ROOM = 1 << 46  # upper limit of scaled costs
_SCALE_MAX = 1 << 14
_GROUP_MAX = 4000


class Tree:
    """Branch and bound over the permutations of a restriction; it can be stopped and continued at any time.

    Parameters
    ----------
    restriction
        The problem to search; up to 45 free facilities.
    upper
        Only permutations with a lower cost are searched for.
    rounds, root_rounds
        Largest number of rounds of the dual ascent at a node and at the root.
    thorough
        Whether the root gets all its rounds as long as they raise the bound.

    Raises
    ------
    ValueError
        If there are too many free facilities, or `magnitude` is not below `ROOM`.
    """

    def __init__(
        self,
        restriction: Restriction,
        upper: int | None = None,
        *,
        rounds: int = 8,
        root_rounds: int = 100,
        thorough: bool = False,
    ) -> None:
        self.restriction = restriction
        self._effort = (rounds, root_rounds, thorough)
        linear, flows, distances, pairs, self._unit = _in_units(restriction)
        size = len(linear)
        if not 1 <= size <= SIZE_MAX:
            raise ValueError(f"the search takes 1 to {SIZE_MAX} free facilities ({size})")
        if magnitude(restriction) >= ROOM:
            raise ValueError(f"the costs are too large for the search ({magnitude(restriction)})")
        if pairs is None:
            of_facilities = automorphisms(flows, linear.T, _GROUP_MAX)
            of_locations = automorphisms(distances, linear, _GROUP_MAX)
        else:  # symmetries of the general form are not computed
            of_facilities = of_locations = np.arange(size, dtype=np.int32)[None, :]
        self._swapped = len(of_facilities) > len(of_locations)
        if self._swapped:
            linear, flows, distances = np.ascontiguousarray(linear.T), distances, flows
        group = of_facilities if self._swapped else of_locations
        self._scale = _scale(restriction)
        self._step = self._scale * max(1, restriction.grain // self._unit)
        m = np.arange(size, 0, -1)
        leader_at, pair_at = np.concatenate([[0], np.cumsum(m**2)]), np.concatenate([[0], np.cumsum(m**4)])
        self._control = np.zeros(5, dtype=np.int64)
        self._control[LIMIT] = int(FAR) // 4
        if upper is not None:
            most = (upper - 1) // restriction.grain * restriction.grain - restriction.constant
            limit = most // self._unit * self._scale + 1
            self._control[LIMIT] = max(-int(FAR) // 4, min(int(FAR) // 4, limit))
        leader, pair = np.empty(leader_at[-1], dtype=np.int64), np.empty(pair_at[-1], dtype=np.int64)
        closed = np.zeros(leader_at[-1], dtype=np.uint8)
        self._lower = np.zeros(size + 1, dtype=np.int64)
        if pairs is None:
            multiply(size, flows, distances, self._scale, pair)
        else:
            np.multiply(pairs.ravel(), self._scale, out=pair[: pairs.size])
        begin(size, linear, self._scale, leader, pair, closed, self._lower)
        numbers = np.zeros((2, size, size), dtype=np.int32)
        numbers[:, 0] = np.arange(size)
        alive = np.zeros((size, len(group)), dtype=np.int32)
        alive[0] = np.arange(len(group))
        alive_count = np.full(size, len(group), dtype=np.int64)
        self._child_bound = np.zeros((size, size), dtype=np.int64)
        self._child_count, self._child_next = np.zeros((2, size), dtype=np.int64)
        self._best = np.full(size, -1, dtype=np.int32)
        self._state = (
            leader_at, pair_at, leader, pair, closed, self._lower, numbers[0], numbers[1], group, alive, alive_count,
            np.zeros((size, size), dtype=np.int32), np.zeros((size, size), dtype=np.int32), self._child_bound,
            self._child_count, self._child_next, np.zeros((size, 2), dtype=np.int32), self._best,
        )  # fmt: skip

    def search(self, effort: int) -> bool:
        """Solve `effort` more linear assignments (at least one round of the ascent), or stop at an improvement."""
        return bool(advance(effort, len(self._best), *self._effort, self._step, self._control, *self._state))

    @property
    def done(self) -> bool:
        """Whether nothing is left to search: the best permutation found is optimal, or none is below `upper`."""
        return int(self._control[DEPTH]) < 0

    @property
    def work(self) -> int:
        """Linear assignments solved so far."""
        return int(self._control[WORK])

    @property
    def nodes(self) -> int:
        """Nodes created so far."""
        return int(self._control[NODES])

    @property
    def best(self) -> NDArray[np.int64] | None:
        """The best order found, or None."""
        if self._best[0] < 0:
            return None
        return np.argsort(self._best) if self._swapped else self._best.astype(np.int64)

    @property
    def at_root(self) -> bool:
        """Whether the bound of the root is still being raised."""
        return int(self._control[DEPTH]) == 0 and int(self._control[ROUND]) >= 0

    @property
    def bound(self) -> int:
        """A lower bound on the cost of all permutations; once the search is done, the best cost found or `upper`."""
        low = int(self._control[LIMIT]) + self._step - 1
        depth = int(self._control[DEPTH])
        for d in range(depth + 1):
            if d == depth and self._control[ROUND] >= 0:
                low = min(low, int(self._lower[d]))
            elif self._child_next[d] < self._child_count[d]:
                low = min(low, int(self._child_bound[d, self._child_next[d]]))
        grain = self.restriction.grain
        return -(-(-(-low // self._scale) * self._unit + self.restriction.constant) // grain) * grain


def magnitude(one: Restriction) -> int:
    """Upper limit on the cost of any arrangement of the free facilities and its parts, in units of `_in_units`."""
    linear, flows, distances, table, _ = _in_units(one)
    a, b = abs(flows), abs(distances)
    pairs = min(int(a.sum()) * int(b.max()), int(b.sum()) * int(a.max()))
    if table is not None:
        pairs = int(abs(table).max(axis=(1, 3)).sum())
    return pairs + int(abs(linear).max(axis=1).sum())


def _in_units(
    one: Restriction,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64] | None, int]:
    """Linear costs, flows, distances and the general form divided by their common factor, and that factor."""
    if one.pairs is not None:
        unit = max(1, int(np.gcd(np.gcd.reduce(one.pairs, axis=None), np.gcd.reduce(one.linear, axis=None))))
        return one.linear // unit, one.flows, one.distances, one.pairs // unit, unit
    of_flows, of_distances = (max(1, int(np.gcd.reduce(matrix, axis=None))) for matrix in (one.flows, one.distances))
    unit = of_flows * of_distances
    if unit == 1 or (one.linear % unit).any():
        return one.linear, one.flows, one.distances, None, 1
    return one.linear // unit, one.flows // of_flows, one.distances // of_distances, None, unit


def _scale(one: Restriction) -> int:
    """Factor by which costs are multiplied, a power of two."""
    scale = _SCALE_MAX
    while scale > 1 and scale * magnitude(one) >= ROOM:
        scale //= 2
    return scale
