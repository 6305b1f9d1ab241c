"""Methods that rearrange the free facilities of a region: enumeration, branch and bound, or a MILP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.milp import SolverOptions, solve_model
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.operators.region_kernels import BEGIN, DEPTH, NODES, UPPER, arrange, prepare
from matheur.problems.quadratic_assignment.operators.tree import ROOM, Tree, magnitude
from matheur.problems.quadratic_assignment.restriction import Restriction
from matheur.solvers.proving import is_proof

__all__ = ["Arrangement", "by_branch_and_bound", "by_enumeration", "by_milp"]

ENUMERATION_CHUNK = 20_000  # nodes between two checks of the budget, about 20 ms
TREE_CHUNK = 10_000  # linear assignments
_ROOM = 1 << 55  # upper limit of the costs in an enumeration
NODES_PER_WORK, ASSIGNMENTS_PER_WORK = 1000, 100


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Result of solving a region.

    Attributes
    ----------
    order
        Number of the free location of each free facility, at lower cost than before; None if nothing better was found.
    proved
        Whether no arrangement is cheaper than `order` or, if that is None, than the present one.
    """

    order: NDArray[np.int64] | None
    proved: bool


def by_enumeration(one: Restriction, present: int, budget: Budget, nodes: int | None) -> Arrangement:
    """Enumerate all arrangements with bounds; for up to about ten facilities. Work: nodes / 1,000, at least 1."""
    size = len(one.facilities)
    if size < 2 or magnitude(one) >= _ROOM:
        return Arrangement(None, size < 2)
    # Facilities with large flows first, so that their costs are known early.
    rank = np.argsort(-(abs(one.flows).sum(axis=0) + abs(one.flows).sum(axis=1)), kind="stable")
    flows, distances = np.ascontiguousarray(one.flows[np.ix_(rank, rank)]), np.ascontiguousarray(one.distances)
    largest, cost = np.zeros((2, size, size, size), dtype=np.int64)
    nearest = np.zeros((size, size), dtype=np.int32)
    prepare(flows, distances, largest, nearest)
    cost[0] = one.linear[rank]
    control = np.zeros(3, dtype=np.int64)
    control[DEPTH], control[UPPER] = BEGIN, present - one.constant
    best = np.full(size, -1, dtype=np.int32)
    state = (
        np.zeros(size + 1, dtype=np.int64), np.zeros((size, size), dtype=np.int32), np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int64),
        np.zeros((size + 5, size + 1), dtype=np.int64),
    )  # fmt: skip

    def go_on(chunk: int) -> bool:
        return bool(arrange(chunk, flows, distances, largest, nearest, cost, *state, best, control))

    done = _in_chunks(go_on, lambda: int(control[NODES]), ENUMERATION_CHUNK, NODES_PER_WORK, nodes, budget)
    if best[0] < 0:
        return Arrangement(None, done)
    order = np.empty(size, dtype=np.int64)
    order[rank] = best
    return Arrangement(order, done)


def by_branch_and_bound(one: Restriction, present: int, budget: Budget, nodes: int | None) -> Arrangement:
    """Branch and bound with dual ascent; for up to about 15 facilities. Work: linear assignments / 100, at least 1.

    `nodes` limits the linear assignments.
    """
    if magnitude(one) >= ROOM and one.pairs is not None:
        budget.spend(work=1)
        return Arrangement(None, False)
    if magnitude(one) >= ROOM:
        return by_enumeration(one, present, budget, nodes)
    tree = Tree(one, present)

    def go_on(chunk: int) -> bool:
        tree.search(chunk)
        return tree.done

    done = _in_chunks(go_on, lambda: tree.work, TREE_CHUNK, ASSIGNMENTS_PER_WORK, nodes, budget)
    return Arrangement(tree.best, done)


def by_milp(
    instance: Instance,
    one: Restriction,
    present: int,
    formulation: str,
    solver: SolverOptions,
    budget: Budget,
    rng: Generator,
    *,
    seconds: float | None,
    nodes: int | None,
) -> Arrangement:
    """Solve the restricted model for a cost below `present`. Work: nodes of the solver's tree."""
    from matheur.models.quadratic_assignment import build

    with budget.watched():
        built = build(instance, formulation, fixed=one.fixed)
    answer = solve_model(
        built.model, solver, budget, rng,
        seconds=seconds, nodes=nodes, absolute_gap=one.grain - 0.001, cutoff=present - 0.5,
    )  # fmt: skip
    proved = is_proof(answer, step=one.grain, error=built.slack)
    if not answer.has_solution:
        return Arrangement(None, proved)
    order = one.order(built.read(answer.values))
    return Arrangement(order if one.cost(order) < present else None, proved)


def _in_chunks(
    go_on: Callable[[int], bool],
    spent: Callable[[], int],
    chunk: int,
    per_work: int,
    limit: int | None,
    budget: Budget,
) -> bool:
    """Search in slices until it is finished (returns True) or the limit or the budget ends; the work is booked."""
    booked = 0
    while True:
        left: list[Any] = [chunk]
        if limit is not None:
            left.append(limit - spent())
        if budget.work_left is not None:
            left.append(per_work * (budget.work_left + booked) - spent())
        if min(left) <= 0 or budget.exhausted:
            done = False
            break
        done = go_on(int(min(left)))
        work = spent() // per_work - booked
        budget.spend(work=work)
        booked += work
        if done:
            break
    if booked == 0:
        budget.spend(work=1)
    return done
