"""Moves of the cubical sliding puzzle face by face, compiled."""

from __future__ import annotations

import numpy as np

from matheur.methods.statespace.pointers import domain_function, pointer_to_words
from matheur.problems.cubical.domain_kernels import move_to, occupied_by

__all__ = ["expand_by_face"]


@domain_function
def expand_by_face(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """Successors for d <= 6 and keys of one word; a vertex on several free faces is listed once for each of them.

    data: address of the face masks uint64[2**d, faces at a vertex], d, rings, faces at a vertex.
    """
    faces = pointer_to_words(data[0])
    d, rings, many = data[1], data[2], data[3]
    one, mask = np.uint64(1), np.uint64((1 << d) - 1)
    state = key[0]
    occupied = occupied_by(state, d, rings, mask)
    count = 0
    for ring in range(rings):
        shift = np.uint64(d * ring)
        vertex = (state >> shift) & mask
        own = one << vertex
        rest = state & ~(mask << shift)
        for face in range(np.int64(vertex) * many, np.int64(vertex) * many + many):
            free = faces[face] & ~own
            if free & occupied != 0:
                continue
            count = move_to(free, rest, shift, ring, d, successors, moves, costs, count)
    return count
