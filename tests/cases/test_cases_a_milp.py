"""Pyomo models of users for which a backend gave a wrong answer."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyomo.environ as pyo
import pytest

from matheur.errors import SolverError
from matheur.solvers import MilpStatus, SolveRequest, get_backend

ALL = ("highs", "scip", "cp-sat", "pyomo:cbc", "pyomo:glpk", "pyomo:appsi_highs")
SOON = SolveRequest(seconds=30)


@pytest.fixture(params=ALL)
def backend(request: pytest.FixtureRequest) -> Any:
    return found(request.param)


def found(name: str) -> Any:
    try:
        return get_backend(name)
    except SolverError as error:
        pytest.skip(str(error))


def packing(items: int, rows: int, *, largest: int, seed: int) -> pyo.ConcreteModel:
    """Build a packing model with random weights; x = 0 satisfies all rows."""
    draw = random.Random(seed)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(items), domain=pyo.Binary)
    weights = [[draw.randint(10, largest) for _ in range(items)] for _ in range(rows)]
    prices = [draw.randint(10, 99) for _ in range(items)]

    def row(m: Any, j: int) -> Any:
        return sum(weights[j][i] * m.x[i] for i in range(items)) <= sum(weights[j]) // 2

    model.c = pyo.Constraint(range(rows), rule=row)
    model.o = pyo.Objective(expr=sum(prices[i] * model.x[i] for i in range(items)), sense=pyo.maximize)
    return model


@pytest.mark.parametrize("limits", [{"nodes": 1}, {"nodes": 5}, {"seconds": 0.03}, {"absolute_gap": 40.0}])
@pytest.mark.parametrize("name", ["pyomo:cbc", "highs", "scip"])
def test_bound_of_a_maximum_is_above_every_solution(name: str, limits: dict[str, Any]) -> None:
    """The bound is valid even if the solver stops early; the optimum of the model is 941."""
    answer = found(name).solve(packing(25, 6, largest=99, seed=2), SolveRequest(**{"seconds": 30, **limits}))
    assert answer.bound is None or answer.bound >= 941 - 1e-6
    assert answer.objective is None or answer.objective <= 941
    if answer.status is MilpStatus.OPTIMAL:
        assert answer.bound is None or answer.bound - answer.objective <= limits.get("absolute_gap", 0) + 1e-3


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05])
@pytest.mark.parametrize(("items", "rows"), [(60, 30), (300, 60)])
def test_no_time_is_no_proof(items: int, rows: int, seconds: float) -> None:
    """A time limit is not reported as infeasible; CBC says so if its time ends during preprocessing."""
    model = packing(items, rows, largest=1000, seed=3)
    assert found("pyomo:cbc").solve(model, SolveRequest(seconds=seconds)).status is not MilpStatus.INFEASIBLE


def test_answer_without_values_is_no_traceback(backend: Any) -> None:
    """CBC first accepts y = 1 for y >= 1.0000003 and then reports a contradiction; no traceback follows."""
    model = pyo.ConcreteModel()
    model.y = pyo.Var(domain=pyo.Integers, bounds=(0, 5))
    model.c = pyo.Constraint(expr=model.y >= 1.0000003)
    model.o = pyo.Objective(expr=model.y)
    answer = backend.solve(model, SOON)
    assert answer.status is MilpStatus.UNKNOWN or answer.objective in (1.0, 2.0)


def test_value_outside_the_domain_is_no_optimum(backend: Any) -> None:
    """A value outside the domain of a variable is an error: x is 0, 5 or 10, and at most 7."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Set(initialize=[0, 5, 10]))
    model.c = pyo.Constraint(expr=model.x <= 7)
    model.o = pyo.Objective(expr=model.x, sense=pyo.maximize)
    with pytest.raises(SolverError, match="variable x"):
        backend.solve(model, SOON)


def test_fixed_variable_outside_its_bounds_is_a_constant(backend: Any) -> None:
    """A fixed variable is a constant: x = 7 with bounds 0 to 5, and x + y >= 9 gives 9."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(0, 5))
    model.y = pyo.Var(domain=pyo.Integers, bounds=(0, 5))
    model.x.set_value(7, skip_validation=True)
    model.x.fix()
    model.c = pyo.Constraint(expr=model.x + model.y >= 9)
    model.o = pyo.Objective(expr=model.x + model.y)
    answer = backend.solve(model, SOON)
    assert (answer.status, answer.objective, answer.values[model.x]) == (MilpStatus.OPTIMAL, 9, 7)


@pytest.mark.parametrize(("low", "high", "best"), [(0.5, 3.7, 3), (0.4, 0.6, None), (-2.5, -1.2, -2)])
def test_fractional_bounds_of_integers_are_rounded_inwards(
    backend: Any, low: float, high: float, best: int | None
) -> None:
    """If no integer lies between the bounds, the model is infeasible."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(low, high))
    model.c = pyo.Constraint(expr=model.x <= 100)
    model.o = pyo.Objective(expr=model.x, sense=pyo.maximize)
    answer = backend.solve(model, SOON)
    assert answer.status is (MilpStatus.INFEASIBLE if best is None else MilpStatus.OPTIMAL)
    assert answer.objective == best


