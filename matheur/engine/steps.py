"""Steps of a search: call the operators within their limits and check their claims before they count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Generic, TypeVar, cast

import numpy as np

from matheur.engine.budget import Budget, OutOfBudgetError, WrongCountError
from matheur.engine.checks import (
    check_evaluation,
    check_incumbent,
    check_neighbour,
    check_solution,
    record_infeasible,
)
from matheur.engine.guidance import Guidance
from matheur.engine.interface import Named, Pause
from matheur.engine.ledger import Ledger
from matheur.engine.outcome import Outcome, Status, answer_fault, violations_of
from matheur.engine.patience import Patience
from matheur.engine.protocols import Construction, Given, Neighbourhood, contradicts
from matheur.engine.schedules import Call, Schedule
from matheur.errors import ConfigurationError, InputError, OperatorError

__all__ = ["Step", "Steps", "Use"]

S = TypeVar("S")

_NONE = cast(np.random.Generator, None)  # passed to schedules and criteria that use no randomness


class Use(IntEnum):
    """Uses of randomness: the first element of the spawn key of a generator."""

    CONSTRUCT = 0
    EXPLORE = 1
    CHOOSE = 2
    ACCEPT = 3
    AGAIN = 4


@dataclass(slots=True)
class Step(Generic[S]):
    """One call of a neighbourhood, and the values that acceptance compares.

    Attributes
    ----------
    index
        Number of the neighbourhood.
    call
        The budget of the call.
    before, known
        Objectives of the current and of the best solution before the call.
    current
        Value of the current solution: its objective, or the measure that guides in its place.
    outcome
        Outcome that the operator returned.
    candidate, objective
        Proposed solution and its objective; None if there is none, or if it is the current solution.
    value, best
        Values of the candidate and of the best solution so far.
    proof_holds
        Whether the current solution is proved locally optimal, unless the best one is taken in its place.
    """

    index: int
    call: Budget
    before: int | float
    known: int | float | None
    current: int | float
    outcome: Outcome[S]
    candidate: S | None = None
    objective: int | float | None = None
    value: int | float = 0
    best: int | float = 0
    proof_holds: bool = False


class Steps(Generic[S]):
    """Calls the operators of one run.

    Parameters
    ----------
    ledger
        Ledger that records results and costs.
    construction, neighbourhoods, restart_after
        As in `LocalSearch`.
    guidance
        Measures that acceptance compares.
    """

    def __init__(
        self,
        ledger: Ledger[S],
        construction: Named[Construction[S]] | None,
        neighbourhoods: Sequence[Named[Neighbourhood[S]]],
        guidance: Guidance,
        restart_after: int | None,
    ) -> None:
        self._ledger, self._problem = ledger, ledger.problem
        self._state, self._budget = ledger.state, ledger.budget
        self._construction, self._neighbourhoods = construction, neighbourhoods
        self._guidance, self._restart_after = guidance, restart_after

    @property
    def iteration(self) -> int:
        """Number of neighbourhood calls so far."""
        return self._state.iteration

    @property
    def open_neighbourhoods(self) -> list[bool]:
        """For each neighbourhood whether it may be called: False if the current solution is proved optimal in it."""
        return [index not in self._state.proved for index in range(len(self._neighbourhoods))]

    def choose(self, schedule: Schedule) -> int:
        """Number of the neighbourhood that a schedule chooses."""
        found: Any = schedule.choose(self.open_neighbourhoods, self.generator(Use.CHOOSE, schedule))
        count = len(self._neighbourhoods)
        if not (isinstance(found, int | np.integer) and 0 <= found < count):
            name = type(schedule).__name__
            raise ConfigurationError(f"the schedule {name} chose {found!r}, not a number from 0 to {count - 1}")
        return int(found)

    def generator(self, use: Use, user: Any = None) -> np.random.Generator:
        """Generator for one use in this iteration; a placeholder if the user sets `draws = False`."""
        if not getattr(user, "draws", True):
            return _NONE
        key = (int(use), self._state.iteration)
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(self._ledger.seed, spawn_key=key)))

    # When to stop, and when to construct

    def reason_to_stop(self, pause: Pause | None = None) -> str | None:
        """Reason to stop the search now (see `SearchResult.stopped`); None to continue."""
        s, ledger, due = self._state, self._ledger, self.construction_is_due
        if s.infeasible is not None:
            return "infeasible"
        if ledger.at_bound:
            return "optimal"
        if self._budget.reached(s.best_objective):
            return "target"
        if ledger.interrupted:
            return "interrupt"
        if self._budget.exhausted:
            return "budget"
        if s.current is None or (not self._neighbourhoods and not due):
            return "finished"
        if len(s.proved) == len(self._neighbourhoods) and not due:
            return "local-optimum"
        if pause is not None and pause.due(seconds=ledger.seconds, work=ledger.work, iterations=s.iteration):
            return "pause"
        return None

    @property
    def construction_is_due(self) -> bool:
        """Whether to construct now: again, or for the first time if no neighbourhood can improve the given start."""
        s = self._state
        if self._construction is None:
            return False
        if not self._neighbourhoods:
            return not s.constructed
        if self._restart_after is None:
            return False
        return s.idle >= self._restart_after or len(s.proved) == len(self._neighbourhoods)

    # The first solution, and restarts

    def begin(self, start: S | None) -> None:
        """Set the current solution from a resume, `start`, the instance (if it needs no search), or a new construction.

        After a resume, `start` counts only if it is better than the best solution so far.

        Raises
        ------
        InputError
            If `start` is not a feasible solution.
        """
        s = self._state
        s.operator = "start"
        if s.current is not None or s.infeasible is not None:
            if s.infeasible is None and start is not None:
                self._begin_with(start, if_better=True)
            return
        s.infeasible = self._problem.infeasible_reason()
        if s.infeasible is not None:
            s.certificate = {"method": "check of the instance"}
            return
        if start is not None:
            self._begin_with(start)
            if self._neighbourhoods and self._continues and self.reason_to_stop() is None:
                self.construct()
                self.return_to_best()
        solved = self._problem.given_solution() if isinstance(self._problem, Given) else None
        if solved is not None:
            s.operator = "instance"
            self._begin_with(solved)
        if s.current is None and self._construction is not None:
            self.construct()
            if self._cut_short(self._construction):
                self.construct(again=True)

    @property
    def _continues(self) -> bool:
        return self._construction is not None and getattr(self._construction.operator, "continues", False)

    def _begin_with(self, start: S, *, if_better: bool = False) -> None:
        known = self._state.best_objective
        evaluation = self._problem.evaluate(start)
        objective = check_evaluation(self._problem, evaluation)
        if not evaluation.feasible:
            raise InputError(f"the start is not a solution: {violations_of(self._problem, evaluation)[0]}")
        if if_better and known is not None:
            if objective >= known:
                return
            check_solution(self._problem, self._state, start, objective)  # against the stored bound
            self._state.idle = 0
        elif self._state.bound is not None and objective < self._state.bound:
            if contradicts(self._problem, self._state.bound, objective):
                # The trivial bound, which knows no tolerance, as solutions do.
                self._state.bound, self._state.bound_source, self._state.certificate = None, None, None
            else:
                self._state.bound = objective
        self._state.move(self._problem, start, objective)
        self._ledger.record_best(start, objective)
        self._ledger.keep(start, objective)  # even if a better one is known

    def _cut_short(self, construction: Named[Construction[S]]) -> bool:
        """Whether the construction's share was too short for a first solution, and there is time left."""
        if self._state.current is not None or self._state.infeasible is not None or self._budget.exhausted:
            return False
        return construction.ended_by_share(self._budget.elapsed, self._budget.seconds_left)

    def construct(self, *, again: bool = False) -> None:
        """Call the construction; with `again`, use all remaining time, since the first share was too short."""
        s, ledger, construction = self._state, self._ledger, self._construction
        assert construction is not None
        known, restarted = s.best_objective, s.current is not None
        if s.current is not None and s.current_objective is not None:
            ledger.keep(s.current, s.current_objective)
        s.operator = construction.name
        patience = Patience(self._budget.clock) if self._only_calls_limit(construction) else None
        call = self._budget.child(
            seconds=construction.seconds if again else construction.limit(self._budget.seconds_left),
            work=construction.work,
            unless=(lambda: s.best is None) if construction.seconds is None and construction.share < 1 else None,
            patience=patience,
        )
        rng = self.generator(Use.AGAIN if again else Use.CONSTRUCT)
        outcome = _answer(construction.name, lambda: construction.operator.build(self._problem, call, rng))
        # A construction that ends only because the run ends may continue: a resume calls it again.
        s.constructed = outcome.status is not Status.EXHAUSTED or not self._budget.exhausted
        if outcome.solution is not None:
            objective = check_solution(self._problem, s, outcome.solution, outcome.objective)
            ledger.record_best(outcome.solution, objective)
            ledger.keep(outcome.solution, objective)
            s.move(self._problem, outcome.solution, objective)
            s.idle = 0
        self._return_to_best(known)  # a solution reported during the call may be better than the returned one
        if outcome.status is Status.INFEASIBLE:
            record_infeasible(s, outcome)
        ledger.take_bound(outcome)
        ledger.book(construction.name, outcome, call, gain=0, note=None if patience is None else patience.note)
        if restarted and outcome.solution is None and self._neighbourhoods:
            # Counts as a call, so that the next one draws other random numbers and a limit of calls ends the run.
            s.idle = 0
            s.iteration += 1
            self._budget.spend(iterations=1)
        ledger.end_call()

    def _only_calls_limit(self, construction: Named[Construction[S]]) -> bool:
        limits = (self._budget.work, construction.seconds, construction.work)
        others = self._budget.timed or any(limit is not None for limit in limits)
        return self._budget.iterations is not None and not others

    # From one solution to the next

    def explore(self, index: int) -> Step[S]:
        """Call a neighbourhood of the current solution and check its proposal; a new best solution is stored."""
        s, guidance, chosen = self._state, self._guidance, self._neighbourhoods[index]
        current, before, known = s.current, s.current_objective, s.best_objective
        assert current is not None
        assert before is not None
        s.operator = chosen.name
        value = guidance.value(current, before)
        guidance.took(value)
        call, rng = self._budget.child(seconds=chosen.seconds, work=chosen.work), self.generator(Use.EXPLORE)
        outcome = _answer(chosen.name, lambda: chosen.operator.explore(self._problem, current, call, rng))
        check_incumbent(self._problem, s)
        step = Step(index, call, before, known, value, outcome)
        step.proof_holds = outcome.local_optimum
        objective = check_neighbour(self._problem, s, outcome, before)
        if outcome.solution is not None and objective is not None:
            self._ledger.record_best(outcome.solution, objective)
            step.candidate, step.objective = outcome.solution, objective
            step.value = guidance.value(outcome.solution, objective)
            step.best = guidance.record(objective if s.best_objective is None else s.best_objective)
            step.proof_holds = False  # the proof is about the candidate, which has not been accepted yet
        return step

    def accept(self, step: Step[S]) -> None:
        """Make the candidate the current solution."""
        assert step.candidate is not None
        assert step.objective is not None
        self._state.move(self._problem, step.candidate, step.objective)
        step.proof_holds = step.outcome.local_optimum

    def finish(self, step: Step[S]) -> Call:
        """Close a step and book it; return the record of the call for the schedule."""
        s, outcome = self._state, step.outcome
        if not self._return_to_best(step.known) and step.proof_holds:
            s.proved.add(step.index)
        self._ledger.take_bound(outcome)
        assert s.current is not None
        assert s.current_objective is not None
        gain = max(0, step.current - self._guidance.value(s.current, s.current_objective))
        s.idle = 0 if gain > 0 else s.idle + 1
        record = s.best_objective != step.known
        name = self._neighbourhoods[step.index].name
        cost = self._ledger.book(name, outcome, step.call, gain=max(0, step.before - s.current_objective))
        s.iteration += 1
        self._budget.spend(iterations=1)
        return Call(step.index, float(gain), cost, record)

    def return_to_best(self) -> None:
        """Make the best solution the current one."""
        s = self._state
        if s.best is None or s.best_objective is None or self._problem.digest(s.best) == s.current_digest:
            return
        s.move(self._problem, s.best, s.best_objective)

    def _return_to_best(self, known: int | float | None) -> bool:
        """Continue from a solution that a call reported if it beats the returned one; `known` was the best before.

        Does nothing while a measure other than the objective guides: such solutions are then only observed.
        """
        s = self._state
        if self._guidance.observing or s.best is None or s.best_objective is None or s.best_objective == known:
            return False
        if s.current_objective is not None and s.current_objective <= s.best_objective:
            return False
        s.move(self._problem, s.best, s.best_objective)
        return True


def _answer(name: str, call: Callable[[], Outcome[S]]) -> Outcome[S]:
    """Outcome of an operator; an operator that gave up at the end of its time has found nothing.

    Raises
    ------
    OperatorError
        If the operator returns anything but an `Outcome`, or books an invalid count.
    """
    try:
        outcome = call()
    except OutOfBudgetError:
        return Outcome(Status.EXHAUSTED)
    except WrongCountError as error:
        raise OperatorError(f"operator '{name}': {error}") from error
    except Exception as error:
        error.add_note(f"raised by operator '{name}'")
        raise
    fault = answer_fault(outcome)
    if fault is not None:
        raise OperatorError(f"operator '{name}': {fault}")
    return outcome
