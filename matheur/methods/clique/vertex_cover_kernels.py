"""Vertex cover of the complement by edge weights: the kernel.

The method of Cai, Su, Luo and Sattar (2013), NuMVC, doi 10.1613/jair.3907: two-stage exchange, configuration checking,
edge weighting with forgetting. The vertices outside a cover form a clique of the graph.

Memory layout, all arrays owned by the caller:

- `ptr`, `idx`: the complement in compressed rows; `edge[k]` is the number of the edge at entry k, `first[e]` and
  `second[e]` are its two entries.
- `weight[k]`: the weight of the edge at entry k. Both entries of an edge store it, so a row is read sequentially.
- `score[v]`: for a vertex of the cover, minus the weight that its removal would uncover; for another vertex, the weight
  that it would cover, less `OUTSIDE`. A plain maximum over all vertices therefore finds the vertex to drop.
- `changed[v]`: whether a neighbour moved since v left the cover (configuration checking).
- `moved[v]`: the step at which v moved last.
- `open_edges[:state[OPEN]]`: the uncovered edges; `place[e]`: the position of e in it.
- `state[LOAD]`: no less than the total weight of the edges at any vertex, so that no score comes near `OUTSIDE`.

Cost: two rows for an exchange, and three passes over the scores that compile to vector instructions.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_below

__all__ = ["run", "start"]

STEPS, OPEN, BEST, REACHED, SIZE, TOTAL, LAST, LOAD = 0, 1, 2, 3, 4, 5, 6, 7
STATE_LENGTH = 8
OUTSIDE = 1 << 29
LOAD_MAX = OUTSIDE >> 2


@kernel
def _drop(u, ptr, idx, edge, weight, score, changed, open_edges, place, state):  # type: ignore[no-untyped-def]
    """Remove u from the cover."""
    score[u] = -score[u] - OUTSIDE
    changed[u] = 0
    for k in range(ptr[u], ptr[u + 1]):
        w = np.uint32(idx[k])
        changed[w] = 1
        if score[w] > -(OUTSIDE >> 1):
            score[w] -= weight[k]
        else:
            score[w] += weight[k]
            e = edge[k]
            place[e] = state[OPEN]
            open_edges[state[OPEN]] = e
            state[OPEN] += 1
    state[SIZE] -= 1


@kernel
def _add(v, ptr, idx, edge, weight, score, changed, open_edges, place, state):  # type: ignore[no-untyped-def]
    """Add v to the cover."""
    score[v] = -(score[v] + OUTSIDE)
    for k in range(ptr[v], ptr[v + 1]):
        w = np.uint32(idx[k])
        changed[w] = 1
        if score[w] > -(OUTSIDE >> 1):
            score[w] += weight[k]
        else:
            score[w] -= weight[k]
            e = edge[k]
            last = open_edges[state[OPEN] - 1]
            open_edges[place[e]] = last
            place[last] = place[e]
            state[OPEN] -= 1
    state[SIZE] += 1


@kernel
def _least(score, moved, last):  # type: ignore[no-untyped-def]
    """The cover's vertex of largest score, ties broken by the oldest move; never `last`; -1 if there is none."""
    kept = np.int32(0)
    if last >= 0:
        kept = score[last]
        score[last] = -OUTSIDE * 2
    best = np.int32(-OUTSIDE * 2)
    for v in range(len(score)):
        best = max(best, score[v])
    chosen = -1
    if best > -(OUTSIDE >> 1):
        oldest = np.int32(2147483647)
        for v in range(len(score)):
            age = moved[v] if score[v] == best else np.int32(2147483647)
            oldest = min(oldest, age)
        for v in range(len(score)):
            if score[v] == best and moved[v] == oldest:
                chosen = v
                break
    if last >= 0:
        score[last] = kept
    return chosen


@kernel
def _load(ptr, weight):  # type: ignore[no-untyped-def]
    """The largest total weight of the edges at a vertex."""
    most = np.int64(0)
    for v in range(len(ptr) - 1):
        amount = np.int64(0)
        for k in range(ptr[v], ptr[v + 1]):
            amount += weight[k]
        most = max(most, amount)
    return most


