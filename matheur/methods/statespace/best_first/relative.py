"""A* whose open list is ordered by comparisons of two states, not by estimates (Cahlik and Surynek 2019, section 6).

The open list is a sorted list into which a new state is inserted by bisection. Each state thus costs as many
comparisons as the length of the list has bits, which the paper calls quite expensive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.pace import limit_reached
from matheur.methods.statespace.packed_goal import packed_start

__all__ = ["Farther", "relative_astar"]

Farther = Callable[[NDArray[np.uint8], NDArray[np.uint8]], NDArray[np.float32]]
"""Function that returns how much farther from the goal the first states are than the second ones, row by row."""

_NODE_BYTES = 500  # bytes of a node with its key, its state and its entries in lists and dictionaries


@dataclass(slots=True)
class _Nodes:
    """The nodes reached, one for each state and cost."""

    states: list[NDArray[np.uint8]] = field(default_factory=list)
    costs: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)

    def add(self, state: NDArray[np.uint8], cost: int, parent: int, move: int) -> int:
        """Number of a new node."""
        self.states.append(state)
        self.costs.append(cost)
        self.parents.append(parent)
        self.moves.append(move)
        return len(self.costs) - 1

    def plan(self, node: int) -> NDArray[np.int32]:
        """Moves from the start to a node."""
        moves = []
        while self.parents[node] >= 0:
            moves.append(self.moves[node])
            node = self.parents[node]
        return np.array(moves[::-1], dtype=np.int32)


def relative_astar(
    domain: Domain, farther: Farther, *, budget: Budget | None = None, memory: int = 2 << 30
) -> SearchAnswer:
    """A plan, found by comparing states: one precedes another if its extra cost is at most the other's extra distance.

    A state that is later reached more cheaply is expanded again. Comparisons need not be transitive or correct: the
    search proves nothing except that no goal can be reached.

    Parameters
    ----------
    farther
        The comparison.
    budget
        Limits; a unit of work is a state expanded.
    memory
        Memory limit in bytes; a state takes about 500.
    """
    budget = Budget() if budget is None else budget
    began, unpack = budget.clock(), domain.packing.unpack
    nodes = _Nodes()
    key = packed_start(domain)
    cheapest = {key.tobytes(): 0}
    waiting = [nodes.add(unpack(key)[0], 0, -1, -1)]  # the best one last
    goal_at: set[int] = {0} if domain.is_goal(key)[0] else set()
    expanded = generated = 0
    limit, found = None, None
    while waiting:
        limit = limit_reached(budget)
        if limit is None and len(nodes.costs) * _NODE_BYTES > memory:
            limit = "memory"
        if limit is not None:
            break
        node = waiting.pop()
        if node in goal_at:
            found = node
            break
        here = domain.packing.pack(nodes.states[node][None])
        if cheapest[here.tobytes()] < nodes.costs[node]:
            continue
        successors = domain.expand(here)
        goals, states = domain.is_goal(successors.keys), unpack(successors.keys)
        expanded, generated = expanded + 1, generated + len(successors.moves)
        budget.spend(work=1)
        for row, move in enumerate(successors.moves.tolist()):
            name, cost = successors.keys[row].tobytes(), nodes.costs[node] + int(successors.costs[row])
            if cheapest.get(name, cost + 1) <= cost:
                continue
            cheapest[name] = cost
            new = nodes.add(states[row], cost, node, move)
            if goals[row]:
                goal_at.add(new)
            waiting.insert(_place(nodes, waiting, new, farther, goal_at), new)
    return SearchAnswer(
        plan=None if found is None else nodes.plan(found),
        cost=None if found is None else nodes.costs[found],
        unreachable=found is None and limit is None,
        limit=limit,
        expanded=expanded,
        generated=generated,
        stored=len(cheapest),
        memory=len(nodes.costs) * _NODE_BYTES,
        seconds=budget.clock() - began,
    )


def _place(nodes: _Nodes, waiting: list[int], new: int, farther: Farther, goal_at: set[int]) -> int:
    """Place of a node in the open list: after nodes that are worse, or equally good and older."""
    low, high = 0, len(waiting)
    state, cost = nodes.states[new][None], nodes.costs[new]
    while low < high:
        middle = (low + high) // 2
        other = waiting[middle]
        more = float(farther(state, nodes.states[other][None])[0])
        if new in goal_at:
            more = min(more, -1.0)  # every other state has at least one move left, regardless of the network
        elif other in goal_at:
            more = max(more, 1.0)
        if cost - nodes.costs[other] + more <= 0:
            low = middle + 1
        else:
            high = middle
    return low
