"""Backends on arrays: every answer against enumeration, restrictions, starts, cutoffs."""

from __future__ import annotations

import shutil
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyomo.environ as pyo
import pytest
from contracts import milp
from scipy.sparse import csr_array

import matheur
from matheur.errors import SolverError
from matheur.linear.evaluation import Level, assess
from matheur.linear.lp_reader import read_lp
from matheur.linear.model import LinearModel
from matheur.problems.milp import Milp
from matheur.solvers import MilpStatus, SolveRequest, get_backend
from matheur.solvers.answers import goal_of
from matheur.solvers.coarse import reach_by_rows
from matheur.solvers.isolated import Ended
from matheur.solvers.linear import LinearSolve, solve_linear
from matheur.solvers.linear_pyomo import solve_through_pyomo
from matheur.solvers.linear_task import ROW, LinearTask, Restriction, Rows
from matheur.solvers.port import TracePoint

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
    start = solve_linear(solver, problem.model).values
    assert solve_linear(solver, problem.model, SolveRequest(cutoff=best), start=start).status is MilpStatus.INFEASIBLE
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
        self.ended, self.calls = ended, 0

    def version(self) -> str:
        return "1"

    def begin_task(self, *_: object) -> Ended:
        self.calls += 1
        return self.ended


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (Ended(MilpStatus.OPTIMAL), "without a solution"),
        (Ended(MilpStatus.OPTIMAL, values=np.full(5, 0.5)), "breaks|not whole"),
        (Ended(MilpStatus.FEASIBLE, values=np.ones(5)), "breaks the row"),
        (Ended(MilpStatus.INFEASIBLE, values=np.zeros(5)), "and a solution"),
        (Ended(MilpStatus.OPTIMAL, values=np.full(5, np.nan)), "not numbers"),
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


@pytest.mark.parametrize("sense", ["max", "min"])
def test_a_gap_as_large_as_allowed_is_an_optimum(sense: str) -> None:
    """Backends that call everything within a gap optimal tell a bound at its end; the rounding of it does not count."""
    for worth in range(1, 40):
        model = read_lp(f"{sense}\n o: {worth} x\nst\n r: x >= 1\nbinary\n x\nend\n")
        bound = worth + 0.999 if sense == "max" else worth - 0.999
        said = Ended(MilpStatus.OPTIMAL, worth, bound, values=np.ones(1))
        answer = solve_linear(_Liar(said), model, SolveRequest(absolute_gap=0.999))  # type: ignore[arg-type]
        assert answer.status is MilpStatus.OPTIMAL


def test_a_bound_at_the_cutoff_ends_the_search() -> None:
    """Whatever a backend calls it, with a solution that is no better or without one; a weaker bound does not."""
    problem = milp.problem("mixed")
    best = float(milp.optimum(problem))
    values = solve_linear(get_backend("highs"), problem.model).values
    assert values is not None
    cutoff = SolveRequest(cutoff=best)
    for ended in (
        Ended(MilpStatus.OPTIMAL, best, best, values=values), Ended(MilpStatus.UNKNOWN, bound=best),
        Ended(MilpStatus.UNKNOWN, bound=LinearTask(problem.model).better(best)),
    ):  # fmt: skip
        answer = solve_linear(_Liar(ended), problem.model, cutoff)  # type: ignore[arg-type]
        assert (answer.status, answer.bound) == (MilpStatus.INFEASIBLE, best)
    for ended in (Ended(MilpStatus.FEASIBLE, best, best - 1, values=values), Ended(MilpStatus.UNKNOWN, bound=best - 1)):
        answer = solve_linear(_Liar(ended), problem.model, cutoff)  # type: ignore[arg-type]
        assert (answer.status, answer.bound) == (MilpStatus.UNKNOWN, best - 1)


def test_no_solution_where_the_start_is_one() -> None:
    """A claim that the caller can refute is an error."""
    problem = milp.problem("knapsack")
    with pytest.raises(SolverError, match="the start is one"):
        solve_linear(_Liar(Ended(MilpStatus.INFEASIBLE)), problem.model, start=milp.some_values(problem))  # type: ignore[arg-type]


def test_a_claim_that_the_start_contradicts_is_dropped() -> None:
    """A start that holds within the tolerance, too: the solver may be stricter, or its arithmetic too coarse."""
    model = read_lp("min\n o: x + y\nst\n r: x + y >= 1.5\nbounds\n x <= 9\n y <= 9\ngeneral\n x\nend\n")
    start, worse = np.array([0.0, 1.5 - 1e-6 / 2]), np.array([1.0, 1.0])
    for ended in (
        Ended(MilpStatus.OPTIMAL, 2.0, 2.0, values=worse), Ended(MilpStatus.FEASIBLE, 2.0, 1.6, values=worse),
        Ended(MilpStatus.UNKNOWN, bound=1.6), Ended(MilpStatus.INFEASIBLE),
    ):  # fmt: skip
        answer = solve_linear(_Liar(ended), model, start=start)  # type: ignore[arg-type]
        expected = MilpStatus.UNKNOWN if ended.values is None else MilpStatus.FEASIBLE
        assert (answer.status, answer.bound) == (expected, None)
        assert "start" in answer.message
    weaker = Ended(MilpStatus.FEASIBLE, 2.0, 1.4, values=worse)
    assert solve_linear(_Liar(weaker), model, start=start).bound == 1.4  # type: ignore[arg-type]
    strict = SolveRequest(cutoff=1.5)
    assert solve_linear(_Liar(Ended(MilpStatus.INFEASIBLE)), model, strict, start=start).bound == 1.5  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["highs", "scip", "pyomo:cbc", "pyomo:glpk"])
