"""Starts of linear programs, full and partial: each is used, completed, repaired or refused, and the result says so."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from contracts import milp

import matheur
import matheur.pyomo
from matheur.cli import run
from matheur.engine import checkpoint
from matheur.errors import ConfigurationError, FailedSolveError, InputError
from matheur.linear.lp_reader import read_lp
from matheur.problems.milp import Milp
from matheur.problems.milp.operators import whole

TEXT = """min
 o: 5 a + 4 b + 3 c + flow
subject to
 cover: a + b + c >= 2
 not_both: a + b <= 1
 link: flow - 2 a - 3 c >= 1
binary
 a b c
end
"""
LIMITS: dict[str, Any] = {"construction": "jump", "neighbourhoods": [], "work": 200}
POLISH: dict[str, Any] = {"construction": "jump", "neighbourhoods": ["polish"], "iterations": 1, "work": 400}


@pytest.fixture
def problem() -> Milp:
    """Its solutions are a = c = 1 with flow >= 6 and b = c = 1 with flow >= 4."""
    return Milp(read_lp(TEXT))


def _started(problem: Milp, start: Any) -> tuple[matheur.Result, dict[str, Any]]:
    result = matheur.solve(problem, start=start, **POLISH)
    assert result.start is not None
    assert result.to_dict()["start"] == dict(result.start)
    return result, dict(result.start)


def test_a_full_solution_is_used(problem: Milp) -> None:
    """As an array or an object; the result is no worse, and zeros may be left out of files, not of objects."""
    result, report = _started(problem, np.array([1.0, 0.0, 1.0, 7.0]))
    assert (report["outcome"], report["objective"]) == ("used", 15)
    assert result.objective == 14  # polished
    full = {"a": 0, "b": 1, "c": 0.9999999, "flow": 4}
    assert _started(problem, full)[1] == {
        "outcome": "used", "text": "all columns have values", "given": 4, "objective": 11
    }  # fmt: skip
    for construction in ("solver", "jump"):
        result = matheur.solve(problem, start=full, construction=construction, neighbourhoods=[], work=50)
        assert result.objective == 11
    numbers = {"a": np.int64(0), "b": np.int32(1), "c": np.float32(1), "flow": np.float64(4)}
    assert _started(problem, numbers)[1]["outcome"] == "used"


def test_a_partial_start_is_completed(problem: Milp) -> None:
    """By what follows from the rows, a dive and a linear program; integers stay as given."""
    result, report = _started(problem, {"a": 1})
    assert report["outcome"] == "completed"
    assert report["text"] == "values of 1 of 4 columns are as given, the others were found"
    assert result.solution.tolist() == [1, 0, 1, 6]
    values = np.array([np.nan, np.nan, np.nan, 4.5])  # a continuous column decides which integers there can be
    assert _started(problem, values)[0].solution.tolist() == [0, 1, 1, 4]


def test_a_solver_without_a_limit_of_nodes_completes_a_start(problem: Milp) -> None:
    """It is limited by seconds."""
    if not shutil.which("glpsol"):
        pytest.skip("GLPK is not here")
    result = matheur.solve(
        problem, start={"a": 1}, solver="pyomo:glpk", construction="solver", neighbourhoods=[], seconds=30
    )
    assert result.start is not None
    assert result.start["outcome"] == "completed"
    assert result.objective == 11


def test_a_start_of_a_run_that_is_resumed(problem: Milp, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is used if the run was ended in its construction; if the run continues from a solution, a note says no."""
    full, way = {"a": 0, "b": 1, "c": 1, "flow": 4}, {"checkpoint": tmp_path / "state", **LIMITS}
    matheur.solve(problem, **way)
    again = matheur.solve(problem, start=full, resume=True, **way)
    assert again.start is None
    assert "the start is not used, since the run continues from its checkpoint" in caplog.text
    path = tmp_path / "state" / "checkpoint.json"
    content = json.loads(path.read_text())
    state = {**content["state"], "current": None, "constructed": False}
    path.write_text(json.dumps({**content, "state": state, "digest": checkpoint._digest(state)}))
    again = matheur.solve(problem, start=full, resume=True, **way)
    assert again.start is not None
    assert (again.start["outcome"], again.objective) == ("used", 11)


def test_results_are_whole_starts(problem: Milp, tmp_path: Path) -> None:
    """What leaves out zeros is a solution: a result by whatever way, and its names, which may become better ones."""
    file = tmp_path / "result.json"
    result = matheur.solve(problem, construction="solver", neighbourhoods=[], out=file)
    for start in (result, result.to_dict(), file, str(file), result.named, dict(result.named or {})):
        report = _started(problem, start)[1]
        assert (report["outcome"], report["objective"]) == ("used", 11)
    others = {**result.to_dict(), "solution": {"a": 1, "c": 1, "flow": 7}}
    assert _started(problem, others)[1]["objective"] == 15
    again, report = _started(problem, {"c": 1, "a": 1})
    assert (report["outcome"], again.objective) == ("completed", 14)
    tight = matheur.solve(problem, start=result.named, **{**LIMITS, "work": 0})
    assert tight.start is not None
    assert (tight.start["outcome"], tight.objective) == ("used", 11)


