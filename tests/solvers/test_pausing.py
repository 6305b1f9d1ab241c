"""Solves on arrays that are paused: they go on where they were, take solutions, and leave no process behind."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path

import numpy as np
import pytest
from contracts import milp

from matheur.engine.budget import Budget
from matheur.solvers import MilpStatus, SolveRequest, get_backend
from matheur.solvers.linear import LinearSolve, solve_linear


def gone(process: int) -> bool:
    """Whether there is no such process any more."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def stands_still(process: int) -> bool:
    """Whether it is stopped, within a few seconds; True where the system does not tell."""
    stat = Path(f"/proc/{process}/stat")
    for _ in range(500):
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "T":
            return True
        time.sleep(0.01)
    return False


def process_of(solve: LinearSolve) -> int:
    """Number of its process."""
    assert solve._solve is not None
    return solve._solve._child


@pytest.mark.parametrize("name", ["highs", "scip", "cp-sat", "pyomo:cbc"])
def test_a_paused_solve_ends_as_one_that_is_not(name: str) -> None:
    """Also where the backend cannot wait, and begins again."""
    backend = get_backend(name)
    if not backend.available():
        pytest.skip(f"{name} is not installed")
    problem = milp.problem("knapsack")
    with LinearSolve(backend, problem.model) as solve:
        answer, pauses = solve.run(pause=lambda: True), 0
        while solve.waits and pauses < 3:
            answer, pauses = solve.run(pause=lambda: True), pauses + 1
        if solve.waits:
            answer = solve.run()
        assert not solve.waits
    assert answer.status is MilpStatus.OPTIMAL
    assert answer.objective == solve_linear(backend, problem.model).objective


@pytest.mark.parametrize("name", ["highs", "scip"])
def test_a_paused_solve_stands_still_and_takes_a_solution(name: str) -> None:
    """The solution that it is given is the optimum that it then proves."""
    model, planted = milp.market_split(4, 32)
    with LinearSolve(get_backend(name), model) as solve:
        first = solve.run(seconds=0.5)
        assert solve.waits
        process = process_of(solve)
        assert stands_still(process)
        solve.give(planted)
        last = solve.run()
        assert not solve.waits
        assert gone(process)
    assert first.objective is None or first.objective > 0.5
    assert last.status is MilpStatus.OPTIMAL
    assert last.objective == pytest.approx(0)
    assert last.values is not None
    assert np.array_equal(last.values, planted)


def test_a_waiting_process_ends_with_its_solve() -> None:
    """Closed, forgotten, or kept by a run that is over."""
    model, _ = milp.market_split(4, 32)

    def paused() -> tuple[LinearSolve, int]:
        solve = LinearSolve(get_backend("highs"), model)
        solve.run(seconds=0.1)
        assert solve.waits
        return solve, process_of(solve)

    solve, process = paused()
    solve.close()
    assert gone(process)
    solve, process = paused()
    del solve
    gc.collect()
    assert gone(process)
    budget = Budget()
    budget.child().kept["a solve"], process = paused()
    assert not gone(process)
    budget.close()
    assert gone(process)


def test_a_signal_ends_it_with_what_it_has() -> None:
    """It is over then, and does not wait."""
    model, _ = milp.market_split(4, 32)
    with LinearSolve(get_backend("highs"), model, SolveRequest(seconds=60)) as solve:
        answer = solve.run(interrupt=lambda: True, pause=lambda: True)
        assert not solve.waits
    assert answer.status in (MilpStatus.UNKNOWN, MilpStatus.FEASIBLE)
    assert answer.message == "interrupted"
