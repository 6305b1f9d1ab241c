"""Tables by which `narrow_kernels` looks ahead along a line."""

from __future__ import annotations

import numpy as np
from numba import njit

from matheur.operators.edge_matching.narrow_kernels import ASKED, KEYS, LINE
from matheur.statespace.pointers import trailing_zeros

__all__ = ["fill_looks"]

at = np.uintp
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_COLOUR = np.uint64(15)


@njit(cache=True, nogil=True)
def fill_looks(mask, entries, origin, half, looks):  # type: ignore[no-untyped-def]
    """Write `looks` of `narrow_kernels` from `mask` and `entries`.

    Parameters
    ----------
    origin
        Of each key of each kind of cell but the one that takes all: the key that the cell before and the line before
        show, which differs for further rotations.
    half
        Colours of half a set.
    """
    looks[:] = _ZERO
    size = 1 << half
    stride = 2 * size + LINE
    for key in range(len(origin)):
        left, shown = mask[key], key // KEYS * KEYS + origin[key]
        line = shown // 16 * stride
        looks[line + shown % 16] |= left
        while left != _ZERO:
            along = np.int64(entries[64 * key + trailing_zeros(left)] & _COLOUR)
            upper = along // half
            looks[line + ASKED + upper * size + (1 << (along - upper * half))] |= left & (_ZERO - left)
            left &= left - _ONE
    for line in range(0, len(looks), stride):
        for begin in range(line + ASKED, line + ASKED + 2 * size, size):
            for some in range(1, size):
                looks[begin + some] = looks[begin + (some & (some - 1))] | looks[begin + (some & -some)]
