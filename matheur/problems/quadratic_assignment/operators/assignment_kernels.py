"""Kernels of the assignment neighbourhood: facilities that exchange no flow are given back their locations optimally.

If no two facilities of a set S exchange flow (or all distances between their locations are 0), the cost of each of them
on each location of S depends only on the facilities outside S: it is `potential[i, l]` of `tabu_kernels`. The best
reassignment of S is then an assignment problem, solved in 64-bit integers by shortest augmenting paths (Jonker and
Volgenant 1987, without their initialisation). A set of 16 costs about 5 microseconds.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.assignment import assign
from matheur.kernels.random import xorshift_below

__all__ = ["reassign_drawn", "reassign_listed"]


@kernel
def _reassign(size, chosen, potential, p, cost, room, done):  # type: ignore[no-untyped-def]
    """Reassign the chosen facilities in `p` if that is cheaper; returns the change of the objective."""
    least = np.int64(potential[chosen[0], p[chosen[0]]])
    before = np.int64(0)
    for i in range(size):
        before += potential[chosen[i], p[chosen[i]]]
        for j in range(size):
            cost[i, j] = potential[chosen[i], p[chosen[j]]]
            least = min(least, cost[i, j])
    for i in range(size):
        for j in range(size):
            cost[i, j] -= least
    before -= size * least
    assign(size, cost, room, done)
    after = np.int64(0)
    for j in range(size):
        after += cost[room[2, j + 1] - 1, j]
    if after >= before:
        return np.int64(0)
    for j in range(size):
        room[0, j] = p[chosen[j]]
    for j in range(size):
        p[chosen[room[2, j + 1] - 1]] = room[0, j]
    return after - before


@kernel
def reassign_listed(starts, members, potential, p, cost, room, done):  # type: ignore[no-untyped-def]
    """Try the sets `members[starts[k]:starts[k + 1]]`, one after another, until one improves.

    Returns
    -------
    change, tried
        Change of the objective, 0 if no set gains; sets tried.
    """
    for k in range(starts.size - 1):
        chosen = members[starts[k] : starts[k + 1]]
        change = _reassign(chosen.size, chosen, potential, p, cost, room, done)
        if change < 0:
            return change, k + 1
    return np.int64(0), starts.size - 1


@kernel
def reassign_drawn(sets, largest, apart, facility, state, potential, p, cost, room, done):  # type: ignore[no-untyped-def]
    """Try random sets of up to `largest` members that are pairwise `apart` until one improves.

    Parameters
    ----------
    apart
        bool, shape (n, n): the graph whose cliques are the sets.
    facility
        int32, shape (n,): the facility of each of its vertices.

    Returns
    -------
    change, tried
        Change of the objective, 0 if no set gains; sets tried.
    """
    n = p.size
    order = np.arange(n)
    chosen = np.empty(n, dtype=np.int64)
    for tried in range(1, sets + 1):
        size = 0
        for k in range(n):
            other = k + xorshift_below(state, n - k)
            order[k], order[other] = order[other], order[k]
            fits = True
            for i in range(size):
                if not apart[order[k], chosen[i]]:
                    fits = False
                    break
            if fits:
                chosen[size] = order[k]
                size += 1
                if size == largest:
                    break
        if size > 1:
            for i in range(size):
                chosen[i] = facility[chosen[i]]
            change = _reassign(size, chosen, potential, p, cost, room, done)
            if change < 0:
                return change, tried
    return np.int64(0), sets
