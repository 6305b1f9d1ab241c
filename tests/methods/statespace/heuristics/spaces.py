"""Small state spaces and their distances by the definition, in plain Python."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.domain import BaseDomain, Kernel, Successors
from matheur.methods.statespace.heuristics import INFINITE, Heuristic
from matheur.methods.statespace.packing import Packing
from matheur.methods.statespace.pointers import domain_function, pointer_to_words

State = tuple[int, ...]
Neighbours = Callable[[State], Iterable[tuple[State, int]]]


def dijkstra(neighbours: Neighbours, sources: Iterable[State]) -> dict[State, int]:
    """Distance of every state from the nearest source."""
    distances: dict[State, int] = {}
    queue = [(0, source) for source in sources]
    heapq.heapify(queue)
    while queue:
        distance, state = heapq.heappop(queue)
        if state not in distances:
            distances[state] = distance
            for other, cost in neighbours(state):
                if other not in distances:
                    heapq.heappush(queue, (distance + cost, other))
    return distances


def check_bound(packing: Packing, heuristic: Heuristic, neighbours: Neighbours, distances: Mapping[State, int]) -> None:
    """Every estimate is a lower bound, and over every edge it drops by no more than the edge costs."""
    states = sorted(distances)
    assert len(states) > 1
    estimates = dict(zip(states, heuristic.estimate(packing.pack(states)).tolist(), strict=True))
    if heuristic.admissible:
        assert all(estimates[state] <= distances[state] for state in states)
    if heuristic.consistent:
        assert all(estimates[state] == 0 for state in states if distances[state] == 0)
        for state in states:
            assert all(estimates[state] <= cost + estimates[other] for other, cost in neighbours(state))


@domain_function
def expand_graph(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """data: address of rows (uint64: begin of each state's edges), of pairs (uint64: target and cost of each edge)."""
    rows, pairs = pointer_to_words(data[0]), pointer_to_words(data[1])
    first, end = np.int64(rows[np.int64(key[0])]), np.int64(rows[np.int64(key[0]) + 1])
    for edge in range(first, end):
        successors[edge - first] = pairs[2 * edge]
        moves[edge - first] = edge - first
        costs[edge - first] = pairs[2 * edge + 1]
    return end - first


class Graph(BaseDomain):
    """An undirected graph on the numbers 0 .. 2**bits - 1, in two components; compiled, or in batches only."""

    name = "graph"
    unit_costs = False

    def __init__(
        self,
        edges: Sequence[tuple[int, int, int]],
        *,
        compiled: bool,
        goal: int = 0,
        mask: Sequence[bool] = (True, True),
    ) -> None:
        self.packing = Packing((3, 4))
        size = 1 << self.packing.bits
        self.links: list[list[tuple[int, int]]] = [[] for _ in range(size)]
        for a, b, cost in edges:
            self.links[a].append((b, cost))
            self.links[b].append((a, cost))
        self.branching = self.moves = max(1, *map(len, self.links))
        self.start = np.array([0, 0], dtype=np.uint8)
        self.goal = np.array([goal & 7, goal >> 3], dtype=np.uint8)
        self.goal_mask = np.array(mask, dtype=np.bool_)
        if compiled:
            rows = np.cumsum([0, *map(len, self.links)]).astype(np.uint64)
            pairs = np.array([pair for links in self.links for pair in links], dtype=np.uint64).reshape(-1, 2)
            self.expander = Kernel(expand_graph, np.empty(0, dtype=np.int64), (rows, pairs))

    def expand(self, keys: NDArray[np.uint64]) -> Successors:
        """The links of each number."""
        rows = [self.links[int(key)] for key in np.asarray(keys)[:, 0]]
        pairs = np.array([pair for links in rows for pair in links], dtype=np.int64).reshape(-1, 2)
        parents = np.repeat(np.arange(len(rows)), [len(links) for links in rows])
        moves = np.array([i for links in rows for i in range(len(links))], dtype=np.int32)
        return Successors(pairs[:, :1].astype(np.uint64), parents, moves, pairs[:, 1].astype(np.int32))

    def neighbours(self, state: State) -> list[tuple[State, int]]:
        """The links of a state."""
        return [((other & 7, other >> 3), cost) for other, cost in self.links[state[0] | state[1] << 3]]


def slide(cells: State, columns: int, kept: Sequence[int] | None = None) -> list[tuple[State, int, int]]:
    """Moves of a sliding-tile board, or of a part of it: (cells of the kept pieces, number of the move, cost).

    `cells` are those of the blank (piece 0) and of the tiles, or only of the kept pieces. A tile that is not kept
    moves for nothing; without the blank a tile moves wherever no other kept one is.
    """
    pieces = list(range(len(cells))) if kept is None else list(kept)
    count = 2 * columns
    where = dict(zip(pieces, cells, strict=True))
    found = []
    for cell in range(count):
        for other in (cell - 1, cell + 1, cell - columns, cell + columns):
            near = 0 <= other < count and (cell // columns == other // columns or cell % columns == other % columns)
            mover = next((piece for piece in pieces if piece and where[piece] == cell), None)
            if not near or (mover is None and 0 not in where) or where.get(0, other) != other:
                continue
            if any(where[piece] == other for piece in pieces if piece):
                continue
            after = {**where, **({0: cell} if 0 in where else {}), **({} if mover is None else {mover: other})}
            found.append((tuple(after[piece] for piece in pieces), cell * count + other, 0 if mover is None else 1))
    return found


class Sliding(BaseDomain):
    """Two rows of sliding tiles in plain Python; component 0 is the blank's cell, component i that of tile i.

    In a projection the moves of the tiles that are left out are free.
    """

    reversible = True

    def __init__(self, start: Sequence[int], goal: Sequence[int], kept: Sequence[int] | None = None) -> None:
        self.kept = list(range(len(start))) if kept is None else list(kept)
        self.columns = 3
        self.name = f"sliding {self.kept}"
        self.unit_costs = kept is None
        self.packing = Packing((3,) * len(self.kept))
        self.branching = self.moves = 36
        self.start, self.goal = np.array(start, dtype=np.uint8), np.array(goal, dtype=np.uint8)
        self.goal_mask = np.array([piece != 0 for piece in self.kept])
        self.fingerprint = f"sliding 2x3 {self.kept}"

    def expand(self, keys: NDArray[np.uint64]) -> Successors:
        """By the definition."""
        found = [
            (self.packing.pack([state])[0], parent, move, cost)
            for parent, row in enumerate(self.packing.unpack(keys).tolist())
            for state, move, cost in slide(tuple(row), self.columns, self.kept)
        ]
        parents, moves, costs = (np.array([one[i] for one in found], dtype=np.int64) for i in (1, 2, 3))
        rows = np.array([one[0] for one in found], dtype=np.uint64).reshape(-1, 1)
        return Successors(rows, parents, moves.astype(np.int32), costs.astype(np.int32))

    def neighbours(self, state: State) -> list[tuple[State, int]]:
        """Neighbours in plain Python."""
        return [(other, cost) for other, _, cost in slide(state, self.columns, self.kept)]

    def project(self, components: Sequence[int]) -> Sliding:
        """Only these pieces."""
        chosen = [self.kept[i] for i in components]
        return Sliding([self.start[i] for i in components], [self.goal[i] for i in components], chosen)


class Blocked(BaseDomain):
    """Two tokens on two separate rows of four cells, so that half of all positions are out of reach.

    A token stays on its row: a token on the other row than its target is at a dead end.
    """

    name = "rows"
    moves = branching = 16

    def __init__(self, start: Sequence[int], goal: Sequence[int]) -> None:
        self.packing = Packing((3,) * len(start))
        self.start, self.goal = np.array(start, dtype=np.uint8), np.array(goal, dtype=np.uint8)
        self.goal_mask = np.ones(len(start), dtype=np.bool_)

    def expand(self, keys: NDArray[np.uint64]) -> Successors:
        """One step along the row."""
        states = self.packing.unpack(keys)
        children, parents, moves = [], [], []
        for parent, row in enumerate(states.tolist()):
            for i, cell in enumerate(row):
                for other in (cell - 1, cell + 1):
                    if 0 <= other < 8 and other // 4 == cell // 4:
                        children.append([*row[:i], other, *row[i + 1 :]])
                        parents.append(parent)
                        moves.append(i * 8 + other)
        keys = self.packing.pack(np.array(children, dtype=np.uint8).reshape(-1, self.packing.size))
        ones = np.ones(len(children), dtype=np.int32)
        return Successors(keys, np.array(parents, dtype=np.int64), np.array(moves, dtype=np.int32), ones)

    def project(self, components: Sequence[int]) -> Blocked:
        """Some of the tokens."""
        return Blocked([self.start[i] for i in components], [self.goal[i] for i in components])


def boards() -> list[State]:
    """All boards of the 2 x 3 puzzle, reachable or not."""
    return list(permutations(range(6)))


def infinite(values: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which states are called dead ends."""
    return values >= INFINITE
