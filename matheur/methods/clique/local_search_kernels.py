"""Iterated local search for maximum clique: the kernel.

The method of Grosso, Locatelli and Pullan (2008), doi 10.1007/s10732-007-9055-x.

Memory layout, all arrays owned by the caller, so that a search can be stopped and continued anywhere:

- `ptr`, `idx`: the complement in compressed rows. Adding or dropping a vertex touches its row only.
- `code[v]` (uint32 or uint64): in the low half the number of clique members that v is not adjacent to, in the high
  half the sum of their numbers, modulo its width. One addition updates both, and if the count is 1 the sum *is* the
  vertex to drop for a swap. The count is below n and cannot overflow; the sum may wrap without harm.
- `lists[ADDS]`, `lists[SWAPS]`: non-tabu candidates for adding (count 0) and for swapping (count 1);
  `lists[MEMBERS]`: the clique; `lists[TABU]`: vertices dropped by a swap of this stage. A vertex is in at most one of
  the four, `pos[v]` is its place there, and `barred[v]` tells members and tabu vertices from the rest. A uniform choice
  among the non-tabu candidates therefore costs one random number and no scan.
- `state`: lengths of the lists and counters, see the constants.
- `penalty[v]`, `degree[v]`: minimised by the penalty rule and the degree rule (the degree is in the complement).
- `random`: one uint64, the counter of a splitmix64 generator.

Cost: one complement row for an addition, two for a swap; with the degree and penalty rules also a scan of the
candidates.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_below

__all__ = ["run"]

# Rows of `lists`; the same entries of `state` hold their lengths.
ADDS, SWAPS, MEMBERS, TABU = 0, 1, 2, 3
# Other entries of `state`.
SWAPS_LEFT, SWAPPED, IN_STAGE, STEPS, BEST, REACHED, DELAY, WAITED, STAGES = 4, 5, 6, 7, 8, 9, 10, 11, 12
STATE_LENGTH = 13
# Values of `barred`.
MEMBER, BANNED = 1, 2
# Selection rules.
RANDOM, DEGREE, PENALTY, PHASED = 0, 1, 2, 3
# A cycle of the phased rule: numbers of stages by random choice, by penalties and by degrees (Pullan 2006).
_BY_CHANCE, _BY_PENALTY, _BY_DEGREE = 50, 50, 100

_TRIES = 64


@kernel
def _insert(v, kind, lists, pos, state):  # type: ignore[no-untyped-def]
    at = state[kind]
    lists[kind, at] = v
    pos[v] = at
    state[kind] = at + 1


@kernel
def _remove(v, kind, lists, pos, state):  # type: ignore[no-untyped-def]
    last = state[kind] - 1
    at = pos[v]
    moved = lists[kind, last]
    lists[kind, at] = moved
    pos[moved] = at
    state[kind] = last


@kernel
def _enter(v, ptr, idx, code, half, lists, pos, barred, state):  # type: ignore[no-untyped-def]
    """Make v, which is in no candidate list and conflicts with no member, a member."""
    _insert(v, MEMBERS, lists, pos, state)
    barred[v] = MEMBER
    one = (np.uint64(v) << half) + np.uint64(1)
    mask = (np.uint64(1) << half) - np.uint64(1)
    for k in range(ptr[v], ptr[v + 1]):
        w = np.uint32(idx[k])  # unsigned: no test for a negative index
        c = np.uint64(code[w]) + one
        code[w] = c
        missing = np.int64(c & mask)
        if missing <= 2 and barred[w] == 0:
            _remove(w, missing - 1, lists, pos, state)
            if missing == 1:
                _insert(w, SWAPS, lists, pos, state)


@kernel
def _leave(v, ptr, idx, code, half, lists, pos, barred, state):  # type: ignore[no-untyped-def]
    """Make the member v a tabu vertex."""
    _remove(v, MEMBERS, lists, pos, state)
    _insert(v, TABU, lists, pos, state)
    barred[v] = BANNED
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
            _insert(w, missing, lists, pos, state)


@kernel
def _choose(kind, rule, weight, lists, state, random):  # type: ignore[no-untyped-def]
    """A candidate: uniformly, or of least weight with ties broken uniformly."""
    length = state[kind]
    if rule == RANDOM:
        return lists[kind, splitmix_below(random, length)]
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
            if splitmix_below(random, ties) == 0:
                chosen = v
    return chosen


@kernel
def _force(delta, code, mask, barred, random):  # type: ignore[no-untyped-def]
    """A random vertex that conflicts with at least `delta` members, else any non-member, else -1."""
    n = len(code)
    for _ in range(_TRIES):
        v = splitmix_below(random, n)
        if np.int64(np.uint64(code[v]) & mask) >= delta and barred[v] != MEMBER:
            return v
    # Such vertices are rare: one pass chooses uniformly among them, and among all non-members.
    forced = -1
    other = -1
    rare = 0
    others = 0
    for v in range(n):
        if barred[v] != MEMBER:
            others += 1
            if splitmix_below(random, others) == 0:
                other = v
            if np.int64(np.uint64(code[v]) & mask) >= delta:
                rare += 1
                if splitmix_below(random, rare) == 0:
                    forced = v
    return forced if forced >= 0 else other


@kernel
def _penalise(weight, lists, state):  # type: ignore[no-untyped-def]
    """End of a stage: the penalty of members grows by one; every `DELAY` stages all penalties decrease by one.

    The delay follows the rule of phased local search (Pullan 2006): it settles at a value for which three quarters of
    the vertices have a penalty.
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


