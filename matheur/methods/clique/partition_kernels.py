"""Tabu search for a clique with one vertex of every class: the kernel.

The vertices fall into classes of pairwise non-adjacent vertices (the cells of an edge-matching board, the variables of
a constraint satisfaction problem), and a clique with one vertex of each is sought. All classes are always assigned, and
conflicts are counted and removed: the min-conflicts view of the same graph, with the tabu rule of Galinier and Hao
(1997) for constraint satisfaction.

Memory layout, all arrays owned by the caller:

- Vertices are numbered class by class: class c has `first[c]` to `first[c + 1] - 1`; `label[v]` is the class of v.
- `ptr`, `idx`: the complement in compressed rows, without pairs of the same class.
- `chosen[c]`: the vertex of class c; `conflicts[v]`: number of chosen vertices of other classes that v conflicts with,
  plus `CHOSEN` if v is chosen. The least of a class is thus found in one pass without a branch, and a chosen vertex is
  recognised when its count changes.
- `tabu[v]`: the step until which v may not be chosen again.
- `hot[:state[HOT]]`: the classes whose vertex is in conflict; `place[c]`: the position of c in it, -1 if it is not.

Cost: two rows for a step, and the least count of each class in conflict; a class is scanned vertex by vertex only if
its least count is good enough.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_below

__all__ = ["prepare", "run"]

STEPS, HOT, BEST, REACHED, TOTAL = 0, 1, 2, 3, 4
STATE_LENGTH = 5
CHOSEN = 1 << 30  # above the number of classes


@kernel
def _heat(c, hot, place, state):  # type: ignore[no-untyped-def]
    """Add class c to the classes in conflict if it is not one of them."""
    place[c] = state[HOT]
    hot[state[HOT]] = c
    state[HOT] += 1


@kernel
def _cool(c, hot, place, state):  # type: ignore[no-untyped-def]
    """Remove class c from the classes in conflict if it is one of them."""
    last = hot[state[HOT] - 1]
    hot[place[c]] = last
    place[last] = place[c]
    place[c] = -1
    state[HOT] -= 1


@kernel
def prepare(ptr, idx, chosen, conflicts, hot, place, state):  # type: ignore[no-untyped-def]
    """Compute all counts for the vertices in `chosen`."""
    conflicts[:] = 0
    place[:] = -1
    state[HOT] = 0
    for c in range(len(chosen)):
        v = chosen[c]
        conflicts[v] += CHOSEN
        for k in range(ptr[v], ptr[v + 1]):
            conflicts[idx[k]] += 1
    total = np.int64(0)
    for c in range(len(chosen)):
        own = conflicts[chosen[c]] - CHOSEN
        total += own
        if own > 0:
            _heat(c, hot, place, state)
    state[TOTAL] = total // 2


@kernel
def run(  # type: ignore[no-untyped-def]
    limit, tenure, spread, ptr, idx, first, label, chosen, conflicts, tabu, hot, place, state, random, best
):
    """Step until `state[STEPS]` reaches `limit` or no conflict remains; `best` is the choice with fewest conflicts."""
    while state[STEPS] < limit and state[TOTAL] > 0:
        step = state[STEPS] + 1
        state[STEPS] = step
        least = np.int64(1) << 40
        ties = 0
        move = -1
        for h in range(state[HOT]):
            c = hot[h]
            now = np.int64(conflicts[chosen[c]]) - CHOSEN
            lowest = np.int32(CHOSEN)
            mine = conflicts[first[c] : first[c + 1]]
            for k in range(len(mine)):
                lowest = min(lowest, mine[k])
            if lowest - now > least:
                continue
            for v in range(first[c], first[c + 1]):
                change = conflicts[v] - now
                if change > least or conflicts[v] >= CHOSEN:
                    continue
                if tabu[v] >= step and state[TOTAL] + change >= state[BEST]:
                    continue
                if change < least:
                    least = change
                    move = v
                    ties = 1
                else:
                    ties += 1
                    if splitmix_below(random, ties) == 0:
                        move = v
        if move < 0:
            continue
        c = label[move]
        old = chosen[c]
        tabu[old] = step + tenure + splitmix_below(random, 10) + spread * state[HOT] // 100
        chosen[c] = move
        state[TOTAL] += least
        was = conflicts[old] > CHOSEN
        now_is = conflicts[move] > 0
        conflicts[old] -= CHOSEN
        conflicts[move] += CHOSEN
        for k in range(ptr[old], ptr[old + 1]):
            w = np.uint32(idx[k])
            conflicts[w] -= 1
            if conflicts[w] == CHOSEN:
                _cool(label[w], hot, place, state)
        for k in range(ptr[move], ptr[move + 1]):
            w = np.uint32(idx[k])
            conflicts[w] += 1
            if conflicts[w] == CHOSEN + 1:
                _heat(label[w], hot, place, state)
        if was and not now_is:
            _cool(c, hot, place, state)
        elif now_is and not was:
            _heat(c, hot, place, state)
        if state[TOTAL] < state[BEST]:
            state[BEST] = state[TOTAL]
            state[REACHED] = step
            best[:] = chosen
