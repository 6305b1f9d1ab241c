"""The Lagrangian bound of a party puzzle and of its subproblems."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from matheur.operators.party import lagrangian_kernels as kernels
from matheur.operators.party.lagrangian_kernels import Static
from matheur.operators.party.tables import UNBOUNDED, Tables
from matheur.problems.party.instance import Instance
from matheur.problems.party.synergy import TermPoints

__all__ = ["Lagrangian", "Subproblem"]

_STEPS_OF_A_CALL = 100
_known: WeakKeyDictionary[Instance, Lagrangian] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, eq=False)
class Subproblem:
    """Some of the choices of a puzzle, and a dual point for them.

    Attributes
    ----------
    bound
        No party of these choices costs less, up to `Lagrangian.tolerance`.
    open
        The choices, by slot. int32.
    first
        Where each slot starts in `open`. Shape (slots + 1,), int32.
    live, values
        Coordinates of the dual point that matter, and their values.
    """

    bound: float
    open: NDArray[np.int32]
    first: NDArray[np.int32]
    live: NDArray[np.int32]
    values: NDArray[np.float64]

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.open.nbytes + self.first.nbytes + self.live.nbytes + self.values.nbytes

    @property
    def empty(self) -> bool:
        """Whether a slot has no choice left."""
        return bool((np.diff(self.first) == 0).any())


class Lagrangian:
    """The dual of one puzzle over given candidates, with the working memory of its kernels.

    Parameters
    ----------
    instance
        The puzzle.
    candidates
        For each slot the items that may stand there; `instance.candidates` if None.

    Attributes
    ----------
    static
        What the kernels read.
    slot, item
        Of each choice; items are numbers of the catalogue. int32.
    price
        Of each choice, int64.
    step, base
        Prices of parties are `base` plus a multiple of `step`.
    columns
        Number of traits by which the search may branch.
    reduced
        Reduced costs of the choices, as the last ascent left them. float64.
    """

    def __init__(self, instance: Instance, candidates: Sequence[NDArray[np.int32]] | None = None) -> None:
        tables = Tables.of(instance)
        chosen = instance.candidates if candidates is None else candidates
        self.instance: Instance = instance
        self.slots: int = len(chosen)
        sizes = [len(items) for items in chosen]
        self.slot: NDArray[np.int32] = np.repeat(np.arange(self.slots, dtype=np.int32), sizes)
        self.item: NDArray[np.int32] = np.concatenate([np.asarray(items, dtype=np.int32) for items in chosen])
        self.price: NDArray[np.int64] = instance.catalogue.prices[self.item]
        self.first: NDArray[np.int32] = np.searchsorted(self.slot, np.arange(self.slots + 1)).astype(np.int32)
        self.step: int
        self.base: int
        self.step, self.base = _steps(self.price, self.slot)
        self.static: Static = _Compiler(instance, tables, self.slot, self.item, self.first).static()
        self.columns: int = self.static.codes.shape[1]
        self.impossible: bool = tables.impossible
        sizes = [int(size) for size in self.static.sizes]
        self._entries = sum(sizes[1:])
        rows, demands = self.static.weights.shape[1], self.static.value_need.size
        self._shares = rows + 1 + demands
        self._point = np.zeros(self._shares + self._entries - sizes[2])
        self._best = np.zeros_like(self._point)
        self._live = np.empty(self._entries, dtype=np.int32)
        self._counts = np.zeros(4, dtype=np.int64)
        self.reduced: NDArray[np.float64] = np.zeros(len(self.slot))
        self._mass = np.zeros(int(self.static.codes.max(initial=0)) + 1)
        self._touched = np.zeros(len(self._mass), dtype=np.int64)

    @classmethod
    def of(cls, instance: Instance) -> Lagrangian:
        """That of the whole puzzle, made once for each instance object."""
        found = _known.get(instance)
        if found is None:
            found = _known[instance] = cls(instance)
        return found

    def tolerance(self, price: float) -> float:
        """More than the rounding error of a bound near a price; the bounds are sums of at most a few hundred terms."""
        return 1e-7 * max(1.0, abs(price))

    def round_up(self, bound: float) -> int:
        """The least price of a party that a bound allows."""
        if bound == -math.inf:
            return self.base
        return self.base + math.ceil((bound - self.tolerance(bound) - self.base) / self.step) * self.step

    def round_down(self, price: float) -> int:
        """The largest price up to this one that a party of these candidates can have, by step and base."""
        return self.base + math.floor((price - self.base) / self.step) * self.step

    @property
    def price_max(self) -> int:
        """More than any party costs."""
        dearest = [int(self.price[low:high].max()) for low, high in pairwise(self.first.tolist()) if high > low]
        return sum(dearest) + self.step

    def root(self, *, interrupt: Callable[[], bool] = lambda: False, enough: float = math.inf) -> Subproblem:
        """All choices with nearly the best duals, from scratch: some 2,000 steps. Ends early beyond `enough`."""
        choices = np.arange(len(self.slot), dtype=np.int32)
        if (np.diff(self.first) == 0).any():
            return Subproblem(math.inf, choices, self.first, np.zeros(0, dtype=np.int32), np.zeros(0))
        typical = max(1.0, float(np.mean([np.median(part) for part in np.split(self.price, self.first[1:-1])])))
        point = np.full(len(self._point), 0.5)
        point[: self._shares] = 0.0
        point[self.static.weights.shape[1] : self._shares] = 0.1 * typical
        self._groups(point)[:] = 0.0
        live = np.arange(len(point), dtype=np.int32)
        found = Subproblem(-math.inf, choices, self.first, live, point)
        heat, steps = 0.5 * typical, 200
        while heat > 1e-3 * typical and not interrupt() and found.bound <= enough:
            known = found.bound
            found = self.improve(found, steps=steps, heat=heat, rate=heat / 8, enough=enough, onward=True)
            if found.bound > known + max(0.15 * abs(found.bound), 0.2 * typical):
                heat *= 1.5  # far from the best duals: longer strides
            else:
                heat, steps = heat / 2.5, 300
        return found

    def _groups(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        low = self._shares + int(self.static.sizes[1])
        return point[low : low + int(self.static.sizes[3])]

    def improve(
        self,
        given: Subproblem,
        *,
        steps: int,
        heat: float,
        rate: float,
        enough: float,
        least_gain: float = -math.inf,
        onward: bool = False,
    ) -> Subproblem:
        """Climb from the dual point of a subproblem; `reduced` then belongs to the answer.

        Parameters
        ----------
        steps
            Limit of steps.
        heat, rate
            Temperature of the soft minimum, and length of the steps, both in units of price.
        enough
            Bound at which to end.
        least_gain
            Ends when twenty steps gain less.
        onward
            Return the last point instead of the best one, with the better of the bounds: to climb on from there.
        """
        self._load(given)
        live = self._live[: int(self._counts.sum())]
        bound, left = -math.inf, steps
        chosen = self._best.copy()
        while True:
            now = min(left, _STEPS_OF_A_CALL)
            reached, done = kernels.ascend(
                given.open, given.first, self.static, live, self._counts, self._point, self._best, now, heat, rate,
                enough, least_gain, self.reduced,
            )  # fmt: skip
            if reached > bound:
                bound = reached
                chosen[:] = self._best
            left -= done
            if left <= 0 or bound > enough or done < now:
                break
        kept = self._coordinates()
        values = (self._point if onward else chosen)[kept]
        return Subproblem(max(bound, given.bound), given.open, given.first, kept, values)

    def price_out(self, given: Subproblem) -> float:
        """Write the reduced costs at the dual point of a subproblem to `reduced`; the bound of this point."""
        self._load(given)
        live = self._live[: int(self._counts.sum())]
        bound, _ = kernels.ascend(
            given.open, given.first, self.static, live, self._counts, self._point, self._best, 0, 1.0, 0.0, math.inf,
            -math.inf, self.reduced,
        )  # fmt: skip
        return float(bound)

    def above(self, given: Subproblem) -> NDArray[np.float64]:
        """By how much the reduced cost of each open choice exceeds the least one of its slot."""
        mine = self.reduced[given.open]
        least = np.minimum.reduceat(mine, given.first[:-1])
        return mine - np.repeat(least, np.diff(given.first))

    def spread(self, given: Subproblem, heat: float) -> NDArray[np.float64]:
        """Largest mass, mass of the four largest, number of values; shape (slots, columns, 3). See `kernels.masses`."""
        found = np.zeros((self.slots, self.columns, 3))
        kernels.masses(
            given.open, given.first, self.static, self.reduced, heat, self.columns, self._mass, self._touched, found
        )
        return found

    def restrict(self, given: Subproblem, kept: NDArray[np.bool_], bound: float) -> Subproblem:
        """The same dual point over fewer choices; `bound` is known of them."""
        slot = self.slot[given.open[kept]]
        first = np.searchsorted(slot, np.arange(self.slots + 1)).astype(np.int32)
        return Subproblem(bound, given.open[kept], first, given.live, given.values)

    def enumerate(
        self, given: Subproblem, bound: float, enough: float, price_max: float, steps: int
    ) -> tuple[NDArray[np.int32], int, bool]:
        """Parties near the dual point, by `reduced`: their items, steps made, whether all were seen."""
        order = np.argsort(self.slot[given.open] + _ranks(self.reduced[given.open]), kind="stable")
        slots = np.argsort(np.diff(given.first), kind="stable").astype(np.int64)
        parties = np.empty((64, self.slots), dtype=np.int64)
        found, made, complete = kernels.enumerate_parties(
            given.open[order], given.first, slots, self.static, self.reduced, bound, enough, price_max, steps, parties
        )
        return self.item[parties[:found]], int(made), bool(complete)

    def _load(self, given: Subproblem) -> None:
        self._point[given.live] = given.values
        kernels.prepare(given.open, given.first, self.static, self._live, self._counts)

    def _coordinates(self) -> NDArray[np.int32]:
        """Coordinates of the dual point that are live."""
        a, b = int(self.static.sizes[1]), int(self.static.sizes[2])
        live = self._live[: int(self._counts.sum())]
        shares = np.concatenate([live[live < a], live[live >= a + b] - b]) + self._shares
        return np.concatenate([np.arange(self._shares, dtype=np.int32), shares.astype(np.int32)])


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers in [0, 1) in the order of the values."""
    ranks = np.empty(len(values))
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values)) / (len(values) + 1.0)
    return ranks