def test_values_may_have_many_digits(name: str) -> None:
    """CBC shows eight of them."""
    backend = get_backend(name)
    if not backend.available():
        pytest.skip(f"{name} is not installed")
    model = read_lp(
        "min\n o: y\nst\n c: 1234567.1234 a + 7654321.4321 b + 3333333.3333 d - y = 0\n d: a + b + d >= 2\nbounds\n"
        " y free\nbinary\n a b d\nend\n"
    )
    answer = solve_linear(backend, model, SolveRequest(seconds=20))
    assert answer.status is MilpStatus.OPTIMAL
    assert answer.objective == pytest.approx(4567900.4567, abs=1e-5)


def test_cbc_does_not_call_its_start_optimal() -> None:
    """CBC 2.10.8 finds the relaxation infeasible once it has taken a start, here one that is worse by 10."""
    cbc = get_backend("pyomo:cbc")
    if not cbc.available():
        pytest.skip("cbc is not installed")
    model = read_lp("""max
 o: - 18 x0 + 19 x1 + 12 x2 + 18 x3 + 2 x4 + x5 - 7 x6 - 5 x7 + 9 x8 + 13 x9 + 2 x10 + 6 x11 - 7 x12 + 20 x13
   + 12 x14 + 19 x15 - 9 x16 - 4 x17 + 20 x18
st
 r0: - 3 x10 - 2 x16 <= 110.7092
 r1: 2 x0 - 7 x1 - 7 x3 - 2 x4 + 7 x7 + 6 x8 + 4 x9 + 3 x10 + 4 x13 - 6 x18 = 276.611
 r2: - 6 x1 + 6 x2 + 3 x7 - 2 x13 - x15 + 8 x16 = -149.749
 r3: 43.717 <= - 9 x1 - 3 x6 + 8 x8 - 6 x9 + 2 x10 + 9 x13 <= 47.717
bounds
 -26 <= x0 <= -21
 -43 <= x1 <= -29
 -35 <= x2 <= -27
 -34 <= x3 <= -25
 -43 <= x4 <= -12
 -33 <= x5 <= -27
 -32 <= x6 <= -27
 -21 <= x7 <= 14
 -8 <= x8 <= 20
 -16 <= x9 <= 15
 -26 <= x10 <= 0
 -11 <= x11 <= 17
 -10 <= x12 <= 8
 -35 <= x13 <= -22
 -23 <= x14 <= 3
 -15 <= x15 <= 13
 -44 <= x16 <= -22
 -20 <= x17 <= -8
 -31 <= x18 <= 7
general
 x0 x3 x5 x8 x11 x13 x14 x16 x17 x18
end
""")
    start = matheur.solve(Milp(model), construction="jump", neighbourhoods=[], work=30, seed=16).solution
    answer = solve_linear(cbc, model, SolveRequest(seconds=20, warm_start=True), start=start)
    assert answer.objective == pytest.approx(-64.6236667, abs=1e-5)
    assert answer.status is MilpStatus.OPTIMAL


def test_rows_that_float64_cannot_sum_make_no_model_infeasible() -> None:
    """HiGHS called such models infeasible: each solution that it saw was off by a rounding error."""
    some = " + ".join(f"{9_876_543 + 1_234.5 * n}" + f" x{n}" for n in range(600))
    cover = "\n".join(f" c{k}: " + " + ".join(f"x{n}" for n in range(k, 600, 7)) + " >= 3" for k in range(7))
    whole = "\nbinary\n " + " ".join(f"x{n}" for n in range(600)) + "\nend\n"
    liar = _Liar(Ended(MilpStatus.INFEASIBLE))
    large = read_lp(f"min\n o: y\nst\n large: {some} - y = 0\n{cover}\nbounds\n y free{whole}")
    answer = solve_linear(liar, large)  # type: ignore[arg-type]
    assert answer.status is MilpStatus.UNKNOWN
    assert "the row large has numbers too large" in answer.message
    model = read_lp(f"min\n o: y\nst\n large: {some.replace('.5', '')} >= 0\n{cover}\n e: y >= 0{whole}")
    assert solve_linear(liar, model).status is MilpStatus.INFEASIBLE  # type: ignore[arg-type] # sums of whole terms
    crossed = Restriction(lower=np.ones(large.width), upper=np.zeros(large.width))
    assert solve_linear(liar, large, restriction=crossed).status is MilpStatus.INFEASIBLE  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", BACKENDS)
