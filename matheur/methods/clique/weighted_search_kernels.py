"""Tabu search for cliques of large weight: the kernel.

The multi-neighbourhood tabu search MN/TS of Wu, Hao and Glover (2012), doi 10.1007/s10479-012-1124-3. The moves are all
additions, all exchanges of a member for a vertex that conflicts with no other member, and all removals of a member. The
move with the largest gain in weight is made; ties are broken at random. After `patience` moves without a heavier clique
the search restarts from a random vertex.

Memory layout, and cost of an addition or a removal: as in `local_search_kernels`, whose steps are used. Here the lists
`ADDS` and `SWAPS` hold all candidates, including tabu ones: before step `until[v]`, v must not be added (or, if it is a
member, not be exchanged). A move scans all candidates. `weight[v]` is at least 1 for every vertex that takes part; the
others are `BANNED` permanently. `state` has further entries, see the constants.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_below
from matheur.methods.clique.local_search_kernels import (
    ADDS,
    BEST,
    MEMBER,
    MEMBERS,
    REACHED,
    STEPS,
    SWAPS,
    TABU,
    _enter,
    _insert,
    _leave,
    _remove,
)
from matheur.methods.clique.local_search_kernels import BANNED as BANNED
from matheur.methods.clique.local_search_kernels import STATE_LENGTH as _BEFORE

__all__ = ["run"]

# The weight of the clique, the best weight, the best weight since the last restart, and the moves since it was found.
WEIGHT, VALUE, LOCAL, IDLE = _BEFORE, _BEFORE + 1, _BEFORE + 2, _BEFORE + 3
STATE_LENGTH = _BEFORE + 4

_TENURE = 7  # fewest moves before a removed vertex may return


@kernel
def _drop(v, ptr, idx, code, half, lists, pos, barred, weight, state):  # type: ignore[no-untyped-def]
    """Remove a member; it is then in none of the lists."""
    _leave(v, ptr, idx, code, half, lists, pos, barred, state)
    _remove(v, TABU, lists, pos, state)
    state[WEIGHT] -= weight[v]


@kernel
def _list(v, code, mask, lists, pos, barred, state):  # type: ignore[no-untyped-def]
    """Add a removed vertex to the candidates if it is one."""
    barred[v] = 0
    missing = np.int64(np.uint64(code[v]) & mask)
    if missing <= 1:
        _insert(v, missing, lists, pos, state)


@kernel
def _add(v, ptr, idx, code, half, lists, pos, barred, weight, state):  # type: ignore[no-untyped-def]
    """Make a vertex that conflicts with no member a member."""
    _remove(v, ADDS, lists, pos, state)
    _enter(v, ptr, idx, code, half, lists, pos, barred, state)
    state[WEIGHT] += weight[v]


@kernel
def _again(taking, ptr, idx, code, half, lists, pos, barred, weight, until, state, random):  # type: ignore[no-untyped-def]
    """Restart from a random vertex; nothing is tabu."""
    mask = (np.uint64(1) << half) - np.uint64(1)
    while state[MEMBERS] > 0:
        v = np.int64(lists[MEMBERS, state[MEMBERS] - 1])
        _drop(v, ptr, idx, code, half, lists, pos, barred, weight, state)
        _list(v, code, mask, lists, pos, barred, state)
    until[:] = 0
    v = np.int64(taking[splitmix_below(random, len(taking))])
    _add(v, ptr, idx, code, half, lists, pos, barred, weight, state)


@kernel
def run(  # type: ignore[no-untyped-def]
    limit, target, patience, taking, ptr, idx, code, half, lists, pos, barred, weight, until, state, random, best
):
    """Search until `state[STEPS]` reaches `limit` or the best weight `target`.

    The best clique is copied to `best[:state[BEST]]`, its weight to `state[VALUE]`, its step to `state[REACHED]`. The
    division into calls does not change the course of the search. `taking` holds the vertices with a weight, at least
    one.
    """
    mask = (np.uint64(1) << half) - np.uint64(1)
    while state[STEPS] < limit and state[VALUE] < target:
        now = state[STEPS]
        state[STEPS] = now + 1
        if state[IDLE] >= patience or state[MEMBERS] == 0:
            _again(taking, ptr, idx, code, half, lists, pos, barred, weight, until, state, random)
            state[LOCAL] = state[WEIGHT]
            state[IDLE] = 0
        else:
            chosen = np.int64(-1)
            most = np.int64(0)
            ties = 0
            wanted = state[VALUE] - state[WEIGHT]  # a move that gains more is made even if it is tabu
            for k in range(state[ADDS]):
                v = np.int64(lists[ADDS, k])
                gain = weight[v]
                if (until[v] <= now or gain > wanted) and (chosen < 0 or gain >= most):
                    if chosen < 0 or gain > most:
                        ties = 0
                    ties += 1
                    if ties == 1 or splitmix_below(random, ties) == 0:
                        chosen, most = v, gain
            for k in range(state[SWAPS]):
                v = np.int64(lists[SWAPS, k])
                other = np.int64(np.uint64(code[v]) >> half)
                gain = weight[v] - weight[other]
                if ((until[v] <= now and until[other] <= now) or gain > wanted) and (chosen < 0 or gain >= most):
                    if chosen < 0 or gain > most:
                        ties = 0
                    ties += 1
                    if ties == 1 or splitmix_below(random, ties) == 0:
                        chosen, most = v, gain
            for k in range(state[MEMBERS]):
                v = np.int64(lists[MEMBERS, k])
                gain = -weight[v]
                if chosen < 0 or gain >= most:
                    if chosen < 0 or gain > most:
                        ties = 0
                    ties += 1
                    if ties == 1 or splitmix_below(random, ties) == 0:
                        chosen, most = v, gain
            if barred[chosen] == MEMBER:
                _drop(chosen, ptr, idx, code, half, lists, pos, barred, weight, state)
                _list(chosen, code, mask, lists, pos, barred, state)
                until[chosen] = now + 1 + _TENURE
            elif np.uint64(code[chosen]) & mask == 0:
                _add(chosen, ptr, idx, code, half, lists, pos, barred, weight, state)
                until[chosen] = 0
            else:
                other = np.int64(np.uint64(code[chosen]) >> half)
                until[other] = now + 1 + _TENURE + splitmix_below(random, state[SWAPS])
                until[chosen] = now + 1 + _TENURE
                _drop(other, ptr, idx, code, half, lists, pos, barred, weight, state)
                _add(chosen, ptr, idx, code, half, lists, pos, barred, weight, state)
                _list(other, code, mask, lists, pos, barred, state)
            state[IDLE] += 1
        if state[WEIGHT] > state[LOCAL]:
            state[LOCAL] = state[WEIGHT]
            state[IDLE] = 0
        if state[WEIGHT] > state[VALUE]:
            state[VALUE] = state[WEIGHT]
            state[REACHED] = state[STEPS]
            state[BEST] = state[MEMBERS]
            best[: state[BEST]] = lists[MEMBERS, : state[BEST]]
