"""Compiled estimates that read tables."""

from __future__ import annotations

import numpy as np

from matheur.methods.statespace.pointers import heuristic_function, pointer_to_bytes, pointer_to_words

__all__ = ["largest_sum", "zero"]

_UNREACHED = 255
_INFINITE = 1 << 30  # `INFINITE` of base.py


@heuristic_function
def zero(keys, count, data, out):  # type: ignore[no-untyped-def]
    """0 for every state."""
    for row in range(count):
        out[row] = 0
    return 0


@heuristic_function
def largest_sum(keys, count, data, out):  # type: ignore[no-untyped-def]
    """Largest of several sums of table values; a table is indexed by bits of the key, side by side.

    A value of 255 makes its sum infinite. Cost per state: a few ns per field, and the cache miss of each table.

    data: address of the field list (uint64), address of the maps (uint64), address of each table.
    Field list: words per key, number of sums; per sum the number of tables; per table its number, then the number of
    plain fields and (word, shift, mask, place) of each, then the number of mapped fields and (word, shift, mask, start
    of its map) of each. A plain field contributes its bits from `place` on, a mapped field the entry of its map.
    """
    fields = pointer_to_words(data[0])
    maps = pointer_to_words(data[1])
    words, sums = np.int64(fields[0]), np.int64(fields[1])
    for row in range(count):
        best, at = np.int64(0), 2
        for _ in range(sums):
            total = np.int64(0)
            tables = np.int64(fields[at])
            at += 1
            for _ in range(tables):
                table = pointer_to_bytes(data[2 + np.int64(fields[at])])
                plain = np.int64(fields[at + 1])
                at += 2
                index = np.uint64(0)
                for _ in range(plain):
                    value = (keys[row * words + np.int64(fields[at])] >> fields[at + 1]) & fields[at + 2]
                    index += value << fields[at + 3]
                    at += 4
                mapped = np.int64(fields[at])
                at += 1
                for _ in range(mapped):
                    value = (keys[row * words + np.int64(fields[at])] >> fields[at + 1]) & fields[at + 2]
                    index += maps[np.int64(fields[at + 3] + value)]
                    at += 4
                entry = np.int64(table[np.int64(index)])
                total += _INFINITE if entry == _UNREACHED else entry
            best = max(best, total)
        out[row] = min(best, _INFINITE)
    return 0