def test_numbers_beyond_the_arithmetic_prove_nothing(backend: str) -> None:
    """Rows of whole numbers in which a unit drowns: no optimum is claimed, and no infeasibility."""
    text = "min\n o: x\nst\n r: 1000000000001 x - 1000000000000 y = 1\nbounds\n x <= 5\n y <= 5\ngeneral\n x y\nend\n"
    answer = solve_linear(get_backend(backend), read_lp(text))
    assert answer.status not in (MilpStatus.OPTIMAL, MilpStatus.INFEASIBLE)
    assert answer.bound is None


def test_backends_agree_on_restrictions() -> None:
    """Bounds, costs, rows and cutoffs together, on small models of all kinds: arrays and Pyomo say the same."""
    rng = np.random.default_rng(7)
    statuses = set()
    for _ in range(12):
        model = _some_model(rng)
        base = LinearTask(model)
        low = base.lower + rng.integers(0, 2, model.width)
        bounds = (np.minimum(low, base.upper), np.maximum(base.upper - rng.integers(0, 2, model.width), low))
        rows = Rows(
            csr_array(rng.integers(-2, 3, (2, model.width)).astype(float)),
            np.array([-4.0, -np.inf]),
            np.array([5.0, 3.0]),
        )
        cost = rng.integers(-3, 4, model.width).astype(float) if rng.random() < 0.5 else None
        restriction = Restriction(bounds[0], bounds[1], cost, rows, relaxed=bool(rng.random() < 0.2))
        plain = solve_linear(get_backend("highs"), model, restriction=restriction)
        statuses.add(plain.status)
        assert (
            solve_through_pyomo(get_backend("highs"), LinearTask(model, restriction), SolveRequest(), None).status
            is plain.status
        )
        other = solve_linear(get_backend("scip"), model, restriction=restriction)
        assert other.status is plain.status
        if plain.objective is not None:
            assert other.objective == pytest.approx(plain.objective)
            strict = SolveRequest(cutoff=plain.objective)
            for name in BACKENDS:
                ended = solve_linear(get_backend(name), model, strict, restriction)
                assert ended.status is MilpStatus.INFEASIBLE
    assert len(statuses) > 1


def _some_model(rng: np.random.Generator) -> LinearModel:
    width, height = 6, 4
    matrix = csr_array(rng.integers(-4, 5, (height, width)) * (rng.random((height, width)) < 0.7) * 1.0)
    matrix.eliminate_zeros()
    right = rng.integers(0, 9, height).astype(float)
    return LinearModel(
        starts=matrix.indptr.astype(np.int64), columns=matrix.indices.astype(np.int32), data=matrix.data,
        row_lower=np.where(rng.random(height) < 0.4, right - 2, -np.inf), row_upper=right,
        lower=np.full(width, -1.0), upper=rng.integers(1, 5, width).astype(float),
        cost=rng.integers(-5, 6, width) / 2, integral=rng.random(width) < 0.7, offset=3.5,
        maximise=bool(rng.random() < 0.5), row_names=[f"r{i}" for i in range(height)],
        column_names=[f"x{j}" for j in range(width)],
    )  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
def test_starts_are_used(backend: str) -> None:
    """Full ones, and those that leave almost everything open: an incumbent has what they say."""
    width = 40
    objective = " + ".join(f"{7 + 3 * j % 11} x{j}" for j in range(width))
    weights = " + ".join(f"{5 + 5 * j % 13} x{j}" for j in range(width))
    text = f"max\n o: {objective}\nst\n r: {weights} <= 60\nbinary\n {' '.join(f'x{j}' for j in range(width))}\nend\n"
    model = read_lp(text)
    full = np.zeros(width)
    full[model.column_index["x12"]] = 1
    partial = np.full(width, np.nan)
    dear = int(np.argmin(model.cost / model.data))
    partial[dear] = 1
    for start in (full, partial):
        seen: list[np.ndarray] = []
        answer = solve_linear(
            get_backend(backend), model, start=start, on_values=lambda _, values, into=seen: into.append(values)
        )
        assert answer.status is MilpStatus.OPTIMAL
        known = ~np.isnan(start)
        assert any(np.array_equal(values[known], start[known]) for values in seen)
        assert answer.values is not None
        assert answer.values[dear] == 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_starts_beyond_the_restriction_do_no_harm(backend: str) -> None:
    """What they say beyond bounds and rows is left open."""
    problem = milp.problem("knapsack")
    upper = problem.model.upper.copy()
    upper[0] = 0
    for start in (np.ones(problem.model.width), np.full(problem.model.width, np.nan)):
        found = solve_linear(get_backend(backend), problem.model, restriction=Restriction(upper=upper), start=start)
        plain = solve_linear(get_backend(backend), problem.model, restriction=Restriction(upper=upper))
        assert found.objective == pytest.approx(plain.objective)


@pytest.mark.parametrize("backend", BACKENDS)
def test_small_coefficients_count(backend: str) -> None:
    """Solvers drop those below their zero; a row is not to vanish by that."""
    text = (
        "min\n o: x\nst\n r: 0.0000000001 x + 0.0000000003 y >= 1\nbounds\n x <= 100000000000\n y <= 1000000000\nend\n"
    )
    answer = solve_linear(get_backend(backend), read_lp(text))
    assert answer.status is MilpStatus.OPTIMAL
    assert answer.objective == pytest.approx(7e9)


