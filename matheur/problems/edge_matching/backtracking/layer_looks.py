"""Tables by which the layered backtrackers look ahead along a line."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import trailing_zeros

__all__ = ["fill_looks"]

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@kernel
def fill_looks(mask, entries, origin, along_at, field, fits, parts, bits, stride, looks):  # type: ignore[no-untyped-def]
    """Write `looks` of the kernels from `mask` and `entries`.

    There is a line for each kind of cell and each colour of the previous line. It holds the pieces that fit, by the
    colour of the previous cell, then the pieces that lead to one of a set of colours of the next cell. A set consists
    of `parts` of `bits` colours, each with a table for all its subsets. If pieces take several words, all first words
    precede the second words in both halves.

    Parameters
    ----------
    origin
        For each key of each kind of cell except the one that takes all: the key that the previous cell and the previous
        line show, which differs for further rotations.
    along_at
        Bit of an entry at which the colour required of the next cell starts.
    field
        Bits per colour.
    fits
        Words per set of pieces.
    stride
        Words per line, with some spare words that avoid cache conflicts between lines.
    """
    looks[:] = _ZERO
    asked, size = 1 << field, 1 << bits
    keys = asked * asked
    for key in range(len(origin)):
        shown = key // keys * keys + origin[key]
        line = shown // asked * stride
        for word in range(fits):
            left = mask[fits * key + word]
            looks[line + asked * word + shown % asked] |= left
            sets = line + fits * asked + word * parts * size
            while left != _ZERO:
                entry = entries[64 * (fits * key + word) + trailing_zeros(left)]
                along = np.int64(entry >> np.uint64(along_at)) & (asked - 1)
                part = along // bits
                looks[sets + part * size + (1 << (along - part * bits))] |= left & (_ZERO - left)
                left &= left - _ONE
    for line in range(0, len(looks), stride):
        first = line + fits * asked
        for begin in range(first, first + fits * parts * size, size):
            for some in range(1, size):
                looks[begin + some] = looks[begin + (some & (some - 1))] | looks[begin + (some & -some)]