@kernel
def _forget(ptr, idx, edge, weight, score, open_edges, first, second, state):  # type: ignore[no-untyped-def]
    """Shrink all weights to three tenths and recompute the scores."""
    n = len(score)
    total = np.int64(0)
    for k in range(len(weight)):
        weight[k] = max(1, weight[k] * 3 // 10)
        total += weight[k]
    state[TOTAL] = total // 2
    state[LOAD] = _load(ptr, weight)
    for v in range(n):
        covered = score[v] > -(OUTSIDE >> 1)
        amount = np.int64(0)
        for k in range(ptr[v], ptr[v + 1]):
            if score[idx[k]] <= -(OUTSIDE >> 1):
                amount += weight[k]
        # The signs of the scores show which vertices are in the cover, and do not change.
        score[v] = -amount if covered else amount - OUTSIDE


@kernel
def start(members, ptr, idx, edge, weight, score, changed, moved, open_edges, place, state, random, best):  # type: ignore[no-untyped-def]
    """Start with a cover of all vertices except the clique `members`, then drop redundant vertices, best first."""
    n = len(score)
    inside = np.ones(n, dtype=np.uint8)
    for k in range(len(members)):
        inside[members[k]] = 0
    for k in range(len(weight)):
        weight[k] = 1
    state[TOTAL] = len(weight) // 2
    state[LOAD] = _load(ptr, weight)
    for v in range(n):
        changed[v] = 1
        loose = 0
        for k in range(ptr[v], ptr[v + 1]):
            loose += 1 - inside[idx[k]]
        score[v] = -loose if inside[v] else loose - OUTSIDE
        moved[v] = -splitmix_below(random, 1 << 20)
    state[SIZE] = n - len(members)
    state[LAST] = -1
    # As `_shrink`, but without its scan of all vertices for each one dropped: no score rises to 0 here.
    free = np.flatnonzero(score == 0)
    for u in free[np.argsort(moved[free], kind="mergesort")]:
        if score[u] == 0:
            _drop(u, ptr, idx, edge, weight, score, changed, open_edges, place, state)
    _keep(score, state, best)


@kernel
def _shrink(ptr, idx, edge, weight, score, changed, moved, open_edges, place, state):  # type: ignore[no-untyped-def]
    """Drop vertices while nothing becomes uncovered."""
    while state[SIZE] > 0:
        u = _least(score, moved, -1)
        if u < 0 or score[u] != 0:
            return
        _drop(u, ptr, idx, edge, weight, score, changed, open_edges, place, state)


@kernel
def _keep(score, state, best):  # type: ignore[no-untyped-def]
    count = 0
    for v in range(len(score)):
        if score[v] <= -(OUTSIDE >> 1):
            best[count] = v
            count += 1
    state[BEST] = count
    state[REACHED] = state[STEPS]


@kernel
def run(  # type: ignore[no-untyped-def]
    limit, target, mean, ptr, idx, edge, first, second, weight, score, changed, moved, open_edges, place, state, random,
    best,
):  # fmt: skip
    """Exchange until `state[STEPS]` reaches `limit` or the best clique `target` vertices."""
    edges = len(first)
    while state[STEPS] < limit and state[BEST] < target:
        if state[OPEN] == 0:
            _shrink(ptr, idx, edge, weight, score, changed, moved, open_edges, place, state)
            if len(score) - state[SIZE] > state[BEST]:
                _keep(score, state, best)
                continue
            u = _least(score, moved, -1)
            if u < 0:
                return
            _drop(u, ptr, idx, edge, weight, score, changed, open_edges, place, state)
            continue
        step = state[STEPS] + 1
        state[STEPS] = step
        u = _least(score, moved, state[LAST])
        if u >= 0:
            _drop(u, ptr, idx, edge, weight, score, changed, open_edges, place, state)
            moved[u] = step
        e = open_edges[splitmix_below(random, state[OPEN])]
        a = np.int64(idx[second[e]])
        b = np.int64(idx[first[e]])
        if changed[a] == 0:
            v = b
        elif changed[b] == 0 or score[a] > score[b] or (score[a] == score[b] and moved[a] < moved[b]):
            v = a
        else:
            v = b
        _add(v, ptr, idx, edge, weight, score, changed, open_edges, place, state)
        moved[v] = step
        state[LAST] = v
        for k in range(state[OPEN]):
            e = open_edges[k]
            weight[first[e]] += 1
            weight[second[e]] += 1
            score[idx[first[e]]] += 1
            score[idx[second[e]]] += 1
        state[TOTAL] += state[OPEN]
        state[LOAD] += state[OPEN]
        heavy = False
        if state[LOAD] > LOAD_MAX:
            state[LOAD] = _load(ptr, weight)
            heavy = state[LOAD] > LOAD_MAX // 2
        if state[TOTAL] > mean * edges or heavy:
            _forget(ptr, idx, edge, weight, score, open_edges, first, second, state)
