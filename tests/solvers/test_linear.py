"""Backends on arrays: every answer against enumeration, restrictions, starts, cutoffs."""

from __future__ import annotations

import numpy as np
import pytest
from contracts import milp
from scipy.sparse import csr_array

from matheur.errors import SolverError
from matheur.linear.evaluation import Level, assess
from matheur.linear.lp_reader import read_lp
from matheur.problems.milp import Milp
from matheur.solvers import MilpStatus, SolveRequest, get_backend
from matheur.solvers.isolated import Ended
from matheur.solvers.linear import LinearTask, Restriction, Rows, solve_linear

BACKENDS = ("highs", "scip")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", milp.NAMES)
def test_optima_are_those_of_enumeration(name: str, backend: str) -> None:
    """Value, bound and status; the values hold."""
    problem = milp.problem(name)
    answer = solve_linear(get_backend(backend), problem.model)
    assert answer.status is MilpStatus.OPTIMAL
    assert answer.objective == pytest.approx(problem.score(milp.optimum(problem)))
    assert answer.bound == pytest.approx(answer.objective)
    assert answer.values is not None
    assert assess(problem.model, answer.values).level is not Level.BROKEN


@pytest.mark.parametrize("backend", BACKENDS)
def test_restrictions(backend: str) -> None:
    """Bounds, costs, rows and the relaxation; the model stays as it is."""
    model = milp.problem("knapsack").model
    solver = get_backend(backend)
    column = model.column_index
    upper = model.upper.copy()
    upper[column["b"]] = 0
    without = solve_linear(solver, model, restriction=Restriction(upper=upper))
    assert without.values is not None
    assert without.values[column["b"]] == 0
    counted = solve_linear(solver, model, restriction=Restriction(cost=-np.ones(model.width)))
    assert counted.objective == pytest.approx(-3)
    rows = Rows(csr_array(np.ones((1, model.width))), np.array([-np.inf]), np.array([1.0]))
    single = solve_linear(solver, model, restriction=Restriction(rows=rows))
    assert single.values is not None
    assert single.values.sum() == pytest.approx(1)
    relaxed = solve_linear(solver, model, restriction=Restriction(relaxed=True))
    whole = solve_linear(solver, model)
    assert relaxed.objective is not None
    assert whole.objective is not None
    assert relaxed.objective < whole.objective - 1e-6
    for kept in model.column_names:
        others = np.array([name != kept for name in model.column_names])
        partly = solve_linear(solver, model, restriction=Restriction(relaxed=others))
        assert partly.values is not None
        assert partly.objective is not None
        assert relaxed.objective - 1e-6 <= partly.objective <= whole.objective + 1e-6
        assert partly.values[column[kept]] in (0, 1)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", milp.NAMES)
def test_a_cutoff_is_strict(name: str, backend: str) -> None:
    """Nothing is better than the optimum, and something is better than the worst."""
    problem: Milp = milp.problem(name)
    best = float(problem.score(milp.optimum(problem)))
    worst = float(problem.score(problem.evaluate(milp.some_values(problem)).objective))
    solver = get_backend(backend)
    assert solve_linear(solver, problem.model, SolveRequest(cutoff=best)).status is MilpStatus.INFEASIBLE
    better = solve_linear(solver, problem.model, SolveRequest(cutoff=worst))
    assert better.objective == pytest.approx(best)


