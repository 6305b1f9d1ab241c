"""Successors and estimates of Sokoban levels, compiled; a state is the player's cell and a bit per cell for boxes."""

from __future__ import annotations

import numpy as np

from matheur.methods.statespace.pointers import domain_function, heuristic_function, pointer_to_bytes, pointer_to_words

__all__ = ["expand", "goal_pushes"]


@domain_function
def expand(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """All steps and pushes.

    data: addresses of the neighbours uint8[cells, 4] (255 for a wall), of word and shift of each cell's box bit
    uint64[cells, 2], words, cost of a step.
    """
    adjacent, places = pointer_to_bytes(data[0]), pointer_to_words(data[1])
    words, step = data[2], data[3]
    one = np.uint64(1)
    player = np.int64(key[0] & np.uint64(255))
    count = 0
    for move in range(4):
        there = np.int64(adjacent[4 * player + move])
        if there == 255:
            continue
        word, shift = np.int64(places[2 * there]), places[2 * there + 1]
        pushed = (key[word] >> shift) & one != 0
        for other in range(words):
            successors[count * words + other] = key[other]
        if pushed:
            beyond = np.int64(adjacent[4 * there + move])
            if beyond == 255:
                continue
            word_beyond, shift_beyond = np.int64(places[2 * beyond]), places[2 * beyond + 1]
            if (key[word_beyond] >> shift_beyond) & one != 0:
                continue
            successors[count * words + word] ^= one << shift
            successors[count * words + word_beyond] ^= one << shift_beyond
        successors[count * words] ^= np.uint64(player ^ there)
        moves[count] = move
        costs[count] = 1 if pushed else step
        count += 1
    return count


@heuristic_function
def goal_pushes(keys, count, data, out):  # type: ignore[no-untyped-def]
    """Sum over the boxes of the pushes to the nearest goal; infinite if a box can reach no goal.

    data: addresses of pushes uint8[cells] (255 for a dead square), of word and shift of each cell's box bit
    uint64[cells, 2], words, cells.
    """
    nearest, places = pointer_to_bytes(data[0]), pointer_to_words(data[1])
    words, cells = data[2], data[3]
    one = np.uint64(1)
    for number in range(count):
        total = np.int64(0)
        for cell in range(cells):
            if (keys[number * words + np.int64(places[2 * cell])] >> places[2 * cell + 1]) & one != 0:
                total += np.int64(nearest[cell]) if nearest[cell] < 255 else np.int64(1 << 30)
        out[number] = min(total, np.int64(1 << 30))
    return np.int64(0)
