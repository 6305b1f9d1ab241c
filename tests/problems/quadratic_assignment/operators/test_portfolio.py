"""The portfolio: branch and bound on trial, then the memetic algorithm."""

from __future__ import annotations

import numpy as np
import pytest
from problems.quadratic_assignment.operators.assignments import check, optimum, problem

from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError
from matheur.problems.quadratic_assignment.builtin import builtin
from matheur.problems.quadratic_assignment.operators.portfolio import Portfolio
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_easy_instances_are_proved_by_the_trial() -> None:
    """Flows along a tree: the memetic algorithm does not begin, and the bound is the objective."""
    one = QuadraticAssignment(builtin("tree18"))
    outcome = Portfolio().build(one, Budget(work=10**6), rng())
    assert check(one, outcome) == outcome.bound
    assert outcome.certificate is not None


def test_a_trial_that_ends_leaves_its_bound() -> None:
    """The permutation is that of the memetic algorithm, or better."""
    one = problem(15, seed=3)
    outcome = Portfolio(effort=1).build(one, Budget(work=30_000), rng())
    assert outcome.bound is not None
    assert outcome.bound <= check(one, outcome)


def test_the_trial_is_made_once() -> None:
    """Where a permutation is known, the memetic algorithm begins at once: no bound."""
    one = problem(7)
    budget = Budget(work=10**6)
    first = Portfolio().build(one, budget, rng())
    assert check(one, first) == optimum(one) == first.bound
    budget.elites.add("known", first.solution, check(one, first))
    assert Portfolio().build(one, budget.child(work=1000), rng()).bound is None


def test_large_instances_and_wrong_options() -> None:
    """What branch and bound does not take goes to the memetic algorithm; options are checked with their values."""
    one = problem(50)
    assert Portfolio().build(one, Budget(work=200), rng()).bound is None
    for options in ({"share": 0.0}, {"effort": 0}, {"stagnation": 0}):
        with pytest.raises(ConfigurationError):
            Portfolio(**options)  # type: ignore[arg-type]
