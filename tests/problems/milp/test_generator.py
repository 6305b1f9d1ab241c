"""Random linear programs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from matheur.cli import run
from matheur.errors import ConfigurationError
from matheur.linear.lp_reader import read_lp
from matheur.linear.mps_reader import read_mps
from matheur.problems.milp import TYPE, Milp
from matheur.problems.milp.generator import KINDS, chosen, for_files, generate

SMALL = {
    "lot-sizing": "2x3",
    "assignment": "3x12",
    "facilities": "4x8",
    "unit-commitment": "3x6",
    "cutting-stock": "3",
    "job-shop": "3x2",
    "rostering": "3x8",
}


def test_files_are_the_program() -> None:
    """Of every kind, as MPS and as LP, the same for the same seed; the simple plan is a solution of it."""
    assert SMALL.keys() == KINDS.keys()
    for kind, size in SMALL.items():
        options = {"kind": kind, "size": size}
        made = TYPE.generate(options, 3)
        problem = Milp(for_files(generate(*chosen(options), 3)[0]))
        assert read_mps(made.instance.splitlines()).fingerprint == problem.fingerprint
        assert read_lp(made.forms[".lp"]()).fingerprint == problem.fingerprint
        found = problem.evaluate(problem.decode(json.loads(json.dumps(made.solution))))
        assert found.feasible
        assert found.objective == made.score
        assert TYPE.generate(options, 3).instance == made.instance
        assert TYPE.generate(options, 4).instance != made.instance


def test_built_in_programs() -> None:
    """One for each kind, of its own sizes; all have their sizes in their line."""
    lines = TYPE.builtins()
    assert set(lines) == {"demo", *KINDS}
    for name in ("demo", "assignment", "facilities", "lot-sizing"):
        assert TYPE.builtin(name).model.width > 50
    assert "20 agents x 100 jobs" in lines["assignment"]
    with pytest.raises(ConfigurationError, match="sense"):
        TYPE.builtin("assignment", {"sense": "max"})


def test_options_are_checked() -> None:
    """Sizes in one word or by name; what makes no sense is an error with its value."""
    assert chosen({}) == ("lot-sizing", {})
    assert chosen({"kind": "assignment", "size": "5X20", "type": "e"})[1] == {"agents": 5, "jobs": 20, "type": "e"}
    assert chosen({"kind": "facilities", "sites": 4, "ratio": 2, "split": True})[1]["ratio"] == 2
    wrong = [
        ({"kind": "asignment"}, "Maybe 'assignment'"),
        ({"jobs": 5}, "'jobs'"),
        ({"kind": "assignment", "job": 5}, "Maybe 'jobs'"),
        ({"size": "5"}, "ITEMSxPERIODS.*Maybe '20x20'"),
        ({"size": "ax5"}, "'ax5'"),
        ({"items": 0}, "items must be a whole number from 1"),
        ({"items": 2.5}, "2.5"),
        ({"items": 10_000, "periods": 10_000}, "about 300,000,000 columns.*items 10000"),
        ({"size": "0x5"}, "items 0, periods 5"),
        ({"kind": "job-shop", "jobs": 200}, "columns"),
        ({"load": "high"}, "load must be a number above 0"),
        ({"load": float("nan")}, "nan"),
        ({"kind": "facilities", "split": 1}, "true or false"),
    ]
    for options, message in wrong:
        with pytest.raises(ConfigurationError, match=message):
            chosen(options)


def test_the_ending_of_the_name_says_the_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """MPS, LP, and compressed; the simple plan is verified, and the file is solved."""
    arguments = ["generate", "milp", "--size", "2x3", "--seed", "5", "--json"]
    texts = {}
    for name in ("a.mps", "a.lp", "a.lp.gz", "a.mps.gz"):
        path = tmp_path / name
        assert run([*arguments, "--out", str(path)]) == 0
        side = json.loads(capsys.readouterr().out)["solution"]
        assert run(["verify", str(path), side]) == 0
        capsys.readouterr()
        texts[name] = (gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()).decode()
    assert texts["a.mps"].startswith("NAME")
    assert texts["a.lp"].startswith("Minimize")
    assert (texts["a.mps.gz"], texts["a.lp.gz"]) == (texts["a.mps"], texts["a.lp"])
    assert run(["solve", str(tmp_path / "a.lp.gz"), "--seconds", "30"]) == 0
