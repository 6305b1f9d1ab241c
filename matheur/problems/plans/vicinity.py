"""The plan neighbourhood graph: states near a plan, the moves between them, and the cheapest way through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.paths import plan_along
from matheur.methods.statespace.table import StateTable
from matheur.problems.plans.trajectory import Trajectory

__all__ = ["Vicinity"]

_AT_ONCE = 1 << 16
_TABLE_BYTES = 1 << 30


@dataclass(frozen=True, eq=False)
class Vicinity:
    """A part of the state space around a plan.

    Attributes
    ----------
    path
        The plan at its centre.
    table
        The states, those of the plan first; state 0 is the start.
    parents, children, costs
        The edges, in ascending order of the parents.
    complete
        Whether it contains every state that can be reached from the start, with all edges.
    """

    path: Trajectory
    table: StateTable
    parents: NDArray[np.int32]
    children: NDArray[np.int32]
    costs: NDArray[np.int32]
    complete: bool

    @staticmethod
    def around(path: Trajectory, budget: Budget, *, radius: int, edges: int) -> Vicinity | None:
        """Expand the states fewer than `radius` moves from the plan, until there are about `edges` edges.

        Edges from other states are known only if moves are reversible. Work: states expanded. Returns None if the
        budget ended first.
        """
        domain = path.domain
        table = StateTable(domain.packing.words, _TABLE_BYTES)
        table.add(path.keys)
        parts: list[list[NDArray[np.int32]]] = []
        expanded, layer_end, own = 0, table.count, table.count
        at_once = max(1, _AT_ONCE // domain.branching)
        # The plan's own states are always expanded, so that its edges are in the graph.
        while expanded < own or (edges > 0 and expanded < table.count):
            if budget.exhausted:
                return None
            if expanded == layer_end:
                radius, layer_end = radius - 1, table.count
                if radius <= 0:
                    break
            size = budget.affordable(min(at_once, layer_end - expanded))
            found = domain.expand(table.keys[expanded : expanded + size])
            index = table.add(found.keys)[0] if radius > 0 else table.find(found.keys)
            known = index >= 0
            columns = (found.parents[known] + expanded, index[known], found.costs[known])
            parts.append([column.astype(np.int32) for column in columns])
            expanded, edges = expanded + size, edges - len(found.moves)
            budget.spend(work=size)
        parents, children, costs = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        complete = radius > 0 and expanded == table.count
        if domain.reversible:
            parents, children, costs = _with_ways_back(parents, children, costs, expanded, table.count)
        return Vicinity(path, table, parents, children, costs, complete)

    def shortest(self) -> Trajectory | None:
        """The cheapest plan through these states; None if it is no cheaper than the plan at the centre."""
        domain, count = self.path.domain, self.table.count
        away = np.full(count, np.iinfo(np.int64).max, dtype=np.int64)
        away[0] = 0
        came_from = np.full(count, -1, dtype=np.int64)
        first_edge = np.searchsorted(self.parents, np.arange(count + 1))
        is_goal = domain.is_goal(self.table.keys)
        waiting = np.zeros(1, dtype=np.int64)
        while waiting.size:
            # Dijkstra's algorithm, which settles all states of the smallest distance together.
            near = int(away[waiting].min())
            if near >= self.path.cost:
                break
            now, waiting = waiting[away[waiting] == near], waiting[away[waiting] > near]
            if is_goal[now].any():
                return self._plan_to(int(now[is_goal[now]][0]), came_from)
            edges = _ranges(first_edge[now], first_edge[now + 1])
            ends, through = self.children[edges].astype(np.int64), near + self.costs[edges].astype(np.int64)
            better = through < away[ends]
            edges, ends, through = edges[better], ends[better], through[better]
            np.minimum.at(away, ends, through)
            best = away[ends] == through
            came_from[ends[best]] = self.parents[edges[best]]
            waiting = np.unique(np.concatenate([waiting, ends[best]]))
        return None

    def _plan_to(self, state: int, came_from: NDArray[np.int64]) -> Trajectory:
        rows = [state]
        while rows[-1] != 0:
            rows.append(int(came_from[rows[-1]]))
        plan, _ = plan_along(self.path.domain, np.ascontiguousarray(self.table.keys[rows[::-1]]))
        return Trajectory.of(self.path.domain, plan)


_Edges = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]


def _with_ways_back(
    parents: NDArray[np.int32], children: NDArray[np.int32], costs: NDArray[np.int32], expanded: int, count: int
) -> _Edges:
    """The edges and their reversals from unexpanded states, without states that lead to only one other state."""
    outer = children >= expanded
    useful = ~outer | (np.bincount(children, minlength=count)[children] > 1)
    parents, children, costs, outer = parents[useful], children[useful], costs[useful], outer[useful]
    order = np.argsort(children[outer], kind="stable")
    back = (children[outer][order], parents[outer][order], costs[outer][order])
    # States that were not expanded have larger numbers than all others.
    ahead = (parents, children, costs)
    one, two, three = (np.concatenate(columns) for columns in zip(ahead, back, strict=True))
    return one, two, three


def _ranges(first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
    """Concatenation of the ranges first[0] .. last[0] - 1, first[1] .. last[1] - 1 and so on."""
    sizes = last - first
    ends = np.cumsum(sizes)
    return np.arange(int(sizes.sum())) + np.repeat(first - ends + sizes, sizes)
