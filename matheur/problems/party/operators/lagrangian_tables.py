"""Conversion of a party puzzle and its candidates to the arrays of the kernels of the Lagrangian bound."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.lagrangian_kernels import Static
from matheur.problems.party.operators.tables import UNBOUNDED, Tables
from matheur.problems.party.synergy import TermPoints

__all__ = ["compiled"]


def compiled(
    instance: Instance,
    tables: Tables,
    slot: NDArray[np.int32],
    item: NDArray[np.int32],
    first: NDArray[np.int32],
) -> Static:
    """Compile the input of the kernels for a puzzle.

    Parameters
    ----------
    tables
        Tables of the instance.
    slot, item
        Slot and item of each choice, sorted by slot.
    first
        Index of the first choice of each slot. Shape (slots + 1,).
    """
    return _Compiler(instance, tables, slot, item, first).static()


class _Compiler:
    """Builds `Static`; collects the entries of each slot's choices column by column."""

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
            cost=self.instance.costs[self.item].astype(np.float64),
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
        """Add the pairs of values by edge and term; return the points that they must contribute."""
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
        """Add the entries and pairs for values v at one end and values w at the other."""
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
        """Groups: items that several slots can use, and limited values. Codes by choice, limits by group."""
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
        """Values of traits that need different values: codes by choice, demand by value, number by demand."""
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
        """Demands `sum of weights >= 0`; the demanded number is divided among the slots."""
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
                # Of n items that share a value, each counts at least 1 / n, where n is limited by the slots.
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
    """Position of each value among the known ones, from `start`; -1 for unknown values."""
    if not len(known):
        return np.full(len(values), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[place] == values, place + start, -1)


def _joined(parts: list[NDArray[np.int64]] | list[NDArray[np.float64]], dtype: type) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=dtype), *parts]).astype(dtype)


def _gains(
    term: TermPoints, here: NDArray[np.int32], there: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Pairs of values at both ends with more points than `other`, and the difference.

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
