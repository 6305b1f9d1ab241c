"""Small directed graphs as domains, compiled and in NumPy alone, with Dijkstra's algorithm in plain Python."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numba import cfunc
from numpy.typing import NDArray

from matheur.methods.statespace.domain import BaseDomain, Kernel, Successors
from matheur.methods.statespace.heuristics.base import INFINITE, Heuristic
from matheur.methods.statespace.packing import Packing
from matheur.methods.statespace.pointers import ESTIMATE, EXPAND, pointer_to_words

Arc = tuple[int, int, int]  # tail, head, cost; the move is the arc's position


@cache
def expander() -> Any:
    """Compiled successors; data: address of the arcs (tail, head, cost), their number, words per key."""

    @cfunc(EXPAND)
    def expand(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
        arcs = pointer_to_words(data[0])
        many, words = data[1], data[2]
        vertex = key[0] & np.uint64(63)
        count = 0
        for i in range(many):
            if arcs[3 * i] == vertex:
                for word in range(words):
                    successors[count * words + word] = arcs[3 * i + 1]
                moves[count] = i
                costs[count] = np.int64(arcs[3 * i + 2])
                count += 1
        return count

    return expand


@cache
def estimator() -> Any:
    """Compiled look-up; data: words per key, then the estimate of each vertex."""

    @cfunc(ESTIMATE)
    def estimate(keys, count, data, out):  # type: ignore[no-untyped-def]
        for row in range(count):
            out[row] = data[1 + np.int64(keys[row * data[0]] & np.uint64(63))]
        return 0

    return estimate


class GraphDomain(BaseDomain):
    """Vertices 0 to 63; a key of two words repeats the vertex in the second one.

    A state is a goal if it equals `goal` in the bits of `goal_bits`.
    """

    name = "graph"
    reversible = False

    def __init__(
        self, arcs: Sequence[Arc], start: int, goal: int, *, goal_bits: int = 63, words: int = 1, compiled: bool = True
    ) -> None:
        self.arcs = np.array(arcs, dtype=np.int64).reshape(-1, 3)
        self.words = words
        # A component for each bit; the gap fills the first word, so that the second vertex lies in a word of its own.
        self.packing = Packing((1,) * 6 if words == 1 else (1,) * 6 + (8,) * 7 + (2,) + (1,) * 6)
        self.start, self.goal = self.state(start), self.state(goal)
        self.goal_mask = self.state(goal_bits).astype(np.bool_)
        self.moves = max(1, len(self.arcs))
        self.branching = max(1, *(int((self.arcs[:, 0] == v).sum()) for v in range(64)))
        self.unit_costs = bool((self.arcs[:, 2] == 1).all())
        table = np.ascontiguousarray(self.arcs, dtype=np.uint64)
        numbers = np.array([len(table), words], dtype=np.int64)
        self.expander = Kernel(expander(), numbers, (table,)) if compiled else None

    def state(self, vertex: int) -> NDArray[np.uint8]:
        """The components of a vertex."""
        bits = [vertex >> i & 1 for i in range(6)]
        return np.array(bits if self.words == 1 else bits + [0] * 8 + bits, dtype=np.uint8)

    def expand(self, keys: NDArray[np.uint64]) -> Successors:
        """By comparing all states with all arcs."""
        vertices = keys[:, 0].astype(np.int64) & 63
        parents, taken = np.nonzero(vertices[:, None] == self.arcs[None, :, 0])
        heads = np.repeat(self.arcs[taken, 1].astype(np.uint64)[:, None], self.words, axis=1)
        return Successors(heads, parents, taken.astype(np.int32), self.arcs[taken, 2].astype(np.int32))

    def heuristic(self, values: Sequence[int], *, admissible: bool, compiled: bool = True) -> Heuristic:
        """A table of estimates, one for each of the 64 vertices."""
        if compiled:
            numbers = np.array([self.words, *values], dtype=np.int64)
            return Heuristic("table", admissible, False, Kernel(estimator(), numbers))
        table = np.array(values, dtype=np.int32)
        return Heuristic("table", admissible, False, batch=lambda keys: table[keys[:, 0].astype(np.int64) & 63])

    def cost_of(self, plan: NDArray[np.int32]) -> int:
        """Follows the arcs from the start to a goal, or fails."""
        at = int(self.packing.pack(self.start[None])[0, 0])
        for move in plan.tolist():
            tail, at_next, _ = self.arcs[move].tolist()
            assert tail == at
            at = at_next
        assert self.is_goal(np.full((1, self.words), at, dtype=np.uint64))[0]
        return int(self.arcs[plan, 2].sum())


@dataclass(frozen=True)
class Case:
    """A graph with endpoints, the cost from each vertex to the nearest goal, and an admissible table of estimates."""

    arcs: tuple[Arc, ...]
    start: int
    goal: int
    goal_bits: int
    to_goal: tuple[int | None, ...] = field(repr=False)
    estimates: tuple[int, ...] = field(repr=False)

    @property
    def optimum(self) -> int | None:
        """Cost of the best plan."""
        return self.to_goal[self.start]

    def domain(self, *, words: int = 1, compiled: bool = True) -> GraphDomain:
        """The graph as a domain."""
        return GraphDomain(
            self.arcs, self.start, self.goal, goal_bits=self.goal_bits, words=words, compiled=compiled
        )  # fmt: skip


def costs_to_goal(arcs: Sequence[Arc], goal: int, goal_bits: int) -> tuple[int | None, ...]:
    """Dijkstra's algorithm backwards from all goals."""
    best: list[int | None] = [0 if (v ^ goal) & goal_bits == 0 else None for v in range(64)]
    queue = [(0, v) for v in range(64) if best[v] == 0]
    while queue:
        cost, vertex = heapq.heappop(queue)
        if cost == best[vertex]:
            for tail, head, more in arcs:
                known = best[tail]
                if head == vertex and (known is None or cost + more < known):
                    best[tail] = cost + more
                    heapq.heappush(queue, (cost + more, tail))
    return tuple(best)


@st.composite
def cases(draw: st.DrawFn, costs: st.SearchStrategy[int] | None = None) -> Case:
    """Graphs of up to 12 used vertices with loops, parallel arcs, dead ends and inconsistent estimates."""
    vertices = st.integers(0, draw(st.integers(1, 11)))
    ranges = [st.just(1), st.integers(0, 3), st.integers(1, 9), st.integers(0, 40_000)]
    weights = draw(st.sampled_from(ranges)) if costs is None else costs
    arcs = tuple(draw(st.lists(st.tuples(vertices, vertices, weights), max_size=40)))
    goal_bits = draw(st.sampled_from([63, 63, 61, 59]))
    start, goal = draw(vertices), draw(vertices)
    to_goal = costs_to_goal(arcs, goal, goal_bits)
    share = draw(st.lists(st.integers(0, 4), min_size=64, max_size=64))
    estimates = [
        (INFINITE if part == 4 else part) if cost is None else cost * part // 4
        for cost, part in zip(to_goal, share, strict=True)
    ]
    return Case(arcs, start, goal, goal_bits, to_goal, tuple(estimates))
