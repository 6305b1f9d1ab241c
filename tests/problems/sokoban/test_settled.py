"""Boxes that no plan moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from problems.sokoban.search.test_push_search import fewest_pushes
from problems.sokoban.small_levels import level_of

from matheur.engine.source import Source
from matheur.problems.sokoban import Sokoban, read_instance
from matheur.problems.sokoban.search.push_search import push_astar
from matheur.problems.sokoban.settled import Settled

FROZEN = {
    "a corner": ("#####\n#*  #\n# $.#\n#@  #\n#####", 1),
    "along a wall from a corner": ("#######\n#*** .#\n#   $ #\n#@    #\n#######", 3),
    "two by two": ("########\n#    . #\n# ** $ #\n# **   #\n#@     #\n########", 4),
    "a box that keeps nothing but a way open": ("#######\n#  *  #\n# *$. #\n#@    #\n#######", 0),
    "dead squares at both ends": ("#######\n#@    #\n###*###\n#     #\n#######", 1),
}


@pytest.mark.parametrize("case", FROZEN)
def test_frozen_boxes(case: str) -> None:
    """Walls, other frozen boxes and dead squares hold boxes in place."""
    text, many = FROZEN[case]
    assert len(Settled.of(read_instance(Source("l", text.encode()))).frozen) == many


def test_frozen_boxes_take_no_plan_away() -> None:
    """Crowded levels: the same optimum as if every box may be pushed, by breadth-first search over pushes."""
    frozen = solved = lost = 0
    for seed in range(600):
        level = level_of(seed, boxes=3 + seed % 3, rows=5, columns=6 + seed % 2)
        if level is None or not set(level.boxes) <= set(level.region):
            continue
        rng = np.random.default_rng(seed)
        kept = rng.permutation(level.boxes)[:-1].tolist()  # all but one are on goals
        goals = tuple(sorted({*kept, level.goals[0]}))
        if len(goals) < len(level.boxes):
            continue
        level = replace(level, goals=goals, cost="pushes")
        optimum, answer, problem = fewest_pushes(level), push_astar(level), Sokoban(level)
        assert (answer.cost, answer.unreachable) == (optimum, optimum is None), seed
        if optimum is None:
            lost += 1
        else:
            assert problem.infeasible_reason() is None
            assert problem.evaluate(answer.plan).feasible
            frozen, solved = frozen + bool(Settled.of(level).frozen), solved + (optimum > 0)
    assert min(frozen, solved, lost) > 20