@pytest.mark.parametrize(("backend", "small"), [("HiGHS", "1e-18"), ("SCIP", "1e-14")])
def test_rows_that_a_solver_would_spoil_are_refused(backend: str, small: str) -> None:
    """By name: one with numbers that it does not take, one with numbers too many digits apart."""
    solver = get_backend(backend.lower())
    for weights in ("1e21 x + y", f"{small} x + 1e12 y"):
        with pytest.raises(SolverError, match=f"{backend} cannot take the row odd: it has coefficients from"):
            solve_linear(solver, read_lp(f"min\n o: x\nst\n odd: {weights} >= 1\nend\n"))
    rows = Rows(csr_array(np.array([[1e21, 1.0]])), np.array([1.0]), np.array([np.inf]))
    with pytest.raises(SolverError, match=f"{backend} cannot take the row added 0"):
        solve_linear(solver, read_lp("min\n o: x + y\nst\n r: x >= 1\nend\n"), restriction=Restriction(rows=rows))


@pytest.mark.parametrize("backend", BACKENDS)
def test_rows_of_large_numbers_are_scaled(backend: str) -> None:
    """Where all numbers of a row are large it is the same row with smaller ones; it is not refused."""
    model = read_lp("min\n o: x + y\nst\n r: 4e24 x + 1e24 y >= 1\n s: x + y >= 3\nbounds\n x <= 1\nend\n")
    answer = solve_linear(get_backend(backend), replace(model, row_lower=np.array([8e24, 3.0])))
    assert answer.objective == pytest.approx(5)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "limits", [("lower", "row_lower", np.inf), ("upper", "row_upper", -np.inf)], ids=["inf", "-inf"]
)
def test_an_infinite_limit_on_the_wrong_side_is_infeasible(limits: tuple[str, str, float], backend: str) -> None:
    """Of a row, of an added one, and of a column."""
    column, row, value = limits
    model = read_lp("min\n o: x\nst\n r: x + y >= 1\nend\n")
    own = np.array([-np.inf]), np.array([np.inf])
    own = (np.array([value]), own[1]) if value > 0 else (own[0], np.array([value]))
    added = Rows(csr_array(np.ones((1, 2))), *own)
    solver = get_backend(backend)
    for answer in (
        solve_linear(solver, replace(model, **{row: np.array([value])})),
        solve_linear(solver, replace(model, **{column: np.array([value, value])})),
        solve_linear(solver, model, restriction=Restriction(rows=added)),
    ):
        assert answer.status is MilpStatus.INFEASIBLE


@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_is_better_than_a_constant(backend: str) -> None:
    """A cutoff on an objective without columns; and an added row without coefficients that can never hold."""
    model = read_lp("min\n o: 3\nst\n r: x >= 1\nend\n")
    solver = get_backend(backend)
    assert solve_linear(solver, model, SolveRequest(cutoff=3.0)).status is MilpStatus.INFEASIBLE
    assert solve_linear(solver, model, SolveRequest(cutoff=4.0)).objective == pytest.approx(3)
    rows = Rows(csr_array((1, 1)), np.array([1.0]), np.array([np.inf]))
    assert solve_linear(solver, model, restriction=Restriction(rows=rows)).status is MilpStatus.INFEASIBLE


@pytest.mark.parametrize("name", ["pyomo:cbc", "pyomo:glpk"])
@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("max\n x + y\nst\n c: x - y <= 3\nend\n", MilpStatus.UNBOUNDED),
        ("max\n x + y\nst\n c: x - y <= 3\ngeneral\n x\nend\n", MilpStatus.UNBOUNDED),
        ("max\n x\nst\nend\n", MilpStatus.UNBOUNDED),
        ("max\n z + x\nst\n c: a + b <= 1\n d: a + b >= 2\n e: x + a <= 4\nend\n", MilpStatus.INFEASIBLE),
        ("max\n x + y\nst\n c: x - y <= 3\n d: a + b <= 1\n e: a - 2 b >= 2\nend\n", MilpStatus.INFEASIBLE),
        (
            "max\n x1 + 3 x2 - 3 x0\nst\n c: 1.5 x1 + 0.5 x2 + 0.5 x0 = 2\n d: - x1 - x0 >= 1000\n"
            " e: x0 + x1 + 3 x2 <= 0\nbounds\n x1 free\n x2 <= 0\ngeneral\n x1\nend\n",
            MilpStatus.INFEASIBLE,
        ),
    ],
)
def test_other_solvers_tell_unbounded_from_infeasible(name: str, text: str, status: MilpStatus) -> None:
    """GLPK calls the fourth one unbounded, and crashes with its presolver on the last one; CBC does not say which."""
    solver = get_backend(name)
    if not solver.available():
        pytest.skip(f"{name} is not installed")
    assert solve_linear(solver, read_lp(text), SolveRequest(seconds=20)).status is status


