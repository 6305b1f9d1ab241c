"""Multi-item capacitated lot sizing with setup times (Trigeiro, Thomas and McClain 1989).

    x[i,t] >= 0    units of item i made in period t
    y[i,t] binary  the machine is set up for item i in period t
    s[i,t] >= 0    units of item i in stock at the end of period t
    o[t] >= 0      hours of overtime in period t

    min   sum setup_cost[i] y[i,t] + holding_cost[i] s[i,t]  +  overtime_cost sum o[t]                   (1)
    s.t.  s[i,t-1] + x[i,t] = demand[i,t] + s[i,t]                             all items i, periods t    (2)
          sum_i (hours[i] x[i,t] + setup_hours[i] y[i,t]) <= capacity + o[t]   all periods t             (3)
          x[i,t] <= sum of demand[i,t'] for t' >= t, times y[i,t]              all items i, periods t    (4)

Both index sets, items and periods, are groups of variables that a neighbourhood may free while the others stay fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray

from matheur.pyomo_turn import in_turn

__all__ = ["LotSizing", "build", "generate", "set_simple_plan"]


@dataclass(frozen=True)
class LotSizing:
    """An instance.

    Attributes
    ----------
    demand
        Units by item and period; int64[items, periods].
    setup_cost, setup_hours, holding_cost, hours
        Cost and hours of a setup, cost of a unit in stock for a period, and hours to make a unit, by item.
    capacity
        Hours in each period.
    overtime_cost
        Cost of an hour of overtime.
    """

    demand: NDArray[np.int64]
    setup_cost: NDArray[np.int64]
    setup_hours: NDArray[np.int64]
    holding_cost: NDArray[np.int64]
    hours: NDArray[np.int64]
    capacity: int
    overtime_cost: int = 1000


@in_turn
def build(instance: LotSizing) -> Any:
    """The Pyomo model of an instance."""
    items, periods = instance.demand.shape
    demand = instance.demand.tolist()
    model = pyo.ConcreteModel("lot-sizing")
    model.items_ = pyo.RangeSet(items)
    model.periods = pyo.RangeSet(periods)
    model.x = pyo.Var(model.items_, model.periods, domain=pyo.NonNegativeReals)
    model.y = pyo.Var(model.items_, model.periods, domain=pyo.Binary)
    model.s = pyo.Var(model.items_, model.periods, domain=pyo.NonNegativeReals)
    model.o = pyo.Var(model.periods, domain=pyo.NonNegativeReals)

    @model.Constraint(model.items_, model.periods)
    def balance(m: Any, i: int, t: int) -> Any:
        before = m.s[i, t - 1] if t > 1 else 0
        return before + m.x[i, t] == demand[i - 1][t - 1] + m.s[i, t]

    @model.Constraint(model.periods)
    def machine(m: Any, t: int) -> Any:
        making = sum(int(instance.hours[i - 1]) * m.x[i, t] for i in m.items_)
        setups = sum(int(instance.setup_hours[i - 1]) * m.y[i, t] for i in m.items_)
        return making + setups <= instance.capacity + m.o[t]

    @model.Constraint(model.items_, model.periods)
    def setup(m: Any, i: int, t: int) -> Any:
        return m.x[i, t] <= sum(demand[i - 1][t - 1 :]) * m.y[i, t]

    @model.Objective(sense=pyo.minimize)
    def cost(m: Any) -> Any:
        setups = sum(int(instance.setup_cost[i - 1]) * m.y[i, t] for i in m.items_ for t in m.periods)
        stock = sum(int(instance.holding_cost[i - 1]) * m.s[i, t] for i in m.items_ for t in m.periods)
        return setups + stock + instance.overtime_cost * sum(m.o[t] for t in m.periods)

    return model


def set_simple_plan(model: Any, instance: LotSizing) -> None:
    """Set the variables to a simple plan: the demand of each period is made in that period, with overtime."""
    demand = instance.demand
    for i, t in model.x:
        model.x[i, t].set_value(int(demand[i - 1, t - 1]))
        model.y[i, t].set_value(int(demand[i - 1, t - 1] > 0))
        model.s[i, t].set_value(0)
    hours = instance.hours @ demand + instance.setup_hours @ (demand > 0)
    for t in model.o:
        model.o[t].set_value(max(0, int(hours[t - 1]) - instance.capacity))


def generate(items: int, periods: int, seed: int, *, load: float = 0.9) -> LotSizing:
    """A random instance; `load` is the share of the capacity that the demand uses, without setups."""
    rng = np.random.default_rng(seed)
    demand = np.maximum(0, rng.normal(100, 40, (items, periods))).round().astype(np.int64)
    hours = rng.integers(1, 4, items)
    needed = float((demand * hours[:, None]).sum() / periods)
    return LotSizing(
        demand=demand,
        setup_cost=rng.integers(200, 1000, items),
        setup_hours=rng.integers(10, 50, items),
        holding_cost=rng.integers(1, 5, items),
        hours=hours,
        capacity=round(needed / load),
    )
