"""Kernels are compiled beforehand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from matheur.engine.operators import operator_entries
from matheur.engine.problem_types import tool_of
from matheur.errors import ConfigurationError
from matheur.problems import problem_types
from matheur.running import warming
from matheur.running.warming import warm

# Kernels compiled by a call, by a second one, and by a run of another instance.
COUNTED = """
import sys, matheur
from matheur.running import warming
from matheur.compiling import compilation
problem, instance = sys.argv[1:]
warming._runs = lambda *_: [("default", {"preset": "default", "seconds": 0.5})]
first, second = warming.warm(problem), warming.warm(problem)
before = compilation.compiled
matheur.solve(f"{problem}/{instance}", seconds=2)
print(first.compiled, second.compiled, compilation.compiled - before, first.runs)
"""


def counted(cache: Path, *arguments: str) -> list[int]:
    """What `COUNTED` prints in a process of its own."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", COUNTED, *arguments]
    return [
        int(word) for word in subprocess.run(command, env=environment, capture_output=True, check=True).stdout.split()
    ]


def test_nothing_is_left_to_compile(tmp_path: Path) -> None:
    """A second call finds all kernels, and so does a later run; a new process loads them from the disk."""
    first, second, later, runs = counted(tmp_path, "lights-out", "all-5x5")
    assert first > 0
    assert (second, later) == (0, 0)
    assert runs >= 6  # once more, until nothing is compiled
    assert counted(tmp_path, "lights-out", "all-5x5") == [0, 0, 0, 3]


@pytest.mark.parametrize("problem", problem_types.names())
def test_all_operators_run(problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every construction and neighbourhood with kernels, and every preset, on every instance that is listed."""
    asked: list[tuple[Any, dict[str, Any]]] = []

    class Found:
        solution = "one"

    def noted(instance: Any, **options: Any) -> Found:
        asked.append((instance, options))
        return Found()

    monkeypatch.setattr(warming, "solve", noted)
    warmed = warm(problem)
    assert warmed.runs == len(asked)
    assert len({id(instance) for instance, _ in asked}) == len(tool_of(problem, "warming")["instances"]) >= 2
    built = {options["construction"] for _, options in asked if "construction" in options}
    improved = {name for _, options in asked for name in options.get("neighbourhoods") or ()}
    for kind, names in (("construction", built), ("neighbourhood", improved)):
        for entry in operator_entries(problem, kind):  # type: ignore[arg-type]
            assert entry.name in names or entry.name.startswith(("milp", "external"))
    assert any(options.get("preset") == "default" for _, options in asked)
    assert all(options.get("start") == "one" for _, options in asked if options.get("neighbourhoods"))


def test_a_wish_to_stop_is_heard() -> None:
    """No further run begins."""
    assert warm("party", interrupt=lambda: True).runs == 0


def test_an_unknown_problem_is_refused() -> None:
    """With the nearest known one."""
    with pytest.raises(ConfigurationError, match="Maybe 'party'"):
        warm("partty")