def test_further_solves_of_a_check_keep_the_limit() -> None:
    """A solve without a limit of its own, in a run that has one."""

    class Elsewhere(_Liar):
        asked: ClassVar[list[float | None]] = []

        def begin_task(self, *given: object) -> Ended:
            assert isinstance(given[1], SolveRequest)
            self.asked.append(given[1].seconds)
            return super().begin_task(*given)

    text = "min x + y\nst\n a: x + y >= 1\n b: x - y = 0\nbounds\n x free\n y free\ngeneral\n y\nend"
    liar = Elsewhere(Ended(MilpStatus.OPTIMAL, 1.999995, 0.9, values=np.array([0.999995, 1.0])))
    with LinearSolve(liar, read_lp(text)) as solve:  # type: ignore[arg-type]
        solve.run(last=3.0)
    first, second = liar.asked
    assert first is None
    assert second is not None
    assert 0 < second < 4


@pytest.mark.parametrize("backend", BACKENDS)
def test_unbounded_beyond_a_cutoff(backend: str) -> None:
    """A cutoff does not turn an unbounded model into an infeasible one."""
    model = read_lp("min\n o: x - y\nst\n r: x - y <= 5\nbounds\n x free\n y free\ngeneral\n x y\nend\n")
    assert solve_linear(get_backend(backend), model, SolveRequest(cutoff=-7.0)).status is not MilpStatus.INFEASIBLE


@pytest.mark.parametrize("backend", BACKENDS)
def test_limits_and_wishes_are_kept(backend: str) -> None:
    """Seconds, nodes, a target, an interrupt, an error of the caller, a wrong option: on a model that takes long."""
    solver = get_backend(backend)
    hard = _market_split(4, 30)
    for request in (SolveRequest(seconds=0.3), SolveRequest(nodes=1), SolveRequest(interrupt=lambda: True)):
        assert solve_linear(solver, hard, request).status not in (MilpStatus.OPTIMAL, MilpStatus.INFEASIBLE)
    assert solve_linear(solver, hard, SolveRequest(target=1e6)).status is MilpStatus.FEASIBLE

    def enough(*_: object) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        solve_linear(solver, hard, on_values=enough)
    with pytest.raises(SolverError, match="has no option 'gap_limit'"):
        solve_linear(solver, hard, SolveRequest(options={"gap_limit": 1}))


def _market_split(height: int, width: int) -> LinearModel:
    """Rows of whole numbers that are to be halved, with slack that costs."""
    weights = np.random.default_rng(1).integers(0, 100, (height, width)).astype(float)
    matrix = csr_array(np.hstack([weights, np.eye(height), -np.eye(height)]))
    half = np.floor(weights.sum(axis=1) / 2)
    total = width + 2 * height
    return LinearModel(
        starts=matrix.indptr.astype(np.int64), columns=matrix.indices.astype(np.int32), data=matrix.data,
        row_lower=half, row_upper=half, lower=np.zeros(total),
        upper=np.concatenate([np.ones(width), np.full(2 * height, 5000.0)]),
        cost=np.concatenate([np.zeros(width), np.ones(2 * height)]), integral=np.arange(total) < width,
        row_names=[f"r{i}" for i in range(height)], column_names=[f"x{j}" for j in range(total)],
    )  # fmt: skip


def test_coarse_rows_depend_on_what_is_solved() -> None:
    """A row in which a unit drowns counts with the bounds and the integers of the restriction, not of the model."""
    text = "min\n o: x\nst\n small: x + y <= 9\n large: 3000000 x + 2 y >= 1\nbounds\n x <= 1000\n y <= 5\n"
    model = read_lp(text + "general\n x y\nend\n")
    narrow = Restriction(upper=np.array([5.0, 5.0]))
    assert LinearTask(model).coarse_row(1e-9) == "the row large"
    assert LinearTask(model, narrow).coarse_row(1e-9) == ""
    assert LinearTask(model, Restriction(relaxed=True)).coarse_row(1e-9) == ""
    assert LinearTask(model, Restriction(relaxed=np.array([False, True]))).coarse_row(1e-9) == ""
    assert LinearTask(model).coarse_row(1e-10) == ""


BIG = """max
 o: 2 x + 3 y - z
st
 r: x + 2 y <= 10
 s: x - y >= -3
 t: z - x >= -20
 u: z + y <= 50
bounds
 x <= 2147483647
 y <= 2147483647
 -2147483648 <= z <= 2147483647
general
 x y z
end
"""


def test_bounds_beyond_the_precision_of_sums_exclude_no_solution() -> None:
    """Next to 1e17 the other terms of a row are lost: `x` would be at least 7, and `z` at most 1."""
    rows, bounds = " c: x + y >= 7\n d: x + z <= 8\n", " x <= 1e17\n y <= 5\n z <= 1e9\n"
    model = read_lp(f"max\n o: z\nst\n{rows}bounds\n{bounds}general\n x y z\nend\n")
    assert model.column_names == ("z", "x", "y")
    assert (reach_by_rows(model) >= [6, 2, 5]).all()
    _, upper = LinearTask(model).narrow
    assert (upper >= [6, 2, 5]).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_objectives_that_are_infinite_for_solvers_are_no_optima(backend: str) -> None:
    """SCIP ends at 5e20, as nothing above 1e20 is better."""
    text = "max\n o: 1000000000000 x\nst\n c: x + y <= 1000000001\nbounds\n 0.5 <= x <= 1000000000\ngeneral\n x\nend\n"
    answer = solve_linear(get_backend(backend), read_lp(text))
    assert (answer.status, answer.bound) == (MilpStatus.FEASIBLE, None)


