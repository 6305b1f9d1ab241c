"""Levels that plainly cannot be solved."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from matheur.problems.sokoban.instance import MOVES, Instance

__all__ = ["pull_reach", "unsolvable_reason"]


def pull_reach(instance: Instance, goal: int) -> set[int]:
    """Cells from which a box, alone on the level, can be pushed to a goal: found by pulling it away from there.

    The player is taken to be wherever it helps, so a cell that is not among them is dead for this goal.
    """
    inside = set(instance.region)
    seen, waiting = {goal}, [goal]
    while waiting:
        cell = waiting.pop()
        for move in range(len(MOVES)):
            there = instance.beside(cell, move)
            beyond = None if there is None else instance.beside(there, move)
            if there in inside and beyond in inside and there not in seen:
                seen.add(there)
                waiting.append(there)
    return seen


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
    reach = {goal: pull_reach(one, goal) for goal in open_goals}
    for box in movable:
        if not any(box in cells for cells in reach.values()):
            return f"the box in {one.shown(box)} cannot be pushed to any goal"
    if movable:
        table = csr_array(np.array([[box in reach[goal] for goal in open_goals] for box in movable], dtype=np.int8))
        matched = int((maximum_bipartite_matching(table, perm_type="column") >= 0).sum())
        if matched < len(movable):
            return f"the boxes cannot all have a goal of their own: at most {matched} of {len(movable)} can"
    return None
