"""Successors of a state of the cubical sliding puzzle, compiled."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import trailing_zeros
from matheur.methods.statespace.pointers import domain_function, pointer_to_words

__all__ = ["expand_large", "expand_small", "move_to", "occupied_by"]


@kernel(inline="always")
def occupied_by(state, d, rings, mask):  # type: ignore[no-untyped-def]
    """The set of vertices that hold a ring, for d <= 6 and keys of one word."""
    occupied = np.uint64(0)
    for ring in range(rings):
        occupied |= np.uint64(1) << ((state >> np.uint64(d * ring)) & mask)
    return occupied


@kernel(inline="always")
def move_to(free, rest, shift, ring, d, successors, moves, costs, count):  # type: ignore[no-untyped-def]
    """List the successors with a ring on each of the free vertices; `rest` is the key without it. Returns how many."""
    while free != 0:
        place = trailing_zeros(free)
        free &= free - np.uint64(1)
        successors[count] = rest | (np.uint64(place) << shift)
        moves[count] = (ring << d) | place
        costs[count] = 1
        count += 1
    return count


@domain_function
def expand_small(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """Successors for d <= 6 and keys of one word; vertex sets are single words.

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
        others = occupied & ~own
        free = np.uint64(0)
        for face in range(np.int64(vertex) * many, np.int64(vertex) * many + many):
            if faces[face] & others == 0:
                free |= faces[face]
        free &= ~own
        rest = state & ~(mask << shift)
        count = move_to(free, rest, shift, ring, d, successors, moves, costs, count)
    return count


@domain_function
def expand_large(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """Successors for any d <= 7 and any number of words; vertex sets are pairs of words.

    data: address of the face masks uint64[2**d, faces at a vertex, 2], d, rings, faces at a vertex, words per key,
    components per word.
    """
    faces = pointer_to_words(data[0])
    d, rings, many, words, per_word = data[1], data[2], data[3], data[4], data[5]
    one, mask = np.uint64(1), np.uint64((1 << d) - 1)
    low, high = np.uint64(0), np.uint64(0)
    for ring in range(rings):
        vertex = (key[ring // per_word] >> np.uint64(d * (ring % per_word))) & mask
        if vertex < 64:
            low |= one << vertex
        else:
            high |= one << (vertex - np.uint64(64))
    count = 0
    for ring in range(rings):
        word, shift = ring // per_word, np.uint64(d * (ring % per_word))
        vertex = (key[word] >> shift) & mask
        own_low = one << vertex if vertex < 64 else np.uint64(0)
        own_high = one << (vertex - np.uint64(64)) if vertex >= 64 else np.uint64(0)
        others_low, others_high = low & ~own_low, high & ~own_high
        free_low, free_high = np.uint64(0), np.uint64(0)
        for face in range(np.int64(vertex) * many, np.int64(vertex) * many + many):
            if (faces[2 * face] & others_low) | (faces[2 * face + 1] & others_high) == 0:
                free_low |= faces[2 * face]
                free_high |= faces[2 * face + 1]
        free_low &= ~own_low
        free_high &= ~own_high
        rest = key[word] & ~(mask << shift)
        while free_low | free_high != 0:
            if free_low != 0:
                place = trailing_zeros(free_low)
                free_low &= free_low - one
            else:
                place = trailing_zeros(free_high) + 64
                free_high &= free_high - one
            for other in range(words):
                successors[count * words + other] = key[other]
            successors[count * words + word] = rest | (np.uint64(place) << shift)
            moves[count] = (ring << d) | place
            costs[count] = 1
            count += 1
    return count