def test_bounds_from_small_coefficients_exclude_no_solution() -> None:
    """The tolerance of the row, and the digits that its sum loses, let `y` be far off."""
    rows = " c: 0.001 y + 1000000000000 z <= 1.00000000025e+21\n d: 0.5 x + 1e-9 y + 0.001 z = 500001000000.00073\n"
    rows += " e: - 3 y <= 12.001\n f: 0.1 y + 0.5 z >= 499999999.725\n"
    bounds = " x >= 1000000000000.001\n -1000004 <= y <= 6\n 1000000000.25 <= z <= 1001000000.25\n"
    model = read_lp(f"min\n o: y + 0 x\nst\n{rows}bounds\n{bounds}general\n y\nend\n")
    values = np.array([-4.0, 1000000000000.001, 1000000000.25])
    assert model.column_names == ("y", "x", "z")
    assert assess(model, values).level is Level.NINE
    lower, upper = LinearTask(model).narrow
    assert ((lower <= values) & (values <= upper)).all()


@pytest.mark.parametrize("backend", [*BACKENDS, "pyomo:cbc", "pyomo:glpk"])
def test_bounds_that_rows_make_smaller_do_not_hide_a_proof(backend: str) -> None:
    """Some modelling tools write the largest integer where there is no bound."""
    try:
        solver = get_backend(backend)
    except SolverError as error:
        pytest.skip(str(error))
    model = read_lp(BIG)
    answer = solve_linear(solver, model)
    assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, 34)
    assert answer.bound == pytest.approx(34)
    assert solve_linear(solver, model, SolveRequest(cutoff=34)).status is MilpStatus.INFEASIBLE
    assert LinearTask(model).size == 50
    wide = "min\n o: x\nst\n c: x - y >= 1\nbounds\n x <= 2147483647\n y <= 2147483647\ngeneral\n x y\nend\n"
    assert LinearTask(read_lp(wide)).coarse_row(1e-9) == "the row c"
    assert LinearTask(read_lp(wide)).coarse_row(1e-9, 1.0) == ""


@pytest.mark.parametrize("backend", BACKENDS)
def test_bounds_that_the_objective_makes_smaller_do_not_hide_a_proof(backend: str) -> None:
    """Nothing better than a solution has large values where these cost; columns that cost nothing may have them."""
    rows = "st\n c: 2 x + 3 y >= 7\nbounds\n x <= 2147483647\n y <= 2147483647\ngeneral\n x y\nend\n"
    for sense, costs, best in (("min", "3 x + 4 y", 10), ("max", "- 3 x - 4 y + 1", -9)):
        answer = solve_linear(get_backend(backend), read_lp(f"{sense}\n o: {costs}\n{rows}"))
        assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, best)
        assert answer.bound == pytest.approx(best)
        again = solve_linear(get_backend(backend), read_lp(f"{sense}\n o: {costs}\n{rows}"), SolveRequest(cutoff=best))
        assert (again.status, again.bound) == (MilpStatus.INFEASIBLE, best)
    answer = solve_linear(get_backend(backend), read_lp(f"min\n o: x\n{rows}"))
    assert (answer.status, answer.objective, answer.bound) == (MilpStatus.FEASIBLE, 0, None)


@pytest.mark.parametrize("backend", [*BACKENDS, "cp-sat"])
def test_rows_and_bounds_may_be_arrays_of_integers(backend: str) -> None:
    """Whole numbers come as such from code that counts, and places of columns in 64 bits."""
    try:
        solver = get_backend(backend)
    except SolverError as error:
        pytest.skip(str(error))
    model = milp.problem("knapsack").model
    ones = csr_array(np.ones((1, model.width), dtype=np.int64))
    ones.indices, ones.indptr = ones.indices.astype(np.int64), ones.indptr.astype(np.int64)
    bounds = (np.zeros(model.width, dtype=int), np.ones(model.width, dtype=int))
    costs = -np.arange(1, model.width + 1)
    restriction = Restriction(*bounds, cost=costs, rows=Rows(ones, np.array([0]), np.array([1])))  # type: ignore[arg-type]
    found = solve_linear(solver, model, SolveRequest(cutoff=-1), restriction)
    assert found.objective == -model.width


