"""Squads with the constraint sets of public squad-building programs, against CP-SAT in a formulation of its own."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from matheur import solve

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "squads.py"


@pytest.mark.skipif(importlib.util.find_spec("ortools") is None, reason="CP-SAT is not installed")
def test_three_squads_have_the_value_that_cp_sat_proves(tmp_path: Path) -> None:
    """In position with chemistry; rated with owned, required and excluded cards; the most points under a budget."""
    make = [sys.executable, str(SCRIPT), "make", str(tmp_path), "--cards", "60", "--seed", "2", "--small"]
    subprocess.run(make, check=True)
    paths = [tmp_path / f"{name}.json" for name in ("position", "rating", "points")]
    command = [sys.executable, str(SCRIPT), "cp-sat", *map(str, paths), "--seconds", "300"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    peers = {row["puzzle"]: row for row in map(json.loads, lines)}
    for path in paths:
        found = solve(path, work=100_000, settings=["construction.steps=3000"])
        assert found.status == "optimal"
        assert peers[path.stem]["status"] == "optimal"
        assert found.score == peers[path.stem]["score"], path.stem
