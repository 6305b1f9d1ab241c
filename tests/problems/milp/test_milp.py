"""Linear programs from file to checked solution."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from contracts import milp

import matheur
from matheur.campaign.rows import row_of_result
from matheur.cli import run
from matheur.engine.budget import Budget
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError, OperatorError
from matheur.linear.lp_reader import read_lp
from matheur.linear.lp_writer import write_lp
from matheur.linear.mps_writer import write_mps
from matheur.problems.milp import TYPE, Milp
from matheur.problems.milp.operators.certifier import SecondSolver
from matheur.problems.milp.operators.polish import Polish
from matheur.running.loading import recognise


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A program that maximises; its best value is 11."""
    path = tmp_path / "maximum.lp"
    path.write_text(milp.TEXTS["maximum"], encoding="utf-8")
    return path


def test_a_file_holds_one_model(file: Path) -> None:
    """Another number is an error."""
    assert TYPE.read(Source(str(file), file.read_bytes(), 1)).model.width
    with pytest.raises(InputError, match="a file holds one model, there is no number 2"):
        TYPE.read(Source(str(file), file.read_bytes(), 2))


@pytest.mark.parametrize("name", milp.NAMES)
def test_both_forms_are_recognised(name: str) -> None:
    """By content, whatever the file is called, and as nothing else."""
    model = milp.problem(name).model
    for lines in (write_mps(model), write_lp(model)):
        source = Source("model.txt", "\n".join(lines).encode())
        assert TYPE.recognises(source) is Recognition.PROVED
        assert recognise(source).name == "milp"
        assert TYPE.read(source).model.width >= model.width
    terms = "".join(f" + {number} x{number}\n" for number in range(1, 30_000))
    long = Source("model.lp", f"minimize\n{terms}subject to\n x1 >= 1\nend\n".encode())
    assert TYPE.recognises(long) is Recognition.PROVED  # the rows come late
    assert TYPE.recognises(Source("model.mps", b"\xff\x00\x01")) is Recognition.NO
    with pytest.raises(InputError, match="neither"):
        TYPE.read(Source("model.mps", b"p edge 3 2\n"))


def test_files_by_their_ending_load_no_other_problem(file: Path) -> None:
    """Files .mps and .lp that are what their name says; the others are for all to look at."""
    code = f"""
import sys
from matheur.engine.source import Source
from matheur.running.loading import load_instance, recognise
kind, _ = load_instance({str(file)!r})
others = [name for name in sys.modules if name.startswith("matheur.problems.") and name.count(".") == 3]
print(kind.name, sorted(name for name in others if not name.startswith("matheur.problems.milp")))
print(recognise(Source("graph.lp", b"p edge 3 2\\ne 1 2\\ne 2 3\\n")).name)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split("\n")[:2] == ["milp []", "max-clique"]


def test_assumptions_reach_the_result() -> None:
    """What the file leaves open is kept."""
    text = "NAME\nROWS\n N o\n L r\nCOLUMNS\n M 'MARKER' 'INTORG'\n x o 1 r 1\n M 'MARKER' 'INTEND'\nRHS\nENDATA\n"
    assert TYPE.read(Source("it.mps", text.encode())).assumptions == (
        "bounds 0 and 1 for integer columns without bounds, as all solvers do",
    )


def test_results_are_in_the_sense_of_the_model(file: Path, tmp_path: Path) -> None:
    """Objective, bound and score of a maximum; campaigns minimise."""
    out = tmp_path / "out.json"
    result = matheur.solve(file, seconds=60, out=out)
    assert (result.objective, result.bound, result.score, result.status) == (11, 11, 11, "optimal")
    data = json.loads(out.read_text(encoding="utf-8"))
    assert (data["objective"], data["bound"], data["sense"], data["level"]) == (11, 11, "max", "exact")
    assert data["solution"] == {"u": 3, "v": 1}
    campaign = dict.fromkeys(
        ("key", "instance", "variant", "group", "seed", "finished", "score_sense", "reference", "reference_score",
         "wall_seconds", "cpu_seconds")
    )  # fmt: skip
    row = row_of_result({**data, "campaign": campaign})
    assert (row["objective"], row["bound"], row["sense"]) == (-11, -11, "min")


def test_files_are_verified(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of a solver, and claims that are not true."""
    sol = tmp_path / "best.sol"
    assert run(["solve", str(file), "--seconds", "60", "--out", str(sol), "--certify"]) == 0
    assert sol.read_text(encoding="utf-8") == "=obj= 11.0\nu 3\nv 1\n"
    assert run(["verify", str(file), str(sol)]) == 0
    sol.write_text("u 3.0000001\nv 1\n", encoding="utf-8")
    assert run(["verify", str(file), str(sol)]) == 0  # nearly whole
    sol.write_text("u 2.5\nv 3\nw 1\n", encoding="utf-8")
    capsys.readouterr()
    assert run(["verify", str(file), str(sol)]) == 1
    said = capsys.readouterr().out
    assert "column u is 2.5, not a whole number (off by 0.5)" in said
    assert "row one is 6.5, not <= 4 (off by 2.5)" in said
    assert "row three is 3.5, not <= 3 (off by 0.5)" in said


