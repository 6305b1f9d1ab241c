"""Bitset branch and bound for cliques of maximum weight, and for all of them: the kernel.

The search is that of `exact_kernels`. The bound is a colouring that divides the weight of a vertex among several
classes (Tavares, Neto, Rodrigues, Michelon 2015, and Held, Cook, Sewell 2012): the cost of a class is the least
remaining weight of its vertices, which is subtracted from all of them; a vertex is done when no weight remains. A
clique has at most one vertex in each class, so no clique of finished vertices weighs more than the total cost of the
classes so far.

Memory layout, all arrays owned by the caller, vertices numbered in the initial order:

- `adjacency[v]`: the neighbours of v as 64-bit words, bit v % 64 of word v // 64; `weight[v]`: at least 1 for every
  vertex that takes part, 0 for all others.
- per depth d: `candidates[d]` the vertices adjacent to all chosen ones and not yet tried, as words; `order[d]` and
  `cost[d]` the vertices to branch on with the cost of the classes when they were done, ascending; `left[0, d]` how many
  remain, `left[1, d]` how many there were; `total[d]` the weight of the vertices chosen above.
- `chosen[d]`: the vertex branched on at depth d; `best`: the best clique.
- `remaining[v]`, `members`: weights that are not yet assigned, and the current class.
- `found[k]`: the k-th collected clique; `lengths[k]`: its size.
- `state`: see the constants. If `COLLECT` is 1, `BEST` does not change, and each clique that weighs more is counted,
  and kept while there is room.

Cost: a node is one colouring: one pass over the words for each vertex of a class. There are at most as many classes as
candidates.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.methods.clique.exact_kernels import _lowest

__all__ = ["prepare", "run"]

DEPTH, NODES, BEST, BOUND, OWN, SIZE, COLLECT, COUNT = 0, 1, 2, 3, 4, 5, 6, 7
STATE_LENGTH = 8


@kernel
def _share(depth, room, adjacency, weight, candidates, order, cost, left, uncoloured, klass, remaining, members):  # type: ignore[no-untyped-def]
    """Colour the candidates; list those that are not done for `room` or less. Returns the cost of all classes."""
    words = candidates.shape[1]
    start = np.int64(0)
    for w in range(words):
        rest = candidates[depth, w]
        uncoloured[w] = rest
        while rest != 0:
            v = (w << 6) + _lowest(rest)
            rest &= rest - np.uint64(1)
            remaining[v] = weight[v]
    n = 0
    spent = np.int64(0)
    while True:
        while start < words and uncoloured[start] == 0:
            start += 1
        if start == words:
            break
        for w in range(start, words):
            klass[w] = uncoloured[w]
        count = 0
        least = np.int64(0)
        for w in range(start, words):
            while klass[w] != 0:
                v = (w << 6) + _lowest(klass[w])
                klass[w] ^= np.uint64(1) << np.uint64(v & 63)
                for x in range(w, words):
                    klass[x] &= ~adjacency[v, x]
                if count == 0 or remaining[v] < least:
                    least = remaining[v]
                members[count] = v
                count += 1
        spent += least
        for k in range(count):
            v = members[k]
            remaining[v] -= least
            if remaining[v] == 0:
                uncoloured[v >> 6] ^= np.uint64(1) << np.uint64(v & 63)
                if spent > room:
                    order[depth, n] = v
                    cost[depth, n] = spent
                    n += 1
    left[0, depth], left[1, depth] = n, n
    return spent


@kernel
def prepare(adjacency, weight, candidates, order, cost, left, uncoloured, klass, remaining, members, state):  # type: ignore[no-untyped-def]
    """Make the root: all vertices with a weight are candidates; the cost of their classes is the first bound."""
    for v in range(adjacency.shape[0]):
        if weight[v] > 0:
            candidates[0, v >> 6] |= np.uint64(1) << np.uint64(v & 63)
    state[DEPTH] = 0
    state[BOUND] = _share(
        0, state[BEST], adjacency, weight, candidates, order, cost, left, uncoloured, klass, remaining, members
    )


@kernel
def run(  # type: ignore[no-untyped-def]
    limit, target, adjacency, weight, candidates, order, cost, left, total, uncoloured, klass, remaining, members,
    chosen, best, found, lengths, state,
):  # fmt: skip
    """Branch until `state[NODES]` reaches `limit`, a clique of weight `target` is found, or all is done (depth -1)."""
    words = candidates.shape[1]
    while state[DEPTH] >= 0 and state[NODES] < limit and state[BEST] < target:
        depth = state[DEPTH]
        at = left[0, depth] - 1
        if depth == 0 and state[COLLECT] == 0:
            state[BOUND] = min(state[BOUND], cost[0, at]) if at >= 0 else state[BEST]
        if at < 0 or total[depth] + cost[depth, at] <= state[BEST]:
            # The classes up to the earlier vertices cost no more: none of them can do better.
            state[DEPTH] -= 1
            continue
        v = order[depth, at]
        left[0, depth] = at
        chosen[depth] = v
        candidates[depth, v >> 6] &= ~(np.uint64(1) << np.uint64(v & 63))
        state[NODES] += 1
        now = total[depth] + weight[v]
        some = np.uint64(0)
        for w in range(words):
            rest = candidates[depth, w] & adjacency[v, w]
            candidates[depth + 1, w] = rest
            some |= rest
        if some == 0:
            if now > state[BEST]:
                if state[COLLECT] == 1:
                    place = state[COUNT]
                    if place < found.shape[0]:
                        lengths[place] = depth + 1
                        for k in range(depth + 1):
                            found[place, k] = chosen[k]
                    state[COUNT] += 1
                else:
                    state[BEST] = now
                    state[OWN] = 1
                    state[SIZE] = depth + 1
                    for k in range(depth + 1):
                        best[k] = chosen[k]
            continue
        total[depth + 1] = now
        _share(
            depth + 1, state[BEST] - now, adjacency, weight, candidates, order, cost, left, uncoloured, klass,
            remaining, members,
        )  # fmt: skip
        state[DEPTH] = depth + 1