@kernel
def _phase(rule, state):  # type: ignore[no-untyped-def]
    """The rule of this stage."""
    if rule != PHASED:
        return rule
    at = state[STAGES] % (_BY_CHANCE + _BY_PENALTY + _BY_DEGREE)
    if at < _BY_CHANCE:
        return RANDOM
    return PENALTY if at < _BY_CHANCE + _BY_PENALTY else DEGREE


@kernel
def run(  # type: ignore[no-untyped-def]
    limit, target, delta, rule, ptr, idx, code, half, lists, pos, barred, penalty, degree, state, random, best
):
    """Search until `state[STEPS]` reaches `limit` or the best clique `target` vertices.

    The best clique is copied to `best[:state[BEST]]`, its selection number to `state[REACHED]`. The division into calls
    does not change the course of the search.
    """
    mask = (np.uint64(1) << half) - np.uint64(1)
    while state[STEPS] < limit and state[BEST] < target:
        fresh = state[IN_STAGE] == 0
        v = -1
        if fresh:
            v = _force(delta, code, mask, barred, random)
            if v < 0:
                return
        elif state[ADDS] > 0 or (state[SWAPS] > 0 and state[SWAPS_LEFT] > 0):
            now = _phase(rule, state)
            weight = penalty if now == PENALTY else degree
            v = int(_choose(ADDS if state[ADDS] > 0 else SWAPS, now, weight, lists, state, random))
        else:
            # Only vertices dropped in this stage can still be added.
            for k in range(state[TABU]):
                w = lists[TABU, k]
                if np.uint64(code[w]) & mask == 0:
                    v = int(w)
                    break
            if v < 0:
                state[IN_STAGE] = 0
                if _phase(rule, state) == PENALTY:
                    _penalise(penalty, lists, state)
                state[STAGES] += 1
                continue

        # Remove v from its list, remove the members that it conflicts with, then add v to the clique.
        missing = np.int64(np.uint64(code[v]) & mask)
        if barred[v] == BANNED:
            _remove(v, TABU, lists, pos, state)
        elif missing <= 1:
            _remove(v, missing, lists, pos, state)
        barred[v] = MEMBER
        swap = missing > 0
        at = ptr[v]
        while missing > 0:
            if missing == 1:
                w = np.int64(np.uint64(code[v]) >> half)
            else:
                while barred[idx[at]] != MEMBER:
                    at += 1
                w = np.int64(idx[at])
            _leave(w, ptr, idx, code, half, lists, pos, barred, state)
            missing -= 1
        _enter(v, ptr, idx, code, half, lists, pos, barred, state)
        state[STEPS] += 1

        if fresh:
            # A new stage: nothing is tabu, not even the vertices just dropped.
            for k in range(state[TABU]):
                w = lists[TABU, k]
                barred[w] = 0
                missing = np.int64(np.uint64(code[w]) & mask)
                if missing <= 1:
                    _insert(w, missing, lists, pos, state)
            state[TABU] = 0
            state[IN_STAGE] = 1
            state[SWAPPED] = 0
            state[SWAPS_LEFT] = state[MEMBERS]
        elif swap:
            state[SWAPPED] = 1
            state[SWAPS_LEFT] -= 1
        elif state[SWAPPED] == 0:
            state[SWAPS_LEFT] = state[MEMBERS]
        if state[MEMBERS] > state[BEST]:
            state[BEST] = state[MEMBERS]
            state[REACHED] = state[STEPS]
            best[: state[BEST]] = lists[MEMBERS, : state[BEST]]
