"""Iterated local search for maximum clique: the kernel.

The method of Grosso, Locatelli and Pullan (2008), doi 10.1007/s10732-007-9055-x.

Memory layout, all arrays owned by the caller, so that a search can be stopped and continued anywhere:

- `ptr`, `idx`: the complement in compressed rows. Adding or dropping a vertex touches its row only.
- `code[v]` (uint32 or uint64): in the low half the number of clique members that v is not adjacent to, in the high
  half the sum of their numbers, modulo its width. One addition updates both, and where the count is 1 the sum *is*
  the vertex to drop for a swap. The count is below n and cannot overflow; the sum may wrap without harm.
- `lists[ADDS]`, `lists[SWAPS]`: non-tabu candidates for adding (count 0) and for swapping (count 1);
  `lists[MEMBERS]`: the clique; `lists[TABU]`: vertices dropped by a swap of this stage. `pos[v]` is the place of v
  in the first three (it is in at most one of them); `barred[v]` is 1 for members and tabu vertices, which are no
  candidates. So a uniform choice among the non-tabu candidates costs one random number and no scan.
- `state`: lengths of the lists and counters, see the constants.
- `weight[v]`: what the degree and penalty rules minimise (complement degree, penalty).
- `random`: one uint64, the counter of a splitmix64 generator.

Cost: one complement row for an addition, two for a swap; with the degree and penalty rules a scan of the candidates
as well.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["restore", "run"]

# Rows of `lists`; the same entries of `state` hold their lengths.
ADDS, SWAPS, MEMBERS, TABU = 0, 1, 2, 3
# Other entries of `state`.
SWAPS_LEFT, SWAPPED, IN_STAGE, SELECTIONS, BEST, REACHED, DELAY, WAITED = 4, 5, 6, 7, 8, 9, 10, 11
STATE_LENGTH = 12
# Selection rules.
RANDOM, DEGREE, PENALTY = 0, 1, 2

_TRIES = 64


@njit(cache=True, nogil=True)
def _draw(random, bound):  # type: ignore[no-untyped-def]
    """A uniform integer from 0 to bound - 1, bound < 2**31 (splitmix64, high bits)."""
    z = random[0] + np.uint64(0x9E3779B97F4A7C15)
    random[0] = z
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64(((z >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@njit(cache=True, nogil=True)
def _insert(v, kind, lists, pos, state):  # type: ignore[no-untyped-def]
    at = state[kind]
    lists[kind, at] = v
    pos[v] = at
    state[kind] = at + 1


@njit(cache=True, nogil=True)
def _remove(v, kind, lists, pos, state):  # type: ignore[no-untyped-def]
    last = state[kind] - 1
    at = pos[v]
    moved = lists[kind, last]
    lists[kind, at] = moved
    pos[moved] = at
    state[kind] = last


@njit(cache=True, nogil=True)
def _enter(v, ptr, idx, code, half, lists, pos, barred, state):  # type: ignore[no-untyped-def]
    """Make v, which is in no candidate list and conflicts with no member, a member."""
    _insert(v, MEMBERS, lists, pos, state)
    barred[v] = 1
    one = (np.uint64(v) << half) + np.uint64(1)
    mask = (np.uint64(1) << half) - np.uint64(1)
    for k in range(ptr[v], ptr[v + 1]):
        w = np.uint32(idx[k])
        c = np.uint64(code[w]) + one
        code[w] = c
        missing = np.int64(c & mask)
        if missing <= 2 and barred[w] == 0:
            if missing == 1:
                _remove(w, ADDS, lists, pos, state)
                _insert(w, SWAPS, lists, pos, state)
            else:
                _remove(w, SWAPS, lists, pos, state)


@njit(cache=True, nogil=True)
def _leave(v, ptr, idx, code, half, lists, pos, barred, state):  # type: ignore[no-untyped-def]
    """Drop the member v; it stays barred, the caller decides what becomes of it."""
    _remove(v, MEMBERS, lists, pos, state)
    one = (np.uint64(v) << half) + np.uint64(1)
    mask = (np.uint64(1) << half) - np.uint64(1)
    for k in range(ptr[v], ptr[v + 1]):
        w = np.uint32(idx[k])
        c = np.uint64(code[w]) - one
        code[w] = c
        missing = np.int64(c & mask)
        if missing <= 1 and barred[w] == 0:
            if missing == 0:
                _remove(w, SWAPS, lists, pos, state)
                _insert(w, ADDS, lists, pos, state)
            else:
                _insert(w, SWAPS, lists, pos, state)


@njit(cache=True, nogil=True)
def _release(v, code, half, lists, pos, barred, state):  # type: ignore[no-untyped-def]
    """Let v, neither member nor listed, be a candidate again."""
    barred[v] = 0
    missing = np.int64(np.uint64(code[v]) & ((np.uint64(1) << half) - np.uint64(1)))
    if missing == 0:
        _insert(v, ADDS, lists, pos, state)
    elif missing == 1:
        _insert(v, SWAPS, lists, pos, state)


@njit(cache=True, nogil=True)
def _take(v, code, half, lists, pos, barred, state):  # type: ignore[no-untyped-def]
    """Bar v, a non-member, from the candidates."""
    if barred[v] == 0:
        barred[v] = 1
        missing = np.int64(np.uint64(code[v]) & ((np.uint64(1) << half) - np.uint64(1)))
        if missing == 0:
            _remove(v, ADDS, lists, pos, state)
        elif missing == 1:
            _remove(v, SWAPS, lists, pos, state)


@njit(cache=True, nogil=True)
def _choose(kind, rule, weight, lists, state, random):  # type: ignore[no-untyped-def]
    """A candidate: uniformly, or of least weight with ties broken uniformly."""
    length = state[kind]
    if rule == RANDOM:
        return lists[kind, _draw(random, length)]
    chosen = lists[kind, 0]
    least = weight[chosen]
    ties = 1
    for k in range(1, length):
        v = lists[kind, k]
        if weight[v] < least:
            least = weight[v]
            chosen = v
            ties = 1
        elif weight[v] == least:
            ties += 1
            if _draw(random, ties) == 0:
                chosen = v
    return chosen


@njit(cache=True, nogil=True)
def _perturb(delta, ptr, idx, code, half, lists, pos, barred, state, random):  # type: ignore[no-untyped-def]
    """Force in a random vertex that conflicts with at least `delta` members (any vertex if there is none)."""
    n = len(pos)
    mask = (np.uint64(1) << half) - np.uint64(1)
    forced = -1
    for _ in range(_TRIES):
        v = _draw(random, n)
        if np.int64(np.uint64(code[v]) & mask) >= delta and barred[v] == 0:
            forced = v
            break
    if forced < 0:
        # Rare vertices: a uniform choice among them by one pass; failing that, among all non-members.
        seen = 0
        others = 0
        other = -1
        for v in range(n):
            if barred[v] == 0:
                others += 1
                if _draw(random, others) == 0:
                    other = v
                if np.int64(np.uint64(code[v]) & mask) >= delta:
                    seen += 1
                    if _draw(random, seen) == 0:
                        forced = v
        if forced < 0:
            forced = other
    if forced < 0:
        return
    _take(forced, code, half, lists, pos, barred, state)
    dropped = np.int64(0)
    for k in range(ptr[forced], ptr[forced + 1]):
        w = np.uint32(idx[k])
        if barred[w] == 1:
            _leave(w, ptr, idx, code, half, lists, pos, barred, state)
            lists[TABU, dropped] = w
            dropped += 1
    _enter(forced, ptr, idx, code, half, lists, pos, barred, state)
    for k in range(dropped):
        _release(lists[TABU, k], code, half, lists, pos, barred, state)


@njit(cache=True, nogil=True)
def _penalise(weight, lists, state):  # type: ignore[no-untyped-def]
    """End of a stage: members cost one more; every `DELAY` stages all cost one less.

    The delay follows the rule of phased local search (Pullan 2006): it settles where three quarters of the
    vertices carry a penalty.
    """
    for k in range(state[MEMBERS]):
        weight[lists[MEMBERS, k]] += 1
    state[WAITED] += 1
    if state[WAITED] < state[DELAY]:
        return
    state[WAITED] = 0
    positive = 0
    for v in range(len(weight)):
        if weight[v] > 0:
            weight[v] -= 1
            if weight[v] > 0:
                positive += 1
    if 4 * positive < 3 * len(weight):
        state[DELAY] += 1
    elif state[DELAY] > 1:
        state[DELAY] -= 1


@njit(cache=True, nogil=True)
def restore(start, ptr, idx, code, half, lists, pos, barred, state):  # type: ignore[no-untyped-def]
    """Fill empty arrays: every vertex a candidate, then the vertices of `start`, a clique, as members."""
    for v in range(len(pos)):
        _insert(v, ADDS, lists, pos, state)
    for k in range(len(start)):
        v = start[k]
        _take(v, code, half, lists, pos, barred, state)
        _enter(v, ptr, idx, code, half, lists, pos, barred, state)


@njit(cache=True, nogil=True)
def run(limit, target, delta, rule, ptr, idx, code, half, lists, pos, barred, weight, state, random, best):  # type: ignore[no-untyped-def]
    """Search until `state[SELECTIONS]` reaches `limit` or the best clique `target` vertices.

    The best clique is copied to `best[:state[BEST]]`, its selection number to `state[REACHED]`. Where the search is
    cut into calls does not change its course.
    """
    n = len(pos)
    while state[SELECTIONS] < limit and state[BEST] < target:
        if state[IN_STAGE] == 0:
            if state[MEMBERS] == n:
                return
            _perturb(delta, ptr, idx, code, half, lists, pos, barred, state, random)
            state[SELECTIONS] += 1
            state[IN_STAGE] = 1
            state[SWAPPED] = 0
            state[SWAPS_LEFT] = state[MEMBERS]
        elif state[ADDS] > 0:
            v = _choose(ADDS, rule, weight, lists, state, random)
            _take(v, code, half, lists, pos, barred, state)
            _enter(v, ptr, idx, code, half, lists, pos, barred, state)
            state[SELECTIONS] += 1
            if state[SWAPPED] == 0:
                state[SWAPS_LEFT] = state[MEMBERS]
        elif state[SWAPS] > 0 and state[SWAPS_LEFT] > 0:
            v = _choose(SWAPS, rule, weight, lists, state, random)
            partner = np.int64(np.uint64(code[v]) >> half)
            _take(v, code, half, lists, pos, barred, state)
            _leave(partner, ptr, idx, code, half, lists, pos, barred, state)
            _enter(v, ptr, idx, code, half, lists, pos, barred, state)
            lists[TABU, state[TABU]] = partner
            state[TABU] += 1
            state[SELECTIONS] += 1
            state[SWAPPED] = 1
            state[SWAPS_LEFT] -= 1
        else:
            # Only tabu vertices can still be added; each is tried once, and without any the stage ends.
            added = False
            for k in range(state[TABU]):
                w = lists[TABU, k]
                if np.int64(np.uint64(code[w]) & ((np.uint64(1) << half) - np.uint64(1))) == 0:
                    state[TABU] -= 1
                    lists[TABU, k] = lists[TABU, state[TABU]]
                    _enter(w, ptr, idx, code, half, lists, pos, barred, state)
                    state[SELECTIONS] += 1
                    added = True
                    break
            if not added:
                for k in range(state[TABU]):
                    _release(lists[TABU, k], code, half, lists, pos, barred, state)
                state[TABU] = 0
                state[IN_STAGE] = 0
                if rule == PENALTY:
                    _penalise(weight, lists, state)
        if state[MEMBERS] > state[BEST]:
            state[BEST] = state[MEMBERS]
            state[REACHED] = state[SELECTIONS]
            best[: state[BEST]] = lists[MEMBERS, : state[BEST]]
