"""A* over pushes against the general searches, in moves and in pushes."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.operators.sokoban.push_astar import PushAStar
from matheur.problems.port import Source
from matheur.problems.sokoban import Sokoban, builtin, generate, read_instance, split_levels
from matheur.statespace import astar, bfs, heuristic_by_name
from matheur.statespace.domains.sokoban import sokoban_domain
from matheur.statespace.sokoban.push_search import fits, push_astar


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


def test_a_level_without_solution_is_proved() -> None:
    """Also where no plain argument shows it: two boxes that block each other in a dead end."""
    text = "########\n#@ $$..#\n########\n"
    problem = Sokoban(read_instance(Source("l", text.encode())))
    assert problem.infeasible_reason() is None
    assert push_astar(problem.instance).unreachable
    outcome = PushAStar().build(problem, Budget(), np.random.default_rng(0))
    assert outcome.status is Status.INFEASIBLE
    assert push_astar(builtin("stuck")).unreachable


def test_limits() -> None:
    """Work limits are exact and reproducible and leave a bound; memory ends a search; large levels are refused."""
    level = builtin("random-12x14")
    whole = push_astar(level)
    parts = [push_astar(level, budget=Budget(work=5000)) for _ in range(2)]
    assert parts[0].limit == "work"
    assert parts[0].expanded == parts[1].expanded == 5000
    assert 0 < parts[0].bound == parts[1].bound <= whole.cost
    assert push_astar(level, memory=1 << 20).limit == "memory"
    wide = "#" * 40 + "\n" + "#@" + "$." * 19 + "#\n" + "#" + " " * 39 + "#\n" + "#" * 41 + "\n"
    crowded = read_instance(Source("l", wide.replace("#" * 40 + "\n#@", "#" * 41 + "\n#@", 1).encode()))
    assert not fits(crowded)
    with pytest.raises(ValueError, match="too many boxes"):
        push_astar(crowded)
    with pytest.raises(ConfigurationError):
        PushAStar(memory=0)


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