GROWING = """max
 o: 2 a - 3 b + 3 c + d + f
st
 q: -3 a + 9.75 f <= -7
 r: -6 <= -0.75 a + 0.25 b - 9.5 c - 7.75 d - 1.5 e <= -4
 s: -3 <= -a + b + 2 c + 2 d - 2 e + 2 f <= 4
bounds
 a >= -3
 b <= 5
 -1 <= c <= 4
 d <= 4
 -inf <= e <= 2
 -3 <= f <= 0
general
 b c e f
end
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_integers_that_grow_with_the_objective_are_not_infeasible(backend: str) -> None:
    """SCIP calls such a model infeasible; with a cutoff, too. One without a solution is still told as that."""
    solver, model = get_backend(backend), read_lp(GROWING)
    told: list[tuple[float, float]] = []

    def tell(point: TracePoint, values: np.ndarray) -> None:
        told.append((point.objective, LinearTask(model).objective(values)))

    for cutoff in (None, 1000.0):
        answer = solve_linear(solver, model, SolveRequest(cutoff=cutoff), on_values=tell)
        assert answer.status in (MilpStatus.FEASIBLE, MilpStatus.UNBOUNDED)
        assert answer.bound is None
        if answer.objective is not None and cutoff is not None:
            assert answer.objective > cutoff
    assert all(said == pytest.approx(found) for said, found in told)
    impossible = GROWING.replace("bounds\n", " t: a + 2 e >= 50\n u: a + 2 e <= 49\nbounds\n")
    assert solve_linear(solver, read_lp(impossible)).status is MilpStatus.INFEASIBLE


def test_a_linear_program_that_is_off_by_a_hair_is_not_solved_again_and_again() -> None:
    """Nothing is left to choose again: there is no answer, after one solve; what has integers is solved once more."""
    text = "min x + y\nst\n a: x + y >= 1\n b: x - y = 0\nbounds\n x free\n y free\n{}end"
    off = np.array([0.5, 0.499995])
    for whole, calls in (("", 1), ("general\n y\n", 2)):
        values = off if not whole else np.array([0.999995, 1.0])
        liar = _Liar(Ended(MilpStatus.OPTIMAL, float(values.sum()), 0.9, values=values))
        answer = solve_linear(liar, read_lp(text.format(whole)))  # type: ignore[arg-type]
        assert answer.values is None
        assert answer.status is MilpStatus.UNKNOWN
        assert liar.calls == calls


def test_an_unbounded_relaxation_is_no_unbounded_model() -> None:
    """CBC says so of models whose whole numbers admit nothing."""
    cbc = get_backend("pyomo:cbc")
    if not cbc.available():
        pytest.skip("cbc is not installed")
    text = (
        "max\n 3 x + 4 y\nst\n c: 4.25 y - 2.75 x <= 17\n a: 5 y = {}\n d: 5 y >= -2\n e: y >= -3\n"
        "bounds\n x >= -9\n y >= -inf\ngeneral\n x y\nend\n"
    )
    for side, status in ((16, MilpStatus.INFEASIBLE), (15, MilpStatus.UNBOUNDED)):
        assert solve_linear(cbc, read_lp(text.format(side)), SolveRequest(seconds=20)).status is status


def test_what_holds_in_floats_holds_exactly() -> None:
    """A row that is off by the tolerance and the last digit of a float64 is broken for both checks."""
    model = read_lp("min\n x\nst\n c: 1e-5 x >= 0.00025100000000000003\ngeneral\n x\nend\n")
    values = np.array([25.0])
    assert assess(model, values).level is Level.BROKEN
    assert LinearTask(model).fault(values, ROW)


@pytest.mark.parametrize("seed", range(3))
def test_sums_of_large_terms_are_judged_exactly(seed: int) -> None:
    """Float64 loses digits of large terms: violations close to the tolerance are broken, or not, for all checks."""
    rng = np.random.default_rng(seed)
    costs = [f"{cost:.2f}" for cost in rng.uniform(4e7, 5e7, 400)]
    total = sum(map(Fraction, costs))
    model = read_lp(
        "min\n y\nst\n c: "
        + " + ".join(f"{cost} x{n}" for n, cost in enumerate(costs))
        + f" - y - {float(total):.2f} z = 0\n"
        "bounds\n z = 1\n y free\nbinary\n" + " ".join(f"x{n}" for n in range(400)) + "\nend\n"
    )
    names = model.column_index
    seen = set()
    for off in np.linspace(0.9e-6, 1.1e-6, 12):
        for sign in (-1, 1):
            values = np.ones(model.width)
            values[names["y"]] = sign * off
            holds = assess(model, values).level is not Level.BROKEN
            seen.add(holds)
            assert holds is bool(off < 1e-6)
            assert bool(LinearTask(model).fault(values, ROW)) is not holds
            assert Milp(model).evaluate(values).feasible is holds
    assert seen == {True, False}


def test_the_next_worse_objective_does_not_reach_a_target() -> None:
    """Of whole numbers, however large; where no step is known, nothing worse does by more than rounding."""
    text = "min\n o: 3 x + 6 y\nst\n r: x + y >= 1\nbounds\n x <= 10000000\n y <= 10000000\ngeneral\n x y\nend\n"
    model = read_lp(text)
    least, most = LinearTask(model), LinearTask(replace(model, maximise=True))
    for target, low, high in ((6e6, 6e6, 6e6), (6_000_001.9, 6e6, 6_000_003), (-6e6, -6e6, -6e6)):
        enough = least.as_good(target)
        assert enough is not None
        assert low <= enough < low + 3
        enough = most.as_good(target)
        assert enough is not None
        assert high - 3 < enough <= high
    near = LinearTask(model, Restriction(relaxed=True)).as_good(6e6)
    assert near is not None
    assert 6e6 < near < 6e6 + 0.01
    assert least.as_good(None) is None


def test_the_next_worse_objective_of_a_pyomo_model_does_not_reach_a_target() -> None:
    """As for arrays."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, 10_000_000), domain=pyo.Integers)
    model.cost = pyo.Objective(expr=3 * model.x)
    for target, best in ((6e6, 6e6), (6_000_002.9, 6e6), (-6e6, -6e6)):
        assert best <= goal_of(model).as_good(target) < best + 3
    model.cost.sense = pyo.maximize
    assert 6e6 < goal_of(model).as_good(6_000_000.1) <= 6_000_003
    model.x.domain = pyo.Reals
    assert 6e6 - 0.01 < goal_of(model).as_good(6e6) < 6e6


