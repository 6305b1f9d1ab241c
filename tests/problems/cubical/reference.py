"""The rules once more, straight from the definition, and exhaustive search in plain Python."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

__all__ = ["all_faces", "reachable", "successors"]

Placement = tuple[int, ...]


@cache
def all_faces(d: int, k: int) -> tuple[frozenset[int], ...]:
    """Every k-face of the d-cube as a set of vertices."""
    found = []
    for free in combinations(range(d), k):
        fixed = [i for i in range(d) if i not in free]
        for values in product((0, 1), repeat=d - k):
            base = sum(value << i for i, value in zip(fixed, values, strict=True))
            corners = (sum(bit << i for i, bit in zip(free, bits, strict=True)) for bits in product((0, 1), repeat=k))
            found.append(frozenset(base + corner for corner in corners))
    return tuple(found)


def successors(d: int, k: int, places: Placement) -> set[tuple[int, int]]:
    """All (ring, new vertex): some face holds the ring, the vertex, and no other ring."""
    moves = set()
    for ring, here in enumerate(places):
        others = {*places[:ring], *places[ring + 1 :]}
        for face in all_faces(d, k):
            if here in face and not face & others:
                moves |= {(ring, there) for there in face if there != here}
    return moves


def reachable(d: int, k: int, start: Placement) -> dict[Placement, int]:
    """Every placement that can be reached, with its distance."""
    distance = {start: 0}
    frontier = [start]
    while frontier:
        reached = []
        for places in frontier:
            for ring, vertex in successors(d, k, places):
                after = (*places[:ring], vertex, *places[ring + 1 :])
                if after not in distance:
                    distance[after] = distance[places] + 1
                    reached.append(after)
        frontier = reached
    return distance
