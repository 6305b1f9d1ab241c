"""Backward breadth-first search that fills the table of a pattern, compiled.

The table itself is the queue: all entries of one value are found by a scan, so that only the table is needed (one byte
per entry), and patterns of 2**28 entries fit into memory. A move without cost may improve an entry that the scan has
already passed: such entries are put on a small stack. If the stack is full, the value is scanned again.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.methods.statespace.pointers import call_expand

__all__ = ["BAD_MOVE", "settle"]

BAD_MOVE = 2

_FARTHEST = 254  # larger distances are stored as this value: still a lower bound, and still consistent


@kernel
def settle(address, data, table, value, cursor, stack, counts, branching, limit, scan):  # type: ignore[no-untyped-def]
    """Expand the entries that equal `value`; at most `limit` of them, after scanning at most `scan` entries.

    `cursor` int64[4]: next entry of the scan, entries on the stack, whether the stack was full, expansions so far.
    `counts` int64[256]: number of entries of each value, updated here. Returns 0 if all entries are done, 1 if some
    remain, and `BAD_MOVE` if a move leads out of the table or has a negative cost.
    """
    key = np.empty(1, dtype=np.uint64)
    successors = np.empty(branching, dtype=np.uint64)
    moves = np.empty(branching, dtype=np.int32)
    costs = np.empty(branching, dtype=np.int32)
    size = len(table)
    position, waiting, expanded = cursor[0], cursor[1], np.int64(0)
    end = min(size, position + scan)
    while expanded < limit:
        if waiting > 0:
            waiting -= 1
            index = stack[waiting]
        else:
            while position < end and table[position] != value:
                position += 1
            if position >= end:
                break
            index = position
            position += 1
        key[0] = np.uint64(index)
        expanded += 1
        found = call_expand(address, key, data, successors, moves, costs)
        for i in range(found):
            child, cost = np.int64(successors[i]), np.int64(costs[i])
            if child < 0 or child >= size or cost < 0:
                return BAD_MOVE
            reached, known = min(value + cost, _FARTHEST), np.int64(table[child])
            if reached < known:
                table[child] = reached
                counts[known] -= 1
                counts[reached] += 1
                if reached == value and child < position:
                    if waiting < len(stack):
                        stack[waiting] = child
                        waiting += 1
                    else:
                        cursor[2] = 1
    if position >= size and waiting == 0 and cursor[2] != 0:
        position, cursor[2] = 0, 0
    cursor[0], cursor[1] = position, waiting
    cursor[3] += expanded
    return 0 if position >= size and waiting == 0 else 1
