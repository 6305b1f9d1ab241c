"""Levels that plainly cannot be solved."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from matheur.problems.sokoban.instance import STEPS, Instance

__all__ = ["pull_reach", "unsolvable_reason"]

_GOALS_MAX = 200  # for more, only whether each box can get to any goal


def _pulls(instance: Instance) -> dict[int, list[int]]:
    """For each cell of the region the cells that a box can be pulled to from there."""
    inside = set(instance.region)
    pulls: dict[int, list[int]] = {}
    for cell in instance.region:
        pulls[cell] = []
        for down, right in STEPS:
            there = cell + down * instance.columns + right  # the region is walled in: no step leaves the level
            if there in inside and there + down * instance.columns + right in inside:
                pulls[cell].append(there)
    return pulls


def _reach(pulls: dict[int, list[int]], begin: Iterable[int]) -> set[int]:
    seen = set(begin)
    waiting = list(seen)
    while waiting:
        for there in pulls[waiting.pop()]:
            if there not in seen:
                seen.add(there)
                waiting.append(there)
    return seen


def pull_reach(instance: Instance, goal: int) -> set[int]:
    """Cells from which a box, alone on the level, can be pushed to a goal: found by pulling it away from there.

    The player is taken to be wherever it helps, so a cell that is not among them is dead for this goal.
    """
    return _reach(_pulls(instance), [goal])


def unsolvable_reason(instance: Instance) -> str | None:
    """A sentence, or None if no simple argument shows anything."""
    one = instance
    if len(one.boxes) > len(one.goals):
        return f"there are {len(one.boxes)} boxes and only {len(one.goals)} goals"
    inside = set(one.region)
    for box in one.boxes:
        if box not in inside and box not in one.goals:
            return f"the player cannot get to the box in {one.shown(box)}"
    movable = [box for box in one.boxes if box in inside]
    settled = {box for box in one.boxes if box not in inside}
    open_goals = [goal for goal in one.goals if goal in inside and goal not in settled]
    pulls = _pulls(one)
    together = _reach(pulls, open_goals)
    for box in movable:
        if box not in together:
            return f"the box in {one.shown(box)} cannot be pushed to any goal"
    if movable and len(open_goals) <= _GOALS_MAX:
        reach = {goal: _reach(pulls, [goal]) for goal in open_goals}
        table = csr_array(np.array([[box in reach[goal] for goal in open_goals] for box in movable], dtype=np.int8))
        matched = int((maximum_bipartite_matching(table, perm_type="column") >= 0).sum())
        if matched < len(movable):
            return f"the boxes cannot all have a goal of their own: at most {matched} of {len(movable)} can"
    return None
