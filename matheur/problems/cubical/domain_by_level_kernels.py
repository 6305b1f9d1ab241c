"""A breadth-first level of the cubical sliding puzzle, many states at once.

Memory layout: the bit array of a set of states is divided into words of 2**d bits. The vertex of ring 0 is the position
of a bit in its word; the number of the word consists of the vertices of the other rings, d bits each, with ring 1
lowest. The 2**d words that differ only in ring 1 form a block: a bit matrix, ring 1 by ring 0, which fits in a few
vector registers.

For a k-face f that holds none of the rings 2 and above except possibly ring r:
 - ring 0: a word with ring 1 outside f and any bit in f gets all bits of f;
 - ring 1: the words of the block with ring 1 in f get the union of these words, without the bits in f;
 - ring r >= 2: the blocks with ring r in f get their union, without states that have ring 0 or ring 1 in f.
A state that becomes its own successor in this way has already been seen. The cost is about one vector operation per
block, face and vertex of the face, regardless of the number of states in the block.

Codes with two rings on one vertex are never reached, so they need no test.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["move_far_ring", "move_near_rings"]


@kernel
def _free_faces(number, digits, d, faces, out):  # type: ignore[no-untyped-def]
    """Write the faces that hold no ring of `number`, which has `digits` digits; -1 if two rings share a vertex."""
    taken = np.uint64(0)
    for _ in range(digits):
        bit = np.uint64(1) << np.uint64(number & ((1 << d) - 1))
        if taken & bit != 0:
            return -1
        taken |= bit
        number >>= d
    many = 0
    for face in range(len(faces)):
        if faces[face] & taken == 0:
            out[many] = face
            many += 1
    return many


@kernel
def move_near_rings(frontier, following, begin, end, d, rings, faces, inside, outside_face):  # type: ignore[no-untyped-def]
    """Moves of rings 0 and 1 in the blocks `begin` to `end` [blocks, 2**d].

    `inside[f, q]`: vertices outside f if q is in f, else none; `outside_face[f, q]`: f if q is outside f, else none.
    """
    width = 1 << d
    free = np.empty(len(faces), dtype=np.int64)
    nothing = frontier.dtype.type(0)
    for block in range(begin, end):
        source, target = frontier[block], following[block]
        some = nothing
        for q in range(width):
            some |= source[q]
        if some == 0:
            continue
        many = _free_faces(block, rings - 2, d, faces, free)
        for i in range(many):
            face = inside[free[i]]
            other = outside_face[free[i]]
            union = nothing
            for q in range(width):
                union |= source[q] & face[q]
            for q in range(width):
                target[q] |= (union & face[q]) | (other[q] if source[q] & other[q] != 0 else nothing)


@kernel
def move_far_ring(frontier, following, begin, end, ring, d, rings, faces, vertices, outside):  # type: ignore[no-untyped-def]
    """Moves of a ring >= 2 in the lines `begin` to `end`: a line is the vertices of the other rings >= 2.

    `vertices[f]` lists the vertices of f; `outside[f, q]`: vertices outside f if q is outside f, else none.
    """
    width = 1 << d
    free = np.empty(len(faces), dtype=np.int64)
    union = np.empty(width, dtype=frontier.dtype)
    size = vertices.shape[1]
    nothing = frontier.dtype.type(0)
    low = d * (ring - 2)
    for line in range(begin, end):
        many = _free_faces(line, rings - 3, d, faces, free)
        base = (line & ((1 << low) - 1)) | ((line >> low) << (low + d))
        for i in range(many):
            corners, keep = vertices[free[i]], outside[free[i]]
            union[:] = nothing
            for j in range(size):
                source = frontier[base + (np.int64(corners[j]) << low)]
                for q in range(width):
                    union[q] |= source[q]
            some = nothing
            for q in range(width):
                union[q] &= keep[q]
                some |= union[q]
            if some == 0:
                continue
            for j in range(size):
                target = following[base + (np.int64(corners[j]) << low)]
                for q in range(width):
                    target[q] |= union[q]
