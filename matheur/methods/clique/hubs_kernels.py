"""Tabu search over the few vertices whose absence leaves clusters of conflicts: the kernel.

If the complement falls into disjoint cliques (*clusters*) when a few vertices (the *hubs*) are removed, a set of hubs
without conflicts determines the clique: from each cluster, one vertex that conflicts with no chosen hub is added, if
there is such a vertex. The search is therefore over hubs only. It avoids the plateaus of a search vertex by vertex,
which come from the many choices within clusters.

Memory layout, all arrays owned by the caller, hubs numbered from 0:

- `ptr`, `vertex`, `group`: the rows of hubs: vertices of clusters that a hub conflicts with, ordered by cluster, and
  the cluster of each. `near_ptr`, `near`: the hubs that a hub conflicts with.
- `inside[h]`: whether hub h is taken; `tabu[h]`: the step until which it may not change.
- `blocked[v]`: number of taken hubs that vertex v conflicts with; `free[c]`: number of vertices of cluster c with none.
- `best`: the best set of hubs, as `inside`.
- `state[IDLE]`: steps since the last improvement or shake. After `patience` such steps about an eighth of the hubs
  change, since a tabu list of fixed length may cycle.

Cost: a step reads the rows of all hubs.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_below

__all__ = ["prepare", "run"]

STEPS, SIZE, BEST, REACHED, IDLE = 0, 1, 2, 3, 4
STATE_LENGTH = 5


@kernel
def _gain(h, ptr, vertex, group, near_ptr, near, inside, blocked, free):  # type: ignore[no-untyped-def]
    """Growth of the clique when hub h changes; each hub that would have to leave counts as one vertex."""
    taken = inside[h] == 1
    gain = np.int64(-1 if taken else 1)
    if not taken:
        for k in range(near_ptr[h], near_ptr[h + 1]):
            gain -= inside[near[k]]
    k = ptr[h]
    while k < ptr[h + 1]:
        c = group[k]
        touched = 0
        while k < ptr[h + 1] and group[k] == c:
            if blocked[vertex[k]] == taken:
                touched += 1
            k += 1
        if touched > 0:
            if taken and free[c] == 0:
                gain += 1
            elif not taken and touched == free[c]:
                gain -= 1
    return gain


@kernel
def _flip(h, ptr, vertex, group, inside, blocked, free, state):  # type: ignore[no-untyped-def]
    """Add or remove hub h."""
    if inside[h]:
        inside[h] = 0
        state[SIZE] -= 1
        for k in range(ptr[h], ptr[h + 1]):
            v = vertex[k]
            blocked[v] -= 1
            if blocked[v] == 0:
                free[group[k]] += 1
                if free[group[k]] == 1:
                    state[SIZE] += 1
        return
    inside[h] = 1
    state[SIZE] += 1
    for k in range(ptr[h], ptr[h + 1]):
        v = vertex[k]
        blocked[v] += 1
        if blocked[v] == 1:
            free[group[k]] -= 1
            if free[group[k]] == 0:
                state[SIZE] -= 1


@kernel
def _change(h, ptr, vertex, group, near_ptr, near, inside, blocked, free, state):  # type: ignore[no-untyped-def]
    """Add or remove hub h; if it is added, the hubs that it conflicts with are removed."""
    if inside[h] == 0:
        for k in range(near_ptr[h], near_ptr[h + 1]):
            if inside[near[k]]:
                _flip(near[k], ptr, vertex, group, inside, blocked, free, state)
    _flip(h, ptr, vertex, group, inside, blocked, free, state)


@kernel
def prepare(hubs, ptr, vertex, group, inside, blocked, free, state, best):  # type: ignore[no-untyped-def]
    """Take the hubs of a clique."""
    for c in range(len(free)):
        state[SIZE] += 1 if free[c] > 0 else 0
    for k in range(len(hubs)):
        _flip(hubs[k], ptr, vertex, group, inside, blocked, free, state)
    state[BEST] = state[SIZE]
    best[:] = inside


@kernel
def run(  # type: ignore[no-untyped-def]
    limit, target, tenure, patience, ptr, vertex, group, near_ptr, near, inside, tabu, blocked, free, state, random,
    best,
):  # fmt: skip
    """Change hubs until `state[STEPS]` reaches `limit` or the best clique `target` vertices; at once without hubs."""
    if len(inside) == 0:
        return
    while state[STEPS] < limit and state[BEST] < target:
        step = state[STEPS] + 1
        state[STEPS] = step
        state[IDLE] += 1
        if state[IDLE] >= patience:
            state[IDLE] = 0
            for _ in range(1 + len(inside) // 8):
                h = splitmix_below(random, len(inside))
                _change(h, ptr, vertex, group, near_ptr, near, inside, blocked, free, state)
                tabu[h] = step + tenure + splitmix_below(random, tenure)
        most = -(np.int64(1) << 40)
        ties = 0
        move = -1
        for h in range(len(inside)):
            gain = _gain(h, ptr, vertex, group, near_ptr, near, inside, blocked, free)
            if gain < most or (tabu[h] >= step and state[SIZE] + gain <= state[BEST]):
                continue
            if gain > most:
                most = gain
                move = h
                ties = 1
            else:
                ties += 1
                if splitmix_below(random, ties) == 0:
                    move = h
        if move < 0:
            continue
        _change(move, ptr, vertex, group, near_ptr, near, inside, blocked, free, state)
        tabu[move] = step + tenure + splitmix_below(random, tenure)
        if state[SIZE] > state[BEST]:
            state[BEST] = state[SIZE]
            state[REACHED] = step
            state[IDLE] = 0
            best[:] = inside
