"""Compiled estimates that read tables."""

from __future__ import annotations

import numpy as np

from matheur.statespace.pointers import heuristic_function, pointer_to_bytes, pointer_to_words

__all__ = ["sum_of_tables", "zero"]


@heuristic_function
def zero(keys, count, data, out):  # type: ignore[no-untyped-def]
    """0 for every state."""
    for row in range(count):
        out[row] = 0
    return 0


@heuristic_function
def sum_of_tables(keys, count, data, out):  # type: ignore[no-untyped-def]
    """Sum over groups of components of a table value; the table is indexed by the group's bits, side by side.

    data: address of the table bytes, address of the field list (uint64), words per key, number of groups.
    Field list, per group: offset of its table, number of fields, then word, shift, mask and place of each field.
    """
    table = pointer_to_bytes(data[0])
    fields = pointer_to_words(data[1])
    words, groups = data[2], data[3]
    for row in range(count):
        total, at = np.int64(0), 0
        for _ in range(groups):
            index, many = fields[at], np.int64(fields[at + 1])
            at += 2
            for _ in range(many):
                value = (keys[row * words + np.int64(fields[at])] >> fields[at + 1]) & fields[at + 2]
                index += value << fields[at + 3]
                at += 4
            total += np.int64(table[np.int64(index)])
        out[row] = total
    return 0
