"""Unit commitment with three binaries for each unit and hour (Morales-España, Latorre and Ramos 2013).

    u[g,t] binary    unit g is on in hour t
    v[g,t] binary    it starts at the beginning of the hour
    w[g,t] binary    it stops at the beginning of the hour
    q[g,k,t] >= 0    power from segment k of its cost curve, above the least power of the unit
    short[t] >= 0    demand that is not met
    bare[t] >= 0     reserve that is missing

With p[g,t] = sum_k q[g,k,t], before all hours 0 for all units:

    min   sum on_cost[g] u[g,t] + start_cost[g] v[g,t] + cost[g,k] q[g,k,t]
                                                    +  sum short_cost short[t] + bare_cost bare[t]       (1)
    s.t.  sum_g (least[g] u[g,t] + p[g,t]) + short[t] = demand[t]                   all hours            (2)
          sum_g ((most[g] - least[g]) u[g,t] - p[g,t]) + bare[t] >= reserve[t]      all hours            (3)
          u[g,t] - u[g,t-1] = v[g,t] - w[g,t]                                       all units, hours     (4)
          v[g,t-up+1] + ... + v[g,t] <= u[g,t]                                      all units, hours     (5)
          w[g,t-down+1] + ... + w[g,t] <= 1 - u[g,t]                                all units, hours     (6)
          p[g,t] <= (most[g] - least[g]) (u[g,t] - v[g,t])                          all units, hours     (7)
          p[g,t] - p[g,t-1] <= ramp[g],  p[g,t-1] - p[g,t] <= ramp[g]               all units, hours     (8)

A unit starts and stops at its least power. Units and hours are groups of variables that a neighbourhood may free while
the others stay fixed; hours are times, of which a window is freed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray

from matheur.pyomo_turn import in_turn

__all__ = ["UnitCommitment", "build", "generate", "set_simple_plan"]

_SEGMENTS = 3


@dataclass(frozen=True)
class UnitCommitment:
    """An instance.

    Attributes
    ----------
    least, ramp, up, down, on_cost, start_cost
        Least power when on, largest change of power between two hours, minimum numbers of hours on and off, and costs
        of an hour and of a start, by unit.
    size, cost
        Power in a segment of the cost curve, and its cost per unit of power, ascending; int64[units, segments].
    demand, reserve
        Power and reserve needed in each hour.
    short_cost, bare_cost
        Cost of a unit of unmet demand, and of a unit of missing reserve.
    """

    least: NDArray[np.int64]
    ramp: NDArray[np.int64]
    up: NDArray[np.int64]
    down: NDArray[np.int64]
    on_cost: NDArray[np.int64]
    start_cost: NDArray[np.int64]
    size: NDArray[np.int64]
    cost: NDArray[np.int64]
    demand: NDArray[np.int64]
    reserve: NDArray[np.int64]
    short_cost: int = 1000
    bare_cost: int = 100


@in_turn
def build(instance: UnitCommitment) -> Any:
    """The Pyomo model of an instance."""
    units, segments = instance.size.shape
    least, ramp, up, down = (one.tolist() for one in (instance.least, instance.ramp, instance.up, instance.down))
    size, cost = instance.size.tolist(), instance.cost.tolist()
    model = pyo.ConcreteModel("unit-commitment")
    model.units = pyo.RangeSet(0, units - 1)
    model.segments = pyo.RangeSet(0, segments - 1)
    model.hours = pyo.RangeSet(0, len(instance.demand) - 1)
    model.u = pyo.Var(model.units, model.hours, domain=pyo.Binary)
    model.v = pyo.Var(model.units, model.hours, domain=pyo.Binary)
    model.w = pyo.Var(model.units, model.hours, domain=pyo.Binary)
    model.q = pyo.Var(model.units, model.segments, model.hours, bounds=lambda m, g, k, t: (0, size[g][k]))
    model.short = pyo.Var(model.hours, domain=pyo.NonNegativeReals)
    model.bare = pyo.Var(model.hours, domain=pyo.NonNegativeReals)

    def p(g: int, t: int) -> Any:
        return sum(model.q[g, k, t] for k in model.segments) if t >= 0 else 0

    @model.Constraint(model.hours)
    def met(m: Any, t: int) -> Any:
        return sum(least[g] * m.u[g, t] + p(g, t) for g in m.units) + m.short[t] == int(instance.demand[t])

    @model.Constraint(model.hours)
    def spinning(m: Any, t: int) -> Any:
        room = sum(sum(size[g]) * m.u[g, t] - p(g, t) for g in m.units)
        return room + m.bare[t] >= int(instance.reserve[t])

    @model.Constraint(model.units, model.hours)
    def switch(m: Any, g: int, t: int) -> Any:
        return m.u[g, t] - (m.u[g, t - 1] if t else 0) == m.v[g, t] - m.w[g, t]

    @model.Constraint(model.units, model.hours)
    def stays_on(m: Any, g: int, t: int) -> Any:
        return sum(m.v[g, s] for s in range(max(0, t - up[g] + 1), t + 1)) <= m.u[g, t]

    @model.Constraint(model.units, model.hours)
    def stays_off(m: Any, g: int, t: int) -> Any:
        return sum(m.w[g, s] for s in range(max(0, t - down[g] + 1), t + 1)) <= 1 - m.u[g, t]

    @model.Constraint(model.units, model.hours)
    def most(m: Any, g: int, t: int) -> Any:
        return p(g, t) <= sum(size[g]) * (m.u[g, t] - m.v[g, t])

    @model.Constraint(model.units, model.hours)
    def faster(m: Any, g: int, t: int) -> Any:
        return p(g, t) - p(g, t - 1) <= ramp[g]

    @model.Constraint(model.units, model.hours)
    def slower(m: Any, g: int, t: int) -> Any:
        return p(g, t - 1) - p(g, t) <= ramp[g]

    @model.Objective(sense=pyo.minimize)
    def total(m: Any) -> Any:
        running = sum(int(instance.on_cost[g]) * m.u[g, t] for g in m.units for t in m.hours)
        starting = sum(int(instance.start_cost[g]) * m.v[g, t] for g in m.units for t in m.hours)
        power = sum(cost[g][k] * m.q[g, k, t] for g, k, t in m.q)
        missing = sum(instance.short_cost * m.short[t] + instance.bare_cost * m.bare[t] for t in m.hours)
        return running + starting + power + missing

    return model


def set_simple_plan(model: Any, instance: UnitCommitment) -> None:
    """Set the variables to a simple plan.

    The largest units whose total full power does not exceed the least demand are always on, and ramp up as fast as
    possible; the remaining demand is unmet.
    """
    hours = len(instance.demand)
    room = instance.size.sum(1)
    most = instance.least + room
    order = np.argsort(-most, kind="stable")
    on = np.zeros(len(most), dtype=bool)
    on[order[np.cumsum(most[order]) <= instance.demand.min()]] = True
    power = np.minimum(room[:, None], instance.ramp[:, None] * np.arange(hours)) * on[:, None]
    below = np.cumsum(instance.size, 1) - instance.size
    for g, t in model.u:
        model.u[g, t].set_value(int(on[g]))
        model.v[g, t].set_value(int(on[g] and t == 0))
        model.w[g, t].set_value(0)
    for g, k, t in model.q:
        model.q[g, k, t].set_value(int(np.clip(power[g, t] - below[g, k], 0, instance.size[g, k])))
    short = instance.demand - instance.least @ on - power.sum(0)
    bare = instance.reserve - room @ on + power.sum(0)
    for t in model.hours:
        model.short[t].set_value(int(short[t]))
        model.bare[t].set_value(max(0, int(bare[t])))


def generate(units: int, hours: int, seed: int) -> UnitCommitment:
    """A random instance: large units are cheap and slow, small units expensive and fast; demand has two daily peaks."""
    rng = np.random.default_rng(seed)
    most = np.sort(rng.integers(50, 451, units))[::-1]
    least = most * 3 // 10
    size = np.full((units, _SEGMENTS), (most - least)[:, None] // _SEGMENTS)
    slow = most // 60 + 1
    price = 30 - most / 30 + rng.uniform(-2, 2, units)
    hour = np.arange(hours) % 24
    daily = 0.62 - 0.22 * np.cos((hour - 4) * np.pi / 12) + 0.08 * np.cos((hour - 8) * np.pi / 4)
    demand = np.rint(0.85 * most.sum() * daily * rng.uniform(0.97, 1.03, hours)).astype(np.int64)
    return UnitCommitment(
        least=least,
        ramp=size[:, 0] * 3 // (slow // 2 + 1) + 1,
        up=slow,
        down=slow,
        on_cost=np.rint(least * price * 1.3).astype(np.int64),
        start_cost=most * slow * rng.integers(2, 5, units),
        size=size,
        cost=np.rint(price[:, None] * np.linspace(0.9, 1.2, _SEGMENTS)).astype(np.int64),
        demand=demand,
        reserve=demand // 10,
    )
