"""Bitset branch and bound for maximum clique: the kernel.

BBMC of San Segundo, Rodriguez-Losada and Jimenez (2011), doi 10.1016/j.cor.2010.07.019, with the re-colouring of MCS
(Tomita et al. 2010) and the infra-chromatic bound of San Segundo, Nikolaev and Batsyn (2015), doi
10.1016/j.cor.2015.06.009: a vertex v need not be branched on if it can change places with a vertex of two lower colour
classes, or if two lower classes hold no two vertices that form a triangle with v. Such a pair of classes is used once.

Memory layout, all arrays owned by the caller, vertices numbered in the initial order:

- `adjacency[v]`: the neighbours of v as 64-bit words, bit v % 64 of word v // 64.
- per depth d: `candidates[d]` the vertices adjacent to all chosen ones and not yet tried, as words; `order[d]` and
  `colour[d]` the vertices to branch on with their colour class, classes ascending; `left[0, d]` how many remain,
  `left[1, d]` how many there were.
- `chosen[d]`: the vertex branched on at depth d; `best`: the best clique.
- `classes[k]`: the vertices of colour class k of the colouring at work; `used[k]`: whether it is bound to a vertex.
- `state`: see the constants.

Cost: a node is one greedy colouring: one pass over the words for each coloured vertex, and a test of pairs of classes
for each vertex that would be branched on.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["prepare", "run"]

DEPTH, NODES, BEST, BOUND, OWN = 0, 1, 2, 3, 4
STATE_LENGTH = 5

# Position of the lowest set bit by a de Bruijn sequence: (bit * sequence) >> 58 is different for each of the 64 bits.
_SEQUENCE = np.uint64(0x03F79D71B4CB0A89)
_POSITIONS = np.zeros(64, dtype=np.int64)
for _bit in range(64):
    _POSITIONS[((1 << _bit) * int(_SEQUENCE) & (1 << 64) - 1) >> 58] = _bit


@kernel
def _lowest(word):  # type: ignore[no-untyped-def]
    """Position of the lowest bit of a word that is not 0."""
    low = word & (~word + np.uint64(1))
    return _POSITIONS[(low * _SEQUENCE) >> np.uint64(58)]


@kernel
def _recolour(v, least, adjacency, classes, used, words):  # type: ignore[no-untyped-def]
    """Make room for v in a class below `least` by moving one vertex to another class. Returns whether it succeeded."""
    for k in range(1, least):
        if used[k]:
            continue
        conflict = np.int64(-1)
        several = False
        for x in range(words):
            common = classes[k, x] & adjacency[v, x]
            if common != 0:
                if conflict >= 0 or common & (common - np.uint64(1)) != 0:
                    several = True
                    break
                conflict = (x << 6) + _lowest(common)
        if several:
            continue
        if conflict < 0:
            classes[k, v >> 6] |= np.uint64(1) << np.uint64(v & 63)
            return True
        for m in range(1, least):
            if m == k or used[m]:
                continue
            free = True
            for x in range(words):
                if classes[m, x] & adjacency[conflict, x] != 0:
                    free = False
                    break
            if free:
                classes[k, conflict >> 6] ^= np.uint64(1) << np.uint64(conflict & 63)
                classes[m, conflict >> 6] |= np.uint64(1) << np.uint64(conflict & 63)
                classes[k, v >> 6] |= np.uint64(1) << np.uint64(v & 63)
                return True
    return False


@kernel
def _triangle_free(v, least, adjacency, classes, used, words):  # type: ignore[no-untyped-def]
    """Bind two classes below `least` that hold no triangle with v. Returns whether there were any."""
    for k in range(1, least - 1):
        if used[k]:
            continue
        for m in range(k + 1, least):
            if used[m]:
                continue
            free = True
            for x in range(words):
                common = classes[k, x] & adjacency[v, x]
                while common != 0 and free:
                    w = (x << 6) + _lowest(common)
                    common &= common - np.uint64(1)
                    for y in range(words):
                        if classes[m, y] & adjacency[v, y] & adjacency[w, y] != 0:
                            free = False
                            break
                if not free:
                    break
            if free:
                used[k] = 1
                used[m] = 1
                return True
    return False


@kernel
def _colour(depth, least, strength, adjacency, candidates, order, colour, left, uncoloured, klass, classes, used):  # type: ignore[no-untyped-def]
    """Colour the candidates greedily and list those of class `least` or more to branch on. Returns the class count."""
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
        before = n
        if number < least:
            used[number] = 0
            for w in range(start):
                classes[number, w] = 0
            for w in range(start, words):
                taken = np.uint64(0)
                while klass[w] != 0:
                    v = (w << 6) + _lowest(klass[w])
                    low = np.uint64(1) << np.uint64(v & 63)
                    taken |= low
                    klass[w] ^= low
                    for x in range(w, words):
                        klass[x] &= ~adjacency[v, x]
                uncoloured[w] ^= taken
                classes[number, w] = taken
            continue
        for w in range(start, words):
            while klass[w] != 0:
                v = (w << 6) + _lowest(klass[w])
                low = np.uint64(1) << np.uint64(v & 63)
                uncoloured[w] ^= low
                klass[w] ^= low
                if strength > 0 and least > 2:
                    if _recolour(v, least, adjacency, classes, used, words):
                        continue
                    if strength > 1 and _triangle_free(v, least, adjacency, classes, used, words):
                        continue
                for x in range(w, words):
                    klass[x] &= ~adjacency[v, x]
                order[depth, n] = v
                colour[depth, n] = number
                n += 1
        if n == before:
            number -= 1
    left[0, depth], left[1, depth] = n, n
    return number


@kernel
def prepare(strength, adjacency, candidates, order, colour, left, uncoloured, klass, classes, used, state):  # type: ignore[no-untyped-def]
    """Make the root: all vertices are candidates; the number of colours bounds the answer."""
    for v in range(adjacency.shape[0]):
        candidates[0, v >> 6] |= np.uint64(1) << np.uint64(v & 63)
    state[DEPTH] = 0
    least = state[BEST] + 1
    state[BOUND] = _colour(
        0, least, strength, adjacency, candidates, order, colour, left, uncoloured, klass, classes, used
    )


@kernel
def run(  # type: ignore[no-untyped-def]
    limit, target, strength, adjacency, candidates, order, colour, left, uncoloured, klass, classes, used, chosen, best,
    state,
):  # fmt: skip
    """Branch until `state[NODES]` reaches `limit`, a clique of `target` is found, or all is proved (depth -1)."""
    words = candidates.shape[1]
    while state[DEPTH] >= 0 and state[NODES] < limit and state[BEST] < target:
        depth = state[DEPTH]
        at = left[0, depth] - 1
        if depth == 0:
            state[BOUND] = min(state[BOUND], colour[0, at]) if at >= 0 else state[BEST]
        if at < 0 or depth + colour[depth, at] <= state[BEST]:
            # The classes of the earlier vertices are no larger: none of them can do better.
            state[DEPTH] -= 1
            continue
        v = order[depth, at]
        left[0, depth] = at
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
                state[OWN] = 1
                for k in range(depth + 1):
                    best[k] = chosen[k]
            continue
        least = state[BEST] - depth
        _colour(
            depth + 1, least, strength, adjacency, candidates, order, colour, left, uncoloured, klass, classes, used
        )
        state[DEPTH] = depth + 1
