"""Kernels shared by the searches on cubes: table indices of a cube, and turns."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["WIDTH", "corner_index", "phase1_index", "same_state", "turn"]

WIDTH = 2187
"""Number of entries per row of a table, one for each twist of the corners."""


@kernel
def corner_index(corner, heads, tails):  # type: ignore[no-untyped-def]
    """Index of the corners in the corner table."""
    pieces = np.int64(corner >> np.uint64(36))
    return np.int64(heads[pieces & 4095] + tails[pieces >> 12]) * WIDTH + np.int64(corner & np.uint64(4095))


@kernel
def phase1_index(corner, edge, axis, placing, class_of, twist_image):  # type: ignore[no-untyped-def]
    """Index of the cube, viewed along an axis, in the phase-1 table."""
    if axis == 0:
        places = (edge >> np.uint64(33)) & np.uint64(4095)
    elif axis == 1:
        places = edge >> np.uint64(45)
    else:
        places = ((edge >> np.uint64(33)) | (edge >> np.uint64(45))) & np.uint64(4095) ^ np.uint64(4095)
    flip = np.int64((edge >> np.uint64(11 * axis)) & np.uint64(2047))
    one = np.int64(class_of[placing[axis, np.int64(places)] + flip])
    twist = np.int64((corner >> np.uint64(12 * axis)) & np.uint64(4095))
    return (one >> 4) * WIDTH + twist_image[one & 15, twist]


@kernel
def turn(states, depth, move, move_source, move_value):  # type: ignore[no-untyped-def]
    """Apply a move to the state at `depth`, and write the result to the next depth."""
    for i in range(20):
        states[depth + 1, i] = move_value[move, i, states[depth, move_source[move, i]]]


@kernel
def same_state(one, other):  # type: ignore[no-untyped-def]
    """Whether two cubes are equal."""
    same = True
    for i in range(20):
        same &= one[i] == other[i]
    return same
