"""The legal moves of a placement by the definition, in plain Python with vertex sets as bit masks.

Used by pictures, the generator and the arguments about solvability. The evaluator implements the rules independently,
and searches use compiled kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

__all__ = ["faces_at", "free_span", "legal_moves"]


@lru_cache(maxsize=32)
def faces_at(d: int, k: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The k-faces at each vertex of the d-cube as pairs of masks: the free coordinates, and the vertices (bit v)."""
    spans = [sum(1 << i for i in free) for free in combinations(range(d), k)]
    table = []
    for vertex in range(1 << d):
        table.append(tuple((span, _mask(v for v in range(1 << d) if (v ^ vertex) & ~span == 0)) for span in spans))
    return tuple(table)


def legal_moves(d: int, k: int, places: Sequence[int]) -> list[tuple[int, int]]:
    """All (ring number, new vertex) in order: the ring and the vertex share a face that holds no other ring."""
    faces, occupied = faces_at(d, k), _mask(places)
    moves = []
    for ring, here in enumerate(places):
        others = occupied ^ (1 << here)
        reached = 0
        for _, face in faces[here]:
            if not face & others:
                reached |= face
        moves += [(ring, there) for there in _bits(reached) if there != here]
    return moves


def free_span(d: int, k: int, places: Sequence[int], ring: int, there: int) -> int | None:
    """Mask of the free coordinates of a face on which the ring can move there; None if it cannot."""
    here = places[ring]
    others = _mask(places) ^ (1 << here)
    for span, face in faces_at(d, k)[here]:
        if there != here and face >> there & 1 and not face & others:
            return span
    return None


def _mask(vertices: Sequence[int] | Iterator[int]) -> int:
    return sum(1 << vertex for vertex in vertices)


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]
