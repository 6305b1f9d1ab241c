"""What every construction and neighbourhood promises, see `matheur.engine.protocols`."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from matheur.engine import Budget, Evaluation, Outcome, OutOfBudgetError, Status
from matheur.engine.budget import WrongCountError
from matheur.engine.outcome import answer_fault
from matheur.engine.protocols import Problem
from matheur.errors import ConfigurationError
from matheur.testing.contract import Contract, NotPromisedError, keep, require
from matheur.testing.options import check_options

__all__ = ["CONTRACTS", "OperatorCase", "check_operator"]

_Kind = Literal["construction", "neighbourhood"]

_METHODS: dict[_Kind, str] = {"construction": "build", "neighbourhood": "explore"}
_PATIENCE = 10.0  # CPU seconds of this process, many times what a stop needs
_SLICE = 1000  # work units that a call may spend beyond its limit: a slice, or what cannot be made by halves
_ENDLESS = 120.0  # CPU seconds of a call that nothing but itself can end


@dataclass(frozen=True, slots=True)
class OperatorCase:
    """An operator on an instance.

    Attributes
    ----------
    problem
        The instance; it has a solution.
    make
        Makes the operator.
    kind
        How it is called.
    incumbent
        A solution that is not optimal, for a neighbourhood.
    optimum
        The best objective, None if it is not known.
    work
        Work units of a call that show something.
    claims
        Calls after which a neighbourhood that has claimed no local optimum counts as one that never does.
    """

    problem: Any
    make: Callable[[], Any]
    kind: _Kind
    incumbent: Any = None
    optimum: int | float | None = None
    work: int = 500
    claims: int = 10

    def __str__(self) -> str:
        return f"the {self.kind} {type(self.make()).__name__} on '{self.problem.name}'"

    def call(self, budget: Budget, seed: int = 1, incumbent: Any = None) -> Outcome[Any]:
        """A call; one that lets an `OutOfBudgetError` pass has found nothing, as for the engine."""
        operator, rng = self.make(), np.random.default_rng(seed)
        begin = self.incumbent if incumbent is None else incumbent
        before = None if begin is None else self.problem.digest(begin)
        try:
            if self.kind == "construction":
                found = operator.build(self.problem, budget, rng)
            else:
                found = operator.explore(self.problem, begin, budget, rng)
        except OutOfBudgetError:
            found = Outcome(Status.EXHAUSTED)
        except WrongCountError as error:
            raise AssertionError(str(error)) from error
        require(begin is None or self.problem.digest(begin) == before, "the incumbent is changed")
        fault = answer_fault(found)
        require(fault is None, fault or "")
        return found

    def endless(self, budget: Budget | None = None, seed: int = 1, incumbent: Any = None) -> Outcome[Any]:
        """A call that has to end by itself."""
        begin = time.process_time()
        budget = Budget() if budget is None else budget
        budget.interrupt = lambda: time.process_time() - begin > _ENDLESS
        outcome = self.call(budget, seed, incumbent)
        late = budget.interrupt()
        require(not late, "a call without a limit of time or work does not end, as in a run of some operator calls")
        return outcome


def check_operator(
    problem: Problem[Any],
    operator: Any,
    *,
    kind: _Kind | None = None,
    incumbent: Any = None,
    optimum: int | float | None = None,
    work: int = 500,
    claims: int = 10,
) -> None:
    """Check an operator on an instance.

    Parameters
    ----------
    problem
        A small instance that has a solution.
    operator
        A class or a function that makes the operator, for each call again; or an operator, for all calls.
    kind
        `construction` or `neighbourhood`; None for all that it has methods for.
    incumbent
        A solution that is not optimal, which a neighbourhood has to improve or to leave alone.
    optimum
        The best objective, if it is known: no bound may be above it.
    work
        Work units of a call that show something. A call may pass its limit of work by twice as many, or a thousand.
    claims
        Calls in which a neighbourhood may reach a local optimum and say so, before that is not checked.

    Raises
    ------
    AssertionError
        If a contract is broken; the message says which and how.
    ConfigurationError
        If the operator has neither method, or a neighbourhood is given no solution to start from.
    """
    make = operator if isinstance(operator, type) or not _kinds(operator) else lambda: operator
    kinds = _kinds(make()) if kind is None else [kind]
    if not kinds:
        raise ConfigurationError("an operator has a method 'build' or 'explore', and this one has neither")
    for one in kinds:
        if one == "neighbourhood" and (incumbent is None or not problem.evaluate(incumbent).feasible):
            raise ConfigurationError("a neighbourhood is checked with an incumbent, and this one is no solution")
        keep(CONTRACTS, OperatorCase(problem, make, one, incumbent, optimum, work, claims))


def _kinds(operator: Any) -> list[_Kind]:
    return [kind for kind, method in _METHODS.items() if callable(getattr(operator, method, None))]


def answer_is_true(case: OperatorCase) -> None:
    """The answer is the same twice from seed and work, leaves the incumbent alone, and is what it claims."""
    problem, offered = case.problem, list[tuple[int | float, Evaluation]]()

    def take(solution: Any, claimed: int | float) -> None:
        offered.append((claimed, problem.evaluate(solution)))

    budgets = [Budget(work=case.work, on_incumbent=take) for _ in range(2)]
    first, second = (case.call(budget) for budget in budgets)
    one, two = _plain(problem, first), _plain(problem, second)
    require(one == two, f"the same seed and work give two answers: {one} and {two}")
    spent = [budget.spent_work for budget in budgets]
    require(spent[0] == spent[1], f"the same seed and work spend {spent[0]} and {spent[1]} units")
    _keeps_to(budgets[0], case.work)
    for claimed, evaluation in offered:
        require(evaluation.feasible, f"what is offered is no solution: {evaluation.violations}")
        _same(claimed, evaluation.objective, "what is offered")
    require(first.solution is not None or first.status is not Status.IMPROVED, "an improvement without a solution")
    reached = [evaluation.objective for _, evaluation in offered]
    if case.incumbent is not None:
        reached.append(problem.evaluate(case.incumbent).objective)
    if first.solution is not None:
        reached.append(_checked(problem, first))
    if case.kind == "neighbourhood" and first.status is Status.IMPROVED:
        start = problem.evaluate(case.incumbent).objective
        require(reached[-1] < start, f"an improvement from {start} to {reached[-1]} is not one")
    if case.kind == "construction":
        found = first.solution is not None or offered or first.status is Status.EXHAUSTED
        require(found, f"a construction without a solution says '{first.status.value}' of an instance that has one")
    best = min([value for value in (case.optimum, *reached) if value is not None], default=None)
    if first.bound is not None and best is not None:
        require(first.bound <= best, f"the bound {first.bound} is above a solution of objective {best}")
    require(spent[0] > 0, "no work is booked: see Budget.spend")


def stops_when_asked(case: OperatorCase) -> None:
    """A budget that is interrupted, now or soon, out of time or out of work ends the call, with a true answer."""
    case.call(Budget(work=1))  # compiles kernels
    asked = 0

    def soon() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    limits = {
        "interrupted": Budget(interrupt=lambda: True),
        "interrupted after three looks": Budget(interrupt=soon),
        "out of time": Budget(seconds=0.0),
        "out of work": Budget(work=0),
    }
    for words, budget in limits.items():
        begin = time.process_time()  # of this process alone: a busy machine makes nobody late
        budget.interrupt = _never_again(budget.interrupt, begin)
        outcome = case.call(budget)
        taken = time.process_time() - begin
        require(taken < _PATIENCE, f"a call that is {words} ends after {taken:.0f} CPU seconds")
        _keeps_to(budget, case.work)
        if outcome.solution is not None:
            _checked(case.problem, outcome)


def local_optima_are_proved(case: OperatorCase) -> None:
    """Where a neighbourhood claims a local optimum, it finds nothing better with any seed and without its memory."""
    if case.kind != "neighbourhood":
        raise NotPromisedError("a construction has no local optima")
    problem, current, budget = case.problem, case.incumbent, Budget()
    objective = problem.evaluate(current).objective
    for seed in range(case.claims):
        outcome = case.endless(budget, seed, current)
        if outcome.solution is not None:
            reached = _checked(problem, outcome)
            if reached <= objective:
                current, objective = outcome.solution, reached
        if outcome.status is Status.LOCAL_OPTIMUM:
            break
    else:
        raise NotPromisedError("this neighbourhood makes no such claim here")
    for seed in range(100, 110):
        outcome = case.endless(seed=seed, incumbent=current)
        better = None if outcome.solution is None else _checked(problem, outcome)
        claimed = [value for value in (better, outcome.objective) if value is not None]
        require(
            outcome.status is not Status.IMPROVED and all(value >= objective for value in claimed),
            f"the objective {objective} is said to be a local optimum, and another seed finds {better}",
        )


def options_help(case: OperatorCase) -> None:
    """Every option stands in the docstring; an unknown one and a wrong value are errors that help."""
    cls = type(case.make())
    if not dataclasses.is_dataclass(cls):
        raise NotPromisedError("an operator that is not a dataclass has no options")
    check_options(cls, case.kind)


CONTRACTS: tuple[Contract, ...] = (answer_is_true, stops_when_asked, local_optima_are_proved, options_help)
"""All of them, for tests that hold an `OperatorCase` to each."""


def _keeps_to(budget: Budget, usual: int) -> None:
    """A limit of work may be passed by a slice, and not by many times what a call usually spends."""
    if budget.work is not None:
        most = budget.work + max(_SLICE, 2 * usual)
        spent = budget.spent_work
        require(
            spent <= most, f"a call with a limit of {budget.work} work units spends {spent}, and {most} at most pass"
        )


def _never_again(interrupt: Callable[[], bool], begin: float) -> Callable[[], bool]:
    """The same, but an error once the call has lasted too long: one that looks and does not stop would hang."""

    def asked() -> bool:
        require(time.process_time() - begin < 3 * _PATIENCE, "a call looks at its budget and does not stop")
        return interrupt()

    return asked


def _plain(problem: Any, outcome: Outcome[Any]) -> tuple[Any, ...]:
    """All of an outcome that must not depend on the clock."""
    solution = None if outcome.solution is None else problem.encode(outcome.solution)
    return outcome.status, solution, outcome.objective, outcome.bound, outcome.reason


def _checked(problem: Any, outcome: Outcome[Any]) -> int | float:
    """Objective of the solution in an outcome, which has to be one."""
    evaluation: Evaluation = problem.evaluate(outcome.solution)
    require(evaluation.feasible, f"what is returned is no solution: {evaluation.violations}")
    if outcome.objective is not None:
        _same(outcome.objective, evaluation.objective, "what is returned")
    return evaluation.objective


def _same(claimed: int | float, true: int | float, what: str) -> None:
    require(claimed == true, f"{what} claims the objective {claimed}, the evaluator says {true}")
