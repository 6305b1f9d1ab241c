"""Tests of plans that are shortened among placements like their own."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from matheur.engine.budget import Budget
from matheur.engine.source import Source
from matheur.methods.statespace.answer import SearchAnswer
from matheur.problems.sokoban import Sokoban, generate, read_levels
from matheur.problems.sokoban.search.feature_search import FeatureSearch
from matheur.problems.sokoban.search.plan_surroundings import STAGES, Surroundings
from matheur.problems.sokoban.search.push_search import push_astar
from matheur.problems.sokoban.search.surrounding_kernels import surround

ROOM = "########\n#      #\n# $  $ #\n#  ##  #\n# .$   #\n#  .$  #\n#@  . .#\n########\n"


def placements(cells: np.ndarray, rests: np.ndarray, close: np.ndarray, ways: tuple[int, ...]) -> set[frozenset[int]]:
    """The placements of boxes that are like those of the plan, by definition."""
    found = set()
    for step, row in enumerate(cells.tolist()):
        found.add(frozenset(row))
        for count, way in enumerate(ways, 1):
            for moved in combinations(range(len(row)), count):
                others = [[*rests[step, box], *close[row[box]]][:way] for box in moved]
                for cells_to in product(*others):
                    placed = list(row)
                    for box, cell in zip(moved, cells_to, strict=True):
                        placed[box] = -1 if cell in placed[:box] + placed[box + 1 :] else int(cell)
                    if -1 not in placed:
                        found.add(frozenset(placed))
    return found


@pytest.mark.parametrize("ways", [(3, 0, 0), (4, 3, 0), (5, 3, 3)])
def test_what_is_around_a_plan(ways: tuple[int, ...]) -> None:
    """The set has as many placements as there are by definition; a set that is too small is told."""
    rng = np.random.default_rng(1)
    cells = np.stack([rng.permutation(70)[:4] for _ in range(3)])
    rests = rng.integers(-1, 70, size=(3, 4, 2))
    close = np.stack([rng.permutation(70)[:4] for _ in range(70)])
    close[:, 3] = -1
    key = np.zeros(2, dtype=np.uint64)
    kept = np.zeros(1 << 14, dtype=np.uint64)
    count = surround(cells, rests, close, np.array(ways), np.arange(70), key, 0, kept)
    expected = placements(cells, rests, close, ways)
    assert count == np.count_nonzero(kept) == len(expected)
    assert surround(cells, rests, close, np.array(ways), np.arange(70), key, 0, np.zeros(8, dtype=np.uint64)) == -1


@pytest.mark.parametrize("cost", ["moves", "pushes"])
def test_plans_get_shorter(cost: str) -> None:
    """Larger surroundings give plans that work and are never longer, none shorter than an optimal one."""
    level = replace(read_levels(Source("l", ROOM.encode()))[0], cost=cost)
    surroundings, answers = Surroundings(level), [FeatureSearch(level).run(Budget())]
    for stage in range(len(STAGES)):
        answer, limit = surroundings.shortened(answers[-1], Budget(), stage=stage)
        assert limit is None
        assert Sokoban(level).evaluate(answer.plan).objective == answer.cost
        answers.append(answer)
    costs = [answer.cost for answer in answers]
    assert all(one >= two for one, two in pairwise(costs))
    assert costs[0] > costs[-1] == push_astar(level).cost
    assert answers[-1].bound == 0


def test_limits() -> None:
    """Work that does not suffice, or a set that is too large, leaves the plan as it is and says so."""
    level = generate(16, 20, seed=1, boxes=12)[0]
    answer, surroundings = FeatureSearch(level).run(Budget()), Surroundings(level)
    after, limit = surroundings.shortened(answer, Budget(work=10), stage=0)
    assert (after.cost, limit) == (answer.cost, "work")
    stopped, limit = surroundings.shortened(answer, Budget(interrupt=lambda: True), stage=0)
    assert (stopped.cost, limit) == (answer.cost, "interrupt")
    large, limit = Surroundings(level, memory=1 << 16).shortened(answer, Budget(), stage=1)
    assert (large.cost, limit) == (answer.cost, "memory")
    rows = ["#" * 40, "#@" + " " * 37 + "#", *["# " + "$." * 18 + " #"] * 3, "#" * 40]
    wide = read_levels(Source("l", "\n".join(rows).encode()))[0]
    assert (
        Surroundings(wide).shortened(SearchAnswer(np.ones(1, dtype=np.int32), 1), Budget(), stage=len(STAGES) - 1)[1]
        == "memory"
    )
    nothing = SearchAnswer()
    assert surroundings.shortened(nothing, Budget(), stage=0) == (nothing, None)
