"""Feature space search: its plans, its limits, and what it finds where A* finds a plan."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from problems.sokoban.small_levels import level_of

from matheur.engine import Budget, Status
from matheur.engine.source import Source
from matheur.errors import ConfigurationError
from matheur.problems.sokoban import Instance, Sokoban, builtin, generate, read_levels
from matheur.problems.sokoban.operators.feature_search import FeatureSearch as Construction
from matheur.problems.sokoban.search.feature_pair import FeaturePair
from matheur.problems.sokoban.search.feature_search import FeatureSearch
from matheur.problems.sokoban.search.floor import Floor
from matheur.problems.sokoban.search.packing import packing_plan
from matheur.problems.sokoban.search.plan_windows import shortened
from matheur.problems.sokoban.search.push_search import push_astar


@pytest.mark.parametrize("by_pushes", [False, True], ids=["moves", "pushes"])
def test_it_solves_what_can_be_solved(by_pushes: bool) -> None:
    """Small random levels: a plan that works if and only if there is one, and no claim that there is none."""
    solved = lost = 0
    for seed in range(400):
        level = level_of(seed, boxes=2 + seed % 3, rows=6, columns=7, walls=0.1)
        if level is None:
            continue
        problem = Sokoban(replace(level, cost="pushes" if by_pushes else "moves"))
        answer, exact = FeatureSearch(problem.instance).run(Budget()), push_astar(problem.instance)
        assert (answer.plan is None) == exact.unreachable, seed
        assert (answer.unreachable, answer.bound) == (False, 0)
        if answer.plan is not None:
            evaluation = problem.evaluate(answer.plan)
            assert (evaluation.feasible, evaluation.objective) == (True, answer.cost)
            assert answer.cost >= exact.cost
        solved, lost = solved + (answer.plan is not None), lost + exact.unreachable
    assert min(solved, lost) > 20


def test_limits() -> None:
    """Work limits are exact, runs can be taken up again with the same plan, and memory ends a search."""
    level = generate(18, 22, seed=3, boxes=14)[0]
    whole = FeatureSearch(level).run(Budget())
    assert Sokoban(level).evaluate(whole.plan).feasible
    assert whole.expanded > 10
    parts = FeatureSearch(level)
    answers = [parts.run(Budget(work=1)) for _ in range(whole.expanded)]
    assert [answer.expanded for answer in answers] == list(range(1, whole.expanded + 1))
    assert [answer.limit for answer in answers] == ["work"] * (whole.expanded - 1) + [None]
    assert np.array_equal(answers[-1].plan, whole.plan)
    assert FeatureSearch(level).run(Budget(interrupt=lambda: True)).limit == "interrupt"


def test_two_searches_in_turn(data: Path) -> None:
    """A level that one feature space does not solve soon and the other does; runs in parts end in the same plan."""
    path = data / "state_space" / "sokoban_collections" / "XSokoban_90.xsb"
    level = read_levels(Source(path.name, path.read_bytes()))[16]
    assert FeatureSearch(level).run(Budget(work=1024)).plan is None
    whole = FeaturePair(level).run(Budget(work=10_000))
    assert Sokoban(level).evaluate(whole.plan).objective == whole.cost
    parts = FeaturePair(level)
    answer = parts.run(Budget(work=100))
    while answer.plan is None:
        assert (answer.limit, answer.expanded % 100) == ("work", 0)
        answer = parts.run(Budget(work=100))
    assert (answer.expanded, answer.cost) == (whole.expanded, whole.cost)
    assert parts.run(Budget(work=100)).cost == whole.cost
    small = FeaturePair(level, memory=2 << 20).run(Budget(work=10_000))
    assert (small.limit, small.plan, small.memory <= 2 << 20) == ("memory", None, True)


def test_memory_grows_and_ends(data: Path) -> None:
    """A level that is not solved soon needs more and more, and ends at what the option allows."""
    path = data / "state_space" / "sokoban_collections" / "Microban_155.xsb"
    level = read_levels(Source(path.name, path.read_bytes()))[152]
    small = FeatureSearch(level, memory=2 << 20).run(Budget(work=50_000))
    assert (small.limit, small.plan) == ("memory", None)
    assert small.memory <= 2 << 20
    large = FeatureSearch(level).run(Budget(work=small.expanded + 100))
    assert large.expanded == small.expanded + 100
    assert large.memory > small.memory


def test_a_huge_level_is_refused() -> None:
    """One whose steps would last seconds: by the search with the number, by the construction in words."""
    rows = ["#" * 99, "#@" + "$." * 48 + "#", *["#" + " " * 97 + "#"] * 90, "#" * 99]
    level = read_levels(Source("l", "\n".join(rows).encode()))[0]
    with pytest.raises(ValueError, match="product of boxes"):
        FeatureSearch(level)
    with pytest.raises(ConfigurationError, match="product of boxes"):
        Construction().build(Sokoban(level), Budget(), np.random.default_rng(0))
    with pytest.raises(ConfigurationError, match="nodes"):
        Construction(nodes=-1)


@pytest.mark.parametrize("cost", ["moves", "pushes"])
def test_windows_shorten_plans(cost: str) -> None:
    """Each plan that is handed out works and costs less than the one before; the last one is the answer."""
    text = "########\n#      #\n# $  $ #\n#  ##  #\n# .$   #\n#  .$  #\n#@  . .#\n########\n"
    level = replace(read_levels(Source("l", text.encode()))[0], cost=cost)
    problem, offered = Sokoban(level), list[int]()

    def check(plan: np.ndarray, objective: float) -> None:
        assert problem.evaluate(plan).objective == objective
        offered.append(int(objective))

    begin = FeatureSearch(level).run(Budget())
    end = shortened(level, begin, Budget(on_incumbent=check), nodes=5000)
    assert offered
    assert all(one > two for one, two in pairwise([begin.cost, *offered]))
    assert (end.cost, end.expanded) == (offered[-1], end.expanded)
    assert problem.evaluate(end.plan).objective == end.cost
    assert shortened(level, begin, Budget(), nodes=0) == begin


def test_the_construction() -> None:
    """Within work: the same plan twice, and no claim on a level without solution."""
    problem = Sokoban(generate(16, 20, seed=1, boxes=12)[0])
    budgets = [Budget(work=3000) for _ in range(2)]
    outcomes = [Construction().build(problem, budget, np.random.default_rng(0)) for budget in budgets]
    assert outcomes[0].status is Status.IMPROVED
    assert budgets[0].spent_work <= 3000
    assert np.array_equal(outcomes[0].solution, outcomes[1].solution)
    assert outcomes[0].objective == problem.evaluate(outcomes[0].solution).objective
    stuck = Construction().build(Sokoban(builtin("stuck")), Budget(), np.random.default_rng(0))
    assert (stuck.status, stuck.bound) == (Status.EXHAUSTED, None)


def test_solved_from_the_beginning() -> None:
    """A level whose boxes are home has the empty plan."""
    level = Instance(3, 5, tuple(cell not in (6, 7, 8) for cell in range(15)), (7,), (7,), 6)
    answer = FeatureSearch(level).run(Budget())
    assert (len(answer.plan), answer.cost) == (0, 0)


def test_goal_rooms_are_filled_from_the_far_end() -> None:
    """The plan of a room with one door begins at its far wall and locks no box out that is still to come."""
    text = "##############\n#@   ###  ...#\n# $$$     ...#\n#    ###  ...#\n"
    text += "# $$$#########\n#    #########\n" * 2 + "##############\n"
    level = read_levels(Source("l", text.encode()))[0]
    floor = Floor.of(level)
    boxes = np.array([floor.cells.index(box) for box in level.boxes])
    plan = packing_plan(floor, boxes)
    columns = [floor.cells[goal] % level.columns for goal in plan.goals]
    assert sorted(plan.goals.tolist()) == sorted(floor.goals)
    assert columns[:2] == [12, 12]
    assert columns[-1] == 10
    for filled in range(len(plan.goals)):
        assert not plan.locked[filled, boxes].any()
        assert plan.locked[filled, plan.goals[:filled]].all()
