"""The large table of cosets, compiled: additions to `table_kernels` for its breadth-first search, and packing."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["close", "count", "pack"]

_WIDTH = 2187
_ORDERS = 24


@kernel
def close(depth, begin, end, stabiliser, orders, images, table):  # type: ignore[no-untyped-def]
    """Assign this depth to the images of its entries, in the rows of classes begin to end - 1.

    `orders` is uint8[classes, 16, 24], `images` int16[16, 2187]: orders and twists under the symmetries.
    """
    for one in range(begin, end):
        if stabiliser[one] > 1:
            for order in range(_ORDERS):
                base = (np.int64(one) * _ORDERS + order) * _WIDTH
                for twist in range(_WIDTH):
                    if table[base + twist] == depth:
                        for k in range(1, 16):
                            if (stabiliser[one] >> k) & 1:
                                row = np.int64(one) * _ORDERS + orders[one, k, order]
                                table[row * _WIDTH + images[k, twist]] = depth


@kernel
def count(begin, end, value, table):  # type: ignore[no-untyped-def]
    """Number of entries begin to end - 1 that have this value."""
    many = np.int64(0)
    for place in range(begin, end):
        many += table[place] == value
    return many


@kernel
def pack(begin, end, base, table):  # type: ignore[no-untyped-def]
    """Pack four entries into each of bytes begin to end - 1: the excess over `base`, from 0 to 3 or more."""
    for place in range(begin, end):
        word = np.int64(0)
        for i in range(4):
            word |= min(max(np.int64(table[4 * place + i]) - base, 0), 3) << 2 * i
        table[place] = word
