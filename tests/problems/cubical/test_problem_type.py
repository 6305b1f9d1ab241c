"""The cubical puzzle through the port, and through the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from matheur.cli import run
from matheur.engine.problem_type import ProblemType
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems import problem_types
from matheur.problems.cubical import TYPE, Cubical, load


def test_the_type_follows_the_port() -> None:
    """A type checker and this assignment agree that the port is implemented; the registry finds it."""
    port: ProblemType = TYPE
    assert port.name == "cubical"
    assert port.summary
    assert problem_types.get("cubical") is TYPE


def test_generated_files_are_read_back_with_their_solution() -> None:
    """The text of a generated puzzle reads as such, and its hidden plan solves it in as many moves as its score."""
    generated = TYPE.generate({"size": "5,3", "rings": 7, "moves": "40"}, seed=5)
    problem = TYPE.read(Source("generated", generated.instance.encode()), {})
    assert (problem.instance.dimension, problem.instance.k, len(problem.instance.rings)) == (5, 3, 7)
    evaluation = problem.evaluate(problem.decode(generated.solution))
    assert (evaluation.feasible, evaluation.objective) == (True, generated.score)
    json.dumps(generated.solution)


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({}, (4, 2, 5)),
        ({"size": None}, (4, 2, 5)),
        ({"size": "3"}, (3, 2, 4)),
        ({"size": 2}, (2, 1, 3)),
        ({"size": 1}, (1, 1, 1)),
        ({"size": "3,3"}, (3, 3, 1)),
        ({"size": "5, 4"}, (5, 4, 6)),
        ({"size": "4x3x9"}, (4, 3, 9)),
        ({"dimension": 6, "k": 1}, (6, 1, 7)),
        ({"size": "4,1", "k": 1, "rings": 15}, (4, 1, 15)),
    ],
)
def test_sizes(options: dict, size: tuple[int, int, int]) -> None:
    """Dimension, k and rings in one word or by name; what is missing follows from the dimension."""
    one = TYPE.read(Source("g", TYPE.generate(options, seed=1).instance.encode()), {}).instance
    assert (one.dimension, one.k, len(one.rings)) == size


@pytest.mark.parametrize(
    ("options", "seed", "words"),
    [
        ({"size": "big"}, 0, "size must be DIMENSION,K,RINGS"),
        ({"size": "4,3,2,1"}, 0, "size must be"),
        ({"size": "9"}, 0, "dimension must be 1 to 7"),
        ({"size": "0"}, 0, "dimension must be 1 to 7"),
        ({"size": "4,3,10"}, 0, "1 to 9 rings"),
        ({"size": "3,3,2"}, 0, r"there is 1 ring \(2\); with more none could ever move"),
        ({"size": "3,4"}, 0, "k must be 1 to 3 in dimension 3"),
        ({"size": "4", "dimension": 5}, 0, "size says dimension = 4, the option 5"),
        ({"ringz": 4}, 0, "Maybe 'rings'"),
        ({"rings": "few"}, 0, "rings must be a whole number"),
        ({"k": True}, 0, "k must be a whole number"),
        ({"moves": 0}, 0, "walk has 1 to"),
        ({}, -1, "seed must be"),
        ({}, "1", "seed must be"),
    ],
)
def test_bad_generator_options(options: dict, seed: int, words: str) -> None:
    """Wrong options name themselves."""
    with pytest.raises(ConfigurationError, match=words):
        TYPE.generate(options, seed)


def test_builtins_are_played_with_any_k() -> None:
    """The option `k` makes sense for a built-in puzzle, too; there are no others."""
    assert TYPE.builtin("d4-k3-level2", {"k": 1}).fingerprint == TYPE.builtin("d4-k1-level2").fingerprint
    assert set(TYPE.builtins()) > {"demo", "d4-k3-row2"}
    with pytest.raises(InputError, match="k must be 1 to 4"):
        TYPE.builtin("d4-k3-level2", {"k": 5})
    with pytest.raises(ConfigurationError, match="unknown option 'sides'"):
        TYPE.builtin("demo", {"sides": "urdl"})
    with pytest.raises(InputError, match="no built-in instance"):
        TYPE.builtin("nothing", {})


def test_solutions_and_pictures_pass_through() -> None:
    """The port reads plans and draws."""
    problem = TYPE.builtin("d3-k1-level0")
    plan = TYPE.read_solution(problem, Source("p", b"blue:7 red:5 green:4 blue:6"))
    assert problem.evaluate(plan).feasible
    assert b"solves the puzzle" in TYPE.picture(problem, plan, "text")


def test_load_takes_paths_and_sources(tmp_path: Path) -> None:
    """A path and bytes give the same puzzle; a missing file is an input error."""
    file = tmp_path / "one.toml"
    file.write_text("dimension = 3\nk = 2\nstart.a = 0\ntarget.a = 7\n")
    puzzles: list[Cubical] = [load(origin) for origin in (file, str(file), Source("x", file.read_bytes()))]
    assert len({problem.fingerprint for problem in puzzles}) == 1
    assert load(file, k=1).trivial_bound == 3
    with pytest.raises(InputError, match=r"nowhere\.toml: cannot read \(No such file"):
        load(tmp_path / "nowhere.toml")
    with pytest.raises(InputError, match="cannot read"):
        load("with\0null")


def test_the_import_is_light() -> None:
    """Reading and drawing puzzles needs numpy and nothing heavier."""
    heavy = "{'scipy', 'numba', 'pyomo', 'networkx', 'matplotlib', 'jax', 'highspy'}"
    code = f"import sys, matheur.problems.cubical; print({heavy} & {{name.split('.')[0] for name in sys.modules}})"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert shown == "set()"


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Generate, verify, show: each command reads what the former wrote."""
    path = tmp_path / "new.toml"
    assert run(["generate", "cubical", "--size", "4,3,5", "--seed", "3", "--out", str(path), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert run(["verify", str(path), made["solution"], "--json"]) == 0
    verified = json.loads(capsys.readouterr().out)
    assert (verified["valid"], verified["score"], verified["score_max"]) == (True, made["score"], None)
    for arguments in ([str(path)], [made["solution"]], ["cubical/demo"], [made["solution"], "--instance", str(path)]):
        assert run(["show", *arguments]) == 0
        assert "faces of dimension 3, 5 rings" in capsys.readouterr().out
    picture = tmp_path / "plan.html"
    assert run(["show", made["solution"], "--out", str(picture)]) == 0
    assert picture.read_text().startswith("<!DOCTYPE html>")


def test_wrong_plans_are_not_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`verify` exits with 1 and the reasons."""
    plan = tmp_path / "plan.txt"
    plan.write_text("green:0 green:13")
    assert run(["verify", "cubical/demo", str(plan)]) == 1
    assert "at the end ring 'blue' is on vertex 13, not 4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "bad.toml"], "bad.toml:2: k must be 1 to 3 in dimension 3 (7)"),
        (["verify", "cubical/demo", "plan.txt"], "plan.txt:1: move 1: no ring is called 'pink'"),
        (["show", "cubical/d4-k3-levl4"], "Maybe 'cubical/d4-k3-level4'?"),
        (["generate", "cubical", "--size", "4,3,99", "--out", "x"], "1 to 9 rings (99)"),
        (
            ["generate", "cubical", "--set", "colours=3", "--out", "x"],
            "unknown option 'colours' of the cubical generator",
        ),
        (["show", "cubical/demo", "--set", "instance.sides=urdl"], "unknown option 'sides' of cubical files"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exit 2, one line on standard error, nothing on standard output."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.toml").write_text("dimension = 3\nk = 7\nstart.a = 0\ntarget.a = 1\n")
    (tmp_path / "plan.txt").write_text("pink:1\n")
    assert run(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("error: ")
    assert shown.err.count("\n") == 1
    assert words in shown.err
