"""Maximum clique of sparse graphs: cores, a greedy clique, and branch and bound on neighbourhoods. The kernels.

The order of least degree by buckets is that of Batagelj and Zaversnik (2003); greedy cliques, pruning by cores and the
search neighbourhood by neighbourhood follow Rossi, Gleich, Gebremedhin and Patwary (2015), doi 10.1137/13094520X (the
program pmc). Each clique is found from its first vertex in that order: its other vertices are *later neighbours* of the
first.

Memory layout: `ptr`, `idx` are the neighbours in compressed rows. All other arrays refer to vertices by their places in
the order of least degree: `core[i]` ascends, `later[begins[i]:begins[i + 1]]` are the neighbours of place i that come
after it, ascending. The data of a neighbourhood of r vertices lies at the front of flat arrays and is viewed as arrays
of its size, so `exact_kernels` sees a graph of r vertices.

Cost: cores, order and colours are linear in the edges. A neighbourhood of k vertices costs a pass over their later
neighbours and k * k / 64 words, unless its colours show that it contains no larger clique.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.methods.clique.exact_kernels import BEST as INNER_BEST
from matheur.methods.clique.exact_kernels import BOUND as INNER_BOUND
from matheur.methods.clique.exact_kernels import DEPTH as INNER_DEPTH
from matheur.methods.clique.exact_kernels import NODES as INNER_NODES
from matheur.methods.clique.exact_kernels import OWN as INNER_OWN
from matheur.methods.clique.exact_kernels import STATE_LENGTH as INNER_LENGTH
from matheur.methods.clique.exact_kernels import prepare, run

__all__ = ["INNER_LENGTH", "colours", "cores", "greedy", "orient", "sweep"]

PLACE, NODES, BEST, OWN, SIZE, CORE, TRIED = 0, 1, 2, 3, 4, 5, 6
STATE_LENGTH = 7

_EFFORT = 20_000_000  # words and numbers read in a call: a few hundredths of a second


@kernel
def cores(ptr, idx, order, core):  # type: ignore[no-untyped-def]
    """Fill `order` by repeatedly removing a vertex of least degree, and `core` with core numbers.

    `core[i]` is the core number of `order[i]`. The last one is the degeneracy.
    """
    n = len(ptr) - 1
    most = np.int64(0)
    degree = np.empty(n, dtype=np.int64)
    for v in range(n):
        degree[v] = ptr[v + 1] - ptr[v]
        most = max(most, degree[v])
    bucket = np.zeros(most + 2, dtype=np.int64)  # where the vertices of each degree begin in `order`
    for v in range(n):
        bucket[degree[v] + 1] += 1
    for d in range(most + 1):
        bucket[d + 1] += bucket[d]
    place = np.empty(n, dtype=np.int64)
    cursor = bucket.copy()
    for v in range(n):
        place[v] = cursor[degree[v]]
        order[place[v]] = v
        cursor[degree[v]] += 1
    for at in range(n):
        v = order[at]
        core[at] = degree[v]
        for k in range(ptr[v], ptr[v + 1]):
            w = idx[k]
            if degree[w] > degree[v]:
                # Swap it with the first vertex of its degree, which moves it to the bucket below.
                first = bucket[degree[w]]
                other = order[first]
                order[first], order[place[w]] = w, other
                place[other], place[w] = place[w], first
                bucket[degree[w]] += 1
                degree[w] -= 1
                if bucket[degree[w]] < at + 1:
                    bucket[degree[w]] = at + 1


@kernel
def orient(ptr, idx, order, begins, later):  # type: ignore[no-untyped-def]
    """Fill `begins` and `later` with the later neighbours of each place."""
    n = len(ptr) - 1
    place = np.empty(n, dtype=np.int32)
    for at in range(n):
        place[order[at]] = at
    begins[0] = 0
    for at in range(n):
        v = order[at]
        count = 0
        for k in range(ptr[v], ptr[v + 1]):
            count += place[idx[k]] > at
        begins[at + 1] = begins[at] + count
    cursor = begins[:-1].copy()
    for at in range(n):
        v = order[at]
        for k in range(ptr[v], ptr[v + 1]):
            before = place[idx[k]]
            if before < at:
                later[cursor[before]] = at
                cursor[before] += 1


@kernel
def colours(begins, later, colour):  # type: ignore[no-untyped-def]
    """Colour the places greedily from the last to the first, with colours from 0; returns the number of colours."""
    n = len(begins) - 1
    taken = np.full(n + 1, -1, dtype=np.int64)
    most = 0
    for at in range(n - 1, -1, -1):
        for k in range(begins[at], begins[at + 1]):
            taken[colour[later[k]]] = at
        c = 0
        while taken[c] == at:
            c += 1
        colour[at] = c
        most = max(most, c + 1)
    return most


@kernel
def _joined(a, b, begins, later):  # type: ignore[no-untyped-def]
    """Whether place b, which comes after place a, is joined to it."""
    low, high = begins[a], begins[a + 1]
    while low < high:
        middle = (low + high) >> 1
        if later[middle] < b:
            low = middle + 1
        else:
            high = middle
    return low < begins[a + 1] and later[low] == b


@kernel
def greedy(limit, target, core, begins, later, members, best, state):  # type: ignore[no-untyped-def]
    """From each place, the last one first, grow a clique by repeatedly adding the last common neighbour.

    Ends after `limit` places, earlier if they are large, at a clique of `target` vertices, or when no place can give a
    larger clique: then `state[PLACE]` is -1.
    """
    tried = 0
    effort = 0
    while state[PLACE] >= 0 and tried < limit and effort < _EFFORT and state[BEST] < target:
        at = state[PLACE]
        if core[at] < state[BEST]:
            state[PLACE] = -1
            break
        state[PLACE] -= 1
        count = begins[at + 1] - begins[at]
        if count < state[BEST]:
            continue
        tried += 1
        for k in range(count):
            members[k] = later[begins[at] + k]
        size = 1
        best_size = state[BEST]
        # Chosen vertices are moved to the end of the array, behind the candidates.
        end = count
        while count > 0 and size + count > best_size:
            chosen = members[count - 1]
            end -= 1
            effort += 8 * count  # a search in a row for each candidate
            kept = 0
            for k in range(count - 1):
                if _joined(members[k], chosen, begins, later):
                    members[kept] = members[k]
                    kept += 1
            members[end] = chosen
            count = kept
            size += 1
        if count == 0 and size > best_size:
            best[0] = at
            for k in range(size - 1):
                best[k + 1] = members[end + k]
            state[BEST] = size
            state[OWN] = 1
    state[NODES] += tried


@kernel
def _neighbourhood(  # type: ignore[no-untyped-def]
    at, state, begins, later, colour, seen, place, degree, vertices, bits, adjacency, best_clique
):
    """Prepare the later neighbours of a place for branch and bound, least degree last; False if they can be skipped.

    Fills `vertices`, `adjacency`, `state[SIZE]` and `state[CORE]` (the largest core number among them). As soon as all
    remaining vertices are joined to each other they form a clique, which may be the best so far.
    """
    best = state[BEST]
    k = begins[at + 1] - begins[at]
    if k < best:
        return False
    different = 0
    for a in range(k):
        c = colour[later[begins[at] + a]]
        if seen[c] != at:
            seen[c] = at
            different += 1
    if different < best:
        return False
    words = (k + 63) >> 6
    raw = bits[: k * words].reshape((k, words))
    raw[:] = 0
    first = begins[at]
    for a in range(k):
        place[later[first + a]] = a
        degree[a] = 0
    for a in range(k):
        v = later[first + a]
        for e in range(begins[v], begins[v + 1]):
            b = place[later[e]]
            if b >= 0:
                raw[a, b >> 6] |= np.uint64(1) << np.uint64(b & 63)
                raw[b, a >> 6] |= np.uint64(1) << np.uint64(a & 63)
                degree[a] += 1
                degree[b] += 1
    for a in range(k):
        place[later[first + a]] = -1
    # Repeatedly remove the vertex of least degree; vertices with too few neighbours are dropped for good.
    left, end = k, k
    core = np.int64(0)
    while left > 0:
        least = -1
        for a in range(k):
            if degree[a] >= 0 and (least < 0 or degree[a] < degree[least]):
                least = a
        if degree[least] == left - 1:  # all remaining vertices are joined
            core = max(core, np.int64(left - 1))
            alone = end == k
            better = left + 1 > best
            if better:
                state[BEST], state[OWN] = left + 1, 1
                best_clique[0] = at
            for a in range(k):
                if degree[a] >= 0:
                    end -= 1
                    vertices[end] = a
                    if better:
                        best_clique[left] = later[first + a]
                        left -= 1
            if alone:
                return False
            left = 0
            break
        small = end == k and degree[least] < best - 1
        core = max(core, degree[least])
        if not small:
            end -= 1
            vertices[end] = least
        degree[least] = -1
        left -= 1
        if left < best and end == k:
            return False
        for b in range(k):
            if degree[b] >= 0 and raw[least, b >> 6] & (np.uint64(1) << np.uint64(b & 63)) != 0:
                degree[b] -= 1
    size = k - end
    best = state[BEST]
    if size < best or core + 1 < best:
        return False
    for a in range(size):
        vertices[a] = vertices[end + a]
    words = (size + 63) >> 6
    kept = adjacency[: size * words].reshape((size, words))
    kept[:] = 0
    for a in range(size):
        v = vertices[a]
        for b in range(size):
            w = vertices[b]
            if raw[v, w >> 6] & (np.uint64(1) << np.uint64(w & 63)) != 0:
                kept[a, b >> 6] |= np.uint64(1) << np.uint64(b & 63)
    for a in range(size):
        vertices[a] = later[first + vertices[a]]
    state[SIZE], state[CORE] = size, core
    return True


@kernel
def sweep(  # type: ignore[no-untyped-def]
    limit, target, strength, core, begins, later, colour, seen, place, degree, vertices, bits, adjacency, candidates,
    branch, colouring, left, uncoloured, klass, classes, used, chosen, found, inner, best, state,
):  # fmt: skip
    """Branch and bound on the later neighbours of each place, the last one first.

    Ends when `state[NODES]` (neighbourhoods and branchings) reaches `limit`, earlier if these are large, at a clique of
    `target` vertices, or when the proof is complete: then `state[PLACE]` is -1 and `state[SIZE]` is 0. Otherwise
    `state[SIZE]` is the size of the current neighbourhood.
    """
    effort = 0
    while state[NODES] < limit and effort < _EFFORT and state[BEST] < target:
        if state[SIZE] > 0 and state[CORE] + 1 < state[BEST]:
            state[SIZE] = 0  # a larger clique came from elsewhere
        fresh = state[SIZE] == 0
        if fresh:
            at = state[PLACE]
            if at < 0 or core[at] < state[BEST]:
                state[PLACE] = -1
                break
            state[PLACE] -= 1
            if begins[at + 1] - begins[at] < state[BEST]:
                continue
            state[NODES] += 1
            effort += (begins[at + 1] - begins[at]) ** 2
            if not _neighbourhood(
                at, state, begins, later, colour, seen, place, degree, vertices, bits, adjacency, best
            ):
                continue
        size = state[SIZE]
        depths = state[CORE] + 3
        words = (size + 63) >> 6
        rows = adjacency[: size * words].reshape((size, words))
        some = candidates[: depths * words].reshape((depths, words))
        order = branch[: depths * size].reshape((depths, size))
        numbers = colouring[: depths * size].reshape((depths, size))
        sets = classes[: (depths + 1) * words].reshape((depths + 1, words))
        if fresh:
            some[0, :] = 0
            inner[INNER_NODES] = 0
            inner[INNER_BEST] = state[BEST] - 1
            inner[INNER_OWN] = 0
            prepare(strength, rows, some, order, numbers, left, uncoloured[:words], klass[:words], sets, used, inner)
        if inner[INNER_BEST] < state[BEST] - 1:
            inner[INNER_BEST], inner[INNER_OWN] = state[BEST] - 1, 0
        before = inner[INNER_NODES]
        room = min(limit - state[NODES], 1 + max(0, _EFFORT - effort) // (size * words))
        run(
            before + room, target - 1, strength, rows, some, order, numbers, left, uncoloured[:words],
            klass[:words], sets, used, chosen, found, inner,
        )  # fmt: skip
        state[NODES] += inner[INNER_NODES] - before
        effort += (inner[INNER_NODES] - before) * size * words
        if inner[INNER_OWN] and inner[INNER_BEST] + 1 > state[BEST]:
            state[BEST], state[OWN] = inner[INNER_BEST] + 1, 1
            best[0] = state[PLACE] + 1
            for k in range(inner[INNER_BEST]):
                best[k + 1] = vertices[found[k]]
        if inner[INNER_DEPTH] < 0 or inner[INNER_BOUND] < state[BEST]:
            state[SIZE] = 0
