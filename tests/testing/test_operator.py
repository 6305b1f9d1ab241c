"""`check_operator` passes right operators, and names the contract that a wrong one breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pytest
from testing.signs import SOLUTIONS, Flip, Random, Signs

from matheur.engine import Budget, Outcome, OutOfBudgetError, Status
from matheur.errors import ConfigurationError
from matheur.testing import check_operator
from matheur.testing import operator as checks

PROBLEM = Signs()
_numbers = count()


class Building:
    """A construction that does as it is told."""

    def __init__(self, build: Callable[[Any, Budget, Any], Outcome[Any]]) -> None:
        self.build = build


class Exploring:
    """A neighbourhood that does as it is told."""

    def __init__(self, explore: Callable[[Any, Any, Budget, Any], Outcome[Any]]) -> None:
        self.explore = explore


def changed(**members: Any) -> Building:
    """The right construction, but for some of its answer."""

    def build(problem: Any, budget: Budget, rng: Any) -> Outcome[Any]:
        found = Random().build(problem, budget, rng)
        values = {name: getattr(found, name) for name in ("status", "solution", "objective", "bound")}
        return Outcome(**{**values, **members})

    return Building(build)


def by_chance(problem: Any, budget: Budget, _rng: Any) -> Outcome[Any]:
    """Its own random numbers."""
    return Random(1).build(problem, budget, np.random.default_rng(next(_numbers)))


def offering(objective: int, scale: int = 1) -> Building:
    """Hands something out first."""

    def build(problem: Any, budget: Budget, rng: Any) -> Outcome[Any]:
        budget.offer(SOLUTIONS[0] * scale, objective)
        return Random().build(problem, budget, rng)

    return Building(build)


def lazy(problem: Any, _budget: Budget, rng: Any) -> Outcome[Any]:
    """Books nothing."""
    found = Random().build(problem, Budget(), rng)
    return Outcome(found.status, found.solution, found.objective)


def looking(problem: Any, budget: Budget, rng: Any) -> Outcome[Any]:
    """Looks at its budget, and goes on."""
    while budget.work_left != 0 or budget.spent_work < 10**9:
        budget.spend(work=100 if budget.work else 10**5)
        if budget.work is not None and budget.work > 0 and budget.work_left == 0:
            break
        budget.interrupt()
    return Random().build(problem, budget, rng)


def counting(work: Any) -> Building:
    """Books something."""

    def build(problem: Any, budget: Budget, rng: Any) -> Outcome[Any]:
        budget.spend(work=work)
        return Random().build(problem, budget, rng)

    return Building(build)


def at_least(work: int) -> Building:
    """Books so much where its limit allows less."""

    def build(problem: Any, budget: Budget, rng: Any) -> Outcome[Any]:
        budget.spend(work=max(work, budget.affordable(3)))
        return Random().build(problem, budget.child(), rng)

    return Building(build)


def after(limit: int, work: int) -> Building:
    """Books so much under one limit only."""

    def build(problem: Any, budget: Budget, rng: Any) -> Outcome[Any]:
        budget.spend(work=work if budget.work == limit else 1)
        return Random().build(problem, budget, rng)

    return Building(build)


CONSTRUCTIONS = {
    "whatever the limit": (at_least(3000), "a call with a limit of 500 work units spends 3003, and 1500 at most pass"),
    "out of work": (after(0, 3000), "a call with a limit of 0 work units spends 3003, and 1000 at most pass"),
    "half a unit": (counting(0.5), r"work is booked in whole numbers from 0 \(0.5\)"),
    "less than nothing": (counting(-5), r"work is booked in whole numbers from 0 \(-5\)"),
    "other objective": (changed(objective=1000), "claims the objective 1000, the evaluator says"),
    "no solution": (changed(solution=SOLUTIONS[0] * 2, objective=None), "what is returned is not a solution"),
    "nothing": (changed(solution=None, objective=None), "an improvement without a solution"),
    "gives up": (changed(status=Status.NO_IMPROVEMENT, solution=None, objective=None), "says 'no-improvement'"),
    "infeasible": (changed(status=Status.INFEASIBLE, solution=None, objective=None), "says 'infeasible'"),
    "bound above the optimum": (changed(bound=2), "the bound 2 is above a solution of objective 1"),
    "by chance": (Building(by_chance), "the same seed and work give two answers"),
    "offers a lie": (offering(3), "what is offered claims the objective 3, the evaluator says 15"),
    "offers no solution": (offering(30, 2), "what is offered is not a solution"),
    "lazy": (Building(lazy), "no work is booked"),
    "no outcome": (Building(lambda *_: SOLUTIONS[0]), "the answer is not an Outcome, but ndarray"),  # type: ignore[arg-type, return-value]
    "nothing at all": (Building(lambda *_: None), r"the answer is not an Outcome, but NoneType. Maybe 'return'"),  # type: ignore[arg-type, return-value]
    "status that is text": (changed(status="improved"), r"the status 'improved' is not a Status. Maybe Status.IMP"),
    "bound that is text": (changed(bound="2"), "the bound is not a number"),
    "does not stop": (Building(looking), "looks at its budget and does not stop"),
}


@pytest.mark.parametrize(("operator", "words"), CONSTRUCTIONS.values(), ids=CONSTRUCTIONS.keys())
def test_a_wrong_construction_is_named(operator: Building, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says which contract is broken, and how."""
    monkeypatch.setattr(checks, "_PATIENCE", 0.1)
    with pytest.raises(AssertionError, match=rf"the construction Building on 'signs' breaks a contract: .*\n.*{words}"):
        check_operator(PROBLEM, operator, optimum=1)


