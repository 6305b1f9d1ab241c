"""What commands say of a solution: its objective, how well it holds, and what is off by how much."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import matheur
from matheur.cli import run
from matheur.linear.evaluation import assess
from matheur.linear.lp_reader import read_lp
from matheur.linear.solutions import write_solution
from matheur.problems.milp import Milp
from matheur.problems.milp import problem as milp_problem

_MODEL = """Maximize
 worth: 5 x1 + 4 x2 + 3 x3 + 0.5 z
Subject To
 room: 4 x1 + 3 x2 + 2 x3 + z <= 6.5
Bounds
 z <= 2
Binary
 x1 x2 x3
End
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A program that maximises; its best value is 8.25."""
    path = tmp_path / "knapsack.lp"
    path.write_text(_MODEL, encoding="utf-8")
    return path


def test_verify_tells_the_level_and_the_worst_row(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exact, within 1e-9, within 1e-6 with the row and the amount; what fails is listed with exit 1."""
    sol = file.with_suffix(".sol")
    for values, code, said in (
        ("x1 1\nx3 1\nz 0.5\n", 0, ["valid: score 8.25, objective 8.25 (level exact)"]),
        ("x1 1\nx3 1\nz 0.500000001\n", 0, ["level 1e-9: row room is 6.500000001, not <= 6.5 (off by 1e-09)"]),
        ("x1 1\nx3 1\nz 0.5000006\n", 0, ["level 1e-6: row room is 6.5000006, not <= 6.5 (off by 6e-07)"]),
        (
            "x1 1\nx2 1\nx3 0.5\nz 3\n",
            1,
            [
                "not valid: score 12, objective 12\n",
                "row room is 11, not <= 6.5 (off by 4.5)",
                "column z is 3, not <= 2 (off by 1)",
                "column x3 is 0.5, not a whole number (off by 0.5)",
            ],
        ),
        ("x1 1.7e308\n", 1, ["not valid: score inf", "row room is inf, not <= 6.5 (off by inf)"]),
    ):
        sol.write_text(values, encoding="utf-8")
        assert run(["verify", str(file), str(sol)]) == code
        out = capsys.readouterr().out
        assert all(text in out for text in said)
    sol.write_text("x1 1\nx3 1\nz 0.5000006\n", encoding="utf-8")
    run(["verify", str(file), str(sol), "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert (facts["objective"], facts["sense"], facts["level"]) == (8.2500003, "max", "1e-6")
    assert facts["worst"] == "row room is 6.5000006, not <= 6.5 (off by 6e-07)"


def test_another_objective_in_the_file_is_noted(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Solvers leave constants out, and people edit files: what counts is recomputed, and the difference is said."""
    sol = file.with_suffix(".sol")
    for head, noted in (("=obj= 9.5\n", True), ("=obj= 8.25001\n", False), ("", False)):
        sol.write_text(f"{head}x1 1\nx3 1\nz 0.5\n", encoding="utf-8")
        assert run(["verify", str(file), str(sol)]) == 0
        out = capsys.readouterr().out
        assert out.startswith("valid: score 8.25, objective 8.25")
        assert ("note: the file says objective 9.5" in out) is noted
        assert run(["verify", str(file), str(sol), "--json"]) == 0
        assert json.loads(capsys.readouterr().out).get("stated_objective") == (9.5 if noted else None)
    sol.with_suffix(".json").write_text('{"x1": 1}', encoding="utf-8")
    assert run(["verify", str(file), str(sol.with_suffix(".json"))]) == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("none.sol", "# no solution\n", "none.sol: holds no solution"),
        ("bad.sol", "x1 1\nx2 one\n", "bad.sol:2: the value of 'x2' is not a number ('one')"),
        ("bad.json", '{"x1": 1, "x2": "1"}', "bad.json: the value of x2 is not a number ('1')"),
        ("bad.json", f'{{"x1": 1{"0" * 400}}}', "bad.json: the value of x1 is not a number ('1000"),
        ("bad.json", '{"solution": {"x1": 1, "w": 1}}', "bad.json: the model has no column 'w'."),
        ("bad.json", '{"w": 1}', "bad.json: the model has no column 'w'."),
        ("bad.json", '{"x1": 1,}', "bad.json:1: not JSON"),
    ],
)
def test_bad_files_of_solutions_are_named(
    file: Path, name: str, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a solution and as a start, with the line if there is one."""
    path = file.with_name(name)
    path.write_text(text, encoding="utf-8")
    for arguments in (["verify", str(file), str(path)], ["solve", str(file), "--start", str(path)]):
        assert run(arguments) == 2
        assert said in capsys.readouterr().err.replace("\n", " ")


def test_no_solution_is_written_and_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is written where nothing was found; a solution that is 0 everywhere comes back."""
    sol = file.with_suffix(".sol")
    assert run(["solve", str(file), "--work", "0", "--out", str(sol)]) == 0
    assert run(["verify", str(file), str(sol)]) == 2
    capsys.readouterr()
    sol.write_text("\n".join(write_solution(read_lp(_MODEL), np.zeros(4), "0.0")) + "\n")
    assert run(["verify", str(file), str(sol)]) == 0
    assert "valid: score 0, objective 0" in capsys.readouterr().out


def test_many_broken_rows_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten of them are named."""
    rows = "".join(f" r{i}: x + y{i} >= 1\n" for i in range(14))
    (tmp_path / "many.lp").write_text(f"Minimize\n x\nSubject To\n{rows}End\n", encoding="utf-8")
    (tmp_path / "many.sol").write_text("x 0\n", encoding="utf-8")
    assert run(["verify", str(tmp_path / "many.lp"), str(tmp_path / "many.sol")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 12
    assert lines[-1].strip() == "and 4 more"


def test_claims_are_refuted_in_the_sense_of_the_model(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A result file of a maximum that claims a better objective and a bound that its solution passes."""
    out = file.with_suffix(".json")
    matheur.solve(file, seconds=60, out=out)
    data = json.loads(out.read_text(encoding="utf-8"))
    out.write_text(json.dumps({**data, "objective": 9.25, "bound": 7}), encoding="utf-8")
    assert run(["verify", str(file), str(out)]) == 1
    said = capsys.readouterr().out
    assert "the file claims objective 9.25, it is 8.25" in said
    assert "the file claims the bound 7, but its solution has objective 8.25" in said
    copy = file.with_name("copy.json")
    assert run(["show", str(file.with_suffix(".sol")), "--instance", str(file), "--out", str(copy)]) != 0  # none there
    file.with_suffix(".sol").write_text("x1 1\nx3 1\n", encoding="utf-8")
    assert run(["show", str(file.with_suffix(".sol")), "--instance", str(file), "--out", str(copy)]) == 0
    assert run(["verify", str(file), str(copy)]) == 0


def test_solve_tells_level_bound_and_gap(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same words at the end of a run; JSON has gap, level, sense and the incumbents over time."""
    assert run(["solve", str(file), "--seconds", "60"]) == 0
    assert "\nlevel exact\n" in capsys.readouterr().out
    assert run(["solve", str(file), "--seconds", "60", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [facts[name] for name in ("objective", "bound", "gap", "sense", "level")] == [8.25, 8.25, 0, "max", "exact"]
    assert facts["first_seconds"] == facts["trace"][0]["seconds"]
    assert facts["trace"][-1]["objective"] == 8.25
    start = file.with_suffix(".sol")
    start.write_text("x1 1\nx3 1\n", encoding="utf-8")
    assert run(["solve", str(file), "--start", str(start), "--neighbourhoods", "polish", "--iterations", "0"]) == 0
    said = capsys.readouterr().out
    assert "score 8, feasible" in said
    assert "bound 13, gap 62.5 %" in said


def test_the_sense_is_known_without_a_solution(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A campaign turns the bound of a maximum, also of a run that found nothing."""
    model = tmp_path / "none.lp"
    model.write_text("Maximize\n x\nSubject To\n r: 2 x + 2 y = 3\nBounds\n x <= 4\n y <= 4\nGeneral\n x y\nEnd\n")
    run(["solve", str(model), "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert (facts["status"], facts["sense"], facts["gap"]) == ("infeasible", "max", None)


def test_a_stopped_solver_goes_on_from_its_solution(file: Path, tmp_path: Path) -> None:
    """A run of the solver alone that had no work left for a proof is continued, not ended."""
    checkpoint = tmp_path / "state"
    start = Milp(read_lp(_MODEL)).decode({"x1": 1})
    matheur.solve(file, preset="solver", work=0, start=start, checkpoint=checkpoint)
    result = matheur.solve(file, preset="solver", work=1000, checkpoint=checkpoint, resume=True)
    assert (result.status, result.objective) == ("optimal", 8.25)


def test_jobs_tell_their_bounds(file: Path, tmp_path: Path) -> None:
    """The event stream of several processes has bounds, each better than all before it."""
    trace = tmp_path / "trace.jsonl"
    result = matheur.solve(file, jobs=2, seconds=60, trace=trace)
    events = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    bounds = [event["bound"] for event in events if event["event"] == "bound"]
    assert bounds
    assert bounds == sorted(set(bounds))
    assert result.bound == -bounds[-1]
    assert all({"score", "operator", "job"} <= event.keys() for event in events if event["event"] == "bound")


def test_a_result_is_checked_in_rationals_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is shown; other values are checked again."""
    checked = []
    monkeypatch.setattr(milp_problem, "assess", lambda model, values: checked.append(1) or assess(model, values))
    problem = Milp(read_lp(_MODEL))
    values = problem.decode({"x1": 1})
    assert problem.report(values) == problem.report(values.copy())
    assert len(checked) == 1
    assert problem.report(problem.decode({"x2": 1}))["exact_objective"] == "4"
    assert problem.report(values)["exact_objective"] == "5"
