"""What the CP-SAT backend leans on."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pyomo.environ as pyo
import pytest

from matheur.errors import ConfigurationError, SolverError
from matheur.solvers import Backend, MilpStatus, SolveRequest, cp_sat, get_backend
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
