"""The child process of a solve."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from matheur.errors import ConfigurationError, SolverError
from matheur.solvers.isolated import Ended, Line, run_isolated
from matheur.solvers.port import MilpStatus, SolveRequest


def run(task: object, request: SolveRequest | None = None) -> Ended:
    return run_isolated(
        task,  # type: ignore[arg-type]
        request or SolveRequest(),
        name="toy",
        started=time.perf_counter(),
        variables=(),
    )


def test_crash_is_an_error_that_names_the_backend() -> None:
    """A solver that kills its process does not kill ours."""
    with pytest.raises(SolverError, match="toy died without an answer"):
        run(lambda _line: os.abort())


def test_exceptions_come_back() -> None:
    """Our own errors keep their type, others become solver errors."""

    def ours(_line: Line) -> Ended:
        raise ConfigurationError("not so")

    def other(_line: Line) -> Ended:
        raise OSError("disk gone")

    with pytest.raises(ConfigurationError, match="not so"):
        run(ours)
    with pytest.raises(SolverError, match="OSError: disk gone"):
        run(other)


def test_child_that_overruns_its_limit_is_killed_with_its_incumbent_kept() -> None:
    """A solver that ignores its clock is stopped from outside; incumbent and bound survive."""

    def stubborn(line: Line) -> Ended:
        line.progress(3.0, 17)
        line.incumbent(5.0, 3.0, np.zeros(0))
        time.sleep(60)
        return Ended(MilpStatus.OPTIMAL)

    started = time.monotonic()
    ended = run(stubborn, SolveRequest(seconds=0.1))
    assert time.monotonic() - started < 30
    assert (ended.status, ended.objective, ended.bound, ended.nodes) == (MilpStatus.FEASIBLE, 5.0, 3.0, 17)
    assert [point.objective for point in ended.trace] == [5.0]
    assert "killed" in ended.message


def test_child_is_collected() -> None:
    """No zombie of a solve stays behind."""
    before = zombies()
    run(lambda _line: Ended(MilpStatus.INFEASIBLE))
    assert zombies() <= before


def zombies() -> set[int]:
    """Children of this process that have ended and wait to be collected."""
    found = set()
    for folder in Path("/proc").iterdir():
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split() if folder.name.isdigit() else []
        except OSError:  # it has just gone
            continue
        if fields and fields[0] == "Z" and int(fields[1]) == os.getpid():
            found.add(int(folder.name))
    return found