def test_sums_that_overflow_are_judged_exactly() -> None:
    """Two infinite terms of opposite sign have no sum in float64."""
    problem = Milp(read_lp("min\n x\nst\n c: 1e300 x - 1e300 y <= 1\nend\n"))
    assert problem.evaluate(np.array([1e10, 1e10])).feasible
    assert not problem.evaluate(np.array([2e10, 1e10])).feasible


@pytest.mark.parametrize("text", ["x 0.9999999\n", '{"x": 0.9999999}', '{"solution": {"x": 0.9999999}}'])
def test_nearly_integral_values_are_rounded_in_every_form(text: str) -> None:
    """In `.sol` files and in JSON; values that are farther off stay."""
    problem = Milp(read_lp("min\n x\nst\n c: x + y >= 1\nbounds\n x <= 1\ngenerals\n x\nend\n"))
    assert TYPE.read_solution(problem, Source("it", text.encode())).tolist() == [1, 0]
    assert TYPE.read_solution(problem, Source("it", text.replace("99999", "99").encode())).tolist() == [0.9999, 0]


def test_claims_of_a_maximum_are_checked(file: Path, tmp_path: Path) -> None:
    """A bound below the objective, and a wrong objective."""
    claims = {"problem": "milp", "solution": {"u": 3, "v": 1}, "objective": 11, "bound": 11, "status": "optimal"}
    path = tmp_path / "claims.json"
    for changed, code in (({}, 0), ({"objective": 12}, 1), ({"bound": 10}, 1), ({"bound": 12}, 1)):
        path.write_text(json.dumps({**claims, **changed}), encoding="utf-8")
        assert run(["verify", str(file), str(path)]) == code, changed


def test_infeasible_and_unbounded_models(tmp_path: Path) -> None:
    """The first with a proof and a file that says so, the second as an error of one line."""
    path, sol = tmp_path / "it.lp", tmp_path / "it.sol"
    path.write_text("min\n o: x\nst\n r: x + y >= 3\nbounds\n x <= 1\n y <= 1\ngeneral\n x y\nend\n")
    matheur.solve(path, seconds=30, out=f"{sol}.gz")
    result = matheur.solve(path, seconds=30, out=sol, certify=True)
    assert gzip.decompress(Path(f"{sol}.gz").read_bytes()) == sol.read_bytes()
    assert result.status == "infeasible"
    assert sol.read_text(encoding="utf-8") == "=infeas=\n"
    path.write_text("max\n o: x\nst\n r: x + y >= 3\nend\n")
    assert run(["solve", str(path), "--seconds", "30"]) == 2


ONE_ROW = "max\n o: 8.5 - 1.75 x\nst\n r: 20 <= 1.75 x <= 23\nend\n"
OPEN_ENDED = "min\n o: x + 2 y - z\nst\n a: x + y <= 4\n b: x >= 1\n c: y + z = 7\nbounds\n x <= 4\nend\n"
"""Nothing but a row keeps the objective from getting better and better."""


@pytest.mark.parametrize(
    ("text", "first", "optimum"), [(ONE_ROW, "highs", 11.5), (ONE_ROW, "scip", 11.5), (OPEN_ENDED, "highs", -6)]
)
def test_optima_of_continuous_columns_are_confirmed(text: str, first: str, optimum: float) -> None:
    """What the second solver finds at its tolerance of rows is not better; what is really better refutes."""
    problem = Milp(TYPE.read(Source("it.lp", text.encode())).model)
    second = SecondSolver().certify(problem, optimum, first=first, interrupt=lambda: False)
    assert problem.score(optimum) == pytest.approx(second["cutoff"], abs=1e-4)
    with pytest.raises(OperatorError, match=f"claims the optimum {problem.score(optimum + 1e-3)}, but '.*' found"):
        SecondSolver().certify(problem, optimum + 1e-3, first=first, interrupt=lambda: False)


def test_bounds_without_a_search() -> None:
    """By the bounds of the columns, exactly; none where one is infinite."""
    assert milp.problem("knapsack").trivial_bound == 6
    assert milp.problem("maximum").trivial_bound == -16
    assert Milp(TYPE.read(Source("it.lp", b"max\n o: x\nst\n r: x >= 1\nend\n")).model).trivial_bound is None
    large = "max\n o: 1e300 x\nst\n r: x <= 4\nbounds\n x <= 1e19\nend\n"
    assert Milp(read_lp(large)).trivial_bound is None


def test_polish_moves_continuous_columns_only() -> None:
    """The best value for the integers of the incumbent."""
    problem = milp.problem("mixed")
    incumbent = milp.some_values(problem).copy()
    model = problem.model
    incumbent[model.column_index["z"]] = 2.0
    incumbent[model.column_index["x"]] += 0.25
    assert problem.evaluate(incumbent).feasible
    outcome = Polish().explore(problem, incumbent, Budget(), np.random.default_rng(0))
    assert outcome.objective is not None
    assert outcome.solution is not None
    assert outcome.objective < problem.evaluate(incumbent).objective
    whole = model.integral
    assert np.array_equal(outcome.solution[whole], incumbent[whole])
