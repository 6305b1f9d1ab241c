"""Successors of a Lights Out board, compiled."""

from __future__ import annotations

import numpy as np

from matheur.kernels.intrinsics import popcount
from matheur.methods.statespace.pointers import domain_function, heuristic_function, pointer_to_words

__all__ = ["expand", "lights"]


@domain_function
def expand(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """Every press: one exclusive-or of the words of the board.

    data: address of the masks uint64[cells, words], cells, words.
    """
    masks = pointer_to_words(data[0])
    cells, words = data[1], data[2]
    for cell in range(cells):
        for word in range(words):
            successors[cell * words + word] = key[word] ^ masks[cell * words + word]
        moves[cell] = cell
        costs[cell] = 1
    return cells


@heuristic_function
def lights(keys, count, data, out):  # type: ignore[no-untyped-def]
    """Lights that differ from the goal, divided by the most that a press toggles, rounded up.

    data: words, the most that a press toggles, the words of the goal.
    """
    words, largest = data[0], data[1]
    for number in range(count):
        wrong = np.int64(0)
        for word in range(words):
            wrong += popcount(keys[number * words + word] ^ np.uint64(data[2 + word]))
        out[number] = (wrong + largest - 1) // largest
    return np.int64(0)
