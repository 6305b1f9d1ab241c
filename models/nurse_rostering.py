"""Nurse rostering, after the shift scheduling problems of Curtois and Qu (2014).

    x[n,d,s] binary  nurse n works shift s (1 early, 2 late, 3 night) on day d
    k[n,e] binary    the nurse works on weekend e
    z[n] >= 0        weekends beyond those that the nurse should work
    below[d,s] >= 0  nurses too few, and
    above[d,s] >= 0  nurses too many, of those that are needed

With a[n,d] = sum_s x[n,d,s]:

    min   sum wish[n,d,s] x[n,d,s]  +  sum below_cost below[d,s] + above_cost above[d,s]
                                                                            +  sum weekend_cost z[n]     (1)
    s.t.  a[n,d] <= 1                                                         all nurses, days           (2)
          sum_n x[n,d,s] + below[d,s] - above[d,s] = needed[d,s]              all days, shifts           (3)
          x[n,d,s] + x[n,d+1,r] <= 1                                          all shifts r < s           (4)
          a[n,d] + ... + a[n,d+longest] <= longest                            all nurses, days           (5)
          a[n,d] <= a[n,d-1] + a[n,d+1]                                       days within the period     (6)
          a[n,d-1] + a[n,d+1] <= 1 + a[n,d]                                   days within the period     (7)
          sum_d a[n,d] <= most[n]                                             all nurses                 (8)
          a[n,d] <= k[n,e]                                                    Saturday and Sunday of e   (9)
          sum_e k[n,e] <= weekends + z[n]                                     all nurses                (10)

(4): after a late shift there is no early shift on the next day; after a night shift, only another night shift or a day
off. (6) and (7): no nurse has a single working day or a single day off. Nurses and days are groups of variables that a
neighbourhood may free while the others stay fixed; days are times, of which a window is freed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray

from matheur.pyomo_turn import in_turn

__all__ = ["NurseRostering", "build", "generate", "set_simple_plan"]

_WEEK = 7
_WORKED = 5  # days of a week


@dataclass(frozen=True)
class NurseRostering:
    """An instance; the first day is a Monday.

    Attributes
    ----------
    needed
        Number of nurses needed by day and shift; int64[days, shifts].
    wish
        Cost if a nurse has to work a shift; int64[nurses, days, shifts].
    most
        Most working days of each nurse; int64[nurses].
    longest, weekends
        Most working days in a row, and number of weekends that cost nothing.
    below_cost, above_cost, weekend_cost
        Cost of each missing nurse, of each surplus nurse, and of each further weekend.
    """

    needed: NDArray[np.int64]
    wish: NDArray[np.int64]
    most: NDArray[np.int64]
    longest: int = 5
    weekends: int = 2
    below_cost: int = 100
    above_cost: int = 5
    weekend_cost: int = 20


@in_turn
def build(instance: NurseRostering) -> Any:
    """The Pyomo model of an instance."""
    nurses, days, shifts = instance.wish.shape
    needed, wish, most = instance.needed.tolist(), instance.wish.tolist(), instance.most.tolist()
    model = pyo.ConcreteModel("nurse-rostering")
    model.nurses = pyo.RangeSet(nurses)
    model.days = pyo.RangeSet(days)
    model.shifts = pyo.RangeSet(shifts)
    model.weeks = pyo.RangeSet((days + 1) // _WEEK)
    model.x = pyo.Var(model.nurses, model.days, model.shifts, domain=pyo.Binary)
    model.k = pyo.Var(model.nurses, model.weeks, domain=pyo.Binary)
    model.z = pyo.Var(model.nurses, domain=pyo.NonNegativeReals)
    model.below = pyo.Var(model.days, model.shifts, domain=pyo.NonNegativeReals)
    model.above = pyo.Var(model.days, model.shifts, domain=pyo.NonNegativeReals)

    def works(n: int, d: int) -> Any:
        return sum(model.x[n, d, s] for s in model.shifts)

    @model.Constraint(model.nurses, model.days)
    def one_shift(m: Any, n: int, d: int) -> Any:
        return works(n, d) <= 1

    @model.Constraint(model.days, model.shifts)
    def cover(m: Any, d: int, s: int) -> Any:
        there = sum(m.x[n, d, s] for n in m.nurses)
        return there + m.below[d, s] - m.above[d, s] == needed[d - 1][s - 1]

    @model.Constraint(model.nurses, model.days, model.shifts, model.shifts)
    def rest(m: Any, n: int, d: int, s: int, r: int) -> Any:
        return m.x[n, d, s] + m.x[n, d + 1, r] <= 1 if r < s and d < days else pyo.Constraint.Skip

    @model.Constraint(model.nurses, model.days)
    def in_a_row(m: Any, n: int, d: int) -> Any:
        if d + instance.longest > days:
            return pyo.Constraint.Skip
        return sum(works(n, d + k) for k in range(instance.longest + 1)) <= instance.longest

    @model.Constraint(model.nurses, model.days)
    def not_alone(m: Any, n: int, d: int) -> Any:
        return works(n, d) <= works(n, d - 1) + works(n, d + 1) if 1 < d < days else pyo.Constraint.Skip

    @model.Constraint(model.nurses, model.days)
    def not_free_alone(m: Any, n: int, d: int) -> Any:
        return works(n, d - 1) + works(n, d + 1) <= 1 + works(n, d) if 1 < d < days else pyo.Constraint.Skip

    @model.Constraint(model.nurses)
    def in_all(m: Any, n: int) -> Any:
        return sum(works(n, d) for d in m.days) <= most[n - 1]

    @model.Constraint(model.nurses, model.weeks, (6, 7))
    def weekend(m: Any, n: int, e: int, d: int) -> Any:
        day = (e - 1) * _WEEK + d
        return works(n, day) <= m.k[n, e] if day <= days else pyo.Constraint.Skip

    @model.Constraint(model.nurses)
    def free_weekends(m: Any, n: int) -> Any:
        return sum(m.k[n, e] for e in m.weeks) <= instance.weekends + m.z[n]

    @model.Objective(sense=pyo.minimize)
    def total(m: Any) -> Any:
        wishes = sum(wish[n - 1][d - 1][s - 1] * m.x[n, d, s] for n, d, s in m.x)
        few = sum(instance.below_cost * m.below[d, s] + instance.above_cost * m.above[d, s] for d, s in m.below)
        return wishes + few + instance.weekend_cost * sum(m.z[n] for n in m.nurses)

    return model


def set_simple_plan(model: Any, instance: NurseRostering) -> None:
    """Set the variables to a simple plan: each nurse keeps one shift, works five days and has two days off."""
    nurses, days, shifts = instance.wish.shape
    works = np.zeros((nurses, days), dtype=np.int64)
    for n in range(nurses):
        works[n] = (np.arange(days) + 2 * n) % _WEEK < min(_WORKED, instance.longest)
        works[n, np.cumsum(works[n]) > instance.most[n]] = 0
        if works[n].sum() and works[n].sum() == instance.most[n]:  # the last day is not alone
            last = int(np.flatnonzero(works[n])[-1])
            works[n, last] &= int(last == 0 or works[n, last - 1])
    for n, d, s in model.x:
        model.x[n, d, s].set_value(int(works[n - 1, d - 1] and (n - 1) % shifts == s - 1))
    worked = np.zeros((nurses, len(model.weeks)), dtype=np.int64)
    for n, e in model.k:
        worked[n - 1, e - 1] = works[n - 1, e * _WEEK - 2 : e * _WEEK].any()
        model.k[n, e].set_value(int(worked[n - 1, e - 1]))
    for n in model.nurses:
        model.z[n].set_value(max(0, int(worked[n - 1].sum()) - instance.weekends))
    for d, s in model.below:
        missing = int(instance.needed[d - 1, s - 1] - works[np.arange(nurses) % shifts == s - 1, d - 1].sum())
        model.below[d, s].set_value(max(0, missing))
        model.above[d, s].set_value(max(0, -missing))


def generate(nurses: int, days: int, seed: int) -> NurseRostering:
    """A random instance with three shifts; nurses wish to work some shifts, and to avoid others."""
    rng = np.random.default_rng(seed)
    share = np.array([0.26, 0.24, 0.14])  # of the nurses, by shift: together 4.5 days of a week
    weekend = np.where(np.arange(days) % _WEEK < 5, 1.0, 0.8)
    needed = np.rint(nurses * weekend[:, None] * share + rng.uniform(-0.8, 0.8, (days, 3)))
    shape = (nurses, days, 3)
    wish = rng.integers(1, 11, shape) * (rng.random(shape) < 0.15)
    off = (rng.random((nurses, days, 1)) < 0.1) * rng.integers(5, 16, (nurses, days, 1))
    full = np.maximum(1, days * _WORKED // _WEEK)
    return NurseRostering(
        needed=np.maximum(0, needed).astype(np.int64),
        wish=wish + off,
        most=np.where(rng.random(nurses) < 0.3, np.maximum(1, full * 3 // 5), full),
    )
