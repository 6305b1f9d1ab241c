"""Simple proofs that a level cannot be solved."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from matheur.problems.sokoban.instance import Instance
from matheur.problems.sokoban.settled import Settled, pulls_in, reached

__all__ = ["unsolvable_reason"]

_GOALS_MAX = 200  # for more goals, only checks whether each box can reach a goal


def unsolvable_reason(instance: Instance) -> str | None:
    """A sentence that gives the reason, or None if no simple argument applies."""
    one = instance
    if len(one.boxes) > len(one.goals):
        return f"there are {len(one.boxes)} boxes and only {len(one.goals)} goals"
    inside, goals = set(one.region), set(one.goals)
    for box in one.boxes:
        if box not in inside and box not in goals:
            return f"the player cannot get to the box in {one.shown(box)}, which stands on no goal"
    pulls = pulls_in(inside, one.columns)
    together = reached(pulls, goals & inside)
    for box in one.boxes:
        if box in inside and box not in together:
            return f"the box in {one.shown(box)} cannot be pushed to any goal"
    settled = Settled.of(one)
    for box in settled.frozen:
        if box not in goals:
            return f"walls and other boxes hold the box in {one.shown(box)}, which stands on no goal"
    for box in settled.closed:
        if box not in goals:
            return f"the player cannot get to the box in {one.shown(box)}: boxes that cannot be moved are in his way"
    left = set(settled.cells)
    movable, open_goals = ([cell for cell in cells if cell in left] for cells in (one.boxes, one.goals))
    pulls = pulls_in(left, one.columns)
    if movable and len(open_goals) <= _GOALS_MAX:
        reach = {goal: reached(pulls, [goal]) for goal in open_goals}
        table = csr_array(np.array([[box in reach[goal] for goal in open_goals] for box in movable], dtype=np.int8))
        matched = int((maximum_bipartite_matching(table, perm_type="column") >= 0).sum())
        if matched < len(movable):
            return f"the boxes cannot all have a goal of their own: at most {matched} of {len(movable)} can"
    return None
