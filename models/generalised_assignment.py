"""Generalised assignment (Ross and Soland 1975).

    x[i,j] binary  agent i does job j

    min   sum cost[i,j] x[i,j]                                               (1)
    s.t.  sum_i x[i,j] = 1                            all jobs j             (2)
          sum_j need[i,j] x[i,j] <= capacity[i]       all agents i           (3)

Both index sets, agents and jobs, are groups of variables that a neighbourhood may free while the others stay fixed: a
few agents with all their jobs, or a few jobs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.pyomo_turn import in_turn

__all__ = ["TYPES", "GeneralisedAssignment", "build", "generate", "set_simple_plan"]

TYPES = ("c", "d", "e")
"""Types of random instances."""

_DRAWS = 100

Matrix = NDArray[np.int64]


@dataclass(frozen=True)
class GeneralisedAssignment:
    """An instance.

    Attributes
    ----------
    cost, need
        Cost of a job, and the capacity that it uses, by agent and job; int64[agents, jobs].
    capacity
        Capacity of each agent; int64[agents].
    maximise
        Whether `cost` is a profit to be maximised.
    """

    cost: Matrix
    need: Matrix
    capacity: Matrix
    maximise: bool = False


@in_turn
def build(instance: GeneralisedAssignment) -> Any:
    """The Pyomo model of an instance."""
    agents, jobs = instance.cost.shape
    cost, need, capacity = instance.cost.tolist(), instance.need.tolist(), instance.capacity.tolist()
    model = pyo.ConcreteModel("generalised-assignment")
    model.agents = pyo.RangeSet(agents)
    model.jobs = pyo.RangeSet(jobs)
    model.x = pyo.Var(model.agents, model.jobs, domain=pyo.Binary)

    @model.Constraint(model.jobs)
    def job(m: Any, j: int) -> Any:
        return sum(m.x[i, j] for i in m.agents) == 1

    @model.Constraint(model.agents)
    def agent(m: Any, i: int) -> Any:
        return sum(need[i - 1][j - 1] * m.x[i, j] for j in m.jobs) <= capacity[i - 1]

    @model.Objective(sense=pyo.maximize if instance.maximise else pyo.minimize)
    def total(m: Any) -> Any:
        return sum(cost[i - 1][j - 1] * m.x[i, j] for i in m.agents for j in m.jobs)

    return model


def set_simple_plan(model: Any, instance: GeneralisedAssignment) -> None:
    """Set the variables to a simple plan: each job goes to the agent where it needs least, large jobs first.

    Raises
    ------
    ConfigurationError
        If the capacities do not suffice for this plan.
    """
    plan = _simple_plan(instance)
    if plan is None:
        raise ConfigurationError("no simple plan respects the capacities")
    for i, j in model.x:
        model.x[i, j].set_value(int(plan[j - 1] == i - 1))


def generate(agents: int, jobs: int, seed: int, *, type: str = "d") -> GeneralisedAssignment:  # noqa: A002
    """A random instance of one of the `TYPES` of the literature, with a plan that respects the capacities.

    Needs and costs are independent in `c`; in `d` (Chu and Beasley 1997) and `e` (Yagiura, Ibaraki and Glover 2006)
    cheap jobs need much capacity, which makes these instances hard. A capacity is 0.8 times the need of an agent's
    share of the jobs.

    Raises
    ------
    ConfigurationError
        If the type is unknown, or there are too few jobs for a plan.
    """
    if type not in TYPES:
        raise ConfigurationError(f"types of assignments are {', '.join(TYPES)} ({type!r})")
    rng = np.random.default_rng(seed)
    for _ in range(_DRAWS):
        cost, need = _costs_and_needs(type, (agents, jobs), rng)
        instance = GeneralisedAssignment(cost, need, (8 * need.sum(1)) // (10 * agents))
        if _simple_plan(instance) is not None:
            return instance
    raise ConfigurationError(f"{jobs} jobs are too few for {agents} agents")


def _costs_and_needs(kind: str, shape: tuple[int, int], rng: Generator) -> tuple[Matrix, Matrix]:
    if kind == "c":
        return rng.integers(10, 51, shape), rng.integers(5, 26, shape)
    if kind == "d":
        need = rng.integers(1, 101, shape)
        return 111 - need + rng.integers(-10, 11, shape), need
    need = np.floor(1 - 10 * np.log(1 - rng.random(shape))).astype(np.int64)
    return np.floor(1000 / need - 10 * rng.random(shape)).astype(np.int64), need


def _simple_plan(instance: GeneralisedAssignment) -> list[int] | None:
    """Agent by job; None if the capacities do not suffice."""
    room, plan = instance.capacity.copy(), [-1] * instance.need.shape[1]
    for job in np.argsort(-instance.need.min(0), kind="stable").tolist():
        need = instance.need[:, job]
        fits = np.flatnonzero(need <= room)
        if not len(fits):
            return None
        agent = int(fits[np.argmin(need[fits])])
        room[agent] -= need[agent]
        plan[job] = agent
    return plan
