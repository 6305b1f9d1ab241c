"""Capacitated facility location (Cornuéjols, Sridharan and Thizy 1991).

    y[i] binary    a facility is opened at site i
    x[i,j] binary  it serves customer j (0 to 1, the share that it serves, if customers may be split)

    min   sum opening[i] y[i]  +  sum cost[i,j] x[i,j]                            (1)
    s.t.  sum_i x[i,j] = 1                                 all customers j        (2)
          sum_j demand[j] x[i,j] <= capacity[i] y[i]       all sites i            (3)
          x[i,j] <= y[i]                                   all sites, customers   (4)

(4) follows from (3) for whole numbers and makes the linear relaxation much tighter. Sites and customers are groups of
variables that a neighbourhood may free while the others stay fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.pyomo_turn import in_turn

__all__ = ["FacilityLocation", "build", "generate", "set_simple_plan"]

_DRAWS = 100


@dataclass(frozen=True)
class FacilityLocation:
    """An instance.

    Attributes
    ----------
    opening, capacity
        Cost and capacity of a facility, by site; int64[sites].
    demand
        Demand of each customer; int64[customers].
    cost
        Cost of serving a customer from a site; int64[sites, customers].
    split
        Whether several facilities may share a customer.
    """

    opening: NDArray[np.int64]
    capacity: NDArray[np.int64]
    demand: NDArray[np.int64]
    cost: NDArray[np.int64]
    split: bool = False


@in_turn
def build(instance: FacilityLocation) -> Any:
    """The Pyomo model of an instance."""
    sites, customers = instance.cost.shape
    opening, capacity = instance.opening.tolist(), instance.capacity.tolist()
    demand, cost = instance.demand.tolist(), instance.cost.tolist()
    model = pyo.ConcreteModel("facility-location")
    model.sites = pyo.RangeSet(sites)
    model.customers = pyo.RangeSet(customers)
    model.y = pyo.Var(model.sites, domain=pyo.Binary)
    model.x = pyo.Var(model.sites, model.customers, domain=pyo.UnitInterval if instance.split else pyo.Binary)

    @model.Constraint(model.customers)
    def served(m: Any, j: int) -> Any:
        return sum(m.x[i, j] for i in m.sites) == 1

    @model.Constraint(model.sites)
    def room(m: Any, i: int) -> Any:
        return sum(demand[j - 1] * m.x[i, j] for j in m.customers) <= capacity[i - 1] * m.y[i]

    @model.Constraint(model.sites, model.customers)
    def open(m: Any, i: int, j: int) -> Any:  # noqa: A001
        return m.x[i, j] <= m.y[i]

    @model.Objective(sense=pyo.minimize)
    def total(m: Any) -> Any:
        serving = sum(cost[i - 1][j - 1] * m.x[i, j] for i in m.sites for j in m.customers)
        return sum(opening[i - 1] * m.y[i] for i in m.sites) + serving

    return model


def set_simple_plan(model: Any, instance: FacilityLocation) -> None:
    """Set the variables to a simple plan: each customer goes to the cheapest site with room, large customers first.

    Raises
    ------
    ConfigurationError
        If the capacities do not suffice for this plan.
    """
    plan = _simple_plan(instance)
    if plan is None:
        raise ConfigurationError("no simple plan respects the capacities")
    for i in model.sites:
        model.y[i].set_value(int(i - 1 in plan))
    for i, j in model.x:
        model.x[i, j].set_value(int(plan[j - 1] == i - 1))


def generate(sites: int, customers: int, seed: int, *, ratio: float = 3.0, split: bool = False) -> FacilityLocation:
    """A random instance with a plan that respects the capacities; sites and customers lie in a square.

    Parameters
    ----------
    ratio
        Total capacity divided by total demand; instances with ratios of 2 to 5 are hard.
    split
        Whether several facilities may share a customer.

    Raises
    ------
    ConfigurationError
        If the ratio is too small for a plan.
    """
    rng = np.random.default_rng(seed)
    for _ in range(_DRAWS):
        places, homes = rng.random((sites, 2)), rng.random((customers, 2))
        demand = rng.integers(5, 36, customers)
        capacity = rng.integers(10, 161, sites)
        capacity = np.ceil(capacity * (ratio * demand.sum() / capacity.sum())).astype(np.int64)
        opening = rng.integers(0, 91, sites) + rng.integers(100, 111, sites) * np.sqrt(capacity)
        distance = np.hypot(*np.moveaxis(places[:, None] - homes, 2, 0))
        cost = np.rint(10 * distance * demand).astype(np.int64)
        instance = FacilityLocation(np.rint(opening).astype(np.int64), capacity, demand, cost, split)
        if _simple_plan(instance) is not None:
            return instance
    raise ConfigurationError(f"no plan respects the capacities: their ratio to the demand is too small ({ratio:g})")


def _simple_plan(instance: FacilityLocation) -> list[int] | None:
    """Site by customer; None if the capacities do not suffice."""
    room, plan = instance.capacity.copy(), [-1] * len(instance.demand)
    for customer in np.argsort(-instance.demand, kind="stable").tolist():
        fits = np.flatnonzero(instance.demand[customer] <= room)
        if not len(fits):
            return None
        site = int(fits[np.argmin(instance.cost[fits, customer])])
        room[site] -= instance.demand[customer]
        plan[customer] = site
    return plan
