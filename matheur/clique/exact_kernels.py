"""Bitset branch and bound for maximum clique: the kernel.

BBMC of San Segundo, Rodriguez-Losada and Jimenez (2011), doi 10.1016/j.cor.2010.07.019.

Memory layout, all arrays owned by the caller, vertices numbered in the initial order:

- `adjacency[v]`: the neighbours of v as 64-bit words, bit v % 64 of word v // 64.
- per depth d: `candidates[d]` the vertices adjacent to all chosen ones and not yet tried, as words; `order[d]` and
  `colour[d]` the vertices to branch on with their colour class, classes ascending; `left[d]` how many remain.
- `chosen[d]`: the vertex branched on at depth d; `best`: the best clique.
- `state`: see the constants.

Cost: a node is one greedy colouring: for each vertex coloured, one pass over the words.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["prepare", "run"]

DEPTH, NODES, BEST, BOUND = 0, 1, 2, 3
STATE_LENGTH = 4

# Position of the lowest set bit by a de Bruijn sequence: (bit * sequence) >> 58 is different for each of the 64 bits.
_SEQUENCE = np.uint64(0x03F79D71B4CB0A89)
_POSITIONS = np.zeros(64, dtype=np.int64)
for _bit in range(64):
    _POSITIONS[((1 << _bit) * int(_SEQUENCE) & (1 << 64) - 1) >> 58] = _bit


@njit(cache=True, nogil=True)
def _colour(depth, least, adjacency, candidates, order, colour, left, uncoloured, klass):  # type: ignore[no-untyped-def]
    """Colour the candidates greedily; list those whose class is `least` or more. Returns the number of classes."""
    words = candidates.shape[1]
    n = 0
    for w in range(words):
        uncoloured[w] = candidates[depth, w]
    number = np.int64(0)
    start = np.int64(0)
    while True:
        while start < words and uncoloured[start] == 0:
            start += 1
        if start == words:
            break
        number += 1
        for w in range(start, words):
            klass[w] = uncoloured[w]
        for w in range(start, words):
            while klass[w] != 0:
                low = klass[w] & (~klass[w] + np.uint64(1))
                v = (w << 6) + _POSITIONS[(low * _SEQUENCE) >> np.uint64(58)]
                uncoloured[w] ^= low
                klass[w] ^= low
                for x in range(w, words):
                    klass[x] &= ~adjacency[v, x]
                if number >= least:
                    order[depth, n] = v
                    colour[depth, n] = number
                    n += 1
    left[depth] = n
    return number


@njit(cache=True, nogil=True)
def prepare(adjacency, candidates, order, colour, left, uncoloured, klass, state):  # type: ignore[no-untyped-def]
    """Make the root: all vertices are candidates; the number of colours bounds the answer."""
    for v in range(adjacency.shape[0]):
        candidates[0, v >> 6] |= np.uint64(1) << np.uint64(v & 63)
    state[DEPTH] = 0
    state[BOUND] = _colour(0, state[BEST] + 1, adjacency, candidates, order, colour, left, uncoloured, klass)


@njit(cache=True, nogil=True)
def run(limit, target, adjacency, candidates, order, colour, left, uncoloured, klass, chosen, best, state):  # type: ignore[no-untyped-def]
    """Branch until `state[NODES]` reaches `limit`, a clique of `target` is found, or all is proved (depth -1)."""
    words = candidates.shape[1]
    while state[DEPTH] >= 0 and state[NODES] < limit and state[BEST] < target:
        depth = state[DEPTH]
        at = left[depth] - 1
        if at < 0 or depth + colour[depth, at] <= state[BEST]:
            # The classes of the vertices before are no larger: none of them can do better.
            state[DEPTH] -= 1
            continue
        v = order[depth, at]
        left[depth] = at
        chosen[depth] = v
        candidates[depth, v >> 6] &= ~(np.uint64(1) << np.uint64(v & 63))
        state[NODES] += 1
        some = np.uint64(0)
        for w in range(words):
            rest = candidates[depth, w] & adjacency[v, w]
            candidates[depth + 1, w] = rest
            some |= rest
        if some == 0:
            if depth + 1 > state[BEST]:
                state[BEST] = depth + 1
                for k in range(depth + 1):
                    best[k] = chosen[k]
            continue
        least = state[BEST] - depth
        _colour(depth + 1, least, adjacency, candidates, order, colour, left, uncoloured, klass)
        state[DEPTH] = depth + 1
