"""The MILP solver as a construction."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from contracts import milp

from matheur.engine import Budget
from matheur.engine.operators import operator_entries
from matheur.engine.outcome import Status
from matheur.engine.source import Source
from matheur.problems.milp.operators import whole
from matheur.problems.milp.operators.portfolio import Portfolio
from matheur.problems.milp.operators.solver import Solver
from matheur.problems.milp.operators.stall import Stall
from matheur.problems.milp.problem_type import TYPE
from matheur.running.configuration import resolve
from matheur.solvers.highs import HighsBackend


def test_solutions_on_the_way_count_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the solver shows integers that are nearly whole; what is no solution is left out."""
    problem, solved, offered = milp.problem("mixed"), whole.run_arrays, []
    known = milp.some_values(problem)
    nearly = known + np.where(problem.model.integral, 1e-9, 0.0)

    def telling(*args: Any, on_values: Any, **named: Any) -> Any:
        on_values(nearly)
        on_values(known + 0.3)
        return solved(*args, on_values=on_values, **named)

    monkeypatch.setattr(whole, "run_arrays", telling)
    budget = Budget(on_incumbent=lambda values, objective: offered.append((values, objective)))
    Solver().build(problem, budget, np.random.default_rng(1))
    values, objective = offered[0]
    assert np.array_equal(values, known)
    assert objective == problem.evaluate(known).objective
    assert all(problem.evaluate(one).feasible for one, _ in offered)


def test_handing_the_model_over_ends_with_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether its time is over or somebody wants to stop, also if the binding of a solver takes long for the model."""
    problem = milp.problem("mixed")

    def endless(*_: Any) -> Any:
        while True:
            pass

    monkeypatch.setattr(HighsBackend, "begin_task", endless)
    for budget in (Budget(seconds=0.01), Budget(interrupt=lambda: True)):
        outcome = Solver().build(problem, budget, np.random.default_rng(1))
        assert (outcome.status, outcome.solution, outcome.bound) == (Status.EXHAUSTED, None, None)


def test_presets_leave_the_solver_alone_or_share_the_time() -> None:
    """The default has every neighbourhood that looks for better integers, and half of the time for them."""
    default, alone = resolve("milp"), resolve("milp", preset="solver")
    known = {entry.name for entry in operator_entries("milp", "neighbourhood")}
    assert set(default.neighbourhoods) == known - {"objective", "polish"}
    assert default.neighbourhood_share == 0.5
    assert (alone.construction["name"], alone.neighbourhoods) == ("solver", ())


@dataclass
class Progress:
    """How far a solve has come."""

    best: int | float | None = None
    found_at: float = 0.0
    bound: int | float | None = None
    seconds: float = 0.0

    def found(self, objective: int | float) -> None:
        """Find something."""
        self.best, self.found_at = objective, self.seconds


def test_a_solve_that_stalls_ends_where_others_could_use_its_time() -> None:
    """After some seconds and a part of its time without a gain; later where it has not closed a fifth of the gap."""
    solve = Progress(best=100)
    stall = Stall(20.0, solve)
    for seconds, found, bound, over in [
        (59.0, None, None, False), (61.0, None, None, True), (61.0, None, 50, True),
        (61.0, 91, 50, False), (99.0, None, 50, False), (100.0, 80, 50, False),
        (160.0, None, 50, False), (170.0, None, 50, True),
        (170.0, None, 79.5, False), (170.0, None, 70, True), (170.0, 79, 70, False),
    ]:  # fmt: skip
        solve.seconds, solve.bound = seconds, bound
        if found is not None:
            solve.found(found)
        assert stall.over() is over, (seconds, over)
    assert not Stall(20.0, solve).over()


def test_a_solve_does_not_stall_before_its_first_solution_where_the_gap_is_large() -> None:
    """The bound may be its own, or come from elsewhere; with one of its own solutions it stalls as all others do."""
    solve = Progress(best=100)
    far, near = Stall(20.0, solve, bound=40), Stall(20.0, solve, bound=60)
    solve.seconds = 500.0
    assert (far.over(), near.over()) == (False, True)
    solve.bound = 40
    assert not near.over()
    solve.found(99)
    solve.seconds = 600.0
    assert (far.over(), near.over()) == (True, True)


def test_budgets_know_whether_others_come_after_them() -> None:
    """A part of the seconds leaves time to others; one with all of them, or without seconds, does not."""
    run = Budget(seconds=100)
    assert run.child(seconds=10).leaves_time
    assert not run.child().leaves_time
    assert not run.leaves_time
    assert not Budget(work=10).child(work=5).leaves_time


def test_the_portfolio_hands_the_best_start_to_the_solver() -> None:
    """The searches without a tree find solutions of a covering problem, the solver proves that the best is optimal."""
    rng = np.random.default_rng(3)
    rows = "".join(
        f" r{row}: {' + '.join(f'x{x}' for x in rng.choice(30, 4, replace=False))} >= 1\n" for row in range(40)
    )
    names = " ".join(f"x{x}" for x in range(30))
    text = f"minimize\n {' + '.join(f'{x % 5 + 2} x{x}' for x in range(30))}\nsubject to\n{rows}binary\n {names}\nend\n"
    problem = TYPE.read(Source("cover.lp", text.encode()))
    offered: list[int | float] = []
    budget = Budget(work=2000, on_incumbent=lambda _, objective: offered.append(objective))
    outcome = Portfolio().build(problem, budget, np.random.default_rng(1))
    assert outcome.optimal
    assert len(offered) > 1
    assert outcome.objective == Solver().build(problem, Budget(), np.random.default_rng(1)).objective


def test_an_easy_model_is_solved_without_what_only_hard_ones_need() -> None:
    """The default preset loads neither Pyomo nor SciPy nor the compiler of kernels where the first turn is enough."""
    code = """
import sys
import matheur
from matheur.linear.lp_reader import read_lp
from matheur.problems.milp import Milp

model = read_lp("max\\n o: 2 x + 3 y\\nst\\n r: x + y <= 7\\nbounds\\n x <= 5\\n y <= 5\\ngeneral\\n x y\\nend")
print(matheur.solve(Milp(model), seconds=20).objective, [m for m in ("pyomo", "scipy", "numba") if m in sys.modules])
"""
    shown = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["19", "[]"]
