"""The fewest presses if lights have more than two states: elimination over Z_k, and enumeration of the coset."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.problems.lights_out.instance import Instance
from matheur.problems.lights_out.modular import Vector, eliminate_modular
from matheur.problems.lights_out.operators.coset_kernels import lightest_modular

__all__ = ["solve_modular"]

_CHUNK = 1 << 16  # vectors between two checks of the clock, some milliseconds
_LONG = 1 << 22  # number of solutions that takes more than a second or two to visit
_DESCENTS = _CHUNK // 64


def solve_modular(problem: Any, budget: Budget, rng: Generator, *, descent: bool) -> Outcome[NDArray[np.int32]]:
    """Like `LinearAlgebra.build`, modulo the number of states. Work: solutions visited."""
    instance: Instance = problem.instance
    with budget.watched():
        elimination = eliminate_modular(instance)
        first = elimination.solve(np.array(instance.needed, dtype=np.int64))
    budget.spend(work=1)
    backend = f"elimination over Z_{instance.states}"
    if first is None:
        return Outcome(Status.INFEASIBLE, reason=problem.infeasible_reason(), certificate={"backend": backend})
    basis = np.array([vector for vector, _ in elimination.kernel], dtype=np.int16).reshape(-1, instance.presses)
    orders = np.array([order for _, order in elimination.kernel], dtype=np.int64)
    if descent:
        first, _ = _descend(first, basis, orders, instance.states, budget, rng)
    vector = first.astype(np.int16)
    best, weight = vector.copy(), int(first.sum())
    visited, total = 0, elimination.solutions - 1
    budget.offer(_presses(best), weight)
    while visited < total and not budget.exhausted and not budget.reached(weight):
        steps = budget.affordable(min(_CHUNK, total - visited))
        found = int(lightest_modular(visited, steps, vector, basis, orders, instance.states, best, weight))
        visited += steps
        budget.spend(work=steps)
        if descent and total >= _LONG and not budget.exhausted:
            other = _lightest_of_some(first, basis, orders, instance.states, budget, rng)
            if int(other.sum()) < found:
                found, best = int(other.sum()), other.astype(np.int16)
        if found < weight:
            weight = found
            budget.offer(_presses(best), weight)
    proved = visited == total
    certificate = {"backend": backend, "solutions": total + 1}
    return Outcome(
        Status.IMPROVED if proved else Status.EXHAUSTED, _presses(best), weight,
        bound=weight if proved else None, certificate=certificate if proved else None,
    )  # fmt: skip


def _presses(times: NDArray[Any]) -> NDArray[np.int32]:
    """List of presses in ascending order, each repeated as often as it is made."""
    return np.repeat(np.arange(times.size, dtype=np.int32), times)


def _lightest_of_some(
    vector: Vector, basis: NDArray[np.int16], orders: Vector, states: int, budget: Budget, rng: Generator
) -> Vector:
    """The lightest of several local optima, each reached from a random solution."""
    best, looked = vector, 0
    while looked < _DESCENTS and not budget.exhausted:
        start = (vector + rng.integers(0, orders) @ basis.astype(np.int64)) % states
        found, some = _descend(start, basis, orders, states, budget, rng)
        looked += some
        best = min(best, found, key=lambda one: int(one.sum()))
        budget.spend(work=budget.affordable(some))
    return best


def _descend(
    vector: Vector, basis: NDArray[np.int16], orders: Vector, states: int, budget: Budget, rng: Generator
) -> tuple[Vector, int]:
    """Add the best multiple of a kernel vector while that saves presses; also returns the number of visits."""
    improved, looked = True, 0
    while improved:
        improved = False
        for number in rng.permutation(len(basis)).tolist():
            if budget.out_of_time:
                return vector, looked
            multiples = np.arange(int(orders[number]), dtype=np.int64)
            tried = (vector + multiples[:, None] * basis[number]) % states
            sums = tried.sum(axis=1)
            looked += len(sums)
            if int(sums.min()) < int(sums[0]):
                vector, improved = tried[int(sums.argmin())], True
    return vector, looked
