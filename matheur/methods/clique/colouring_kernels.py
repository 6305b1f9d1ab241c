"""Colourings and orders of a graph stored as its complement: the kernels.

Memory layout: `ptr`, `idx` are the complement in compressed rows. The vertices of a colour class are pairwise
non-adjacent, so a class is found within rows. `label[v]` is the class of v, from 0.

Cost: recursive largest first reads the rows of all candidates for each class; the order of least degree takes a scan of
the vertices and one row for each place.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["degeneracy", "largest_first"]


@kernel
def largest_first(limit, ptr, idx, label):  # type: ignore[no-untyped-def]
    """Recursive largest first (Leighton 1979): returns the number of classes, or -1 after reading `limit` entries.

    A class begins with the waiting vertex that has most waiting neighbours. It repeatedly takes the candidate that
    leaves the most candidates, and among equal ones the candidate with most waiting neighbours.
    """
    n = len(ptr) - 1
    waiting = np.zeros(n, dtype=np.int64)  # waiting non-neighbours
    apart = np.zeros(n, dtype=np.int64)  # candidates that are non-neighbours
    candidates = np.zeros(n, dtype=np.int64)
    stage = np.zeros(n, dtype=np.int8)  # 1: candidate, 2: candidate in the row just read
    for v in range(n):
        label[v] = -1
        waiting[v] = ptr[v + 1] - ptr[v]
    number = 0
    left = n
    work = 0
    while left > 0:
        chosen = -1
        for v in range(n):
            if label[v] < 0 and (chosen < 0 or waiting[v] < waiting[chosen]):
                chosen = v
        count = 0
        for k in range(ptr[chosen], ptr[chosen + 1]):
            v = idx[k]
            if label[v] < 0:
                candidates[count] = v
                count += 1
                stage[v] = 1
        for i in range(count):
            v = candidates[i]
            among = 0
            for k in range(ptr[v], ptr[v + 1]):
                among += stage[idx[k]]
            apart[v] = among
            work += ptr[v + 1] - ptr[v]
        while True:
            label[chosen] = number
            left -= 1
            stage[chosen] = 0
            for k in range(ptr[chosen], ptr[chosen + 1]):
                v = idx[k]
                waiting[v] -= 1
                if stage[v] == 1:
                    stage[v] = 2
            kept = 0
            for i in range(count):
                v = candidates[i]
                if stage[v] == 2:
                    stage[v] = 1
                    candidates[kept] = v
                    kept += 1
                elif v != chosen:
                    stage[v] = 0
                    for k in range(ptr[v], ptr[v + 1]):
                        apart[idx[k]] -= 1
                    work += ptr[v + 1] - ptr[v]
            count = kept
            if work > limit:
                return -1
            if count == 0:
                break
            chosen = candidates[0]
            for i in range(1, count):
                v = candidates[i]
                if apart[v] > apart[chosen] or (apart[v] == apart[chosen] and waiting[v] < waiting[chosen]):
                    chosen = v
        number += 1
    return number


@kernel
def degeneracy(ptr, idx, order):  # type: ignore[no-untyped-def]
    """Fill `order` from the back with the first remaining vertex of least degree each time; returns the degeneracy."""
    n = len(ptr) - 1
    apart = np.zeros(n, dtype=np.int64)  # non-neighbours that are left; -1: gone
    for v in range(n):
        apart[v] = ptr[v + 1] - ptr[v]
    core = np.int64(0)
    for place in range(n - 1, -1, -1):
        chosen = 0
        for v in range(1, n):
            if apart[v] > apart[chosen]:
                chosen = v
        if apart[chosen] == 0:  # all remaining vertices are joined: take them in order, without a scan for each
            core = max(core, np.int64(place))
            for v in range(n):
                if apart[v] == 0:
                    order[place] = v
                    place -= 1
            return core
        core = max(core, place - apart[chosen])
        order[place] = chosen
        apart[chosen] = -1
        for k in range(ptr[chosen], ptr[chosen + 1]):
            if apart[idx[k]] > 0:
                apart[idx[k]] -= 1
    return core
