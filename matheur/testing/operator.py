"""Contracts of constructions and neighbourhoods, see `matheur.engine.protocols`."""

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
_PATIENCE = 10.0  # CPU seconds of this process, many times the time needed to stop
_SLICE = 1000  # work units by which a call may exceed its limit: a slice, or an indivisible step
_ENDLESS = 120.0  # maximum CPU seconds of a call that must end without a limit


@dataclass(frozen=True, slots=True)
class OperatorCase:
    """An operator on an instance.

    Attributes
    ----------
    problem
        An instance that has a solution.
    make
        Function that creates the operator.
    kind
        `construction` or `neighbourhood`.
    incumbent
        A solution that is not optimal, for a neighbourhood.
    optimum
        The optimal objective; None if it is unknown.
    work
        Number of work units of a meaningful call.
    claims
        Number of calls in which a neighbourhood may claim a local optimum. If it does not, the contract on local optima
        does not apply to it.
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
        """Call the operator; as in the engine, a call that raises `OutOfBudgetError` has found nothing."""
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
        """Call the operator without limits; the call must end by itself."""
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
        A class or function that creates a new operator for each call, or one operator for all calls.
    kind
        `construction` or `neighbourhood`; None for every kind whose method the operator has.
    incumbent
        A solution that is not optimal, from which a neighbourhood starts. It must not be modified.
    optimum
        The optimal objective, if known: no bound may exceed it.
    work
        Number of work units of a meaningful call. A call may exceed its work limit by twice this number, or by 1000 if
        that is more.
    claims
        Number of calls in which a neighbourhood may reach and claim a local optimum. If it does not, local optima are
        not checked.

    Raises
    ------
    AssertionError
        If a contract is broken; the message states which and how.
    ConfigurationError
        If the operator has neither method, or a neighbourhood is given no feasible incumbent.
    """
    make = operator if isinstance(operator, type) or not _kinds(operator) else lambda: operator
    kinds = _kinds(make()) if kind is None else [kind]
    if not kinds:
        raise ConfigurationError("an operator has a method 'build' or 'explore', and this one has neither")
    for one in kinds:
        if one == "neighbourhood" and (incumbent is None or not problem.evaluate(incumbent).feasible):
            raise ConfigurationError("a neighbourhood is checked with an incumbent, and this one is not a solution")
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
        require(evaluation.feasible, f"what is offered is not a solution: {evaluation.violations}")
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
        begin = time.process_time()  # CPU time, so that other load on the machine does not count
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
"""All contracts, for tests that check an `OperatorCase` against each."""


def _keeps_to(budget: Budget, usual: int) -> None:
    """Require that a call exceeds its work limit at most by a slice or twice the usual work of a call."""
    if budget.work is not None:
        most = budget.work + max(_SLICE, 2 * usual)
        spent = budget.spent_work
        require(
            spent <= most, f"a call with a limit of {budget.work} work units spends {spent}, and {most} at most pass"
        )


def _never_again(interrupt: Callable[[], bool], begin: float) -> Callable[[], bool]:
    """The interrupt, which raises an error once a call that ignores it has lasted too long."""

    def asked() -> bool:
        require(time.process_time() - begin < 3 * _PATIENCE, "a call looks at its budget and does not stop")
        return interrupt()

    return asked


def _plain(problem: Any, outcome: Outcome[Any]) -> tuple[Any, ...]:
    """The parts of an outcome that must not depend on the clock."""
    solution = None if outcome.solution is None else problem.encode(outcome.solution)
    return outcome.status, solution, outcome.objective, outcome.bound, outcome.reason


def _checked(problem: Any, outcome: Outcome[Any]) -> int | float:
    """Objective of the solution of an outcome, which must be feasible."""
    evaluation: Evaluation = problem.evaluate(outcome.solution)
    require(evaluation.feasible, f"what is returned is not a solution: {evaluation.violations}")
    if outcome.objective is not None:
        _same(outcome.objective, evaluation.objective, "what is returned")
    return evaluation.objective


def _same(claimed: int | float, true: int | float, what: str) -> None:
    require(claimed == true, f"{what} claims the objective {claimed}, the evaluator says {true}")
