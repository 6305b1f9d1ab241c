"""States near the solved cube, one of each class of symmetric states, compiled.

A class contains the 48 images of a state and the 48 images of its inverse. Its representative is the lexicographically
smallest image. It is found component by component; after the first component, few of the 96 images are left. The table
uses open addressing and stores 60-bit hashes with the distance in the lowest four bits.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["enter", "expand", "look_up"]


@kernel
def _invert(state, back):  # type: ignore[no-untyped-def]
    for place in range(8):
        value = np.int64(state[place])
        back[value // 3] = 3 * place + (3 - value % 3) % 3
    for place in range(12):
        value = np.int64(state[8 + place])
        back[8 + (value >> 1)] = 2 * place + (value & 1)


@kernel
def _canonical(both, source, value, alive, smallest):  # type: ignore[no-untyped-def]
    """Hash of the class of a state; `smallest` becomes its representative.

    `both` is uint8[2, 20]: the state, and room for its inverse; `source` int64[48, 20] and `value` uint8[48, 20, 24]:
    component i of image k is `value[k, i, s[source[k, i]]]`; `alive` is int64[96], for temporary use.
    """
    _invert(both[0], both[1])
    many = 96
    for k in range(96):
        alive[k] = k
    for i in range(20):
        best, kept = np.int64(255), 0
        for j in range(many):
            image = alive[j]
            k = image >> 1
            one = np.int64(value[k, i, both[image & 1, source[k, i]]])
            if one < best:
                best, kept = one, 0
            if one == best:
                alive[kept] = image
                kept += 1
        smallest[i] = best
        many = kept
    word = np.uint64(0x9E3779B97F4A7C15)
    for i in range(20):
        word = (word ^ np.uint64(smallest[i])) * np.uint64(0xBF58476D1CE4E5B9)
        word ^= word >> np.uint64(29)
    return word | np.uint64(16)  # at least 16, so that no entry is 0


@kernel
def _slot(slots, word):  # type: ignore[no-untyped-def]
    """The slot of a hash, or the empty slot where it belongs."""
    mask = np.uint64(slots.size - 1)
    place = (word >> np.uint64(8)) & mask
    while slots[place] != 0 and (slots[place] ^ word) >> np.uint64(4) != 0:
        place = (place + np.uint64(1)) & mask
    return np.int64(place)


@kernel
def enter(state, depth, source, value, slots):  # type: ignore[no-untyped-def]
    """Insert one state into the table."""
    both = np.empty((2, 20), dtype=np.uint8)
    alive, smallest = np.empty(96, dtype=np.int64), np.empty(20, dtype=np.uint8)
    both[0] = state
    word = _canonical(both, source, value, alive, smallest)
    slots[_slot(slots, word)] = word & ~np.uint64(15) | np.uint64(depth)


@kernel
def expand(  # type: ignore[no-untyped-def]
    begin, end, frontier, depth, moves, move_source, move_value, source, value, slots, following, count,
):  # fmt: skip
    """Insert the unseen neighbours of states of `frontier` and of their inverses into the table and into `following`.

    Returns the number of states in `following`, which must be large enough.
    """
    both, other = np.empty((2, 20), dtype=np.uint8), np.empty((2, 20), dtype=np.uint8)
    alive, smallest = np.empty(96, dtype=np.int64), np.empty(20, dtype=np.uint8)
    for number in range(begin, end):
        both[0] = frontier[number]
        _invert(both[0], both[1])
        for side in range(2):
            for move in range(moves):
                for i in range(20):
                    other[0, i] = move_value[move, i, both[side, move_source[move, i]]]
                word = _canonical(other, source, value, alive, smallest)
                place = _slot(slots, word)
                if slots[place] == 0:
                    slots[place] = word & ~np.uint64(15) | np.uint64(depth)
                    following[count] = smallest
                    count += 1
    return count


@kernel
def look_up(states, source, value, slots, distances):  # type: ignore[no-untyped-def]
    """Distances int64[n] of states uint8[n, 20]; -1 for states that are not in the table."""
    both = np.empty((2, 20), dtype=np.uint8)
    alive, smallest = np.empty(96, dtype=np.int64), np.empty(20, dtype=np.uint8)
    for number in range(len(states)):
        both[0] = states[number]
        place = _slot(slots, _canonical(both, source, value, alive, smallest))
        distances[number] = np.int64(slots[place] & np.uint64(15)) if slots[place] != 0 else -1
