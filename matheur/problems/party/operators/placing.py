"""State space of parties that are filled slot by slot, for searches over partial assignments.

Slots are filled along the edges of the formation, so that the synergy is known early. An item costs its price; items
with which some demand can no longer be met, whatever the other slots contain, are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.errors import ConfigurationError
from matheur.methods.statespace.heuristics.base import INFINITE
from matheur.methods.statespace.placing import Bound, Extensions, PlacingDomain
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.cheapest import dual_of
from matheur.problems.party.operators.reduction import undominated
from matheur.problems.party.operators.tables import Tables

__all__ = ["PartyPlacing", "party_domain"]

_NEVER = 1 << 60


class PartyPlacing:
    """State space whose slots are those of a formation and whose values are the items that fit some slot.

    Parameters
    ----------
    problem
        A `Party`.
    order
        Order in which slots are filled; if None, along the edges, and then without dominated items.

    Raises
    ------
    ConfigurationError
        If the objective of the puzzle is not a sum over the items: the searches add up prices.
    """

    offset = 0

    def __init__(self, problem: Any, order: NDArray[np.integer] | None = None) -> None:
        instance: Instance = problem.instance
        if not instance.additive:
            raise ConfigurationError(
                f"searches over partial parties add up prices, not the {instance.objective}. "
                "Maybe --construction milp-full?"
            )
        self._problem, self.instance, self._whole = problem, instance, order is not None
        self.tables = tables = Tables.of(instance)
        self.name: str = "party, slot by slot"
        self.fingerprint: str = f"party slots {problem.fingerprint}"
        self.slots: int = tables.slots
        self.values: int = len(tables.items)
        # Some cheapest party contains no dominated item.
        candidates = instance.candidates if self._whole else undominated(instance)
        fitting = [tables.local[items].astype(np.int64) for items in candidates]
        self._impossible = tables.impossible or any(not len(items) for items in fitting)
        self._order = _along_edges(tables, [len(items) for items in fitting]) if order is None else np.asarray(order)
        self._fitting = [fitting[slot] for slot in self._order]
        used = np.unique(np.concatenate(self._fitting)) if self._fitting else np.empty(0, dtype=np.int64)
        self.scale: int = max(1, int(np.gcd.reduce(tables.prices[used])))
        self._costs = costs = tables.prices // self.scale
        self.cost_max: int = sum(int(costs[items].max(initial=0)) for items in self._fitting)
        self._cheapest = _after([int(costs[items].min()) if len(items) else 0 for items in self._fitting])
        extremes = [tables.amounts[items] for items in self._fitting]
        self._least, self._most = (
            _after([getattr(one, what)(axis=0) if len(one) else np.zeros(one.shape[1]) for one in extremes])
            for what in ("min", "max")
        )
        place = np.argsort(self._order)
        ends = np.sort(place[tables.edges], axis=1) if len(tables.edges) else np.empty((0, 2), dtype=np.int64)
        self._edges = [ends[ends[:, 1] == slot, 0] for slot in range(self.slots)]
        self._edges_after = _after([len(one) for one in self._edges])

    def extensions(self, rows: NDArray[np.int64]) -> Extensions:
        """Return the unused items that leave every demand reachable."""
        slot, tables = rows.shape[1], self.tables
        items = self._fitting[slot]
        if self._impossible:
            items = items[:0]
        able = np.ones((len(rows), len(items)), dtype=np.bool_)
        for earlier in range(slot):
            able &= rows[:, earlier, None] != items
        totals = tables.amounts[rows].sum(axis=1)[:, None, :] + tables.amounts[items]
        able &= (totals + self._least[slot + 1] <= tables.high).all(axis=2)
        able &= (totals + self._most[slot + 1] >= tables.low).all(axis=2)
        able &= self._labelled(rows, items)
        if tables.demand > 0:
            points = self._points(rows)[:, None] + self._gained(rows, items)
            able &= points + self._edges_after[slot + 1] * tables.edge_points >= tables.demand
        parents, chosen = np.nonzero(able)
        return parents, items[chosen], self._costs[items[chosen]]

    def _labelled(self, rows: NDArray[np.int64], items: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether the demands on equal and different values can still be met. Shape (n, items)."""
        tables = self.tables
        left = self.slots - rows.shape[1] - 1
        able = np.ones((len(rows), len(items)), dtype=np.bool_)
        for label in range(tables.labels.shape[1]):
            counts = np.zeros((len(rows), int(tables.label_sizes[label]) + 1), dtype=np.int64)  # the last: empty cells
            held = tables.labels[rows, label]
            np.add.at(counts, (np.arange(len(rows))[:, None], held), 1)
            counts[:, -1] = 0
            mine = tables.labels[items, label]
            known = mine >= 0
            able &= ~known | (counts[:, mine] < tables.same_high[label])
            different = (counts > 0).sum(axis=1)[:, None] + (known & (counts[:, mine] == 0))
            able &= (different <= tables.distinct_high[label]) & (different + left >= tables.distinct_low[label])
        return able

    def _points(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Points of the edges between filled slots. Shape (n,)."""
        total = np.zeros(len(rows), dtype=np.int64)
        for slot in range(rows.shape[1]):
            for other in self._edges[slot]:
                total += self._match(rows[:, slot], rows[:, other])
        return total

    def _gained(self, rows: NDArray[np.int64], items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Points with the filled neighbours of the next slot. Shape (n, items)."""
        gained = np.zeros((len(rows), len(items)), dtype=np.int64)
        for other in self._edges[rows.shape[1]]:
            gained += self._match(items[None, :], rows[:, other, None])
        return gained

    def _match(self, one: NDArray[np.int64], two: NDArray[np.int64]) -> NDArray[np.int64]:
        """Points of pairs of items."""
        tables, total = self.tables, np.zeros(np.broadcast_shapes(one.shape, two.shape), dtype=np.int64)
        for term in range(tables.codes.shape[1]):
            mine, theirs = tables.codes[one, term], tables.codes[two, term]
            size, first = int(tables.table_sizes[term]), int(tables.table_starts[term])
            listed = tables.table[first + tables.groups[one, term] * size + tables.groups[two, term]]
            plain = np.where(mine == theirs, tables.same[term], tables.other[term])
            total += np.where((mine < 0) | (theirs < 0), 0, np.where(listed >= 0, listed, plain))
        return total

    def bounds(self) -> Mapping[str, Callable[[Budget], Bound]]:
        """Bounds by name: `lagrangian` (prices and demands, by the dual) and `cheapest` (prices only)."""
        if self._whole:  # the dual does not include dominated items
            return {"cheapest": lambda _: self._least_price}
        return {"lagrangian": self._lagrangian, "cheapest": lambda _: self._least_price}

    def _least_price(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.full(len(rows), self._cheapest[rows.shape[1]], dtype=np.int64)

    def _lagrangian(self, budget: Budget) -> Bound:
        """Bound from the dual, which decomposes by slot: an item adds its reduced cost above the slot's minimum."""
        lagrangian, root = dual_of(self.instance, budget)
        if lagrangian.impossible or self._impossible:
            return self._least_price
        if root is None:
            raise OutOfBudgetError
        base = lagrangian.price_out(root)
        if base > lagrangian.price_max:
            return lambda rows: np.full(len(rows), INFINITE, dtype=np.int64)
        above = np.full((self.slots, self.values), np.inf)
        above[lagrangian.slot[root.open], self.tables.local[lagrangian.item[root.open]]] = lagrangian.above(root)
        above = above[self._order]
        costs, scale = self._costs, self.scale

        def bound(rows: NDArray[np.int64]) -> NDArray[np.int64]:
            filled = rows.shape[1]
            total = base + above[np.arange(filled), rows].sum(axis=1)
            least = np.array([lagrangian.round_up(one) if one < np.inf else _NEVER for one in total.tolist()])
            return np.maximum(-(-least // scale) - costs[rows].sum(axis=1), self._cheapest[filled])

        return bound

    def solution(self, row: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the party of a complete row."""
        party = np.empty(self.slots, dtype=np.int32)
        party[self._order] = self.tables.items[row]
        return party

    def row(self, solution: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the items of a party as local numbers."""
        return self.tables.to_local(np.asarray(solution, dtype=np.int32)).astype(np.int64)[self._order]

    def reordered(self, order: NDArray[np.integer]) -> PartyPlacing:
        """Return the state space with another order of slots, and with dominated items."""
        return PartyPlacing(self._problem, self._order[order])


def _after(values: list[Any]) -> NDArray[np.int64]:
    """Sums of the values from each position to the end, followed by zero."""
    array = np.array(values, dtype=np.int64)
    return np.concatenate([np.cumsum(array[::-1], axis=0)[::-1], np.zeros((1, *array.shape[1:]), dtype=np.int64)])


def _along_edges(tables: Tables, sizes: list[int]) -> NDArray[np.int64]:
    """Order the slots for filling: most filled neighbours first, then fewest items."""
    order: list[int] = []
    met = np.zeros(tables.slots, dtype=np.int64)
    waiting = set(range(tables.slots))
    while waiting:
        slot = min(waiting, key=lambda one: (-met[one], sizes[one], one))
        waiting.remove(slot)
        order.append(slot)
        met[tables.neighbours[tables.neighbour_starts[slot] : tables.neighbour_starts[slot + 1]]] += 1
    return np.array(order, dtype=np.int64)


def party_domain(problem: Any) -> PlacingDomain:
    """Return the state space of the partial parties of a `Party`."""
    return PlacingDomain(PartyPlacing(problem))
