"""Kernel of the enumeration: all arrangements of a few facilities, with the bound of Gilmore and Lawler.

Facilities are placed in a fixed order, each on its free locations, the cheapest first. `cost[d, j, k]` is the cost of
facility j on location k with all facilities placed above level d. The cost of its flows to the other remaining
facilities is at least the minimal scalar product: the largest flows over the shortest free distances. The cheapest
assignment on the sum of both bounds a node. A node with m remaining facilities costs O(m**3); the pruning repays this.

This search shares nothing with `bounding_kernels`, so that one can confirm the other.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["BEGIN", "DEPTH", "NODES", "UPPER", "arrange", "prepare"]

DEPTH, UPPER, NODES = range(3)  # entries of `control`
BEGIN = -2  # value of `control[DEPTH]` before the search
FAR = np.int64(1) << np.int64(62)


@kernel
def prepare(flows, distances, largest, nearest):  # type: ignore[no-untyped-def]
    """Fill the tables of a search, for facilities in the order of their numbers.

    Parameters
    ----------
    largest
        int64, shape (size, size, size): by level d and facility j >= d, its flows to the others >= d, largest first.
    nearest
        int32, shape (size, size): for each location, the other locations, the nearest first.
    """
    size = flows.shape[0]
    for j in range(size):
        for d in range(j + 1):
            count = 0
            for i in range(d, size):
                if i == j:
                    continue
                place = count
                while place > 0 and largest[d, j, place - 1] < flows[j, i]:
                    largest[d, j, place] = largest[d, j, place - 1]
                    place -= 1
                largest[d, j, place] = flows[j, i]
                count += 1
    for k in range(size):
        count = 0
        for h in range(size):
            if h == k:
                continue
            place = count
            while place > 0 and distances[k, nearest[k, place - 1]] > distances[k, h]:
                nearest[k, place] = nearest[k, place - 1]
                place -= 1
            nearest[k, place] = h
            count += 1


@kernel
def arrange(  # type: ignore[no-untyped-def]
    limit, flows, distances, largest, nearest, cost, partial, choice, count, following, chosen, taken, room, best,
    control,
):  # fmt: skip
    """Continue until the tree is finished (returns True) or `limit` more nodes are created.

    Parameters
    ----------
    cost
        int64, shape (size, size, size): by level, facility, location. `cost[0]` holds the linear costs.
    partial
        int64, shape (size + 1,): cost of the facilities placed above each level.
    choice
        int32, shape (size, size): locations to try at each level; `count` is their number, `following` the next one.
    chosen, best
        int32, shape (size,): location of each facility.
    taken
        int64, shape (size,): whether a location is taken; all 0 at the beginning.
    room
        int64, shape (size + 5, size + 1): workspace of the linear assignments.
    control
        int64: depth (-1 when finished, -2 at the beginning), cost that a better arrangement must undercut, nodes.
    """
    size = flows.shape[0]
    stop = control[NODES] + limit
    if control[DEPTH] == BEGIN:
        partial[0] = 0
        _list(0, size, cost, choice, count, following, taken)
        control[DEPTH] = 0
    while control[DEPTH] >= 0:
        if control[NODES] >= stop:
            return False
        d = control[DEPTH]
        if following[d] >= count[d]:
            control[DEPTH] = d - 1
            if d > 0:
                taken[chosen[d - 1]] = 0
            continue
        k = choice[d, following[d]]
        following[d] += 1
        control[NODES] += 1
        chosen[d] = k
        total = partial[d] + cost[d, d, k]
        if d == size - 1:
            if total < control[UPPER]:
                control[UPPER] = total
                best[:] = chosen
            continue
        taken[k] = 1
        for j in range(d + 1, size):
            for h in range(size):
                if taken[h] == 0:
                    cost[d + 1, j, h] = cost[d, j, h] + flows[d, j] * distances[k, h] + flows[j, d] * distances[h, k]
        if total + _bound(d + 1, size, distances, largest, nearest, cost, taken, room) >= control[UPPER]:
            taken[k] = 0
            continue
        partial[d + 1] = total
        _list(d + 1, size, cost, choice, count, following, taken)
        control[DEPTH] = d + 1
    return True


@kernel
def _bound(d, size, distances, largest, nearest, cost, taken, room):  # type: ignore[no-untyped-def]
    """Lower bound on the cost of the facilities from d on, on the free locations."""
    near = room[size + 4]
    column = 0
    for k in range(size):
        if taken[k] == 1:
            continue
        left = 0
        for i in range(size - 1):
            h = nearest[k, i]
            if taken[h] == 0:
                near[left] = distances[k, h]
                left += 1
        for j in range(d, size):
            value = cost[d, j, k]
            for i in range(left):
                value += largest[d, j, i] * near[i]
            room[j - d, column] = value
        column += 1
    return _assign(size - d, room, room[size], room[size + 1], room[size + 2], room[size + 3])


@kernel
def _assign(m, costs, u, v, row_of, least):  # type: ignore[no-untyped-def]
    """Cost of the cheapest assignment of m rows to m columns, by shortest paths (rows and columns from 1)."""
    way = np.empty(m + 1, dtype=np.int64)
    used = np.empty(m + 1, dtype=np.uint8)
    for i in range(m + 1):
        u[i] = v[i] = row_of[i] = 0
    for start in range(1, m + 1):
        row_of[0] = start
        last = 0
        for k in range(m + 1):
            least[k] = FAR
            used[k] = 0
        while row_of[last] != 0:
            used[last] = 1
            row = row_of[last]
            reach = FAR
            near = 0
            for k in range(1, m + 1):
                if used[k] == 0:
                    length = costs[row - 1, k - 1] - u[row] - v[k]
                    if length < least[k]:
                        least[k] = length
                        way[k] = last
                    if least[k] < reach:
                        reach = least[k]
                        near = k
            for k in range(m + 1):
                if used[k] == 1:
                    u[row_of[k]] += reach
                    v[k] -= reach
                else:
                    least[k] -= reach
            last = near
        while last != 0:
            row_of[last] = row_of[way[last]]
            last = way[last]
    total = np.int64(0)
    for k in range(1, m + 1):
        total += costs[row_of[k] - 1, k - 1]
    return total


@kernel
def _list(d, size, cost, choice, count, following, taken):  # type: ignore[no-untyped-def]
    """The free locations for the facility of level d, the cheapest first."""
    found = 0
    for h in range(size):
        if taken[h] == 1:
            continue
        place = found
        while place > 0 and cost[d, d, choice[d, place - 1]] > cost[d, d, h]:
            choice[d, place] = choice[d, place - 1]
            place -= 1
        choice[d, place] = h
        found += 1
    count[d] = found
    following[d] = 0