def _steps(price: NDArray[np.int64], slot: NDArray[np.int32]) -> tuple[int, int]:
    """`Lagrangian.step` and `Lagrangian.base`."""
    lowest = [price[slot == k].min(initial=1 << 60) for k in range(int(slot.max(initial=-1)) + 1)]
    above = price - np.array(lowest, dtype=np.int64)[slot]
    return max(1, int(np.gcd.reduce(above))) if len(above) else 1, int(sum(lowest))


class _Compiler:
    """Makes `Static`; the entries of each slot's choices are collected column by column."""

    def __init__(
        self,
        instance: Instance,
        tables: Tables,
        slot: NDArray[np.int32],
        item: NDArray[np.int32],
        first: NDArray[np.int32],
    ) -> None:
        self.instance, self.tables = instance, tables
        self.slot, self.item, self.first = slot, item, first
        self.local = tables.local[item]
        self.slots = len(first) - 1
        self.columns: list[list[NDArray[np.int64]]] = [[] for _ in range(self.slots)]
        self.a = self.b = 0
        self.pair_count: list[NDArray[np.int64]] = []
        self.pair_a: list[NDArray[np.int64]] = []
        self.pair_gain: list[NDArray[np.float64]] = []
        self.families: list[tuple[int, int, int, int]] = []

    def static(self) -> Static:
        need = self._families()
        groups, limits = self._groups()
        values, value_row, value_need = self._values(len(limits))
        unit = max((float(gain.max()) for gain in self.pair_gain if len(gain)), default=1.0)
        width = max(map(len, self.columns), default=0) + len(groups) + len(values)
        entries = np.full((len(self.slot), max(1, width)), -1, dtype=np.int32)
        shift = self.a  # b entries were numbered from 0
        ends = {(slot, column) for _, slot, _, column in self.families}
        for k, columns in enumerate(self.columns):
            part = slice(self.first[k], self.first[k + 1])
            for number, codes in enumerate(columns):
                entries[part, number] = np.where(codes < 0, -1, codes + (shift if (k, number) in ends else 0))
        most = max(map(len, self.columns), default=0)
        for number, codes in enumerate([*groups, *values], start=most):
            entries[:, number] = np.where(codes < 0, -1, codes + self.a + self.b)
        return Static(
            cost=self.instance.catalogue.prices[self.item].astype(np.float64),
            weights=self._rows(),
            entries=entries,
            slot=self.slot,
            item=self.item,
            codes=self._codes(),
            sizes=np.array([self.slots, self.a, self.b, len(limits), len(value_row)], dtype=np.int64),
            pair_first=np.cumsum(np.concatenate([[0], *self.pair_count])).astype(np.int32),
            pair_a=_joined(self.pair_a, np.int32),
            pair_gain=_joined(self.pair_gain, np.float64) / unit,
            need=need / unit,
            limits=np.array(limits, dtype=np.float64),
            value_row=np.array(value_row, dtype=np.int32),
            value_need=np.array(value_need, dtype=np.float64),
            families=np.array(self.families, dtype=np.int32).reshape(-1, 4),
        )

    def _families(self) -> float:
        """Pairs of values by edge and term; the points that they have to give."""
        points = self.instance.points
        if points is None or points.demand <= 0:
            return 0.0
        need = float(points.demand)
        for one, two in self.instance.edges.tolist():
            parts = [slice(self.first[k], self.first[k + 1]) for k in (one, two)]
            for term in points.terms:
                here, there = (term.codes[self.item[part]] for part in parts)
                self._family(one, two, here, there, *_gains(term, np.unique(here), np.unique(there)))
                if term.other and (here >= 0).all() and (there >= 0).all():
                    need -= term.other
                elif term.other:
                    filled = np.where(here >= 0, 0, -1), np.where(there >= 0, 0, -1)
                    zero = np.zeros(1, dtype=np.int64)
                    self._family(one, two, *filled, zero, zero, np.array([float(term.other)]))
        return max(0.0, need)

    def _family(
        self,
        one: int,
        two: int,
        here: NDArray[np.integer],
        there: NDArray[np.integer],
        v: NDArray[np.int64],
        w: NDArray[np.int64],
        gain: NDArray[np.float64],
    ) -> None:
        """Add the entries and pairs of value v here and value w there."""
        order = np.lexsort((v, w))
        left, pair_left = np.unique(v, return_inverse=True)
        right, counts = np.unique(w, return_counts=True)
        self.families.append((one, two, len(self.columns[one]), len(self.columns[two])))
        self.columns[one].append(_numbered(here, left, self.a))
        self.columns[two].append(_numbered(there, right, self.b))
        self.pair_count.append(counts)
        self.pair_a.append(pair_left[order] + self.a)
        self.pair_gain.append(gain[order])
        self.a += len(left)
        self.b += len(right)

    def _groups(self) -> tuple[list[NDArray[np.int64]], list[float]]:
        """Items that several slots could use, and limited values; codes by choice, limits by group."""
        items, counts = np.unique(self.item, return_counts=True)
        several = items[counts > 1]
        codes = [_numbered(self.item, several, 0)] if len(several) else []
        limits = [1.0] * len(several)
        for column, most in enumerate(self.tables.same_high.tolist()):
            if most < self.slots:
                size = int(self.tables.label_sizes[column])
                labels = self.tables.labels[self.local, column].astype(np.int64)
                codes.append(np.where(labels < 0, -1, labels + len(limits)))
                limits += [float(most)] * size
        return codes, limits

    def _values(self, groups: int) -> tuple[list[NDArray[np.int64]], list[int], list[float]]:
        """Values of which many different ones are needed: codes by choice, demand by value, number by demand."""
        codes: list[NDArray[np.int64]] = []
        rows: list[int] = []
        needs: list[float] = []
        for column, least in enumerate(self.tables.distinct_low.tolist()):
            if least > 0:
                labels = self.tables.labels[self.local, column].astype(np.int64)
                codes.append(np.where(labels < 0, -1, labels + groups + len(rows)))
                rows += [len(needs)] * int(self.tables.label_sizes[column])
                needs.append(float(least))
        return codes, rows, needs

    def _rows(self) -> NDArray[np.float64]:
        """Demands `sum of weights >= 0`: the demanded number is spread over the slots."""
        tables = self.tables
        rows: list[tuple[NDArray[np.float64], float]] = []
        for number, (low, high) in enumerate(zip(tables.low.tolist(), tables.high.tolist(), strict=True)):
            amounts = tables.amounts[self.local, number].astype(np.float64)
            if low > -UNBOUNDED:
                rows.append((amounts, float(low)))
            if high < UNBOUNDED:
                rows.append((-amounts, -float(high)))
        for column, most in enumerate(tables.distinct_high.tolist()):
            if most < self.slots:
                # Of n items that share a value, each counts 1 / n at least, where n is at most what the slots allow.
                labels = tables.labels[self.local, column]
                share = np.zeros(int(tables.label_sizes[column]) + 1)
                for value in np.unique(labels[labels >= 0]).tolist():
                    able = len(np.unique(self.slot[labels == value]))
                    share[value] = 1.0 / max(1, min(able, int(tables.same_high[column])))
                rows.append((-share[labels], -float(most)))
        found = np.zeros((len(self.slot), len(rows)))
        for number, (weights, least) in enumerate(rows):
            centred = weights - least / self.slots
            parts = [part for part in np.split(centred, self.first[1:-1]) if len(part)]
            scale = float(np.mean([np.std(part) for part in parts])) or float(np.abs(centred).max(initial=0.0)) or 1.0
            found[:, number] = centred / scale
        return found

    def _codes(self) -> NDArray[np.int32]:
        """Different columns of the terms and labels, numbers from 0."""
        stacked = np.concatenate([self.tables.codes, self.tables.labels], axis=1)[self.local] + 1
        return np.ascontiguousarray(np.unique(stacked, axis=1) if len(stacked) else stacked, dtype=np.int32)


def _numbered(values: NDArray[np.integer], known: NDArray[np.integer], start: int) -> NDArray[np.int64]:
    """Place of each value among the known ones, from `start`; -1 for others."""
    if not len(known):
        return np.full(len(values), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[place] == values, place + start, -1)


def _joined(parts: list[NDArray[np.int64]] | list[NDArray[np.float64]], dtype: type) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=dtype), *parts]).astype(dtype)


def _gains(
    term: TermPoints, here: NDArray[np.int32], there: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Pairs of values at both ends with more points than `other`, and how many more.

    Pairs with fewer points are left out: for a lower bound they count as `other`.
    """
    equal = np.intersect1d(here[here >= 0], there)
    found = {(v, v): term.same - term.other for v in equal.tolist()} if term.same > term.other else {}
    if len(term.table) > 1:
        rows = [[(v, int(term.group[v])) for v in end.tolist() if v >= 0 and term.group[v]] for end in (here, there)]
        for v, row in rows[0]:
            for w, column in rows[1]:
                listed = int(term.table[row, column])
                if listed > term.other:
                    found[v, w] = listed - term.other
                elif listed >= 0:
                    found.pop((v, w), None)
    pairs = np.array(list(found), dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1], np.array(list(found.values()), dtype=np.float64)
