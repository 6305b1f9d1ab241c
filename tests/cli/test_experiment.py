"""The `run.py` scripts of experiments."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from matheur.cli.experiment import experiment

TEXT = """
[base]
construction = "random"
neighbourhoods = []
iterations = 1
[variants.one]
[variants.two]
iterations = 2
[sizes.smoke]
instances = ["edge-matching/3x3"]
[sizes.bench]
instances = ["edge-matching/3x3", "quadratic-assignment/grid30"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make an experiment with one table."""
    (tmp_path / "campaigns").mkdir()
    (tmp_path / "campaigns" / "table1.toml").write_text(TEXT)
    return tmp_path


def run(folder: Path, *arguments: str) -> int:
    """Run the experiment and return its exit code."""
    with pytest.raises(SystemExit) as caught:
        experiment(folder, "An experiment.", arguments)
    code = caught.value.code
    assert isinstance(code, int)
    return code


def test_a_table_is_run_and_its_rows_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A summary is printed; rows are written when all runs are complete, for `smoke` only with --keep."""
    assert run(folder, "table1") == 0
    assert not (folder / "results").exists()
    shown = capsys.readouterr().out
    assert "edge-matching/3x3" in shown
    assert "two" in shown
    assert run(folder, "table1", "--size", "bench", "--only", "one") == 0
    assert not (folder / "results").exists()
    assert run(folder, "table1", "--size", "bench") == 0
    with (folder / "results" / "table1-bench.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["instance"], row["variant"]) for row in rows] == [
        (name, variant) for name in ("edge-matching/3x3", "quadratic-assignment/grid30") for variant in ("one", "two")
    ]
    assert all(row["score"] for row in rows)
    about = json.loads((folder / "results" / "table1-bench.about.json").read_text())
    assert about["versions"]["matheur"]
    assert about["machine"]["cores"]


def test_another_solver_has_a_folder_and_rows_of_its_own(folder: Path) -> None:
    """`--solver` changes the base of all variants, and its rows have their own file."""
    assert run(folder, "table1", "--solver", "scip", "--keep") == 0
    assert (folder / "results" / "table1-smoke-scip.csv").exists()
    plan = json.loads((folder / "campaigns" / "table1-smoke-scip.campaign" / "plan.json").read_text())
    assert {one["solver"]["name"] for one in plan["configurations"]} == {"scip"}


def test_mistakes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Unknown tables and sizes are refused."""
    assert run(folder, "table1", "--size", "huge") == 2
    assert "there is no size 'huge'" in capsys.readouterr().err
    assert run(folder, "table9") == 2


def test_a_script_makes_what_is_no_campaign(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Scripts get only the size; they run one after another until one fails."""
    (folder / "one.py").write_text("import sys\nprint('one', *sys.argv[1:])\n")
    (folder / "two.py").write_text("import sys\nprint('two')\nsys.exit(3)\n")
    scripts = {"figure1": ["one.py"], "figure2": ["two.py", "one.py"]}

    def code(*arguments: str) -> int:
        with pytest.raises(SystemExit) as caught:
            experiment(folder, "An experiment.", arguments, scripts=scripts)
        assert isinstance(caught.value.code, int)
        return caught.value.code

    assert code("figure1", "--size", "bench") == 0
    assert capfd.readouterr().out.split() == ["one", "--size", "bench"]
    assert code("figure2") == 3
    assert capfd.readouterr().out.split() == ["two"]
    assert code("figure1", "--seeds-of-my-own") == 2
    assert code("figure1", "--jobs", "2") == 2
    assert "no --jobs" in capfd.readouterr().err
    assert code("table1") == 0
