"""Construction `faq`: the fast approximate quadratic assignment, from several starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.quadratic_assignment.instance import Instance, flows_only
from matheur.problems.quadratic_assignment.operators.exchange_state import objective
from matheur.problems.quadratic_assignment.operators.frank_wolfe import quadratic_assignment
from matheur.problems.quadratic_assignment.operators.random_permutation import RandomPermutation
from matheur.problems.quadratic_assignment.operators.swap import Swap

__all__ = ["Faq"]


@dataclass(frozen=True, slots=True)
class Faq:
    """Frank-Wolfe on the doubly stochastic matrices, projected to a permutation (Vogelstein et al. 2015).

    The first start is the barycentre, the others are random matrices near it. A start takes 10 milliseconds for 30
    facilities and one second for about 300; a start that the budget interrupts is discarded.

    Attributes
    ----------
    starts
        Number of starts.
    iterations
        Largest number of Frank-Wolfe steps per start.
    polish
        Whether exchanges of two facilities (`swap`) improve each permutation found.
    """

    starts: int = option(10, minimum=1)
    iterations: int = option(30, minimum=1)
    polish: bool = True

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """The best permutation of all starts. Work: Frank-Wolfe steps, and moves of `swap`."""
        instance: Instance = problem.instance
        flows_only(instance, "faq")
        best: NDArray[np.int32] | None = None
        cost = 0
        for start in range(self.starts):
            if best is not None and (budget.exhausted or budget.reached(cost)):
                break
            try:
                places, value = self._run(problem, instance, start == 0, budget, rng)
            except OutOfBudgetError:
                break
            if best is None or value < cost:
                best, cost = places, value
                budget.offer(best.copy(), cost)
        if best is None:
            return RandomPermutation().build(problem, budget, rng)
        status = Status.EXHAUSTED if budget.exhausted else Status.IMPROVED
        return Outcome(status, best, cost)

    def _run(
        self, problem: Any, instance: Instance, first: bool, budget: Budget, rng: Generator
    ) -> tuple[NDArray[np.int32], int]:
        # Facilities in random order, so that ties in the linear assignments do not favour the first ones.
        order = rng.permutation(instance.n)
        with budget.watched():
            found, steps = quadratic_assignment(
                instance.flows[np.ix_(order, order)].astype(np.float64),
                instance.distances.astype(np.float64),
                None if instance.linear is None else instance.linear[order].astype(np.float64),
                steps=self.iterations,
                rng=None if first else rng,
            )
        budget.spend(work=steps)
        places = np.empty(instance.n, dtype=np.int32)
        places[order] = found
        if self.polish and not budget.exhausted:
            polished = Swap().explore(problem, places, budget.child(), rng).solution
            if polished is not None:
                return polished, objective(instance, polished)
        return places, objective(instance, places)
