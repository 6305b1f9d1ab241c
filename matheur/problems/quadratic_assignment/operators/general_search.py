"""Exchanges of two facilities in the general form, with tables of numpy: steepest descent and robust tabu search.

With s[i, k, j, l] = c[i, k, j, l] + c[j, l, i, k] and p the permutation, the cost of facility i in location l is

    C[i, l] = linear[i, l] + sum over h of s[i, l, h, p[h]],

and exchanging i and j changes the objective by

    C[i, p[j]] + C[j, p[i]] - C[i, p[i]] - C[j, p[j]] + s[i, p[i], j, p[j]] + s[i, p[j], j, p[i]].

An iteration costs O(n^2), as in `tabu_kernels`, whose algorithm this module follows.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.operators.tabu_search import FOREVER, RESTART, TabuSearch

__all__ = ["GeneralSearch", "GeneralState"]

_SLICE = 100  # iterations, about 10 ms


class GeneralState:
    """A permutation with the cost of each facility in each location.

    Attributes
    ----------
    p
        int32: the location of each facility.
    """

    def __init__(self, instance: Instance, permutation: NDArray[np.int32]) -> None:
        assert instance.pairs is not None
        n = instance.n
        self._both = instance.pairs + instance.pairs.transpose(2, 3, 0, 1)
        self._linear = np.zeros((n, n), dtype=np.int64) if instance.linear is None else instance.linear
        self._rows = np.arange(n)
        self.p: NDArray[np.int32] = permutation.astype(np.int32)
        self.place(permutation)

    def place(self, permutation: NDArray[np.int32]) -> None:
        """Start from another permutation."""
        self.p[:] = permutation
        self._costs = self._linear + self._both[:, :, self._rows, self.p].sum(axis=2)

    def changes(self) -> NDArray[np.int64]:
        """Change of the objective by each exchange of two facilities, shape (n, n), 0 on the diagonal."""
        rows, p, both = self._rows, self.p, self._both
        there = self._costs[:, p]
        own = np.diagonal(there)
        column, at = rows[:, None], p[:, None]
        change: NDArray[np.int64] = there + there.T - own - own[:, None]
        change += both[column, at, rows, p] + both[column, p, rows, at]
        np.fill_diagonal(change, 0)
        return change

    def exchange(self, one: int, other: int) -> None:
        """Exchange two facilities."""
        both, costs = self._both, self._costs
        for sign in (-1, 1):
            for facility in (one, other):
                costs += sign * both[:, :, facility, self.p[facility]]
            if sign < 0:
                self.p[[one, other]] = self.p[[other, one]]


class GeneralSearch(TabuSearch):
    """Robust tabu search of an instance in the general form, see `TabuSearch`."""

    def __init__(self, instance: Instance, rng: Generator, *, tenure: float = 8.0, aspiration: float = 5.0) -> None:
        n = instance.n
        self.instance = instance
        self.tenure: float = min(tenure * n, float(RESTART))
        self.aspiration: int = int(min(aspiration * n * n, RESTART))
        self._rng = np.random.default_rng(rng.integers(1 << 63))
        self._table = GeneralState(instance, np.arange(n, dtype=np.int32))
        self._until = np.zeros((n, n), dtype=np.int64)
        self.start(self._table.p)

    @property
    def slice_length(self) -> int:
        """Iterations between two checks of the clock."""
        return _SLICE

    def start(self, permutation: NDArray[np.int32]) -> None:
        """Restart from a permutation, with an empty tabu list."""
        n = self.instance.n
        self._table.place(permutation)
        self._record = self._current = self.instance.cost(permutation)
        self._record_at = self._table.p.copy()
        self._iteration = self._gained = 0
        index = np.arange(n)
        self._until[:] = -(n * index[:, None] + index)

    def advance(self, limit: int, *, patience: int = FOREVER, target: float | None = None) -> int:
        """Run at most `limit` more iterations; see `TabuSearch.advance`."""
        table, until, n = self._table, self._until, self.instance.n
        aim = -FOREVER if target is None else max(-FOREVER, math.floor(target))
        done = 0
        while n > 1 and done < limit and self._iteration - self._gained < patience and self._record > aim:
            done += 1
            self._iteration += 1
            change, now = table.changes(), self._iteration
            there = until[:, table.p]  # iteration until which facility i may not go to the location of j
            free = np.minimum(there, there.T) < now
            overdue = np.minimum(there, there.T) < now - self.aspiration
            better = self._current + change < self._record
            for allowed in (overdue | better, free):
                np.fill_diagonal(allowed, False)
                if allowed.any():
                    break
            else:
                continue
            one, other = divmod(int(np.where(allowed, change, FOREVER).argmin()), n)
            self._current += int(change[one, other])
            for facility in (one, other):
                until[facility, table.p[facility]] = now + int(self._rng.random() ** 3 * self.tenure)
            table.exchange(one, other)
            if self._current < self._record:
                self._record, self._gained = self._current, now
                self._record_at[:] = table.p
        return done

    @property
    def objective(self) -> int:
        """Best objective since the start."""
        return self._record

    @property
    def best(self) -> NDArray[np.int32]:
        """A copy of the best permutation since the start."""
        return self._record_at.copy()
