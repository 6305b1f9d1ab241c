"""What is read from the logs of programs, where Pyomo reads too much."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyomo.environ as pyo
import pytest

from matheur.errors import SolverError
from matheur.solvers import MilpStatus, SolveRequest, get_backend
from matheur.solvers.pyomo_solver import PyomoBackend
from matheur.testing import models as small


@pytest.fixture
def cbc() -> Any:
    try:
        get_backend("pyomo:cbc")
    except SolverError as error:
        pytest.skip(str(error))
    return PyomoBackend("cbc")


def test_limit_in_the_log_is_stronger_than_an_optimum(cbc: Any) -> None:
    """Pyomo may have read the end of a relaxation for that of the search: the solution stays, the claim goes."""
    cbc.dialect = replace(cbc.dialect, stopped="Welcome to the CBC")
    answer = cbc.solve(small.knapsack(), SolveRequest())
    assert (answer.status, answer.objective, answer.bound) == (MilpStatus.FEASIBLE, 9.0, None)
    assert cbc.solve(small.infeasible(), SolveRequest()).status is MilpStatus.UNKNOWN


def test_guess_of_a_preprocessor_counts_only_if_there_was_time(cbc: Any) -> None:
    """`infeasible` is believed where the limit was far away, and not where it was near."""
    cbc.dialect = replace(cbc.dialect, guesses="Welcome to the CBC")
    assert cbc.solve(small.infeasible(), SolveRequest(seconds=500)).status is MilpStatus.INFEASIBLE
    assert cbc.solve(small.infeasible(), SolveRequest(seconds=0.001)).status is MilpStatus.UNKNOWN


def test_presolver_that_lost_the_answer_is_left_out(cbc: Any) -> None:
    """CBC says so in its log, and ends with `optimal` 12 all the same; the optimum is 9."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(-4.5, -2.9))
    model.y = pyo.Var(domain=pyo.Integers)
    model.z = pyo.Var(bounds=(2, 5))
    model.row = pyo.Constraint(expr=-2 * model.x + model.y - 2 * model.z >= 1)
    model.cost = pyo.Objective(expr=-4 * model.x - 2 * model.z + 7)
    answer = cbc.solve(model, SolveRequest())
    assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, 9.0)


def test_crash_without_presolver_is_answered_with_it(cbc: Any) -> None:
    """CBC dies while it writes that this model, which has a continuous variable below 0, is infeasible."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(-1, 0))
    model.y = pyo.Var(domain=pyo.Integers, bounds=(-3, 5))
    model.z = pyo.Var(domain=pyo.Integers, bounds=(-5, None))
    model.w = pyo.Var(domain=pyo.Integers, bounds=(-3, 0))
    model.one = pyo.Constraint(expr=model.x + 3 * model.y + 3 * model.w >= 10)
    model.two = pyo.Constraint(expr=-model.x + 2 * model.z + model.w >= 5)
    model.three = pyo.Constraint(expr=-1.5 * model.x + 1.5 * model.y <= 5)
    model.cost = pyo.Objective(expr=7)
    assert cbc.solve(model, SolveRequest()).status in (MilpStatus.INFEASIBLE, MilpStatus.UNKNOWN)


def test_optimum_of_a_doubtful_presolver_is_a_solution_only(cbc: Any) -> None:
    """Where the log doubts the answer both ways, the solution stays, the claim goes."""
    cbc.dialect = replace(cbc.dialect, doubts="Welcome to the CBC")
    answer = cbc.solve(small.knapsack(), SolveRequest())
    assert (answer.status, answer.objective, answer.bound) == (MilpStatus.FEASIBLE, 9.0, None)
