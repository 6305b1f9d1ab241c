"""Windows of plans, planned again by search and by MILP."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.plans.puzzles import PancakeProblem, best_cost, cube, detour

from matheur.engine import Budget, Event, Status
from matheur.errors import ConfigurationError, MatheurError
from matheur.methods.learning import Encoding, Model, NetworkSpec, write_model
from matheur.methods.milp import SolverOptions
from matheur.methods.statespace.breadth_first import bidirectional
from matheur.methods.statespace.domains import domain_of
from matheur.problems.plans.milp_window import MilpWindow
from matheur.problems.plans.segments import ladder
from matheur.problems.plans.trajectory import Trajectory
from matheur.problems.plans.window import Window
from matheur.problems.sliding_tile import Instance as Tiles
from matheur.problems.sliding_tile import SlidingTile
from matheur.problems.sliding_tile.problem_type import TYPE
from matheur.problems.sokoban.problem_type import TYPE as SOKOBAN
from matheur.running.solving import solve

SMALL = cube(3, 1, "6 4 5 1", "4 1 5 6")
LARGER = cube(5, 4, "30 29 0 17 4 1", "17 30 0 29 4 1")


def closed(operator: Any, problem: Any, plan: Any, budget: Budget | None = None, seed: int = 0) -> tuple[Any, Any]:
    """Call until a local optimum is proved: the plan then, and the last outcome."""
    budget, rng = Budget() if budget is None else budget, np.random.default_rng(seed)
    for _ in range(100):
        outcome = operator.explore(problem, plan, budget, rng)
        plan = plan if outcome.solution is None else outcome.solution
        assert problem.evaluate(plan).feasible
        if outcome.status is Status.LOCAL_OPTIMUM:
            return plan, outcome
    raise AssertionError("no local optimum after 100 calls")


def test_lengths_grow_to_the_whole_plan() -> None:
    """By half each time, and the last one is the longest."""
    assert ladder(8, 30) == [8, 12, 18, 27, 30]
    assert ladder(1, 3) == [1, 2, 3]
    assert ladder(5, 5) == [5]
    assert ladder(0, 0) == [0]


@pytest.mark.parametrize("search", ["auto", "astar", "bidirectional"])
@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_a_plan_whose_windows_are_easy_becomes_optimal(search: Any, seed: int) -> None:
    """The whole plan is the last window: its proof is a bound."""
    plan, outcome = closed(Window(search=search), SMALL, detour(SMALL, np.random.default_rng(seed), 10), seed=seed)
    assert len(plan) == 6
    assert outcome.bound in (None, 6)
    fresh = Window(search=search).explore(SMALL, plan, Budget(), np.random.default_rng(0))
    assert fresh.bound == 6
    assert fresh.solution is None
    assert fresh.certificate["backend"] == ("bidirectional" if search == "bidirectional" else "astar")


def test_uneven_costs() -> None:
    """Windows are compared by cost, not by moves; a domain in NumPy without heuristics is searched in batches."""
    problem = PancakeProblem((3, 1, 4, 0, 2))
    plan, outcome = closed(Window(length=2), problem, detour(problem, np.random.default_rng(0), 5))
    best = best_cost(problem.domain())
    assert problem.evaluate(plan).objective == best
    assert outcome.bound in (None, best)


def test_short_windows_leave_short_optimal_segments() -> None:
    """In a local optimum of windows of four moves every segment that was tried is optimal."""
    operator = Window(length=4, longest=4, order="sweep")
    plan, outcome = closed(operator, LARGER, detour(LARGER, np.random.default_rng(3), 12))
    path = Trajectory.of(domain_of(LARGER), plan)
    assert outcome.bound is None
    tried = range(0, len(path) - 3, 2)
    assert tried
    for first in tried:
        part = path.domain.between(path.states[first], path.states[first + 4])
        assert bidirectional(part).cost == 4


def test_hard_windows_are_given_up_and_remembered() -> None:
    """Ten states are too few for the whole plan: no bound of 13, and the second call does no work."""
    operator, budget = Window(nodes=10, iterations=200), Budget()
    plan, outcome = closed(operator, LARGER, detour(LARGER, np.random.default_rng(4), 10), budget)
    assert outcome.bound is None or outcome.bound < 13
    before = budget.spent_work
    again = operator.explore(LARGER, plan, budget, np.random.default_rng(9))
    assert again.status is Status.LOCAL_OPTIMUM
    assert budget.spent_work == before
    easier = replace(operator, nodes=200_000)
    easier.explore(LARGER, plan, budget, np.random.default_rng(9))
    assert budget.spent_work > before


def test_proofs_are_shared_and_bound_to_their_content() -> None:
    """What a search has proved a MILP does not solve again, and a plan with other states is looked at anew."""
    plan, budget = detour(SMALL, np.random.default_rng(1), 0), Budget()
    assert len(plan) == 6
    closed(Window(longest=8, length=5), SMALL, plan, budget)
    before = budget.spent_work
    outcome = MilpWindow(length=5).explore(SMALL, plan, budget, np.random.default_rng(0))
    assert (outcome.status, budget.spent_work) == (Status.LOCAL_OPTIMUM, before)
    other = cube(3, 1, "4 1 5 6", "6 4 5 1")
    backwards = detour(other, np.random.default_rng(1), 0)
    MilpWindow().explore(other, backwards, budget, np.random.default_rng(0))
    assert budget.spent_work > before


@pytest.mark.parametrize("solver", ["highs", "scip"])
@pytest.mark.parametrize("seed", range(3))
def test_milp_and_search_agree(solver: str, seed: int) -> None:
    """A local optimum of MILP windows of five moves has no shorter segment by breadth-first search either."""
    problem = cube(3, 2, "6 1 4", "1 5 6")
    operator = MilpWindow(length=5, longest=5, seconds=None, solver=SolverOptions(solver))
    plan, _ = closed(operator, problem, detour(problem, np.random.default_rng(seed), 8))
    path = Trajectory.of(domain_of(problem), plan)
    for first in range(0, max(1, len(path) - 4), 2):
        last = min(first + 5, len(path))
        assert best_cost(path.domain, path.states[first], path.states[last]) == last - first


def test_the_milp_proves_whole_plans() -> None:
    """When the whole plan is a window, the bound comes with the backend's certificate."""
    problem = cube(3, 2, "6 1 4 5", "4 1 5 6")
    plan = detour(problem, np.random.default_rng(2), 0)
    outcome = MilpWindow(length=8).explore(problem, plan, Budget(), np.random.default_rng(0))
    assert outcome.bound == len(plan) == 6
    assert outcome.certificate["backend"] == "highs"


