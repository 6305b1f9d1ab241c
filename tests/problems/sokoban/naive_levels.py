"""Plain breadth-first search on the definition of the cubical puzzle, and small domains, for comparison."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations, product

import numpy as np

from matheur.methods.statespace.domain import BaseDomain, Successors
from matheur.methods.statespace.packing import Packing

State = tuple[int, ...]


@cache
def moves_of(d: int, k: int, state: State) -> frozenset[State]:
    """States after one move: a ring goes to another vertex of a k-face that holds no other ring."""
    found: set[State] = set()
    for ring, vertex in enumerate(state):
        others = set(state) - {vertex}
        for free in combinations(range(d), k):
            face = []
            for values in product((0, 1), repeat=k):
                corner = vertex
                for coordinate, value in zip(free, values, strict=True):
                    corner = corner & ~(1 << coordinate) | value << coordinate
                face.append(corner)
            if not others & set(face):
                found |= {(*state[:ring], corner, *state[ring + 1 :]) for corner in face if corner != vertex}
    return frozenset(found)


def reached(source: State, successors: Callable[[State], Iterable[State]]) -> dict[State, int]:
    """The distance of everything that can be reached."""
    depths, waiting = {source: 0}, deque([source])
    while waiting:
        one = waiting.popleft()
        for other in successors(one):
            if other not in depths:
                depths[other] = depths[one] + 1
                waiting.append(other)
    return depths


def depths_of(d: int, k: int, state: State) -> dict[State, int]:
    """The distance of every state of the cubical puzzle that can be reached."""
    return reached(state, lambda one: moves_of(d, k, one))


def counts_of(depths: dict[State, int]) -> list[int]:
    """States at each distance."""
    many = Counter(depths.values())
    return [many[depth] for depth in range(len(many))]


class Doubling(BaseDomain):
    """x becomes x + 1 or 2 x modulo n, in plain NumPy; moves cannot be taken back, and the second component is free."""

    name, reversible, moves, branching = "doubling", False, 2, 2

    def __init__(self, n: int, start: int, goal: int) -> None:
        self.n = n
        self.packing = Packing((8, 1))
        self.start, self.goal = np.array([start, 0], dtype=np.uint8), np.array([goal, 0], dtype=np.uint8)
        self.goal_mask = np.array([True, False])

    def expand(self, keys: np.ndarray) -> Successors:
        """Both successors; the second component is the parity of the number of moves."""
        states = self.packing.unpack(keys).astype(np.int64)
        first = np.stack([(states[:, 0] + 1) % self.n, 2 * states[:, 0] % self.n], axis=1).reshape(-1)
        both = np.stack([first, np.repeat(1 - states[:, 1], 2)], axis=1).astype(np.uint8)
        rows = np.arange(len(states), dtype=np.int64).repeat(2)
        moves = np.tile(np.array([0, 1], dtype=np.int32), len(states))
        return Successors(self.packing.pack(both), rows, moves, np.ones(len(rows), dtype=np.int32))
