"""Neighbourhood `swap`: exchange two facilities while that gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.outcome import Outcome, Status
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.operators.exchange_state import ExchangeState, Matrices, objective
from matheur.problems.quadratic_assignment.operators.general_search import GeneralState
from matheur.problems.quadratic_assignment.operators.tabu_kernels import CURRENT, descend
from matheur.problems.quadratic_assignment.operators.tabu_search import slice_length

__all__ = ["Swap"]


@dataclass(frozen=True, slots=True)
class Swap:
    """Steepest descent over the exchanges of two facilities (2-exchange).

    A table holds the cost change of each exchange, so that a move costs O(n^2), as in the tabu search. Work: moves
    made, plus one for the scan that proves the local optimum.
    """

    def explore(
        self, problem: Any, incumbent: NDArray[np.int32], budget: Budget, rng: Generator
    ) -> Outcome[NDArray[np.int32]]:
        """Descend to a local optimum of the neighbourhood, proved by a full scan."""
        instance: Instance = problem.instance
        start = objective(instance, incumbent)
        if instance.pairs is not None:
            return self._general(instance, incumbent, start, budget)
        try:
            with budget.watched():
                state = ExchangeState(Matrices.of(instance), incumbent)
        except OutOfBudgetError:
            return Outcome(Status.EXHAUSTED, incumbent.copy(), start)
        matrices, numbers = state.matrices, np.zeros(6, dtype=np.int64)
        numbers[CURRENT] = start
        proved = False
        while not proved and not budget.exhausted and not budget.reached(int(numbers[CURRENT])):
            moves, proved = descend(
                budget.limit(slice_length(instance.n)),
                matrices.flows,
                matrices.distances,
                state.p,
                state.q,
                state.potential,
                state.change,
                state.work,
                numbers,
            )
            steps = moves + int(proved)
            budget.spend(work=steps, iterations=steps)
            if moves:
                budget.offer(state.p.copy(), int(numbers[CURRENT]))
        unchanged = Status.LOCAL_OPTIMUM if proved else Status.EXHAUSTED
        status = Status.IMPROVED if numbers[CURRENT] < start else unchanged
        return Outcome(status, state.p.copy(), int(numbers[CURRENT]))

    @staticmethod
    def _general(
        instance: Instance, incumbent: NDArray[np.int32], start: int, budget: Budget
    ) -> Outcome[NDArray[np.int32]]:
        """The same descent for the general form."""
        state = GeneralState(instance, incumbent)
        objective, proved = start, False
        while not proved and not budget.exhausted and not budget.reached(objective):
            change = state.changes()
            one, other = divmod(int(change.argmin()), instance.n)
            proved = bool(change[one, other] >= 0)
            budget.spend(work=1, iterations=1)
            if not proved:
                objective += int(change[one, other])
                state.exchange(one, other)
                budget.offer(state.p.copy(), objective)
        unchanged = Status.LOCAL_OPTIMUM if proved else Status.EXHAUSTED
        return Outcome(Status.IMPROVED if objective < start else unchanged, state.p.copy(), objective)