def test_without_objective_nothing_is_bounded_above_zero(backend: Any) -> None:
    """Without an objective function, the objective is 0, and the bound is 0 or missing."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(1, 3))
    model.c = pyo.Constraint(expr=model.x >= 2)
    answer = backend.solve(model, SOON)
    assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, 0)
    assert answer.bound in (None, 0)
    assert answer.values[model.x] >= 2


def test_quadratic_objective_of_integers_is_solved_or_refused(backend: Any) -> None:
    """The minimum of x1 x2 - x1 - x2 with binary variables is -1."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var([1, 2], domain=pyo.Binary)
    model.c = pyo.Constraint(expr=model.x[1] + model.x[2] <= 2)
    model.o = pyo.Objective(expr=model.x[1] * model.x[2] - model.x[1] - model.x[2])
    if not backend.capabilities.quadratic_objective:
        with pytest.raises(SolverError, match="the objective o is quadratic"):
            backend.solve(model, SOON)
        return
    answer = backend.solve(model, SOON)
    assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, pytest.approx(-1))


@pytest.mark.parametrize(("kind", "best"), [(1, 1), (2, 2)])
def test_special_ordered_sets_are_kept_or_refused(backend: Any, kind: int, best: int) -> None:
    """At most one variable (SOS1), or two adjacent ones (SOS2), may be nonzero."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var([1, 2, 3], bounds=(0, 1))
    model.s = pyo.SOSConstraint(var=model.x, sos=kind)
    model.o = pyo.Objective(expr=model.x[1] + model.x[2] + model.x[3], sense=pyo.maximize)
    if not backend.capabilities.sos:
        with pytest.raises(SolverError, match=r"SOS constraint \(s\)"):
            backend.solve(model, SOON)
        return
    answer = backend.solve(model, SOON)
    assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, pytest.approx(best))


def test_unused_variable_keeps_its_bounds(backend: Any) -> None:
    """A variable that appears in no row respects its bound, w <= -4."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(2, 5))
    model.w = pyo.Var(bounds=(None, -4))
    model.c = pyo.Constraint(expr=model.x >= 3)
    model.o = pyo.Objective(expr=model.x)
    assert backend.solve(model, SOON).values[model.w] <= -4


def test_list_of_solvers_is_one_json_object() -> None:
    """Standard output has one JSON object and nothing else, whatever a library prints."""
    said = subprocess.run(
        [sys.executable, "-m", "matheur", "solvers", "--json"], capture_output=True, text=True, check=True
    )
    assert {"highs", "scip"} <= {one["name"] for one in json.loads(said.stdout)["solvers"]}


def test_versions_and_solves_print_nothing(capfd: pytest.CaptureFixture[str], backend: Any) -> None:
    """Backends print nothing, and discard the output of C libraries."""
    backend.version()
    backend.solve(packing(3, 1, largest=20, seed=1), SOON)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("instance", ["edge-matching/3x3", "party/demo", "max-clique/demo"])
def test_exported_mps_is_read_by_glpk(tmp_path: Path, instance: str) -> None:
    """GLPK reads the file: a minimum has no OBJSENSE section, and the model name has no blanks."""
    program = shutil.which("glpsol")
    if program is None:
        pytest.skip("glpsol is not installed")
    target = tmp_path / "m.mps"
    command = [sys.executable, "-P", "-m", "matheur", "export", "model", instance, "--out", str(target)]
    subprocess.run(command, capture_output=True, check=True)
    head = target.read_text().partition("ROWS")[0].splitlines()
    assert next(line.split() for line in head if line.startswith("NAME"))[2:] == []
    assert not any(line.startswith("OBJSENSE") for line in head)
    subprocess.run([program, "--freemps", str(target), "--check"], capture_output=True, check=True)


FAKES = {
    "hangs": "sleep 300",
    "floods": "yes",
    "says nothing": "exit 0",
    "greets": "echo hello",
    "says its version only": 'case "$1" in *stop|--version) echo 5.10.8;; esac',
    "dies": 'case "$1" in *stop|--version) echo 5.10.8;; *) echo no licence >&2; kill -SEGV $$;; esac',
}


@pytest.mark.parametrize("how", FAKES)
def test_program_that_is_no_solver_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """A program that hangs, floods, prints nothing or crashes gives one line, not a traceback."""
    for name in ("cbc", "glpsol"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{FAKES[how]}\n")
        program.chmod(0o755)
    code = (
        "import pyomo.environ as pyo\nfrom matheur.errors import SolverError\n"
        "from matheur.solvers import SolveRequest, backends, get_backend\n"
        "model = pyo.ConcreteModel(); model.x = pyo.Var(domain=pyo.Binary)\n"
        "model.c = pyo.Constraint(expr=model.x >= 1); model.o = pyo.Objective(expr=model.x)\n"
        "assert backends()\n"
        "for name in ('cbc', 'glpk'):\n"
        "    try: get_backend(f'pyomo:{name}').solve(model, SolveRequest(seconds=5))\n"
        "    except SolverError as error: print(name, error)\n"
    )
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert "Traceback" not in said.stderr
    lines = said.stdout.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["cbc", "glpk"]
    assert how != "dies" or all("no licence" in line for line in lines)