def test_a_result_of_another_reading_is_taken_by_names(problem: Milp) -> None:
    """Columns may stand in another order."""
    result = matheur.solve(problem, construction="solver", neighbourhoods=[])
    turned = Milp(read_lp(TEXT.replace("5 a + 4 b + 3 c + flow", "flow + 3 c + 4 b + 5 a")))
    assert turned.model.column_names != problem.model.column_names
    assert _started(turned, result)[1]["objective"] == 11


def test_what_breaks_rows_is_repaired_and_the_row_is_named(problem: Milp) -> None:
    """By other continuous values if that suffices, else by other integers."""
    result, report = _started(problem, np.array([1.0, 0.0, 1.0, 2.0]))
    assert report["outcome"] == "repaired"
    assert report["text"] == "row link is -3, not >= 1 (off by 4); 1 of 4 given values were changed"
    assert result.solution.tolist() == [1, 0, 1, 6]
    result, report = _started(problem, {"a": 1, "b": 1})
    assert report["outcome"] == "repaired"
    assert report["text"].startswith("row not_both is at least 2, not <= 1; ")
    assert result.status == "feasible"


@pytest.mark.parametrize("name", ["start.sol", "start.json"])
def test_a_solution_that_is_0_everywhere_is_used(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Files leave out zeros, so these have no value; where it is no solution it says nothing."""
    model, start = tmp_path / "m.lp", tmp_path / name
    limits = ["--construction", "solver", "--work", "10", "--json"]
    for rows, used in ((" c: #x + y <= 3", True), (" c: #x + y >= 1", False)):
        model.write_text(f"min\n #x + y\nst\n{rows}\ngeneral\n #x y\nend\n")
        start.write_text("=obj= 0.0\n" if name.endswith(".sol") else '{"problem": "milp", "solution": {}}')
        assert run(["solve", str(model), "--start", str(start), *limits]) == 0
        report = json.loads(capsys.readouterr().out)["start"]
        assert (report["outcome"], report["given"]) == ("used" if used else "refused", 0)


def test_odd_names_in_a_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is written as a solution is a start with the same values."""
    model, start = tmp_path / "m.lp", tmp_path / "start.sol"
    model.write_text("max\n #x + $z + infeasible_slack\nst\n c: #x + $z <= 3\nbounds\n infeasible_slack <= 2\nend\n")
    assert run(["solve", str(model), "--out", str(start), "--json"]) == 0
    best = json.loads(capsys.readouterr().out)["objective"]
    assert run(["solve", str(model), "--start", str(start), "--construction", "jump", "--work", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["start"]
    assert (report["outcome"], report["objective"]) == ("used", best)


def test_what_is_no_help_is_refused_and_the_search_goes_on(problem: Milp) -> None:
    """With a reason; what is no start at all is an error."""
    result = matheur.solve(problem, start=np.full(4, np.nan), **LIMITS)
    assert result.start is not None
    assert (result.start["outcome"], result.start["text"]) == ("refused", "it has no values")
    assert result.objective == 11
    result = matheur.solve(problem, start={"a": 1, "b": 1}, **{**LIMITS, "work": 0})
    assert result.start is not None
    assert result.start["outcome"] == "refused"
    assert "not_both" in result.start["text"]
    for wrong in (np.zeros(3), {"a": "one"}, {"d": 1}, [1, 2], "start", np.array([np.inf, 0, 0, 0])):
        with pytest.raises(InputError):
            matheur.solve(problem, start=wrong, **LIMITS)
    with pytest.raises(ConfigurationError, match="start=True"):
        matheur.solve(problem, start=True, **LIMITS)
    none = Milp(read_lp("min\n o: x\nst\n r: x >= 2\nbinary\n x\nend\n"))
    result = matheur.solve(none, start={"x": 1}, work=10)
    assert result.status == "infeasible"


def test_files_may_leave_out_zeros_or_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a file does not name is 0 if that is a solution, else unknown; the command line and JSON say which."""
    model, start = tmp_path / "model.lp", tmp_path / "start.sol"
    model.write_text(TEXT)
    solve = [
        "solve",
        str(model),
        "--start",
        str(start),
        "--neighbourhoods",
        "polish",
        "--iterations",
        "1",
        "--construction",
        "jump",
    ]
    for text, outcome in (
        ("b 1\nc 1\nflow 4\n", "used: columns without a value are 0"),
        ("b 1\n", "completed: values of 1 of 4 columns are as given, the others were found"),
        ('{"b": 1, "flow": 4}', "completed: values of 2 of 4 columns are as given, the others were found"),
    ):
        start.write_text(text)
        capsys.readouterr()
        assert run([*solve, "--seconds", "20"]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert f"start {outcome}" in said
    assert run([*solve, "--seconds", "20", "--jobs", "2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["start"]["outcome"] == "completed"
    start.write_text("d 1\n")
    assert run([*solve, "--seconds", "20"]) == 2


def _pyomo() -> Any:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(["a", "b", "c"], domain=pyo.Binary)
    model.flow = pyo.Var(domain=pyo.NonNegativeReals)
    model.cover = pyo.Constraint(expr=model.x["a"] + model.x["b"] + model.x["c"] >= 2)
    model.not_both = pyo.Constraint(expr=model.x["a"] + model.x["b"] <= 1)
    model.link = pyo.Constraint(expr=model.flow - 2 * model.x["a"] - 3 * model.x["c"] >= 1)
    model.cost = pyo.Objective(expr=5 * model.x["a"] + 4 * model.x["b"] + 3 * model.x["c"] + model.flow)
    return model


def test_values_of_pyomo_variables_are_a_start() -> None:
    """Those that are set, where they are asked for; the others are found."""
    model = _pyomo()
    model.x["a"] = 1
    result = matheur.solve(model, start=True, **POLISH)
    assert result.start is not None
    assert result.start["outcome"] == "completed"
    assert [pyo.value(model.x[name]) for name in "abc"] == [1, 0, 1]
    assert matheur.solve(_pyomo(), work=50).start is None
    model = _pyomo()
    model.x["a"] = model.x["b"] = 1
    found = pyo.SolverFactory("matheur").solve(model, timelimit=20, warmstart=True)
    assert found.solver.termination_condition == pyo.TerminationCondition.optimal
    assert pyo.value(model.cost) == 11


def test_a_start_costs_no_proof(problem: Milp) -> None:
    """The solver is asked as without a start, before the neighbourhoods."""
    for start in ({"a": 0, "b": 1, "c": 1, "flow": 4}, {"a": 1, "c": 1}, {"a": 1, "b": 1}):
        result = matheur.solve(problem, start=start, seconds=30, construction="solver", neighbourhoods=["mutation"])
        assert (result.status, result.objective) == ("optimal", 11)


def test_the_same_work_gives_the_same_solution() -> None:
    """What a start takes counts as work, and no more than a share of the limit."""
    problem = Milp(read_lp(TEXT))
    one, two = (matheur.solve(problem, start={"a": 1, "b": 1}, seed=4, **LIMITS) for _ in range(2))
    assert np.array_equal(one.solution, two.solution)
    assert (one.work, one.start) == (two.work, two.start)


def test_a_start_better_than_the_trivial_bound_is_no_optimum() -> None:
    """It passes a bound within the tolerance; the bound is on the wrong side then, and is dropped."""
    text = "max\n o: x - 5000000 z\nst\n c: x + y <= 1e7\nbounds\n x <= 5000000\n y <= 9\n z = 1\ngeneral\n y\nend\n"
    problem = Milp(read_lp(text))
    result = matheur.solve(
        problem, start={"x": 5000003, "y": 1, "z": 1}, construction="solver", neighbourhoods=[], work=9
    )
    assert (result.status, result.objective, result.bound) == ("feasible", 3, None)


def test_a_start_as_good_as_the_trivial_bound_is_optimal() -> None:
    """Within the noise of objectives, on either side of the bound."""
    problem = Milp(read_lp("max\n o: x\nst\n c: x + y <= 9\nbounds\n x <= 5\n y <= 9\nend\n"))
    for x in (5.0, 5.000001):
        result = matheur.solve(problem, start={"x": x, "y": 1}, construction="jump", neighbourhoods=[], work=9)
        assert (result.status, result.objective, result.bound) == ("optimal", x, x)


def test_a_solver_that_fails_does_not_lose_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run ends as usual; without a start the failure is an error."""

    def fails(*_: Any, **__: Any) -> Any:
        raise FailedSolveError("'highs' died without an answer")

    problem = milp.problem("mixed")
    known = milp.some_values(problem)
    monkeypatch.setattr(whole, "run_arrays", fails)
    for limits in ({"work": 9}, {"seconds": 2.0}):
        result = matheur.solve(problem, start=known, construction="solver", neighbourhoods=[], **limits)
        assert (result.status, result.objective) == ("feasible", problem.evaluate(known).objective)
        with pytest.raises(FailedSolveError, match="died"):
            matheur.solve(problem, construction="solver", neighbourhoods=[], **limits)


@pytest.mark.parametrize("construction", ["without-objective", "relax-and-fix", "solver", "portfolio"])
def test_a_start_within_the_tolerance_is_kept(construction: str) -> None:
    """CP-SAT and other exact solvers prove that there is no solution; the start holds within 1e-6."""
    text = "min\n o: x + 2 y\nst\n c: 2 x + 2 y = 4.0000005\nbounds\n x <= 9\n y <= 9\ngeneral\n x y\nend\n"
    result = matheur.solve(
        Milp(read_lp(text)), start={"x": 0, "y": 2}, construction=construction, neighbourhoods=["jump"], work=30,
        solver={"name": "highs", "options": {"mip_feasibility_tolerance": 1e-9, "primal_feasibility_tolerance": 1e-9}},
    )  # fmt: skip
    assert result.status in ("feasible", "optimal")
    assert result.objective in (2, 4)
