"""Successors of a Lights Out board, compiled."""

from __future__ import annotations

import numpy as np

from matheur.kernels.intrinsics import popcount
from matheur.methods.statespace.pointers import (
    domain_function,
    heuristic_function,
    pointer_to_integers,
    pointer_to_words,
)

__all__ = ["expand", "expand_states", "lights", "lights_of_states"]


@domain_function
def expand(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """Successors by every press: one exclusive-or of the words of the board.

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
    """Number of lights that differ from the goal, divided by the most that a press toggles, rounded up.

    data: words, the most that a press toggles, the words of the goal.
    """
    words, largest = data[0], data[1]
    for number in range(count):
        wrong = np.int64(0)
        for word in range(words):
            wrong += popcount(keys[number * words + word] ^ np.uint64(data[2 + word]))
        out[number] = (wrong + largest - 1) // largest
    return np.int64(0)


@domain_function
def expand_states(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """Successors by every press of lights with several states: an addition in each cell that it changes.

    data: address of the effects int64[n, 2] (cell, amount), address of the start of each press int64[presses + 1],
    presses, words, states, bits per cell, cells per word.
    """
    effects, begins = pointer_to_integers(data[0]), pointer_to_integers(data[1])
    presses, words, states, width, per_word = data[2], data[3], np.uint64(data[4]), data[5], data[6]
    mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    for press in range(presses):
        here = press * words
        for word in range(words):
            successors[here + word] = key[word]
        for number in range(begins[press], begins[press + 1]):
            cell = effects[2 * number]
            word, shift = here + cell // per_word, np.uint64(cell % per_word * width)
            state = successors[word] >> shift & mask
            after = (state + np.uint64(effects[2 * number + 1])) % states
            successors[word] ^= (state ^ after) << shift
        moves[press] = press
        costs[press] = 1
    return presses


@heuristic_function
def lights_of_states(keys, count, data, out):  # type: ignore[no-untyped-def]
    """Total amount to be added to the lights, divided by the most that a press adds, rounded up.

    data: cells, words, states, bits per cell, cells per word, the most that a press adds, the goal cell by cell.
    """
    cells, words, states, width, per_word, largest = data[0], data[1], data[2], data[3], data[4], data[5]
    mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    for number in range(count):
        needed = np.int64(0)
        for cell in range(cells):
            word = keys[number * words + cell // per_word]
            state = np.int64(word >> np.uint64(cell % per_word * width) & mask)
            needed += (data[6 + cell] - state) % states
        out[number] = (needed + largest - 1) // largest
    return np.int64(0)
