"""Levels of one size as one state space: the same moves as in each level, and the way back."""

from __future__ import annotations

import numpy as np
import pytest

from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import TaughtDomain, ViewedDomain
from matheur.methods.statespace.domains import domain_of
from matheur.problems.sokoban import Instance, generate
from matheur.problems.sokoban.boards_domain import SokobanBoards
from matheur.problems.sokoban.problem import Sokoban

LEVELS = [generate(7, 8, seed=seed, boxes=2)[0] for seed in range(4)]


@pytest.mark.parametrize("level", LEVELS[:2], ids=["first", "second"])
def test_a_level_is_one_of_the_boards(level: Instance) -> None:
    """Successors of what a level's states look like are what their successors look like; goals are goals."""
    domain, boards = domain_of(Sokoban(level)), SokobanBoards(LEVELS)
    assert isinstance(domain, ViewedDomain)
    view = domain.view()
    assert view is not None
    assert view.fingerprint == boards.fingerprint
    states = domain.packing.pack(domain.start[None])
    for _ in range(9):
        found = domain.expand(states)
        shown = boards.packing.pack(view(domain.packing.unpack(states)))
        there = boards.expand(shown)
        assert np.array_equal(there.parents, found.parents)
        assert np.array_equal(there.moves, found.moves)
        assert np.array_equal(boards.packing.unpack(there.keys), view(domain.packing.unpack(found.keys)))
        assert (there.costs == 1).all()
        assert np.array_equal(boards.is_goal(there.keys), domain.is_goal(found.keys))
        states = np.unique(found.keys, axis=0)
    goal = domain.goal.copy()[None]
    assert boards.is_goal(boards.packing.pack(view(goal))).all()


def test_a_level_has_no_view_where_the_goal_is_another() -> None:
    """Pushes are not moves, and a part of a plan ends where the level does not."""
    level = LEVELS[0]
    pushes = Sokoban(Instance(level.rows, level.columns, level.walls, level.goals, level.boxes, level.player, "pushes"))
    assert domain_of(pushes).view() is None
    domain = domain_of(Sokoban(level))
    assert domain.between(domain.start, domain.start).view() is None


def test_back_is_the_opposite() -> None:
    """A board's predecessors are the boards that have it among their successors, by the same move."""
    boards = SokobanBoards(LEVELS)
    back = boards.backwards()
    keys, _, _ = boards.walks_back(30, 20, np.random.default_rng(0))
    keys = np.unique(keys, axis=0)
    before = back.expand(keys)
    after = boards.expand(before.keys)
    returned = np.zeros(len(before.keys), dtype=bool)
    hits = (after.keys == keys[before.parents[after.parents]]).all(axis=1)
    hits &= after.moves == before.moves[after.parents]
    returned[after.parents[hits]] = True
    assert returned.all()
    after = boards.expand(keys)
    before = back.expand(after.keys)
    returned = np.zeros(len(after.keys), dtype=bool)
    hits = (before.keys == keys[after.parents[before.parents]]).all(axis=1)
    hits &= before.moves == after.moves[before.parents]
    returned[before.parents[hits]] = True
    assert returned.all()


def test_walks_lead_back_to_solved_boards() -> None:
    """A board of a walk is one move from another with a step less, and walks end far from their goals."""
    boards = SokobanBoards(LEVELS)
    assert isinstance(boards, TaughtDomain)
    count, longest = 60, 40
    keys, steps, back = boards.walks_back(count, longest, np.random.default_rng(1))
    assert len(keys) == count * (longest + 1)
    table = keys.reshape(longest + 1, count, -1)
    steps, back = steps.reshape(longest + 1, count), back.reshape(longest + 1, count)
    assert boards.is_goal(table[0]).all()
    assert (back[0] == -1).all()
    for walk in range(count):
        for step in range(1, longest + 1):
            if steps[step, walk] == 0:
                continue
            found = boards.expand(table[step, walk][None])
            reached = found.keys[found.moves == back[step, walk]]
            nearer = table[:step, walk][steps[:step, walk] == steps[step, walk] - 1]
            assert (nearer == reached).all(axis=1).any()
    assert np.mean(steps[-1]) > 0.8 * longest
    assert not boards.is_goal(table[-1]).all()
    again = boards.walks_back(count, longest, np.random.default_rng(1))
    assert np.array_equal(again[0], keys)
    assert len(boards.goals(5)) >= 5


def test_levels_must_be_alike() -> None:
    """One size, at least one level."""
    with pytest.raises(ConfigurationError, match="one size"):
        SokobanBoards([])
    with pytest.raises(ConfigurationError, match="one size"):
        SokobanBoards([LEVELS[0], generate(8, 8, seed=0, boxes=2)[0]])
