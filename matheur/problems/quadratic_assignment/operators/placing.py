"""Permutations as a state space, placed facility by facility: the QAP interface for searches over partial assignments.

The facility with the largest flows is placed first, then always the one with the largest flows to the facilities
already placed. The cost of a step is its products with these; if numbers are negative, a lower bound on the step is
subtracted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.placing import Bound, Extensions, PlacingDomain
from matheur.problems.quadratic_assignment.instance import Instance, flows_only

__all__ = ["PermutationPlacing", "permutation_domain"]

_AT_ONCE = 1 << 20  # numbers in a table


class PermutationPlacing:
    """The facilities as slots, the locations as values.

    Parameters
    ----------
    problem
        A `QuadraticAssignment`.
    order
        The order in which facilities are placed; by their flows if None.
    """

    def __init__(self, problem: Any, order: NDArray[np.integer] | None = None) -> None:
        instance: Instance = problem.instance
        flows_only(instance, "partial assignments")
        self._problem = problem
        self.name: str = f"quadratic-assignment of {instance.n}, facility by facility"
        self.fingerprint: str = f"quadratic-assignment facilities {problem.fingerprint}"
        self.slots = self.values = instance.n
        self._order = _by_flow(instance.flows) if order is None else np.asarray(order, dtype=np.int64)
        self._flows = instance.flows[np.ix_(self._order, self._order)]
        self._distances = instance.distances
        self._single = instance.assignments[self._order]
        self.scale: int = instance.grain
        # No step may have a negative cost, so each is counted from its own lower bound.
        least, most = (self._of_steps(instance, smaller) for smaller in (True, False))
        self._least = np.minimum(least, 0) // self.scale * self.scale
        self.offset: int = int(self._least.sum()) + instance.constant
        self.cost_max: int = int((most - self._least).sum()) // self.scale

    def _of_steps(self, instance: Instance, smaller: bool) -> NDArray[np.int64]:
        """A lower or upper bound on the cost of each step."""
        extreme = np.minimum if smaller else np.maximum
        low, high = int(instance.distances.min()), int(instance.distances.max())
        between = extreme(self._flows * low, self._flows * high)
        np.fill_diagonal(between, 0)
        single = self._single.min(axis=1) if smaller else self._single.max(axis=1)
        return np.tril(between).sum(axis=1) + np.triu(between, 1).sum(axis=0) + single

    def _toward(self, rows: NDArray[np.int64], slot: int) -> NDArray[np.int64]:
        """Cost of a facility on each location, by itself and with the placed facilities. Shape (n, locations)."""
        filled, distances, flows = rows.shape[1], self._distances, self._flows
        found = np.tile(self._single[slot], (len(rows), 1))
        for other in range(filled):
            there = rows[:, other]
            if flows[slot, other]:
                found += flows[slot, other] * distances.T[there]
            if flows[other, slot]:
                found += flows[other, slot] * distances[there]
        return found

    def _free(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        free = np.ones((len(rows), self.values), dtype=np.bool_)
        np.put_along_axis(free, rows, False, axis=1)
        return free

    def extensions(self, rows: NDArray[np.int64]) -> Extensions:
        """Every free location."""
        slot = rows.shape[1]
        parents, locations = np.nonzero(self._free(rows))
        costs = self._toward(rows, slot)[parents, locations] - self._least[slot]
        return parents, locations, costs // self.scale

    def bounds(self) -> Mapping[str, Callable[[Budget], Bound]]:
        """`rows`: the bound of Gilmore and Lawler with row and column minima in place of a linear assignment."""
        return {"rows": lambda _: self._rows}

    def _rows(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        left = self.slots - rows.shape[1]
        step = max(1, _AT_ONCE // (left * self.values))
        return np.concatenate([self._rows_of(rows[low : low + step]) for low in range(0, len(rows), step)])

    def _rows_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Bounds from each facility's products with the placed ones and its minimal scalar product with the rest."""
        count, filled = rows.shape
        left = self.slots - filled
        free = np.nonzero(self._free(rows))[1].reshape(count, left)
        costs = np.empty((count, left, left), dtype=np.int64)
        for place, slot in enumerate(range(filled, self.slots)):
            costs[:, place] = np.take_along_axis(self._toward(rows, slot), free, axis=1)
        if left > 1:
            off = ~np.eye(left, dtype=bool)
            flows = np.sort(self._flows[filled:, filled:][off].reshape(left, left - 1), axis=1)
            among = self._distances[free[:, :, None], free[:, None, :]][:, off].reshape(count, left, left - 1)
            among = np.sort(among, axis=2)[:, :, ::-1]
            costs += np.einsum("ik,nlk->nil", flows, among)
        least = np.maximum(costs.min(axis=2).sum(axis=1), costs.min(axis=1).sum(axis=1)) - self._least[filled:].sum()
        return -(-least // self.scale)

    def solution(self, row: NDArray[np.int64]) -> NDArray[np.int32]:
        """The permutation of a full row."""
        places = np.empty(self.slots, dtype=np.int32)
        places[self._order] = row
        return places

    def row(self, solution: NDArray[np.integer]) -> NDArray[np.int64]:
        """The locations of a permutation."""
        return np.asarray(solution, dtype=np.int64)[self._order]

    def reordered(self, order: NDArray[np.integer]) -> PermutationPlacing:
        """The facilities in another order."""
        return PermutationPlacing(self._problem, self._order[order])


def _by_flow(flows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Facilities in the order in which they are placed."""
    between = np.abs(flows.astype(np.float64))
    between += between.T
    order: list[int] = []
    toward = between.sum(axis=1)
    waiting = np.ones(len(flows), dtype=bool)
    for _ in range(len(flows)):
        slot = int(np.argmax(np.where(waiting, toward, -1.0)))
        toward = between[slot].copy() if not order else toward + between[slot]
        waiting[slot] = False
        order.append(slot)
    return np.array(order, dtype=np.int64)


def permutation_domain(problem: Any) -> PlacingDomain:
    """The partial permutations of a `QuadraticAssignment` as a state space."""
    return PlacingDomain(PermutationPlacing(problem))