@pytest.mark.parametrize("name", ["highs", "scip", "pyomo:cbc"])
def test_limits_of_nodes_may_be_large(name: str) -> None:
    """Larger than the integers of a solver."""
    if name == "pyomo:cbc" and shutil.which("cbc") is None:
        pytest.skip("CBC is not here")
    model = milp.problem("knapsack").model
    assert solve_linear(get_backend(name), model, SolveRequest(nodes=10**10)).status is MilpStatus.OPTIMAL


@pytest.mark.parametrize("name", ["highs", "scip", "pyomo:cbc", "pyomo:glpk"])
def test_limits_that_cross_by_a_rounding_error_are_equal(name: str) -> None:
    """As HiGHS called by hand takes them; the evaluator accepts such values, too."""
    try:
        solver = get_backend(name)
    except SolverError as error:
        pytest.skip(str(error))
    third = "0.30000000000000004"
    text = f"min\n o: x + y + z\nst\n c: {third} <= x + z <= 0.3\nbounds\n {third} <= y <= 0.3\ngeneral\n z\nend\n"
    model = read_lp(text)
    assert Milp(model).infeasible_reason() is None
    answer = solve_linear(solver, model)
    assert answer.status is MilpStatus.OPTIMAL
    assert answer.objective == pytest.approx(0.6)
    assert answer.values is not None
    assert assess(model, answer.values).level is not Level.BROKEN
    large = text.replace(f"{third} <= y <= 0.3", "5000000001 <= y <= 5000000000")
    assert Milp(read_lp(large)).infeasible_reason() == "no value is within the bounds of y"
    for limit, said in (("x + z", "the row c can never hold"), ("y", "no value is within the bounds of y")):
        crossed = read_lp(text.replace(f"{third} <= {limit}", f"0.30001 <= {limit}"))
        assert Milp(crossed).infeasible_reason() == said
        assert solve_linear(solver, crossed).status is MilpStatus.INFEASIBLE


def transport(unit: float, fixed: bool = False) -> LinearModel:
    """Quantities of about 1e7 from twelve places to twelve others, with costs of 5 to 60 units, and fixed ones."""
    rng = np.random.default_rng(3)
    cost = (rng.integers(5, 60, (12, 12)) * unit).tolist()
    ends = range(12)
    lines = ["min", *(f" + {cost[i][j]!r} x{i}_{j}" for i in ends for j in ends)]
    lines += [f" + {5e7 * unit!r} y{i}" for i in ends if fixed]
    lines.append("st")
    for i in ends:
        sent, room = " + ".join(f"x{i}_{j}" for j in ends), (16 + i % 5) * 1e7
        lines.append(f" {sent} - {room!r} y{i} <= 0" if fixed else f" {sent} <= {room / 2!r}")
    lines += [f" {' + '.join(f'x{i}_{j}' for i in ends)} >= {(7 + j % 3) * 1e7!r}" for j in ends]
    lines += ["binary", *(f" y{i}" for i in ends)] if fixed else []
    return read_lp("\n".join([*lines, "end", ""]))


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("backend", BACKENDS)
def test_costs_below_the_tolerances_of_solvers(backend: str, fixed: bool) -> None:
    """The optimum in other units is the same: the answer, what is told, and what cutoff and target mean."""
    solver, unit = get_backend(backend), 2.0**-30
    asked = SolveRequest(relative_gap=1e-9, absolute_gap=1e-12, seconds=60)
    best = solve_linear(solver, transport(1.0, fixed), asked)
    assert best.objective is not None
    model, told, bounds = transport(unit, fixed), [], []
    found = solve_linear(
        solver, model, replace(asked, on_bound=bounds.append), on_values=lambda point, _values: told.append(point)
    )
    assert found.status is MilpStatus.OPTIMAL
    assert found.objective == pytest.approx(best.objective * unit)
    assert found.bound == pytest.approx(best.objective * unit)
    least = found.objective * (1 - 1e-6)
    assert all(point.objective >= least for point in (*told, *found.trace))
    assert all(bound <= found.objective * (1 + 1e-6) for bound in bounds)
    assert solve_linear(solver, model, replace(asked, cutoff=found.objective)).status is MilpStatus.INFEASIBLE
    above = solve_linear(solver, model, replace(asked, cutoff=found.objective * 1.5))
    assert above.objective == pytest.approx(found.objective)
    costs = Restriction(cost=2 * model.cost)
    assert solve_linear(solver, model, asked, costs).objective == pytest.approx(2 * found.objective)
