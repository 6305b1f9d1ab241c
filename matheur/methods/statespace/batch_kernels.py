"""Kernels that work on batches of packed states."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.methods.statespace.pointers import call_estimate, call_expand

__all__ = ["estimate_batch", "expand_batch"]


@kernel
def expand_batch(address, data, keys, branching):  # type: ignore[no-untyped-def]
    """All successors of keys [n, words]: (keys [m, words], parents, moves, costs)."""
    count, words = keys.shape
    room = max(count * min(branching, 8), branching)
    out = np.empty((room, words), dtype=np.uint64)
    parents = np.empty(room, dtype=np.int64)
    moves = np.empty(room, dtype=np.int32)
    costs = np.empty(room, dtype=np.int32)
    filled = 0
    for row in range(count):
        if filled + branching > room:
            larger = min(2 * room + branching, filled + (count - row) * branching)
            new_out = np.empty((larger, words), dtype=np.uint64)
            new_parents = np.empty(larger, dtype=np.int64)
            new_moves = np.empty(larger, dtype=np.int32)
            new_costs = np.empty(larger, dtype=np.int32)
            new_out[:filled] = out[:filled]
            new_parents[:filled] = parents[:filled]
            new_moves[:filled] = moves[:filled]
            new_costs[:filled] = costs[:filled]
            out, parents, moves, costs, room = new_out, new_parents, new_moves, new_costs, larger
        found = call_expand(address, keys[row], data, out[filled:], moves[filled:], costs[filled:])
        parents[filled : filled + found] = row
        filled += found
    return out[:filled], parents[:filled], moves[:filled], costs[:filled]


@kernel
def estimate_batch(address, data, keys):  # type: ignore[no-untyped-def]
    """Heuristic values int32[n] of keys [n, words]."""
    out = np.empty(len(keys), dtype=np.int32)
    call_estimate(address, keys, len(keys), data, out)
    return out
