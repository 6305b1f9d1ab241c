"""What is read from the logs of programs, where Pyomo reads too much."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from solvers import small_models as small

from matheur.errors import SolverError
from matheur.solvers import MilpStatus, SolveRequest, get_backend
from matheur.solvers.pyomo_solver import PyomoBackend


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
