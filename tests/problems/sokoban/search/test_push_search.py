"""A* over pushes against the general searches, in moves and in pushes."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.sokoban.small_levels import flood, level_of, pushes_from

from matheur.engine import Budget, Status
from matheur.engine.source import Source
from matheur.errors import ConfigurationError
from matheur.methods.statespace import astar, bfs, heuristic_by_name
from matheur.methods.statespace.pace import FIRST
from matheur.problems.sokoban import Instance, Sokoban, builtin, generate, read_instance, split_levels
from matheur.problems.sokoban.domain import sokoban_domain
from matheur.problems.sokoban.operators.push_astar import PushAStar
from matheur.problems.sokoban.search import push_search
from matheur.problems.sokoban.search.feature_search import FeatureSearch
from matheur.problems.sokoban.search.floor import Floor
from matheur.problems.sokoban.search.push_kernels import search
from matheur.problems.sokoban.search.push_search import PushSearch, push_astar


@pytest.mark.parametrize("seed", range(10))
def test_it_agrees_with_the_general_searches(seed: int) -> None:
    """Random levels: the same cost as A* over single steps, in both costs, and plans that work."""
    level = generate(8, 9, seed=seed, boxes=2 + seed % 2)[0]
    for cost in ("moves", "pushes"):
        problem = Sokoban(replace(level, cost=cost))
        answer = push_astar(problem.instance)
        domain = sokoban_domain(problem)
        other = astar(domain, heuristic_by_name(domain, "pushes"))
        assert (answer.cost, answer.proved) == (other.cost, True)
        evaluation = problem.evaluate(answer.plan)
        assert (evaluation.feasible, evaluation.objective) == (True, answer.cost)
    assert bfs(sokoban_domain(Sokoban(level))).cost == push_astar(level).cost


@pytest.mark.parametrize("seed", range(4))
def test_large_levels_agree_too(seed: int) -> None:
    """Keys of several words: the same cost as A* over single steps, in both costs."""
    level = generate(18, 19, seed=seed, boxes=2, pulls=10)[0]
    assert Floor.of(level).alive.sum() > 64
    for cost in ("moves", "pushes"):
        problem = Sokoban(replace(level, cost=cost))
        domain = sokoban_domain(problem)
        answer = push_astar(problem.instance)
        assert answer.cost == astar(domain, heuristic_by_name(domain, "pushes")).cost
        assert problem.evaluate(answer.plan).objective == answer.cost


@settings(max_examples=60)
@given(st.integers(0, 1 << 30), st.integers(1, 3), st.booleans())
def test_whether_a_level_has_a_solution(seed: int, many: int, by_pushes: bool) -> None:
    """Boxes and goals thrown at random into small rooms, mostly unsolvable: breadth-first search says the same."""
    rng = np.random.default_rng(seed)
    walls = np.ones((6, 7), dtype=np.bool_)
    walls[1:-1, 1:-1] = rng.random((4, 5)) < 0.2
    free = rng.permutation(np.flatnonzero(~walls.ravel())).tolist()
    if len(free) <= 2 * many:
        return
    goals = tuple(sorted(rng.permutation(free)[:many].tolist()))
    boxes, cost = tuple(sorted(free[:many])), "pushes" if by_pushes else "moves"
    problem = Sokoban(Instance(6, 7, tuple(walls.ravel().tolist()), goals, boxes, free[-1], cost))
    answer = push_astar(problem.instance)
    if len(set(boxes) & set(problem.instance.region)) != len(set(goals) & set(problem.instance.region)):
        assert answer.unreachable or problem.evaluate(answer.plan).feasible
        return
    if problem.infeasible_reason() is not None:
        assert answer.unreachable
        return
    domain = sokoban_domain(problem)
    other = astar(domain, heuristic_by_name(domain, "zero"))
    assert (answer.cost, answer.unreachable) == (other.cost, other.unreachable)
    assert push_astar(problem.instance, weight=5).unreachable == answer.unreachable


FROZEN = {
    "between walls left and right": "#######\n#     #\n#  $# #\n# #$  #\n#   ..#\n# @   #\n#######\n",
    "along a wall": "########\n#  $$..#\n#      #\n#  @   #\n########\n",
    "two by two": "########\n#      #\n# $$ ..#\n# $$ ..#\n#@     #\n########\n",
}


@pytest.mark.parametrize("case", FROZEN)
def test_frozen_boxes(case: str) -> None:
    """Boxes that hold each other off the goals are named, and nothing is expanded, though each alone could get home."""
    problem = Sokoban(read_instance(Source("l", FROZEN[case].encode())))
    assert (problem.infeasible_reason() or "").startswith("walls and other boxes hold the box in row ")
    answer = push_astar(problem.instance)
    assert (answer.unreachable, answer.expanded) == (True, 0)


def test_a_level_without_solution_is_proved() -> None:
    """Also where no plain argument shows it: the player is on the wrong side of a box in a corridor."""
    text = "########\n#. @$  #\n########\n"
    problem = Sokoban(read_instance(Source("l", text.encode())))
    assert problem.infeasible_reason() is None
    assert push_astar(problem.instance).unreachable
    outcome = PushAStar().build(problem, Budget(), np.random.default_rng(0))
    assert outcome.status is Status.INFEASIBLE
    assert push_astar(builtin("stuck")).unreachable


@pytest.mark.parametrize("weight", [1, 5])
@pytest.mark.parametrize("cost", ["moves", "pushes"])
def test_plans_below_a_cost(cost: str, weight: int) -> None:
    """That there is no cheaper plan is a bound; a cheaper one is found, also if the cost is said on the way."""
    level = replace(builtin("random-10x10"), cost=cost)
    optimum, work = push_astar(level).cost, push_astar(level).expanded // 2
    none = PushSearch(level, most=optimum, weight=weight).run(Budget())
    assert (none.plan, none.bound, none.limit, none.unreachable) == (None, optimum, None, False)
    for most in (optimum, optimum + 1):
        search = PushSearch(level, weight=weight)
        first = search.run(Budget(work=work))
        search.below(most)
        if first.plan is None:
            second = search.run(Budget())
            assert second.cost == (None if most == optimum else optimum)
            assert second.bound == optimum or weight > 1
            assert not second.unreachable


def test_a_known_plan_is_made_better() -> None:
    """A plan that the run has met is the beginning, even if no other search finds one."""
    level = generate(16, 20, seed=1, boxes=12)[0]
    known = FeatureSearch(level).run(Budget())
    budget = Budget(work=60_000)
    budget.elites.add(b"start", known.plan, known.cost)
    problem, operator = Sokoban(level), PushAStar(nodes=100)
    outcome = operator.build(problem, budget, np.random.default_rng(0))
    assert problem.evaluate(outcome.solution).objective == outcome.objective < known.cost
    stopped = Budget(work=100)
    stopped.elites.add(b"start", known.plan, known.cost)
    assert operator.build(problem, stopped, np.random.default_rng(0)).solution is None


def test_limits() -> None:
    """Work limits are exact and reproducible and leave a bound; memory ends a search; it can be taken up again."""
    level = builtin("random-12x14")
    whole = push_astar(level)
    parts = [push_astar(level, budget=Budget(work=5000)) for _ in range(2)]
    assert parts[0].limit == "work"
    assert parts[0].expanded == parts[1].expanded == 5000
    assert 0 < parts[0].bound == parts[1].bound <= whole.cost
    assert push_astar(level, memory=1 << 20).limit == "memory"
    again = PushSearch(level)
    while (answer := again.run(Budget(work=5000))).limit == "work":
        assert answer.bound <= whole.cost
    assert (answer.cost, answer.bound, answer.expanded) == (whole.cost, whole.bound, whole.expanded)
    for wrong in ({"memory": 0}, {"weight": 0}, {"weight": 1000}, {"nodes": -1}):
        with pytest.raises(ConfigurationError):
            PushAStar(**wrong)
    with pytest.raises(ValueError, match="weight"):
        push_astar(level, weight=0)


@pytest.mark.parametrize("weight", [2, 5, 16])
def test_weights(weight: int) -> None:
    """A greedy plan works and costs at most so many times its bound."""
    problem = Sokoban(builtin("random-12x14"))
    whole, answer = push_astar(problem.instance), push_astar(problem.instance, weight=weight)
    assert problem.evaluate(answer.plan).objective == answer.cost
    assert answer.bound <= whole.cost <= answer.cost <= weight * answer.bound
    assert answer.expanded < whole.expanded


def test_many_boxes() -> None:
    """Twelve boxes on 16 x 20: optimal in pushes; in moves there are a plan and a bound when the work ends."""
    level = generate(16, 20, seed=1, boxes=12)[0]
    assert push_astar(replace(level, cost="pushes")).proved
    problem = Sokoban(level)
    operator = PushAStar(nodes=2000)
    budgets = [Budget(work=12_000) for _ in range(2)]
    outcomes = [operator.build(problem, budget, np.random.default_rng(0)) for budget in budgets]
    assert outcomes[0].status is Status.IMPROVED
    assert outcomes[0].bound < outcomes[0].objective == problem.evaluate(outcomes[0].solution).objective
    assert budgets[0].spent_work == 12_000
    assert np.array_equal(outcomes[0].solution, outcomes[1].solution)
    assert push_astar(level, weight=8).cost == operator_cost(problem, PushAStar(weight=8))


def operator_cost(problem: Sokoban, operator: PushAStar) -> int | float | None:
    """What a construction finds without limits."""
    return operator.build(problem, Budget(), np.random.default_rng(0)).objective


def test_too_many_goals() -> None:
    """A field of goals is refused with the number, not tried."""
    rows = ["#" * 40, "#@" + " $" * 10 + " " * 17 + "#", *["#" + "." * 38 + "#"] * 7, "#" * 40]
    level = read_instance(Source("l", "\n".join(rows).encode()))
    with pytest.raises(ValueError, match="up to 256 goals without a frozen box \\(266\\)"):
        push_astar(level)
    with pytest.raises(ConfigurationError, match="up to 256 goals"):
        PushAStar().build(Sokoban(level), Budget(), np.random.default_rng(0))


def test_many_goals_keep_to_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node of a level with 240 boxes takes long, so the search soon looks at its limits."""
    hall = ["#" + "." * 10 + (" $" * 20 if row % 2 else " " * 40) + " #" for row in range(25)]
    rows = ["#" * 52, hall[0][:-2] + "@#", *hall[1:], "#" * 52]
    level = read_instance(Source("l", "\n".join(rows).encode()))
    assert (len(level.boxes), len(level.goals)) == (240, 250)
    limits: list[int] = []

    def recorded(limit: int, *rest: Any) -> int:
        limits.append(limit)
        return int(search(limit, *rest))

    monkeypatch.setattr(push_search, "search", recorded)
    PushSearch(level).run(Budget(work=4))
    assert limits[0] == 1
    limits.clear()
    push_astar(generate(8, 9, seed=1, boxes=2)[0])
    assert limits[0] == FIRST


