"""The Lagrangian bound of a party puzzle and of its subproblems."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.instance import Instance
from matheur.problems.party.operators import lagrangian_kernels as kernels
from matheur.problems.party.operators.lagrangian_kernels import Static
from matheur.problems.party.operators.lagrangian_tables import compiled
from matheur.problems.party.operators.tables import Tables

__all__ = ["Lagrangian", "Subproblem"]

_STEPS_OF_A_CALL = 100
_known: WeakKeyDictionary[Instance, Lagrangian] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, eq=False)
class Subproblem:
    """A subset of the choices of a puzzle, and a dual point for it.

    Attributes
    ----------
    bound
        Lower bound of the price of any party of these choices, up to `Lagrangian.tolerance`.
    open
        Open choices, sorted by slot. int32.
    first
        Index in `open` at which each slot starts. Shape (slots + 1,), int32.
    live, values
        Live coordinates of the dual point, and their values.
    """

    bound: float
    open: NDArray[np.int32]
    first: NDArray[np.int32]
    live: NDArray[np.int32]
    values: NDArray[np.float64]

    @property
    def nbytes(self) -> int:
        """Size of the arrays in bytes."""
        return self.open.nbytes + self.first.nbytes + self.live.nbytes + self.values.nbytes

    @property
    def empty(self) -> bool:
        """Whether a slot has no choice left."""
        return bool((np.diff(self.first) == 0).any())


class Lagrangian:
    """Lagrangian dual of one puzzle over given candidates, with the working memory of its kernels.

    Parameters
    ----------
    instance
        The puzzle.
    candidates
        Allowed items of each slot; `instance.candidates` if None.

    Attributes
    ----------
    static
        Input of the kernels.
    slot, item
        Slot and item of each choice; items are catalogue numbers. int32.
    price
        Price of each choice, int64.
    step, base
        Step and offset of the prices of parties: each price is `base` plus a multiple of `step`.
    columns
        Number of traits by which the search may branch.
    reduced
        Reduced costs of the choices after the last ascent. float64.
    """

    def __init__(self, instance: Instance, candidates: Sequence[NDArray[np.int32]] | None = None) -> None:
        tables = Tables.of(instance)
        chosen = instance.candidates if candidates is None else candidates
        self.instance: Instance = instance
        self.slots: int = len(chosen)
        sizes = [len(items) for items in chosen]
        self.slot: NDArray[np.int32] = np.repeat(np.arange(self.slots, dtype=np.int32), sizes)
        self.item: NDArray[np.int32] = np.concatenate([np.asarray(items, dtype=np.int32) for items in chosen])
        self.price: NDArray[np.int64] = instance.costs[self.item]
        self.first: NDArray[np.int32] = np.searchsorted(self.slot, np.arange(self.slots + 1)).astype(np.int32)
        self.step: int
        self.base: int
        self.step, self.base = _steps(self.price, self.slot)
        self.static: Static = compiled(instance, tables, self.slot, self.item, self.first)
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
        """Return the dual of the whole puzzle, built once per instance object."""
        found = _known.get(instance)
        if found is None:
            found = _known[instance] = cls(instance)
        return found

    def tolerance(self, price: float) -> float:
        """Upper limit of the rounding error of a bound near a price; bounds are sums of at most a few hundred terms."""
        return 1e-7 * max(1.0, abs(price))

    def round_up(self, bound: float) -> int:
        """Return the lowest price of a party that is consistent with a lower bound."""
        if bound == -math.inf:
            return self.base
        return self.base + math.ceil((bound - self.tolerance(bound) - self.base) / self.step) * self.step

    def round_down(self, price: float) -> int:
        """Return the largest price not above this one that a party can have, by `step` and `base`."""
        return self.base + math.floor((price - self.base) / self.step) * self.step

    @property
    def price_max(self) -> int:
        """Strict upper bound of the price of any party."""
        dearest = [int(self.price[low:high].max()) for low, high in pairwise(self.first.tolist()) if high > low]
        return sum(dearest) + self.step

    def root(self, *, interrupt: Callable[[], bool] = lambda: False, enough: float = math.inf) -> Subproblem:
        """Compute nearly optimal duals for all choices from scratch, in about 2,000 steps; end early above `enough`."""
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
                heat *= 1.5  # far from the best duals: longer steps
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
        """Improve the dual point of a subproblem by ascent; `reduced` then belongs to the result.

        Parameters
        ----------
        steps
            Maximum number of steps.
        heat, rate
            Temperature of the soft minimum, and step length, both in units of price.
        enough
            Bound at which to stop.
        least_gain
            Minimum gain of twenty steps; the ascent stops if they gain less.
        onward
            Whether to return the last point instead of the best one, with the better of the bounds, to continue the
            ascent from there.
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
        """Write the reduced costs at the dual point of a subproblem to `reduced` and return the bound of this point."""
        self._load(given)
        live = self._live[: int(self._counts.sum())]
        bound, _ = kernels.ascend(
            given.open, given.first, self.static, live, self._counts, self._point, self._best, 0, 1.0, 0.0, math.inf,
            -math.inf, self.reduced,
        )  # fmt: skip
        return float(bound)

    def above(self, given: Subproblem) -> NDArray[np.float64]:
        """Difference between the reduced cost of each open choice and the lowest one of its slot."""
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
        """Restrict a subproblem to fewer choices at the same dual point; `bound` is a bound known for them."""
        slot = self.slot[given.open[kept]]
        first = np.searchsorted(slot, np.arange(self.slots + 1)).astype(np.int32)
        return Subproblem(bound, given.open[kept], first, given.live, given.values)

    def enumerate(
        self, given: Subproblem, bound: float, enough: float, price_max: float, steps: int
    ) -> tuple[NDArray[np.int32], int, bool]:
        """Enumerate parties near the dual point, by `reduced`; return items, steps and completeness."""
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
        """Live coordinates of the dual point."""
        a, b = int(self.static.sizes[1]), int(self.static.sizes[2])
        live = self._live[: int(self._counts.sum())]
        shares = np.concatenate([live[live < a], live[live >= a + b] - b]) + self._shares
        return np.concatenate([np.arange(self._shares, dtype=np.int32), shares.astype(np.int32)])


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map values to numbers in [0, 1) in the same order."""
    ranks = np.empty(len(values))
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values)) / (len(values) + 1.0)
    return ranks


def _steps(price: NDArray[np.int64], slot: NDArray[np.int32]) -> tuple[int, int]:
    """Compute `Lagrangian.step` and `Lagrangian.base`."""
    lowest = [price[slot == k].min(initial=1 << 60) for k in range(int(slot.max(initial=-1)) + 1)]
    above = price - np.array(lowest, dtype=np.int64)[slot]
    return max(1, int(np.gcd.reduce(above))) if len(above) else 1, int(sum(lowest))
