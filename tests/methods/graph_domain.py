"""Any small directed graph with costs as a domain, and the distances in it by a plain Dijkstra."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.domain import BaseDomain, Kernel
from matheur.methods.statespace.heuristics.base import Heuristic, table_sum
from matheur.methods.statespace.packing import Packing
from matheur.methods.statespace.pointers import domain_function, pointer_to_words

__all__ = ["GraphDomain", "distances_to"]

Edge = tuple[int, int, int]
"""From, to, cost."""


@domain_function
def expand_graph(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """data: addresses of the edges' starts uint64[n + 1] and of pairs (target, cost), words per key."""
    starts, edges, words = pointer_to_words(data[0]), pointer_to_words(data[1]), data[2]
    node = key[0]
    if words == 2:
        node |= key[1] << np.uint64(4)
    count = 0
    for edge in range(np.int64(starts[np.int64(node)]), np.int64(starts[np.int64(node) + 1])):
        target = edges[2 * edge]
        if words == 2:
            successors[2 * count] = target & np.uint64(15)
            successors[2 * count + 1] = target >> np.uint64(4)
        else:
            successors[count] = target
        moves[count] = count
        costs[count] = np.int64(edges[2 * edge + 1])
        count += 1
    return count


class GraphDomain(BaseDomain):
    """Node n has the components n % 16 and n // 16, in one word or in two; a move is the number of an outgoing edge.

    With `several_goals` every node with the goal's n % 16 is a goal.
    """

    name = "graph"
    reversible = False
    unit_costs = False

    def __init__(
        self, nodes: int, edges: Sequence[Edge], start: int, goal: int, *, words: int = 1, several_goals: bool = False
    ) -> None:
        self.nodes, self.edges = nodes, sorted(edges)
        # In two words the second component lies behind 56 unused bits.
        self.packing = Packing((4, 8) if words == 1 else (4, *[8] * 7, 8))
        self.high = len(self.packing.widths) - 1
        self.start, self.goal = self.state(start), self.state(goal)
        self.goal_mask = np.ones(self.packing.size, dtype=np.bool_)
        self.goal_mask[self.high] = not several_goals
        sources = np.array([edge[0] for edge in self.edges], dtype=np.int64)
        starts = np.searchsorted(sources, np.arange(nodes + 1)).astype(np.uint64)
        table = np.array([edge[1:] for edge in self.edges], dtype=np.uint64).reshape(-1, 2)
        self.branching = self.moves = max(1, int(np.bincount(sources, minlength=1).max(initial=0)))
        self.expander = Kernel(expand_graph, np.array([words], dtype=np.int64), (starts, table))

    def state(self, node: int) -> NDArray[np.uint8]:
        """The state of a node."""
        state = np.zeros(self.packing.size, dtype=np.uint8)
        state[0], state[self.high] = node % 16, node // 16
        return state

    def goals(self) -> list[int]:
        """All goal nodes."""
        return [n for n in range(self.nodes) if (self.state(n) == self.goal)[self.goal_mask].all()]

    def cost_of(self, plan: Sequence[int] | NDArray[np.int32], start: int) -> tuple[int, int]:
        """Where a plan leads and what it costs, by the list of edges."""
        node, cost = start, 0
        for move in np.asarray(plan).tolist():
            _, node, more = [edge for edge in self.edges if edge[0] == node][move]
            cost += more
        return node, cost

    def heuristic(self, values: Sequence[int], *, admissible: bool = True, consistent: bool = False) -> Heuristic:
        """A table of values, one per node."""
        table = np.zeros(1 << 12, dtype=np.uint8)
        table[: len(values)] = values
        groups = [([0, self.high], table)]
        return table_sum("table", self.packing, groups, admissible=admissible, consistent=consistent)


def distances_to(nodes: int, edges: Sequence[Edge], goals: Sequence[int]) -> dict[int, int]:
    """Cost of a cheapest way from each node that has one to the nearest goal."""
    backwards: dict[int, list[tuple[int, int]]] = {n: [] for n in range(nodes)}
    for source, target, cost in edges:
        backwards[target].append((source, cost))
    known: dict[int, int] = {}
    heap = [(0, goal) for goal in goals]
    while heap:
        distance, node = heapq.heappop(heap)
        if node not in known:
            known[node] = distance
            for other, cost in backwards[node]:
                heapq.heappush(heap, (distance + cost, other))
    return known