def test_public_levels(data: Path) -> None:
    """The first 60 levels of each Boxoban set have the stored optimal number of moves."""
    for name in ("unfiltered_test", "medium_valid_000", "hard"):
        text = (data / "state_space" / f"boxoban_{name}.txt").read_text()
        with (data / "state_space" / f"boxoban_{name}_reference.csv").open() as file:
            rows = list(csv.DictReader(file))[:60]
        for number, (level, row) in enumerate(zip(split_levels(text), rows, strict=False), start=1):
            one = read_instance(Source("l", "\n".join(level.rows).encode()))
            answer = push_astar(one)
            assert answer.cost == int(row["optimal_moves"]), (name, number)
            assert Sokoban(one).evaluate(answer.plan).feasible


def fewest_pushes(level: Instance) -> int | None:
    """The optimum by breadth-first search over pushes of any box, None if there is no plan."""
    floor = Floor.of(level, level.region)
    number = {cell: i for i, cell in enumerate(floor.cells)}
    goals, here = set(floor.goals), frozenset(number[box] for box in level.boxes if box in number)
    front, seen, count = [(here, number[level.player])], set(), 0
    while front:
        following = []
        for boxes, player in front:
            name = boxes, min(flood(floor.adjacent, player, boxes))
            if name in seen:
                continue
            seen.add(name)
            if boxes <= goals:
                return count
            following += pushes_from(floor.adjacent, boxes, player)
        front, count = following, count + 1
    return None


def test_corrals_keep_the_fewest_pushes() -> None:
    """Small levels: with and without corrals the same optimum as by breadth-first search, and less to expand."""
    compared, expanded = [0, 0], [0, 0]
    for seed in range(1000):
        level = level_of(seed, boxes=2 + seed % 3, rows=6, columns=6 + seed % 2)
        if level is None or not {*level.boxes, *level.goals} <= set(level.region):
            continue
        level = replace(level, cost="pushes")
        answers = [PushSearch(level, corrals=corrals).run(Budget()) for corrals in (False, True)]
        optimum = fewest_pushes(level)
        for i, answer in enumerate(answers):
            assert (answer.cost, answer.unreachable) == (optimum, optimum is None), seed
            expanded[i] += answer.expanded
        compared[optimum is None] += 1
    assert min(compared) > 50
    assert expanded[1] < expanded[0]
