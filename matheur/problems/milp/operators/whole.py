"""Solve of the whole model by a MILP solver, paused while other searches have their turns."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import UnboundedError
from matheur.linear.evaluation import settled
from matheur.methods.milp import SolverOptions, begin_arrays, run_arrays
from matheur.problems.milp.operators.gaps import RELATIVE, absolute_gap, facts_of
from matheur.problems.milp.operators.stopwatch import Stopwatch
from matheur.problems.milp.problem import Milp
from matheur.solvers import MilpStatus
from matheur.solvers.linear import LinearAnswer

__all__ = ["Whole", "best_known", "start_from", "whole_of"]

Values = NDArray[np.float64]

_log = logging.getLogger(__name__)


class Whole:
    """A solve of the whole model. In a timed run it can be paused; it then continues with its tree.

    Parameters
    ----------
    best
        The best solution known; it is passed to the solver. The solver gets the user's hint if there is none.
    nodes
        Node limit.

    Attributes
    ----------
    begun
        Whether it has had a turn.
    best
        Objective of the best solution that the solver has found or been given; None if there is none.
    found_at
        Value of `seconds` when it last found a better solution itself.
    bound
        Last bound that the solver reported; None if it has reported none.
    """

    def __init__(
        self,
        problem: Milp,
        solver: SolverOptions,
        budget: Budget,
        rng: Generator,
        best: Outcome[Values],
        *,
        nodes: int | None = None,
    ) -> None:
        self._problem, self._watch = problem, Stopwatch(budget.clock)
        self._solve = begin_arrays(
            problem.model, solver, rng, start=start_from(problem, best), nodes=budget.affordable(nodes),
            relative_gap=RELATIVE, absolute_gap=absolute_gap(problem.model),
            target=None if budget.target is None else problem.score(budget.target),
        )  # fmt: skip
        self._nodes = 0
        self.begun: bool = False
        self.best: int | float | None = None
        self.found_at: float = 0.0
        self.bound: int | float | None = None
        if best.solution is not None and best.objective is not None:
            self.give(best.solution, best.objective)

    def __enter__(self) -> Whole:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def unfinished(self) -> bool:
        """Whether the solve has not begun, or is paused."""
        return not self.begun or self._solve.waits

    @property
    def seconds(self) -> float:
        """Seconds used so far."""
        return self._watch.seconds

    def close(self) -> None:
        """Close the solve."""
        self._solve.close()

    def give(self, values: Values, objective: int | float) -> None:
        """Pass a solution to the solver, if it is better than its own."""
        if self.best is None or objective < self.best:
            self.best = objective
            self._solve.give(values)

    def run(
        self, budget: Budget, *, seconds: float = math.inf, pause: Callable[[], bool] = lambda: False
    ) -> Outcome[Values]:
        """Continue until it ends or the time is over. Work: one unit for each node.

        Parameters
        ----------
        seconds
            Maximum number of seconds, limited by the remaining time.
        pause
            Called often; returns True to pause the solve.

        Raises
        ------
        SolverError
            If the solver fails, or the model is unbounded.
        """
        self.begun = True
        with self._watch:
            answer = run_arrays(
                self._solve, budget, seconds=min(seconds, budget.seconds_left) if budget.timed else None, pause=pause,
                on_values=lambda values: self._found(values, budget), on_bound=lambda bound: self._told(bound, budget),
            )  # fmt: skip
        budget.spend(work=max(1, answer.nodes - self._nodes))
        self._nodes = max(answer.nodes, self._nodes)
        return _outcome_of(self._problem, answer, self.best)

    def _found(self, values: Values, budget: Budget) -> None:
        whole = settled(self._problem.model, values)  # solvers return nearly integral values
        found = self._problem.evaluate(whole)
        if found.feasible:
            budget.offer(whole, found.objective)
            if self.best is None or found.objective < self.best:
                self.best, self.found_at = found.objective, self.seconds

    def _told(self, bound: float, budget: Budget) -> None:
        self.bound = self._problem.bound_of(bound, None)
        if self.bound is not None:
            budget.tell_bound(self.bound)


def _outcome_of(problem: Milp, answer: LinearAnswer, known: int | float | None) -> Outcome[Values]:
    """The outcome of a solve of the whole model, without claims that contradict the objective of a known solution.

    Raises
    ------
    UnboundedError
        If the model is unbounded.
    """
    facts = facts_of(answer, "the whole model")
    if answer.status is MilpStatus.UNBOUNDED:
        raise UnboundedError(f"the model is unbounded, says '{answer.backend}': its objective has no best value")
    if answer.status is MilpStatus.INFEASIBLE and known is None:
        return Outcome(Status.INFEASIBLE, reason=f"{answer.backend} proved that it has none", certificate=facts)
    value = None if answer.values is None else problem.evaluate(answer.values).objective
    best = min((one for one in (known, value) if one is not None), default=None)
    bound = problem.bound_of(answer.bound, best)
    if bound is None and (answer.bound is not None or answer.status is MilpStatus.INFEASIBLE):
        _log.warning("'%s' made a claim that a known solution contradicts; it does not count", answer.backend)
        return Outcome(Status.EXHAUSTED, answer.values, value)
    if answer.status is MilpStatus.OPTIMAL and problem.bound_of(answer.objective, best) is not None:
        return Outcome(Status.IMPROVED, answer.values, value, bound=best, certificate=facts)
    return Outcome(Status.EXHAUSTED, answer.values, value, bound=bound, certificate=facts)


def whole_of(problem: Milp, solver: SolverOptions, budget: Budget, rng: Generator, best: Outcome[Values]) -> Whole:
    """The solve of the run with this solver, the paused one or a new one; it receives the best solution."""
    key = f"solve of the whole model {solver!r}"
    kept = budget.kept.get(key)
    if not isinstance(kept, Whole) or not kept.unfinished:
        kept = budget.kept[key] = Whole(problem, solver, budget, rng, best)
    if best.solution is not None and best.objective is not None:
        kept.give(best.solution, best.objective)
    return kept


def best_known(budget: Budget) -> Outcome[Values]:
    """The best solution so far of a run, including solutions shared by others."""
    for elite in budget.elites.entries()[:1]:
        return Outcome(Status.EXHAUSTED, elite.solution, elite.objective)
    return Outcome(Status.EXHAUSTED)


def start_from(problem: Milp, best: Outcome[Values]) -> Values | None:
    """The best solution, else the hint of the user."""
    return problem.hint if best.solution is None else best.solution
