"""Job shop scheduling, indexed by time (Pritsker, Watters and Wolfe 1969).

    x[j,m,t] binary  job j begins on machine m at time t
    makespan         time when all jobs are done

A job visits all machines in its own order. With its start times b[j,m] = sum_t t x[j,m,t]:

    min   makespan                                                                             (1)
    s.t.  sum_t x[j,m,t] = 1                                      all jobs, machines           (2)
          sum of x[j,m,s] for t-time[j,m] < s <= t  <= 1          all machines m, times t      (3)
          b[j,m] >= b[j,l] + time[j,l]                            l just before m in the order (4)
          makespan >= b[j,m] + time[j,m]                          m the last machine of j      (5)

Times range up to the end of a simple plan. Start times at which a job cannot have arrived, or after which it would end
too late, are left out. Jobs, machines and times are groups of variables that a neighbourhood may free while the others
stay fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray

from matheur.pyomo_turn import in_turn

__all__ = ["JobShop", "build", "generate", "set_simple_plan"]


@dataclass(frozen=True)
class JobShop:
    """An instance.

    Attributes
    ----------
    order
        Machines in the order in which a job visits them, from 0; int64[jobs, machines].
    time
        Processing time of a job on each machine, at least 1; int64[jobs, machines], by machine.
    """

    order: NDArray[np.int64]
    time: NDArray[np.int64]


@in_turn
def build(instance: JobShop) -> Any:
    """The Pyomo model of an instance; jobs, machines and times count from 0."""
    jobs, machines = instance.order.shape
    order, time = instance.order.tolist(), instance.time.tolist()
    last = int((_simple_plan(instance) + instance.time).max())
    model = pyo.ConcreteModel("job-shop")
    model.jobs = pyo.RangeSet(0, jobs - 1)
    model.machines = pyo.RangeSet(0, machines - 1)
    model.times = pyo.RangeSet(0, last - 1)
    span: dict[tuple[int, int], range] = {}
    for j in range(jobs):
        for k, m in enumerate(order[j]):
            before = sum(time[j][other] for other in order[j][:k])
            after = sum(time[j][other] for other in order[j][k:])
            span[j, m] = range(before, last - after + 1)
    starts = [(j, m, t) for (j, m), times in span.items() for t in times]
    model.x = pyo.Var(starts, domain=pyo.Binary)
    model.makespan = pyo.Var(domain=pyo.NonNegativeReals, bounds=(0, last))

    def begins(j: int, m: int) -> Any:
        return sum(t * model.x[j, m, t] for t in span[j, m])

    @model.Constraint(model.jobs, model.machines)
    def once(m: Any, j: int, machine: int) -> Any:
        return sum(m.x[j, machine, t] for t in span[j, machine]) == 1

    @model.Constraint(model.machines, model.times)
    def one_at_a_time(m: Any, machine: int, t: int) -> Any:
        busy = [
            m.x[j, machine, s]
            for j in m.jobs
            for s in range(max(span[j, machine].start, t - time[j][machine] + 1), min(t + 1, span[j, machine].stop))
        ]
        return sum(busy) <= 1 if len(busy) > 1 else pyo.Constraint.Skip

    @model.Constraint(model.jobs, model.machines)
    def in_order(_: Any, j: int, machine: int) -> Any:
        k = order[j].index(machine)
        if k == 0:
            return pyo.Constraint.Skip
        return begins(j, machine) >= begins(j, order[j][k - 1]) + time[j][order[j][k - 1]]

    @model.Constraint(model.jobs)
    def done(m: Any, j: int) -> Any:
        return m.makespan >= begins(j, order[j][-1]) + time[j][order[j][-1]]

    @model.Objective(sense=pyo.minimize)
    def goal(m: Any) -> Any:
        return m.makespan

    return model


def set_simple_plan(model: Any, instance: JobShop) -> None:
    """Set the variables to a simple plan: the operation that can begin first begins first."""
    plan = _simple_plan(instance)
    for j, m, t in model.x:
        model.x[j, m, t].set_value(int(plan[j, m] == t))
    model.makespan.set_value(int((plan + instance.time).max()))


def generate(jobs: int, machines: int, seed: int) -> JobShop:
    """A random instance with times of 1 to 10 and random orders."""
    rng = np.random.default_rng(seed)
    order = rng.permuted(np.tile(np.arange(machines), (jobs, 1)), axis=1)
    return JobShop(order, rng.integers(1, 11, (jobs, machines)))


def _simple_plan(instance: JobShop) -> NDArray[np.int64]:
    """Start time of each job on each machine; int64[jobs, machines]."""
    jobs, machines = instance.order.shape
    begins = np.zeros((jobs, machines), dtype=np.int64)
    done, ready, free = [0] * jobs, [0] * jobs, [0] * machines
    for _ in range(jobs * machines):
        waiting = [(j, int(instance.order[j, done[j]])) for j in range(jobs) if done[j] < machines]
        job, machine = min(waiting, key=lambda one: (max(ready[one[0]], free[one[1]]), one))
        begins[job, machine] = max(ready[job], free[machine])
        ready[job] = free[machine] = int(begins[job, machine] + instance.time[job, machine])
        done[job] += 1
    return begins
