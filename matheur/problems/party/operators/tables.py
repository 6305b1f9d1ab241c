"""Arrays of an instance for the kernels of the party operators, built once per instance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.problems.party.constraints import (
    CountConstraint,
    DistinctConstraint,
    MaxSameConstraint,
    Op,
    Scope,
    SumConstraint,
)
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.rule_tables import RuleTables, rule_tables
from matheur.problems.party.rules import is_rule

__all__ = ["UNBOUNDED", "Tables", "kernel_state"]

UNBOUNDED = 1 << 61
"""Limit that no total reaches."""
PRICE_LIMIT = 1 << 52
"""Strict limit of the price of a party, so that prices are exact as floating-point numbers."""

_Range = tuple[int, int]

_known: WeakKeyDictionary[Instance, Tables] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Tables:
    """An instance as integer arrays.

    Only items that fit some slot are included, renumbered 0, 1, ... ("local numbers") in the order of the catalogue.
    Slots that take the same items are of one *kind* if all demands treat them alike. Sum and count constraints are
    ranges of *totals* (a count is a sum of zeros and ones); distinct and max_same constraints restrict *labels*.
    Constraints with the same left-hand side are merged; a range with low > high cannot be met. All other demands are in
    `rules`.

    Attributes
    ----------
    slots
        Number of slots.
    items
        Catalogue number of each local number, ascending. Shape (n,), int32.
    local
        Local number of each item of the catalogue, -1 for items that fit nowhere. Shape (items,), int32.
    prices
        Contribution of each item to the objective. Shape (n,), int64.
    kinds
        Kind of each slot. Shape (slots,), int32. A fixed slot has a kind of its own.
    starts, candidates
        Local numbers that fit kind k, by ascending price: `candidates[starts[k] : starts[k + 1]]`. int32.
    places
        Index of an item in `candidates`, in the part of a kind; -1 if it does not fit. Shape (kinds, n), int32.
    codes, groups
        Value number of each item by term, -1 for an empty cell, and the row of the term's table, 0 if the value is not
        listed there. Shape (n, terms), int32.
    same, other
        Points of equal and of different values by term. Shape (terms,), int64.
    table, table_starts, table_sizes
        Square tables of listed pairs, one after another: points, or -1 if the pair is not listed.
    demand
        Minimum number of points of a party; 0 if no synergy is demanded.
    edge_points
        Maximum number of points of one edge.
    edges
        Pairs of neighbouring slots. Shape (edges, 2), int32.
    neighbour_starts, neighbours
        Neighbours of slot s: `neighbours[neighbour_starts[s] : neighbour_starts[s + 1]]`. int32.
    amounts
        Contribution of each item to each total. Shape (n, totals), int64.
    low, high
        Range of each total, `UNBOUNDED` if there is no limit. Shape (totals,), int64.
    sums
        Whether a total is a sum, not a count. Shape (totals,), bool.
    labels
        Value number of each item by label, -1 for an empty cell. Shape (n, labels), int32.
    label_sizes
        Number of values of each label. Shape (labels,), int32.
    distinct_low, distinct_high
        Range of the number of different values. Shape (labels,), int64.
    same_high
        Maximum number of items with the same value. Shape (labels,), int64.
    total_slots, label_slots
        Whether a total or a label covers a slot. Shapes (totals, slots) and (labels, slots), bool.
    in_position
        Whether an item is in position in the slots of a kind. Shape (kinds, n), bool.
    rules
        All other demands.
    """

    slots: int
    items: NDArray[np.int32]
    local: NDArray[np.int32]
    prices: NDArray[np.int64]
    kinds: NDArray[np.int32]
    starts: NDArray[np.int32]
    candidates: NDArray[np.int32]
    places: NDArray[np.int32]
    codes: NDArray[np.int32]
    groups: NDArray[np.int32]
    same: NDArray[np.int64]
    other: NDArray[np.int64]
    table: NDArray[np.int64]
    table_starts: NDArray[np.int64]
    table_sizes: NDArray[np.int64]
    demand: int
    edge_points: int
    edges: NDArray[np.int32]
    neighbour_starts: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    amounts: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    sums: NDArray[np.bool_]
    labels: NDArray[np.int32]
    label_sizes: NDArray[np.int32]
    distinct_low: NDArray[np.int64]
    distinct_high: NDArray[np.int64]
    same_high: NDArray[np.int64]
    total_slots: NDArray[np.bool_]
    label_slots: NDArray[np.bool_]
    in_position: NDArray[np.bool_]
    rules: RuleTables

    @classmethod
    def of(cls, instance: Instance) -> Tables:
        """Return the tables of an instance, for searches that support only totals and labels of all slots.

        Raises
        ------
        ConfigurationError
            If the instance has other demands, see `Instance.plain`.
        OverflowError
            If totals of the instance need more than 61 bits, or prices more than 52.
        """
        for one in instance.constraints:
            if is_rule(one) or one.scope is not None:
                known = "sums, counts, distinct and max_same of all slots"
                raise ConfigurationError(
                    f"this operator knows {known}, not the demand '{one}'. Maybe annealing or milp-full?"
                )
        return cls.of_any(instance)

    @classmethod
    def of_any(cls, instance: Instance) -> Tables:
        """Return the tables of an instance, built once per instance object, for searches that support all demands.

        Raises
        ------
        OverflowError
            As in `of`.
        """
        found = _known.get(instance)
        if found is None:
            found = _known[instance] = _build(instance)
        return found

    @property
    def impossible(self) -> bool:
        """Whether a slot has no candidates or a range is empty, so that no party is feasible."""
        return bool(
            (np.diff(self.starts) == 0).any()
            or (self.low > self.high).any()
            or (self.distinct_low > self.distinct_high).any()
            or (self.same_high < 0).any()
            or (self.rules.low > self.rules.high).any()
        )

    @cached_property
    def only(self) -> NDArray[np.int32]:
        """Item of each slot with a single candidate, -1 for the others. Shape (slots,), local numbers."""
        alone = np.diff(self.starts) == 1
        first = np.full(len(alone), -1, dtype=np.int32)
        first[alone] = self.candidates[self.starts[:-1][alone]]
        return first[self.kinds]

    @cached_property
    def value_starts(self) -> NDArray[np.int32]:
        """Index in `by_value` at which the candidates of a kind with a value start. Shape (kinds, terms, values + 1).

        Candidates of kind k with value v of term t: `by_value[t, value_starts[k, t, v] : value_starts[k, t, v + 1]]`.
        """
        kinds, terms = len(self.starts) - 1, self.codes.shape[1]
        values = int(self.codes.max(initial=-1)) + 1
        found = np.zeros((kinds, terms, values + 1), dtype=np.int32)
        for kind in range(kinds):
            low, high = self.starts[kind], self.starts[kind + 1]
            for term in range(terms):
                codes = self.codes[self.candidates[low:high], term]
                counts = np.bincount(codes + 1, minlength=values + 1)
                found[kind, term] = low + np.cumsum(counts)
        return found

    @cached_property
    def by_value(self) -> NDArray[np.int32]:
        """Places of each kind for each term, by value, then by price. Shape (terms, candidates), int32."""
        terms = self.codes.shape[1]
        found = np.empty((terms, len(self.candidates)), dtype=np.int32)
        for low, high in zip(self.starts[:-1], self.starts[1:], strict=True):
            mine = self.candidates[low:high]
            for term in range(terms):
                found[term, low:high] = low + np.argsort(self.codes[mine, term], kind="stable")
        return found

    def to_local(self, genomes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Local numbers of items; -1 stays -1, an item that fits nowhere becomes -2. Any shape, int32."""
        genomes = np.asarray(genomes)
        known = np.where(genomes < 0, 0, genomes)
        local = np.where(self.local[known] < 0, -2, self.local[known])
        return np.where(genomes < 0, -1, local).astype(np.int32)

    def to_items(self, local: NDArray[np.int32]) -> NDArray[np.int32]:
        """Catalogue numbers of local numbers; -1 stays -1. Any shape, int32."""
        return np.where(local < 0, -1, self.items[np.maximum(local, 0)]).astype(np.int32)

    def to_places(self, genomes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Places of items, given by catalogue numbers, in their slots; -1 if one does not fit. Shape (..., slots)."""
        local = self.to_local(genomes)
        found = self.places[self.kinds, np.maximum(local, 0)] if len(self.items) else np.full_like(local, -1)
        return np.where(local < 0, -1, found).astype(np.int32)

    def from_places(self, places: NDArray[np.int32]) -> NDArray[np.int32]:
        """Catalogue numbers of the items at places. Any shape, int32."""
        return self.items[self.candidates[places]].astype(np.int32)

    def price(self, solution: NDArray[np.int32]) -> int:
        """Price of a party, given by catalogue numbers of items that fit somewhere."""
        return int(self.prices[self.local[solution]].sum())


def kernel_state(rng: Generator) -> NDArray[np.uint64]:
    """The random state of a kernel: one odd 64-bit word drawn from `rng`."""
    return rng.integers(1 << 63, size=1, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def _range(op: Op, value: Fraction) -> _Range:
    """Return the range of whole numbers that satisfy `op value`."""
    least = min(max(math.ceil(value), -UNBOUNDED), UNBOUNDED)
    most = min(max(math.floor(value), -UNBOUNDED), UNBOUNDED)
    if op == ">=":
        return least, UNBOUNDED
    if op == "<=":
        return -UNBOUNDED, most
    return (least, most) if least == most else (1, 0)


def _both(one: _Range, two: _Range) -> _Range:
    return max(one[0], two[0]), min(one[1], two[1])


def _totals(
    instance: Instance, items: NDArray[np.int32]
) -> tuple[NDArray[np.int64], list[_Range], NDArray[np.bool_], list[Scope | None]]:
    """Amounts and ranges of the sum and count constraints, whether each is a sum, and their scopes."""
    catalogue = instance.catalogue
    anything = (-UNBOUNDED, UNBOUNDED)
    ranges: dict[tuple[str, frozenset[str] | None, Scope | None], _Range] = {}
    for one in instance.constraints:
        if isinstance(one, SumConstraint):
            limits = _range(one.op, one.value * catalogue.measures[one.column].scale)
            key: tuple[str, frozenset[str] | None, Scope | None] = (one.column, None, one.scope)
            ranges[key] = _both(ranges.get(key, anything), limits)
        elif isinstance(one, CountConstraint):
            key = (one.column, frozenset(one.values), one.scope)
            ranges[key] = _both(ranges.get(key, anything), _range(one.op, one.value))
    amounts = np.zeros((len(items), len(ranges)), dtype=np.int64)
    for number, (column, values, _) in enumerate(ranges):
        if values is None:
            amounts[:, number] = catalogue.measures[column].amounts[items]
        else:
            amounts[:, number] = catalogue.traits[column].among(values)[items]
    sums = np.array([values is None for _, values, _ in ranges], dtype=np.bool_)
    return amounts, list(ranges.values()), sums, [scope for _, _, scope in ranges]


def _labels(instance: Instance) -> dict[tuple[str, Scope | None], tuple[_Range, int]]:
    """Range of the distinct constraints and limit of the max_same constraints, by column and scope."""
    found: dict[tuple[str, Scope | None], tuple[_Range, int]] = {}
    for one in instance.constraints:
        if isinstance(one, DistinctConstraint | MaxSameConstraint):
            limits, most = found.get((one.column, one.scope), ((-UNBOUNDED, UNBOUNDED), UNBOUNDED))
            if isinstance(one, DistinctConstraint):
                limits = _both(limits, _range(one.op, one.value))
            else:
                most = min(most, _range("<=", one.value)[1])
            found[one.column, one.scope] = (limits, most)
    return found


def _spoken_of(scopes: list[Scope | None], slots: int) -> NDArray[np.bool_]:
    """Whether a scope contains a slot. Shape (scopes, slots)."""
    found = np.ones((len(scopes), slots), dtype=np.bool_)
    for row, scope in enumerate(scopes):
        if scope is not None:
            found[row] = np.isin(np.arange(slots), scope.slots)
    return found


def _kinds(instance: Instance) -> tuple[NDArray[np.int32], list[NDArray[np.int32]]]:
    """Return the kind of each slot, and the candidates of each kind."""
    kinds: list[int] = []
    lists: list[NDArray[np.int32]] = []
    seen: dict[bytes, int] = {}
    scopes = {one.scope for one in instance.constraints if one.scope is not None}
    for slot, items in enumerate(instance.candidates):
        key = (b"fixed%d" % slot if slot in instance.fixed else b"free") + items.tobytes()
        key += bytes(slot in scope.slots for scope in scopes)
        if instance.plays is not None:
            key += instance.in_position[slot, items].tobytes()
        if key not in seen:
            seen[key] = len(lists)
            lists.append(items)
        kinds.append(seen[key])
    return np.array(kinds, dtype=np.int32), lists


def _columns(columns: list[NDArray[np.int32]], rows: int) -> NDArray[np.int32]:
    if not columns:
        return np.zeros((rows, 0), dtype=np.int32)
    return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32)


def _build(instance: Instance) -> Tables:
    """Build the tables of an instance."""
    catalogue = instance.catalogue
    slots = len(instance.slots)
    kinds, lists = _kinds(instance)
    used = np.zeros(len(catalogue), dtype=bool)
    for mine in lists:
        used[mine] = True
    items = np.flatnonzero(used).astype(np.int32)
    local = np.full(len(catalogue), -1, dtype=np.int32)
    local[items] = np.arange(len(items), dtype=np.int32)
    prices = instance.costs[items].astype(np.int64)
    starts = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    places = np.full((len(lists), len(items)), -1, dtype=np.int32)
    candidates = np.empty(starts[-1], dtype=np.int32)
    for kind, mine in enumerate(lists):
        by_price = local[mine][np.argsort(instance.costs[mine], kind="stable")]
        candidates[starts[kind] : starts[kind + 1]] = by_price
        places[kind, by_price] = np.arange(starts[kind], starts[kind + 1], dtype=np.int32)
    amounts, ranges, sums, scopes = _totals(instance, items)
    for numbers, limit in ((prices, PRICE_LIMIT), (amounts, UNBOUNDED)):
        if slots * max(int(numbers.max(initial=0)), -int(numbers.min(initial=0))) >= limit:
            raise OverflowError("prices or amounts have too many digits")
    labels = _labels(instance)
    points = instance.points
    terms = () if points is None else points.terms
    sizes = [len(term.table) for term in terms]
    most = [max(term.same, term.other, int(term.table.max())) for term in terms]
    ends = np.concatenate([instance.edges, instance.edges[:, ::-1]]) if len(instance.edges) else np.zeros((0, 2), int)
    ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
    return Tables(
        slots=slots,
        items=items,
        local=local,
        prices=prices,
        kinds=kinds,
        starts=starts,
        candidates=candidates,
        places=places,
        codes=_columns([term.codes[items] for term in terms], len(items)),
        groups=_columns([np.append(term.group, 0)[term.codes[items]] for term in terms], len(items)),
        same=np.array([term.same for term in terms], dtype=np.int64),
        other=np.array([term.other for term in terms], dtype=np.int64),
        table=np.concatenate([np.zeros(0, dtype=np.int64), *(term.table.ravel() for term in terms)]),
        table_starts=np.cumsum([0, *(size * size for size in sizes)]).astype(np.int64),
        table_sizes=np.array(sizes, dtype=np.int64),
        demand=0 if points is None else points.demand,
        edge_points=sum(most),
        edges=np.ascontiguousarray(instance.edges, dtype=np.int32).reshape(-1, 2),
        neighbour_starts=np.searchsorted(ends[:, 0], np.arange(slots + 1)).astype(np.int32),
        neighbours=np.ascontiguousarray(ends[:, 1], dtype=np.int32),
        amounts=amounts,
        low=np.array([one[0] for one in ranges], dtype=np.int64),
        high=np.array([one[1] for one in ranges], dtype=np.int64),
        sums=sums,
        labels=_columns([catalogue.traits[column].codes[items] for column, _ in labels], len(items)),
        label_sizes=np.array([len(catalogue.traits[column].values) for column, _ in labels], dtype=np.int32),
        distinct_low=np.array([limits[0] for limits, _ in labels.values()], dtype=np.int64),
        distinct_high=np.array([limits[1] for limits, _ in labels.values()], dtype=np.int64),
        same_high=np.array([most for _, most in labels.values()], dtype=np.int64),
        total_slots=_spoken_of(scopes, slots),
        label_slots=_spoken_of([scope for _, scope in labels], slots),
        in_position=_in_position(instance, kinds, items),
        rules=rule_tables(instance, items, UNBOUNDED),
    )


def _in_position(instance: Instance, kinds: NDArray[np.int32], items: NDArray[np.int32]) -> NDArray[np.bool_]:
    _, first = np.unique(kinds, return_index=True)
    if instance.plays is None:
        return np.ones((len(first), len(items)), dtype=np.bool_)
    return instance.in_position[np.ix_(first, items)]
