"""What the CP-SAT backend leans on."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyomo.environ as pyo
import pytest
from scipy.sparse import csr_array

from matheur.errors import ConfigurationError, SolverError
from matheur.linear.lp_reader import read_lp
from matheur.solvers import Backend, MilpStatus, SolveRequest, cp_sat, get_backend
from matheur.solvers.linear import solve_linear
from matheur.solvers.linear_task import Restriction, Rows
from matheur.testing import models as small


@pytest.fixture
def backend() -> Backend:
    try:
        return get_backend("cp-sat")
    except SolverError as error:
        pytest.skip(str(error))


def halves() -> pyo.ConcreteModel:
    """A continuous variable below two binaries: 0 or 1 in some optimum."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2), domain=pyo.Binary)
    model.z = pyo.Var(bounds=(0, 1))
    model.row = pyo.Constraint(range(2), rule=lambda m, i: m.z <= m.x[i])
    model.gain = pyo.Objective(expr=3 * model.z - model.x[0] - model.x[1], sense=pyo.maximize)
    return model


def test_continuous_variables_are_refused_unless_declared(backend: Backend) -> None:
    """By the model, or by the option, they are integers; else the message says what to do."""
    model = halves()
    with pytest.raises(SolverError, match=r"variable z is continuous. Maybe integral=true"):
        backend.solve(model, SolveRequest())
    assert backend.solve(model, SolveRequest(options={"integral": True})).objective == 1
    model.implied_integral = True
    answer = backend.solve(model, SolveRequest())
    assert (answer.status, answer.values[model.z]) == (MilpStatus.OPTIMAL, 1)
    with pytest.raises(SolverError, match="continuous"):
        backend.solve(model, SolveRequest(options={"integral": False}))
    with pytest.raises(SolverError, match="true or false"):
        backend.solve(model, SolveRequest(options={"integral": 1}))


def test_variables_without_bounds_are_refused(backend: Backend) -> None:
    """An artificial bound would make a proof a guess."""
    with pytest.raises(SolverError, match="variable x has no bounds"):
        backend.solve(small.unbounded(), SolveRequest())


def test_quadratic_models_are_refused(backend: Backend) -> None:
    """Only linear models can be written in whole numbers."""
    model = small.knapsack()
    model.more = pyo.Constraint(expr=model.x[0] * model.x[1] <= 0)
    with pytest.raises(SolverError, match="only linear models"):
        backend.solve(model, SolveRequest())


def test_options_are_checked(backend: Backend) -> None:
    """Unknown names come with the nearest ones, wrong values are refused, and some options are ours."""
    model = small.knapsack()
    with pytest.raises(SolverError, match="linearization_level"):
        backend.solve(model, SolveRequest(options={"linearisation_level": 2}))
    with pytest.raises(SolverError, match="refuses the option linearization_level = 'much'"):
        backend.solve(model, SolveRequest(options={"linearization_level": "much"}))
    with pytest.raises(ConfigurationError, match="captured"):
        backend.solve(model, SolveRequest(options={"log_search_progress": True}))
    options = {"linearization_level": 2, "ignore_subsolvers": ["core"]}
    assert backend.solve(model, SolveRequest(options=options)).objective == 9


