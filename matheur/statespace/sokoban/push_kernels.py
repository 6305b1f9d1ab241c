"""A* over pushes, compiled.

A node is a placement of the boxes and a cell of the player; its key packs both, the boxes in ascending order, into one
word. An edge walks to a box and pushes it: it costs the walk and one in the metric of moves, one in that of pushes. In
the latter the player's cell is the lowest one that he can walk to.

Nodes are found through an open-addressing table. The open list has a linked list for every value of cost plus estimate;
a node that is reached on a cheaper way is put in again, and its older entries are passed over.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = [
    "ENTRIES",
    "EXPANDED",
    "FINISHED",
    "FOUND",
    "FULL",
    "GOAL",
    "LEVEL",
    "NODES",
    "NUMBERS",
    "PAUSED",
    "search",
    "seed",
]

FINISHED, FOUND, PAUSED, FULL = 0, 1, 2, 3
NODES, ENTRIES, LEVEL, EXPANDED, GOAL = range(5)
NUMBERS = 5
_FAR = 1 << 20


@njit(cache=True, nogil=True)
def _slot(key, table, keys):  # type: ignore[no-untyped-def]
    """Where a key is, or belongs, in the table."""
    mask = np.uint64(table.size - 1)
    place = key * np.uint64(0x9E3779B97F4A7C15)
    place = (place ^ (place >> np.uint64(29))) & mask
    while table[np.int64(place)] >= 0 and keys[table[np.int64(place)]] != key:
        place = (place + np.uint64(1)) & mask
    return np.int64(place)


@njit(cache=True, nogil=True)
def _matching(boxes, many, distance, best):  # type: ignore[no-untyped-def]
    """Least total of push distances over all assignments of boxes to goals, by subsets of the goals."""
    goals = distance.shape[0]
    size = 1 << goals
    best[0] = 0
    for subset in range(1, size):
        best[subset] = _FAR
    # Box i is matched when a subset of i goals is taken.
    answer = np.int64(_FAR)
    for subset in range(size):
        if best[subset] >= _FAR:
            continue
        taken = 0
        rest = subset
        while rest:
            rest &= rest - 1
            taken += 1
        if taken == many:
            answer = min(answer, best[subset])
            continue
        box = boxes[taken]
        for goal in range(goals):
            if subset >> goal & 1 == 0 and distance[goal, box] < _FAR:
                other = subset | (1 << goal)
                total = best[subset] + distance[goal, box]
                if total < best[other]:
                    best[other] = total
    return answer


@njit(cache=True, nogil=True)
def _frozen(cell, taken, adjacent, goal_of):  # type: ignore[no-untyped-def]
    """Whether a box just pushed to `cell` is part of a block of 2 x 2 walls and boxes with a box on no goal."""
    for vertical in range(2):
        for horizontal in range(2, 4):
            up, side = adjacent[cell, vertical], adjacent[cell, horizontal]
            if up >= 0 and not taken[up]:
                continue
            if side >= 0 and not taken[side]:
                continue
            if up >= 0:
                corner = adjacent[up, horizontal]
            elif side >= 0:
                corner = adjacent[side, vertical]
            else:
                if goal_of[cell] < 0:
                    return True  # a corner of two walls
                continue
            if corner >= 0 and not taken[corner]:
                continue
            if (
                goal_of[cell] < 0
                or (up >= 0 and goal_of[up] < 0)
                or (side >= 0 and goal_of[side] < 0)
                or (corner >= 0 and goal_of[corner] < 0)
            ):
                return True
    return False


@njit(cache=True, nogil=True)
def _walk(player, taken, adjacent, steps, queue):  # type: ignore[no-untyped-def]
    """Steps from the player to every cell, -1 where he cannot walk; returns the lowest cell he can reach."""
    steps[:] = -1
    steps[player] = 0
    queue[0] = player
    head, tail, lowest = 0, 1, player
    while head < tail:
        cell = queue[head]
        head += 1
        for move in range(4):
            there = adjacent[cell, move]
            if there >= 0 and not taken[there] and steps[there] < 0:
                steps[there] = steps[cell] + 1
                queue[tail] = there
                tail += 1
                lowest = min(lowest, there)
    return lowest


@njit(cache=True, nogil=True)
def _key(player, boxes, many, width):  # type: ignore[no-untyped-def]
    key = np.uint64(player)
    for i in range(many):
        key |= np.uint64(boxes[i]) << np.uint64(width * (i + 1))
    return key


@njit(cache=True, nogil=True)
def seed(  # type: ignore[no-untyped-def]
    player, boxes, width, pushes, adjacent, distance, table, keys, spent, parents, entries, heads, numbers
):
    """Put the start into empty tables; returns its estimate, `_FAR` or more if it is dead."""
    many = boxes.size
    cells = adjacent.shape[0]
    best = np.empty(1 << distance.shape[0], dtype=np.int64)
    estimate = _matching(boxes, many, distance, best)
    if estimate >= _FAR:
        return estimate
    if pushes:
        taken = np.zeros(cells, dtype=np.bool_)
        for i in range(many):
            taken[boxes[i]] = True
        player = _walk(player, taken, adjacent, np.empty(cells, dtype=np.int32), np.empty(cells, dtype=np.int32))
    key = _key(player, boxes, many, width)
    keys[0], spent[0], parents[0] = key, 0, -1
    table[_slot(key, table, keys)] = 0
    entries[0, 0], entries[0, 1], entries[0, 2] = 0, 0, -1
    heads[estimate] = 0
    numbers[NODES] = numbers[ENTRIES] = 1
    numbers[LEVEL] = estimate
    return estimate


@njit(cache=True, nogil=True)
def search(  # type: ignore[no-untyped-def]
    limit, many, width, pushes, adjacent, distance, goal_of, table, keys, spent, parents, entries, heads, numbers
):
    """Expand up to `limit` nodes.

    Parameters
    ----------
    limit
        Expansions before it comes back.
    many, width, pushes
        Boxes, bits of a cell in a key, and whether pushes are counted instead of moves.
    adjacent
        int64[cells, 4]: U D L R, -1 for a wall.
    distance
        int64[goals, cells]: pushes from a cell to a goal on an empty level, `1 << 20` if that is impossible.
    goal_of
        int64[cells]: number of the goal in a cell, or -1.
    table
        int32, a power of two in length, at most half full: node of a key, or -1.
    keys, spent, parents
        uint64, int32 and int32 by node: key, cost so far, node before.
    entries
        int32[n, 3]: node, its cost so far when it was put in, next entry.
    heads
        int32[levels]: first entry of each value of cost plus estimate, or -1.
    numbers
        int64[NUMBERS]: see the names.

    Returns
    -------
    int64
        `FOUND` (the goal node is in `numbers`), `FINISHED` if nothing is open, `PAUSED`, or `FULL` if a table or the
        levels do not suffice.
    """
    cells = adjacent.shape[0]
    taken = np.zeros(cells, dtype=np.bool_)
    steps, inner = np.empty(cells, dtype=np.int32), np.empty(cells, dtype=np.int32)
    queue = np.empty(cells, dtype=np.int32)
    boxes, other = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64)
    best = np.empty(1 << distance.shape[0], dtype=np.int64)
    mask = np.uint64((1 << width) - 1)
    done = 0
    while done < limit:
        level = numbers[LEVEL]
        while level < heads.size and heads[level] < 0:
            level += 1
        numbers[LEVEL] = level
        if level >= heads.size:
            return FINISHED
        room = 4 * many
        if (
            numbers[NODES] + room >= keys.size
            or 2 * (numbers[NODES] + room) >= table.size
            or numbers[ENTRIES] + room >= entries.shape[0]
        ):
            return FULL
        entry = heads[level]
        node = np.int64(entries[entry, 0])
        if entries[entry, 1] != spent[node]:
            heads[level] = entries[entry, 2]
            continue
        key, cost = keys[node], np.int64(spent[node])
        home = 0
        for i in range(many):
            boxes[i] = np.int64((key >> np.uint64(width * (i + 1))) & mask)
            taken[boxes[i]] = True
            if goal_of[boxes[i]] >= 0:
                home += 1
        if home == many:
            numbers[GOAL] = node
            return FOUND
        heads[level] = entries[entry, 2]
        numbers[EXPANDED] += 1
        done += 1
        _walk(np.int64(key & mask), taken, adjacent, steps, queue)
        for i in range(many):
            box = boxes[i]
            for move in range(4):
                there = adjacent[box, move]
                behind = adjacent[box, move ^ 1]
                if there < 0 or behind < 0 or taken[there] or steps[behind] < 0:
                    continue
                taken[box] = False
                taken[there] = True
                if not _frozen(there, taken, adjacent, goal_of):
                    # The boxes again in ascending order.
                    place = 0
                    for j in range(many):
                        if j != i:
                            other[place] = boxes[j]
                            place += 1
                    while place > 0 and other[place - 1] > there:
                        other[place] = other[place - 1]
                        place -= 1
                    other[place] = there
                    estimate = _matching(other, many, distance, best)
                    if estimate < _FAR:
                        player = box
                        step = np.int64(1)
                        if pushes:
                            player = _walk(box, taken, adjacent, inner, queue)
                        else:
                            step += steps[behind]
                        fresh = _key(player, other, many, width)
                        slot = _slot(fresh, table, keys)
                        reached = np.int64(table[slot])
                        total = cost + step
                        if reached < 0 or spent[reached] > total:
                            if total + estimate >= heads.size:
                                taken[there] = False
                                taken[box] = True
                                for j in range(many):
                                    taken[boxes[j]] = False
                                heads[level] = entry  # expand it again with more levels
                                return FULL
                            if reached < 0:
                                reached = numbers[NODES]
                                numbers[NODES] += 1
                                table[slot] = reached
                                keys[reached] = fresh
                            spent[reached] = total
                            parents[reached] = node
                            number = numbers[ENTRIES]
                            numbers[ENTRIES] += 1
                            entries[number, 0], entries[number, 1] = reached, total
                            entries[number, 2] = heads[total + estimate]
                            heads[total + estimate] = number
                            numbers[LEVEL] = min(numbers[LEVEL], total + estimate)
                taken[there] = False
                taken[box] = True
        for j in range(many):
            taken[boxes[j]] = False
    return PAUSED
