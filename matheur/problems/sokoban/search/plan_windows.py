"""Shorter plans of a Sokoban level: A* on a few successive box moves at a time, along the whole plan."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.problems.sokoban.instance import STEPS, Instance
from matheur.problems.sokoban.search.push_search import PushSearch

__all__ = ["shortened"]


@dataclass(frozen=True, slots=True)
class _Push:
    """A walk and a push: player and boxes before it, the moves, and the box's cell before and after."""

    player: int
    boxes: frozenset[int]
    moves: tuple[int, ...]
    box: int
    to: int


def shortened(instance: Instance, answer: SearchAnswer, budget: Budget, *, nodes: int) -> SearchAnswer:
    """The answer with its plan shortened until no window gives an improvement, or the budget ends.

    A window is a number of successive box moves, each with all its pushes. A* has to bring the boxes to their cells at
    the end of the window or, at the end of the plan, to the goals of the level. Windows grow until A* solves few of
    them.

    Parameters
    ----------
    nodes
        Nodes that A* expands for each window.
    """
    if answer.plan is None or answer.cost is None or nodes == 0:
        return answer
    begun, expanded = budget.clock(), answer.expanded
    plan, cost, width = _pushes(instance, answer.plan.tolist()), answer.cost, 2
    while not (budget.exhausted or budget.reached(cost)):
        first, tried, solved, better = 0, 0, 0, False
        while first < len(plan) and not (budget.exhausted or budget.reached(cost)):
            last = _end(plan, first, width)
            goals = instance.goals if last == len(plan) else tuple(sorted(plan[last].boxes))
            boxes = tuple(sorted(plan[first].boxes))
            window = replace(instance, boxes=boxes, goals=goals, player=plan[first].player)
            found = PushSearch(window, corrals=False).run(budget.child(work=nodes))
            expanded, tried = expanded + found.expanded, tried + 1
            if found.plan is not None:
                solved += 1
                other = _joined(instance, plan, first, found.plan.tolist(), last)
                if other is not None and _cost(instance, other) < cost:
                    plan, cost, better = other, _cost(instance, other), True
                    budget.offer(_whole(plan), cost)
            first = _end(plan, first, max(1, width // 2))
        if not better:
            if 2 * solved < tried or width >= len(plan):
                break
            width += 1 + width // 2
    seconds = answer.seconds + budget.clock() - begun
    return replace(answer, plan=_whole(plan), cost=cost, expanded=expanded, seconds=seconds)


def _pushes(instance: Instance, moves: Iterable[int]) -> list[_Push]:
    """A plan push by push; steps after the last push are left out."""
    offsets = [down * instance.columns + right for down, right in STEPS]
    player, boxes = instance.player, frozenset(instance.boxes)
    begun, walk, plan = player, list[int](), list[_Push]()
    for move in moves:
        walk.append(move)
        player += offsets[move]
        if player in boxes:
            to = player + offsets[move]
            plan.append(_Push(begun, boxes, tuple(walk), player, to))
            boxes = boxes - {player} | {to}
            begun, walk = player, []
    return plan


def _whole(plan: list[_Push]) -> NDArray[np.int32]:
    return np.array([move for push in plan for move in push.moves], dtype=np.int32)


def _cost(instance: Instance, plan: list[_Push]) -> int:
    return len(plan) if instance.cost == "pushes" else sum(len(push.moves) for push in plan)


def _end(plan: list[_Push], first: int, many: int) -> int:
    """Index of the push after `many` box moves from `first` on."""
    at = first
    while at < len(plan) and many > 0:
        at += 1
        if at == len(plan) or plan[at].box != plan[at - 1].to:
            many -= 1
    return at


def _joined(instance: Instance, plan: list[_Push], first: int, moves: list[int], last: int) -> list[_Push] | None:
    """The plan with other moves from push `first` to push `last`; None if the player cannot continue after them."""
    between = _pushes(replace(instance, boxes=tuple(sorted(plan[first].boxes)), player=plan[first].player), moves)
    joined = plan[:first] + between
    if last == len(plan):
        return joined
    following, player = plan[last], between[-1].box if between else plan[first].player
    move = following.moves[-1]
    down, right = STEPS[move]
    walk = _walk(instance, player, following.box - down * instance.columns - right, following.boxes)
    if walk is None:
        return None
    return [*joined, replace(following, player=player, moves=(*walk, move)), *plan[last + 1 :]]


def _walk(instance: Instance, here: int, there: int, boxes: frozenset[int]) -> list[int] | None:
    """Moves of a shortest walk around the boxes."""
    offsets = [down * instance.columns + right for down, right in STEPS]
    came, waiting = {here: -1}, deque([here])
    while waiting and there not in came:
        cell = waiting.popleft()
        for move, offset in enumerate(offsets):
            other = cell + offset
            if not instance.walls[other] and other not in boxes and other not in came:
                came[other] = move
                waiting.append(other)
    if there not in came:
        return None
    moves = list[int]()
    while there != here:
        moves.append(came[there])
        there -= offsets[came[there]]
    return moves[::-1]
