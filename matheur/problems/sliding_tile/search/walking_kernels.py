"""Tables of walking distances, compiled: counts of tiles by line, searched breadth first from the goal.

A state consists of the number of tiles in each line of the board whose goal is line 0, 1, ... of a group of goal lines,
and of the line of the blank. Tiles of other lines are not distinguished and move at no cost, so the blank can move
freely to any line that is not full of counted tiles; all lines that it reaches in this way form one state, represented
by the first. The counts of the last line follow from the others and are left out of the key. The table is a hash table
of words: key plus one in the high bits, distance in the low eight bits.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.methods.statespace.pointers import heuristic_function, pointer_to_bytes, pointer_to_words

__all__ = ["FULL", "grow", "key_of", "lookup", "repack", "walking_distance"]

FULL = -1
_STRIDE = np.uint64(0x9E3779B97F4A7C15)


@kernel
def key_of(counts, line, length, bits):  # type: ignore[no-untyped-def]
    """The key of counts int64[lines, kinds] with the blank in a line; `length` cells per line, `bits` per count."""
    lines, kinds = counts.shape
    while line > 0:
        told = np.int64(0)
        for kind in range(kinds):
            told += counts[line - 1, kind]
        if told == length:
            break
        line -= 1
    key = np.uint64(line)
    for i in range(lines - 1):
        for kind in range(kinds):
            key = (key << np.uint64(bits)) | np.uint64(counts[i, kind])
    return key


@kernel
def lookup(key, slots):  # type: ignore[no-untyped-def]
    """The slot of a key, or the free slot for it."""
    mask = np.uint64(slots.size - 1)
    word = (key + np.uint64(1)) << np.uint64(8)
    place = ((key * _STRIDE) >> np.uint64(32)) & mask
    while slots[place] != 0 and slots[place] & ~np.uint64(255) != word:
        place = (place + np.uint64(1)) & mask
    return np.int64(place)


@kernel
def grow(begin, end, count, length, bits, totals, lines, queue, slots):  # type: ignore[no-untyped-def]
    """Expand the states `begin` to `end - 1` of the queue, which holds `count`; returns the new count or `FULL`.

    Parameters
    ----------
    totals
        int64[kinds]: number of counted tiles of each kind.
    queue
        uint64[...]: keys in the order of their distances.
    """
    kinds = totals.size
    counts = np.empty((lines, kinds), dtype=np.int64)
    told = np.empty(lines, dtype=np.int64)
    field = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    for number in range(begin, end):
        key = queue[number]
        away = np.int64(slots[lookup(key, slots)] & np.uint64(255))
        counts[lines - 1] = totals
        rest = key
        for i in range(lines - 2, -1, -1):
            for kind in range(kinds - 1, -1, -1):
                counts[i, kind] = np.int64(rest & field)
                counts[lines - 1, kind] -= counts[i, kind]
                rest >>= np.uint64(bits)
        told[:] = 0
        for i in range(lines):
            for kind in range(kinds):
                told[i] += counts[i, kind]
        line = np.int64(rest)
        while line < lines and told[line] < length:
            for step in (-1, 1):
                other = line + step
                if not 0 <= other < lines:
                    continue
                for kind in range(kinds):
                    if counts[other, kind] == 0:
                        continue
                    counts[other, kind] -= 1
                    counts[line, kind] += 1
                    fresh = key_of(counts, other, length, bits)
                    counts[other, kind] += 1
                    counts[line, kind] -= 1
                    place = lookup(fresh, slots)
                    if slots[place] == 0:
                        if count >= queue.size:
                            return FULL
                        slots[place] = ((fresh + np.uint64(1)) << np.uint64(8)) | np.uint64(away + 1)
                        queue[count] = fresh
                        count += 1
            line += 1
    return count


@kernel
def repack(queue, count, slots, compact):  # type: ignore[no-untyped-def]
    """Move the first `count` keys of the queue to a smaller table."""
    for number in range(count):
        compact[lookup(queue[number], compact)] = slots[lookup(queue[number], slots)]


@heuristic_function
def walking_distance(keys, count, data, out):  # type: ignore[no-untyped-def]
    """Sum of the distances of all tables.

    data: addresses of the goal cell of each tile uint8[cells], of the slots of all tables and of their numbers uint64,
    then rows, columns, words, bits of a tile, tiles per word, tables. Six numbers per table: whether it is for columns,
    its first goal line, its number of kinds, bits per count, index of its first slot, and its number of slots minus
    one.
    """
    home, slots, numbers = pointer_to_bytes(data[0]), pointer_to_words(data[1]), pointer_to_words(data[2])
    rows, columns, words, width, per_word, tables = data[3], data[4], data[5], data[6], data[7], data[8]
    mask, one, low = np.uint64((1 << width) - 1), np.uint64(1), np.uint64(255)
    counts = np.empty((8, 8), dtype=np.int64)
    told = np.empty(8, dtype=np.int64)
    for number in range(count):
        total = np.int64(0)
        for table in range(tables):
            across, first = np.int64(numbers[6 * table]), np.int64(numbers[6 * table + 1])
            kinds, bits = np.int64(numbers[6 * table + 2]), numbers[6 * table + 3]
            begin, last = np.int64(numbers[6 * table + 4]), numbers[6 * table + 5]
            lines, length = (columns, rows) if across != 0 else (rows, columns)
            counts[:] = 0
            told[:] = 0
            blank = np.int64(0)
            for cell in range(rows * columns):
                shift = np.uint64(width * (cell % per_word))
                tile = np.int64((keys[number * words + cell // per_word] >> shift) & mask)
                line = cell % columns if across != 0 else cell // columns
                if tile == 0:
                    blank = line
                    continue
                goal = np.int64(home[tile])
                kind = (goal % columns if across != 0 else goal // columns) - first
                if 0 <= kind < kinds:
                    counts[line, kind] += 1
                    told[line] += 1
            while blank > 0 and told[blank - 1] < length:
                blank -= 1
            key = np.uint64(blank)
            for i in range(lines - 1):
                for kind in range(kinds):
                    key = (key << bits) | np.uint64(counts[i, kind])
            word = (key + one) << np.uint64(8)
            place = ((key * _STRIDE) >> np.uint64(32)) & last
            while slots[begin + np.int64(place)] != 0 and slots[begin + np.int64(place)] & ~low != word:
                place = (place + one) & last
            total += np.int64(slots[begin + np.int64(place)] & low)
        out[number] = total
    return np.int64(0)