def test_a_dead_worker_is_an_error(backend: Backend, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What ends without an answer has none, and the reason is told."""
    monkeypatch.setattr(cp_sat.sys, "executable", "/bin/true")
    with pytest.raises(SolverError, match=r"died without an answer \(exit code 0\)"):
        backend.solve(small.knapsack(), SolveRequest())
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho no room >&2\nkill -ABRT $$\n")
    program.chmod(0o755)
    monkeypatch.setattr(cp_sat.sys, "executable", str(program))
    with pytest.raises(SolverError, match=r"died without an answer \(signal 6, SIGABRT; it said: no room"):
        backend.solve(small.knapsack(), SolveRequest())


def test_both_solvers_live_in_one_run(backend: Backend) -> None:
    """OR-tools is never loaded beside highspy, whose libraries have the same name."""
    for _ in range(2):
        assert backend.solve(small.knapsack(), SolveRequest()).objective == 9
        assert get_backend("highs").solve(small.knapsack(), SolveRequest()).objective == pytest.approx(9)
    assert "ortools" not in sys.modules


def test_worker_does_not_import_pandas(backend: Backend) -> None:
    """Half a second a solve is saved; if CP-SAT comes to need it, it is imported."""
    del backend
    code = (
        "import sys; from matheur.solvers import cp_sat_worker as w; w._cp_model();"
        "print(hasattr(sys.modules['pandas'], 'DataFrame'))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "False"


def test_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where OR-tools is not installed, the message says how to get it."""
    find = importlib.util.find_spec
    monkeypatch.setattr(cp_sat, "find_spec", lambda name: None if name == "ortools" else find(name))
    with pytest.raises(SolverError, match=r"pip install 'matheur\[cp\]'"):
        get_backend("cp-sat")
    with pytest.raises(SolverError, match=r"pip install 'matheur\[cp\]'"):
        cp_sat.CpSatBackend().version()


WHOLE = """max
 o: 1.5 u + v + 0.25 w + 0.1
st
 one: 0.5 u + 0.25 v + w <= 4
 two: -2 <= u - 2 v <= 3
 three: u + w >= 1
bounds
 u <= 3
 v <= 3
 -1 <= w <= 2
 idle <= 0.5
 -9 <= far <= 8
general
 u v w far
end
"""


def test_arrays_are_solved_as_by_others(backend: Backend) -> None:
    """Bounds, costs, rows, cutoffs, with decimals; columns that nothing mentions rest."""
    model = read_lp(WHOLE)
    highs, at = get_backend("highs"), model.column_index
    upper = model.upper.copy()
    upper[at["u"]] = 1
    rows = Rows(csr_array(np.ones((1, model.width))), np.array([-np.inf]), np.array([2.5]))
    unused = np.zeros(model.width)
    unused[at["far"]] = -1.0
    impossible = Rows(csr_array(2 * np.ones((1, model.width))), np.array([3.0]), np.array([3.0]))
    whole = read_lp(WHOLE.replace("idle <= 0.5", "idle <= 1").replace("far\nend", "far idle\nend"))
    for one, restriction in (
        (model, Restriction()),
        (model, Restriction(upper=upper)),
        (model, Restriction(cost=unused)),
        (whole, Restriction(rows=rows)),
        (whole, Restriction(rows=impossible)),
    ):
        found = solve_linear(backend, one, restriction=restriction)
        other = solve_linear(highs, one, restriction=restriction)
        assert found.status is other.status
        assert found.objective == pytest.approx(other.objective)
        assert found.bound == pytest.approx(other.bound)
        if restriction.rows is None:
            assert found.values is not None
            assert found.values[at["idle"]] == 0
    best = solve_linear(highs, model).objective
    assert best is not None
    assert solve_linear(backend, model, SolveRequest(cutoff=best)).status is MilpStatus.INFEASIBLE
    better = solve_linear(backend, model, SolveRequest(cutoff=best - 0.25))
    assert better.objective == pytest.approx(best)


def test_arrays_with_a_start_a_target_and_a_limit(backend: Backend) -> None:
    """A start is a hint, what it leaves open too; incumbents come as they are found."""
    model = read_lp(WHOLE)
    seen: list[float] = []
    start = np.full(model.width, np.nan)
    start[model.column_index["v"]] = 2
    answer = solve_linear(
        backend, model, SolveRequest(target=1.0), start=start, on_values=lambda point, _: seen.append(point.objective)
    )
    assert answer.objective is not None
    assert answer.objective >= 1.0
    assert seen
    with pytest.raises(SolverError, match="cp-sat has no option 'much'"):
        solve_linear(backend, model, SolveRequest(options={"much": 1}))
    assert solve_linear(backend, model, SolveRequest(interrupt=lambda: True)).status is not MilpStatus.OPTIMAL


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("general\n u v w", "general\n u v", r"the column w is continuous. Maybe integral=true"),
        (" u <= 3\n", "", "the column u has no bounds"),
        (" u <= 3\n", " u <= 1e19\n", "the bounds of the column u are too large"),
        ("0.25 v + w <= 4", "0.2500000123 v + 1e16 w <= 4", "the numbers of the row one have too many digits"),
        ("1.5 u + v", "1e18 u + 0.3333333331 v", "the numbers of the objective have too many digits"),
    ],
)
def test_arrays_that_cannot_be_taken_are_refused_by_name(backend: Backend, old: str, new: str, said: str) -> None:
    """With the row or the column."""
    assert old in WHOLE
    with pytest.raises(SolverError, match=said):
        solve_linear(backend, read_lp(WHOLE.replace(old, new)))


def test_arrays_with_continuous_columns(backend: Backend) -> None:
    """Those that are fixed at whole numbers are constants; the option takes all as integers; no relaxation."""
    model = read_lp(WHOLE.replace("general\n u v w", "general\n u v"))
    column = model.column_index["w"]
    fixed = [np.array(bounds) for bounds in (model.lower, model.upper)]
    fixed[0][column] = fixed[1][column] = 1
    found = solve_linear(backend, model, restriction=Restriction(*fixed))
    assert found.objective == pytest.approx(
        solve_linear(get_backend("highs"), model, restriction=Restriction(*fixed)).objective
    )
    integers = solve_linear(backend, model, SolveRequest(options={"integral": True}))
    assert integers.objective == pytest.approx(solve_linear(get_backend("highs"), read_lp(WHOLE)).objective)
    for relaxed in (True, np.arange(model.width) == 0):
        with pytest.raises(SolverError, match="no linear relaxation"):
            solve_linear(backend, model, restriction=Restriction(relaxed=relaxed))