def test_starts_may_be_partial() -> None:
    """Columns without a value are chosen by the solver."""
    problem = milp.problem("mixed")
    start = milp.some_values(problem).copy()
    start[~problem.model.integral] = np.nan
    seen: list[float] = []
    answer = solve_linear(
        get_backend("highs"), problem.model, start=start, on_values=lambda point, values: seen.append(point.objective)
    )
    assert answer.objective == pytest.approx(milp.optimum(problem))
    assert seen


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("min\n o: x\nst\n r: x >= 2\nbounds\n x <= 1\nend\n", MilpStatus.INFEASIBLE),
        ("max\n o: x\nst\n r: x >= 2\nend\n", MilpStatus.UNBOUNDED),
        ("min\n o: 0 x\nst\n r: 0 x >= 2\nend\n", MilpStatus.INFEASIBLE),
        ("min\n o: x\nst\n r: x >= 0\nbounds\n 0.2 <= x <= 0.8\ngeneral\n x\nend\n", MilpStatus.INFEASIBLE),
        ("min\n o:\nst\n r: x <= 2\nend\n", MilpStatus.OPTIMAL),
    ],
)
@pytest.mark.parametrize("backend", BACKENDS)
def test_models_without_an_optimum(text: str, status: MilpStatus, backend: str) -> None:
    """Each is told as what it is."""
    assert solve_linear(get_backend(backend), read_lp(text)).status is status


class _Liar:
    """Answers whatever it is told to."""

    name = "liar"
    capabilities = get_backend("highs").capabilities

    def __init__(self, ended: Ended) -> None:
        self.ended = ended

    def version(self) -> str:
        return "1"

    def solve_task(self, *_: object) -> Ended:
        return self.ended


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (Ended(MilpStatus.OPTIMAL), "without a solution"),
        (Ended(MilpStatus.OPTIMAL, values=np.full(5, 0.5)), "breaks|not whole"),
        (Ended(MilpStatus.FEASIBLE, values=np.ones(5)), "breaks the row"),
        (Ended(MilpStatus.INFEASIBLE, values=np.zeros(5)), "and a solution"),
        (Ended(MilpStatus.OPTIMAL, values=np.full(5, np.nan)), "no numbers"),
        (Ended(MilpStatus.OPTIMAL, objective=7.0, values=np.zeros(5)), "claims the objective 7"),
    ],
)
def test_lies_are_found(ended: Ended, said: str) -> None:
    """An answer that the model refutes is an error that names the backend."""
    with pytest.raises(SolverError, match=said) as caught:
        solve_linear(_Liar(ended), milp.problem("knapsack").model)  # type: ignore[arg-type]
    assert "liar" in str(caught.value)


def test_a_bound_on_the_wrong_side_is_dropped() -> None:
    """And with it the claim of an optimum."""
    problem = milp.problem("knapsack")
    values = milp.some_values(problem)
    objective = LinearTask(problem.model).objective(values)
    wrong = Ended(MilpStatus.OPTIMAL, objective=objective, bound=objective + 5, values=values)
    answer = solve_linear(_Liar(wrong), problem.model)  # type: ignore[arg-type]
    assert answer.status is MilpStatus.FEASIBLE
    assert answer.bound is None
    open_gap = Ended(MilpStatus.OPTIMAL, objective=objective, bound=objective - 5, values=values)
    assert solve_linear(_Liar(open_gap), problem.model).status is MilpStatus.FEASIBLE  # type: ignore[arg-type]


def test_no_solution_where_the_start_is_one() -> None:
    """A claim that the caller can refute is an error."""
    problem = milp.problem("knapsack")
    with pytest.raises(SolverError, match="the start is one"):
        solve_linear(_Liar(Ended(MilpStatus.INFEASIBLE)), problem.model, start=milp.some_values(problem))  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", BACKENDS)
def test_numbers_beyond_the_arithmetic_prove_nothing(backend: str) -> None:
    """Rows of whole numbers in which a unit drowns: no optimum is claimed, and no infeasibility."""
    text = "min\n o: x\nst\n r: 1000000000001 x - 1000000000000 y = 1\nbounds\n x <= 5\n y <= 5\ngeneral\n x y\nend\n"
    answer = solve_linear(get_backend(backend), read_lp(text))
    assert answer.status not in (MilpStatus.OPTIMAL, MilpStatus.INFEASIBLE)
    assert answer.bound is None
