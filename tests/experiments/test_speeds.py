"""The script of speeds runs its cases by names that hold in every version."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "speeds.py"


def speeds(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The script, run."""
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False)


def test_cases_are_listed() -> None:
    """Every problem has a case, and no name stands twice."""
    names = [line.split()[0] for line in speeds("list").stdout.splitlines()]
    assert len(names) == len(set(names))
    for problem in (
        "edge-matching",
        "max-clique",
        "cubical",
        "sliding-tile",
        "lights-out",
        "sokoban",
        "rubik",
        "party",
    ):
        assert any(name.startswith(f"{problem}-") for name in names)


def test_a_case_is_measured() -> None:
    """A measurement says how much work was done, and in which CPU seconds."""
    done = speeds("measure", "lights-out-linear-algebra")
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert row["work"] > 0
    assert row["cpu"] > 0
    assert row["objective"] is not None


def test_an_unknown_case_is_refused() -> None:
    """A name of no case is an error of one line."""
    done = speeds("run", "nothing")
    assert done.returncode != 0
    assert "unknown case 'nothing'" in done.stderr
