"""Layers of a beam search for the cube, compiled: children, their scores, and the selection among them.

A child is scored from the sums of its parent (see `coordinates`) without being generated; only children that are kept
are generated. For each block of parents, the cache lines of all tables are prefetched before the first entry is read.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import prefetch
from matheur.problems.rubik.search.cube_kernels import corner_index, phase1_index

__all__ = ["LIMIT", "PROBES", "children", "choose", "copy_hashes"]

PROBES = 7
"""Number of table entries per child: corners, then phase 1 along three axes of the cube and three of its inverse."""

LIMIT = 256
"""Upper limit of scores, which are smaller."""

_BLOCK = 16


@kernel
def children(  # type: ignore[no-untyped-def]
    begin, end, left, near, weight, states, lasts, hashes, automaton, moves, corner_sum, edge_sum, corner_change,
    edge_change, hash_change, source, placing, heads, tails, class_of, twist_image, corners, phase1, histogram,
    found_hash, found_parent, found_move, found_score, near_parent, near_move, counts,
):  # fmt: skip
    """Score the children of states begin to end - 1, as long as there is room for the children of a block.

    Children with an entry above `left` are dropped. The score is the sum of the phase-1 entries plus `weight` times the
    corner entry. Children with no entry above `near` are listed for the perimeter.

    Parameters
    ----------
    states, lasts, hashes
        uint8[n, 20], uint8[n], uint64[n]: states of the layer, states of the automaton, and hashes.
    histogram
        int64[LIMIT]: number of children by score.
    found_hash, found_parent, found_move, found_score
        uint64, int32, uint8, uint8: the children found.
    near_parent, near_move
        int32, uint8: the children near the solved cube.
    counts
        int64[3]: numbers of children found, children near the solved cube, and children scored.

    Returns
    -------
    int64
        Index of the first state that is not expanded.
    """
    corner_words, edge_words = np.empty((18 * _BLOCK, 2), dtype=np.uint64), np.empty((18 * _BLOCK, 2), dtype=np.uint64)
    indices = np.empty((18 * _BLOCK, PROBES), dtype=np.int64)
    count, nearby, looked = counts[0], counts[1], counts[2]
    first = begin
    while first < end and count + 18 * _BLOCK <= found_hash.size and nearby + 18 * _BLOCK <= near_parent.size:
        last = min(first + _BLOCK, end)
        many = 0
        for parent in range(first, last):
            state = states[parent]
            corner, corner_back = np.uint64(0), np.uint64(0)
            edge, edge_back = np.uint64(0), np.uint64(0)
            for i in range(8):
                value = np.int64(state[i])
                corner += corner_sum[i, value]
                piece = value // 3
                corner_back += corner_sum[piece, 3 * i + (3 * piece + 3 - value) % 3]
            for i in range(12):
                value = np.int64(state[8 + i])
                edge += edge_sum[i, value]
                edge_back += edge_sum[value >> 1, 2 * i + (value & 1)]
            for move in range(moves):
                if automaton[lasts[parent], move] < 0:
                    continue
                a, b, c, d, e = corner, edge, corner_back, edge_back, hashes[parent]
                for k in range(4):
                    value = np.int64(state[source[move, k]])
                    a += corner_change[move, k, value, 0]
                    c += corner_change[move, k, value, 1]
                    e += hash_change[move, k, value]
                    value = np.int64(state[source[move, 4 + k]])
                    b += edge_change[move, k, value, 0]
                    d += edge_change[move, k, value, 1]
                    e += hash_change[move, 4 + k, value]
                corner_words[many, 0], corner_words[many, 1] = a, c
                edge_words[many, 0], edge_words[many, 1] = b, d
                place = count + many
                found_hash[place], found_parent[place], found_move[place] = e, parent, move
                index = corner_index(a, heads, tails)
                indices[many, 0] = index
                prefetch(corners, index >> 1)
                many += 1
        for i in range(many):
            for probe in range(6):
                side = probe // 3
                index = phase1_index(
                    corner_words[i, side], edge_words[i, side], probe % 3, placing, class_of, twist_image
                )
                indices[i, 1 + probe] = index
                prefetch(phase1, index >> 1)
        looked += many
        start = count
        for i in range(many):
            index = indices[i, 0]
            one = np.int64((corners[index >> 1] >> np.uint8(4 * (index & 1))) & np.uint8(15))
            score, largest = weight * one, one
            for probe in range(1, PROBES):
                index = indices[i, probe]
                one = np.int64((phase1[index >> 1] >> np.uint8(4 * (index & 1))) & np.uint8(15))
                score += one
                largest = max(largest, one)
            if largest > left:
                continue
            here = start + i
            if largest <= near:
                near_parent[nearby], near_move[nearby] = found_parent[here], found_move[here]
                nearby += 1
            score = min(score, LIMIT - 1)
            histogram[score] += 1
            found_hash[count], found_parent[count], found_move[count] = (
                found_hash[here], found_parent[here], found_move[here],
            )  # fmt: skip
            found_score[count] = score
            count += 1
        first = last
    counts[0], counts[1], counts[2] = count, nearby, looked
    return first


@kernel
def choose(  # type: ignore[no-untyped-def]
    count, width, histogram, found_hash, found_parent, found_move, found_score, order, slots, move_source, move_value,
    automaton, states, lasts, new_states, new_lasts, new_hashes, new_parents, new_moves, new_scores,
):  # fmt: skip
    """Generate the `width` children with the lowest scores, the first among equal scores; returns their number.

    `slots` contains hashes of all states kept so far (open addressing, 0 = empty); these are not kept again. It must
    have room for `width` more. `order` is an int32[count] work array.
    """
    places = np.empty(LIMIT, dtype=np.int64)
    total = np.int64(0)
    for score in range(LIMIT):
        places[score] = total
        total += histogram[score]
    for i in range(count):
        score = found_score[i]
        order[places[score]] = i
        places[score] += 1
    mask = np.uint64(slots.size - 1)
    kept = 0
    for rank in range(count):
        if kept == width:
            break
        if rank + 16 < count:
            prefetch(slots, np.int64(found_hash[order[rank + 16]] & mask))
        i = order[rank]
        word = found_hash[i]
        place = word & mask
        while slots[place] != 0 and slots[place] != word:
            place = (place + np.uint64(1)) & mask
        if slots[place] != 0:
            continue
        slots[place] = word
        parent, move = found_parent[i], found_move[i]
        for j in range(20):
            new_states[kept, j] = move_value[move, j, states[parent, move_source[move, j]]]
        new_lasts[kept] = automaton[lasts[parent], move]
        new_hashes[kept], new_parents[kept], new_moves[kept] = word, parent, move
        new_scores[kept] = found_score[i]
        kept += 1
    return kept


@kernel
def copy_hashes(slots, larger):  # type: ignore[no-untyped-def]
    """Copy the hashes of `choose` to an empty, larger table."""
    mask = np.uint64(larger.size - 1)
    for word in slots:
        if word != 0:
            place = word & mask
            while larger[place] != 0:
                place = (place + np.uint64(1)) & mask
            larger[place] = word