def writing(problem: Any, incumbent: Any, budget: Budget, _rng: Any) -> Outcome[Any]:
    """Turns a sign of the incumbent."""
    budget.spend(work=1)
    incumbent[0] *= -1
    return Outcome(Status.NO_IMPROVEMENT)


def worse(problem: Any, incumbent: Any, budget: Budget, _rng: Any) -> Outcome[Any]:
    """Says that it has gained."""
    budget.spend(work=1)
    return Outcome(Status.IMPROVED, incumbent.copy())


def hasty(problem: Any, incumbent: Any, budget: Budget, rng: Any) -> Outcome[Any]:
    """Tries one sign, and says that no other gains."""
    found = Flip().explore(problem, incumbent, budget.child(work=1), rng)
    return Outcome(Status.LOCAL_OPTIMUM) if found.status is Status.EXHAUSTED else found


def endless(problem: Any, incumbent: Any, budget: Budget, rng: Any) -> Outcome[Any]:
    """Ends with its budget only."""
    while not budget.exhausted:
        budget.spend(work=1)
    return Outcome(Status.EXHAUSTED)


NEIGHBOURHOODS = {
    "writing": (Exploring(writing), "the incumbent is changed"),
    "worse": (Exploring(worse), "an improvement from 15 to 15 is not one"),
    "hasty": (Exploring(hasty), "is said to be a local optimum, and another seed finds"),
    "endless": (Exploring(endless), "without a limit of time or work does not end"),
}


@pytest.mark.parametrize(("operator", "words"), NEIGHBOURHOODS.values(), ids=NEIGHBOURHOODS.keys())
def test_a_wrong_neighbourhood_is_named(operator: Exploring, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says which contract is broken, and how."""
    monkeypatch.setattr(checks, "_ENDLESS", 0.1)
    with pytest.raises(AssertionError, match=rf"the neighbourhood Exploring on 'signs' breaks .*\n.*{words}"):
        check_operator(PROBLEM, operator, incumbent=SOLUTIONS[0].copy())


@dataclass(frozen=True)
class Secret(Random):
    """It has an option that nobody knows of."""

    layers: int = 1


@dataclass(frozen=True)
class Loose(Random):
    """Of tries, and of a table: anything goes."""

    table: Any = None


@dataclass(frozen=True)
class Wordless(Random):
    pass


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (Secret, "the option 'layers' is not in the docstring of Secret"),
        (Loose, "the option 'table' takes a table for its value"),
        (Wordless, "Wordless has no docstring"),
    ],
)
def test_wrong_options_are_named(cls: Any, words: str) -> None:
    """Options are documented and checked."""
    with pytest.raises(AssertionError, match=words):
        check_operator(PROBLEM, cls)


@pytest.mark.parametrize("operator", [Random, Random(2), lambda: Random(4), Flip, Flip()])
def test_right_operators_pass(operator: Any) -> None:
    """As a class, as an object, and as what makes one."""
    check_operator(PROBLEM, operator, incumbent=SOLUTIONS[0], optimum=1)


def test_a_slice_more_than_the_limit_passes() -> None:
    """What cannot be made by halves; more of it where a call usually spends more."""
    check_operator(PROBLEM, at_least(900))
    check_operator(PROBLEM, at_least(3000), work=2000)


def test_what_is_raised_passes_with_a_note() -> None:
    """An operator's own error says what it was held to; one that ran out of budget has found nothing."""

    def stumble(*_: Any) -> Outcome[Any]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        check_operator(PROBLEM, Building(stumble))
    assert "which is held to a contract: The answer is the same" in caught.value.__notes__[0]

    def short(_problem: Any, budget: Budget, _rng: Any) -> Outcome[Any]:
        budget.spend(work=1)
        raise OutOfBudgetError

    check_operator(PROBLEM, Building(short))


def test_what_cannot_be_checked_is_an_error() -> None:
    """A neighbourhood needs a solution to start from, an operator a method."""
    for incumbent in (None, SOLUTIONS[0] * 2):
        with pytest.raises(ConfigurationError, match="is checked with an incumbent"):
            check_operator(PROBLEM, Flip, incumbent=incumbent)
    with pytest.raises(ConfigurationError, match="has neither"):
        check_operator(PROBLEM, object)