def test_puzzles_that_move_no_pieces_have_no_milp() -> None:
    """One clear line says so."""
    problem = PancakeProblem((2, 0, 1))
    with pytest.raises(ConfigurationError, match=r"milp-window.*cost 1"):
        MilpWindow().explore(problem, detour(problem, np.random.default_rng(0), 2), Budget(), np.random.default_rng(0))


def test_an_empty_plan_is_optimal() -> None:
    """Nothing to plan again: bound 0."""
    problem = cube(3, 1, "0 5", "0 5")
    empty = np.empty(0, dtype=np.int32)
    for operator in (Window(), MilpWindow()):
        outcome = operator.explore(problem, empty, Budget(), np.random.default_rng(0))
        assert (outcome.status, outcome.bound) == (Status.LOCAL_OPTIMUM, 0)


def test_work_is_not_overdrawn() -> None:
    """A call ends with its work, and says that it was not finished."""
    plan = detour(LARGER, np.random.default_rng(6), 20)
    budget = Budget(work=3000)
    outcome = Window().explore(LARGER, plan, budget, np.random.default_rng(0))
    assert budget.spent_work <= 3000
    assert outcome.status in (Status.IMPROVED, Status.EXHAUSTED)


@pytest.mark.parametrize("cls", [Window, MilpWindow])
def test_options_out_of_range_are_refused(cls: Any) -> None:
    """The error names the option and its value."""
    with pytest.raises(ConfigurationError, match=r"length.*0"):
        cls(length=0)
    with pytest.raises(ConfigurationError, match=r"longest.*3 < 5"):
        cls(length=5, longest=3)
    with pytest.raises(ConfigurationError, match=r"nodes.*0"):
        Window(nodes=0)


def network_of(problem: Any, estimate: float) -> Model:
    """A network that gives the same estimate of all states, so that A* finds optimal plans for 1."""
    domain = domain_of(problem)
    encoding = Encoding.of(domain)
    spec = NetworkSpec(encoding.units, 1, hidden=(4,), normalised=False)
    arrays = {name: np.zeros(shape, dtype=np.float32) for name, shape in spec.shapes.items()}
    arrays["output.bias"] += np.float32(estimate)
    return Model(spec, arrays, encoding, "distance", domain.name, domain.fingerprint, domain.goal)


@pytest.mark.parametrize("problem", [SMALL, SlidingTile(Tiles(2, 3, (4, 1, 3, 0, 2, 5)))], ids=["cubical", "tiles"])
def test_a_network_is_asked_about_the_goals_of_windows(problem: Any, tmp_path: Path) -> None:
    """Every window, whatever its goal, and windows grow although nothing is proved."""
    write_model(tmp_path / "one.npz", network_of(problem, 1))
    plan, outcome = closed(
        Window(length=3, search="astar", heuristic=f"{tmp_path}/one.npz"),
        problem, detour(problem, np.random.default_rng(0), 10),
    )  # fmt: skip
    best = bidirectional(domain_of(problem)).cost
    assert len(plan) == best
    assert outcome.bound is None or outcome.bound <= best


def test_a_network_that_does_not_suit_windows_is_refused_before_the_construction(tmp_path: Path) -> None:
    """A level of Sokoban has walls and goals that no other names change; a foreign network is named; so is no file."""
    level = SOKOBAN.builtin("demo", {})
    write_model(tmp_path / "level.npz", network_of(level, 1))
    write_model(tmp_path / "tiles.npz", network_of(TYPE.builtin("3x3", {}), 1))
    options = {"construction": "portfolio", "neighbourhoods": ["window"], "iterations": 1}
    for problem, heuristic, words in (
        (level, f"{tmp_path}/level.npz", "knows one goal, and 'sokoban"),
        (level, "max(zero,learnt)", "learnt|knows one goal"),
        (SMALL, f"{tmp_path}/tiles.npz(less=1)", "trained for 'sliding-tile 3x3', not for 'cubical"),
        (SMALL, f"{tmp_path}/none.npz", "none.npz"),
        (SMALL, "max(zero,haming)", "unknown heuristic 'haming'"),
        (TYPE.builtin("4x4", {}), "max(manhattan,6-6-3)", "'6-6-3' is for the goal of the puzzle, windows have others"),
    ):
        events: list[Event] = []
        with pytest.raises(MatheurError, match=words):
            solve(
                problem, **options, settings=[f"neighbourhood.window.heuristic={heuristic}"], observers=[events.append]
            )
        assert not events
