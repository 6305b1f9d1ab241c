"""A* over pushes, compiled.

A node is a placement of the boxes and a cell of the player. Its key has a bit for every cell from which a box can reach
a goal, and the player's cell in the upper bits of the last word: one word for a level of 10 x 10, more for a larger
level. An edge walks to a box and pushes it: it costs the walk plus one when moves are counted, and one when pushes are
counted. In the latter case the player's cell is the lowest reachable one.

Nodes are found through an open-addressing hash table. The open list has a linked list for every value of cost plus
weighted estimate; a node that is reached by a cheaper path is inserted again, and its older entries are skipped.

The estimate is the cheapest assignment of boxes to goals, by shortest augmenting paths. The duals of the goals are kept
from node to node, so that the next assignment starts near its optimum; a push changes one row and needs one more path.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.problems.sokoban.search.board_kernels import frozen, walk
from matheur.problems.sokoban.search.deadlock_kernels import dead, pressing

__all__ = [
    "BOUND",
    "ENTRIES",
    "EXPANDED",
    "FAR",
    "FINISHED",
    "FOUND",
    "FULL",
    "GOAL",
    "LEVEL",
    "NODES",
    "NUMBERS",
    "PAUSED",
    "SHALLOW",
    "place_of",
    "rehash",
    "search",
    "seed",
]

FINISHED, FOUND, PAUSED, FULL, SHALLOW = 0, 1, 2, 3, 4
NODES, ENTRIES, LEVEL, EXPANDED, GOAL, BOUND, WANTED = range(7)
NUMBERS = 7
FAR = 1 << 20

_BRUIJN = 0x03F79D71B4CB0A89
_BIT_OF = np.zeros(64, dtype=np.int64)
for _bit in range(64):
    _BIT_OF[(_BRUIJN << _bit & (1 << 64) - 1) >> 58] = _bit


@kernel
def _hash(key):  # type: ignore[no-untyped-def]
    value = np.uint64(0)
    for word in range(key.size):
        value = (value ^ key[word]) * np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(29)
    return value


@kernel
def place_of(key, kept):  # type: ignore[no-untyped-def]
    """Position of a placement of boxes in a set of hashes, present or not, and its hash; hashes may collide."""
    mask, name = np.uint64(kept.size - 1), _hash(key) | np.uint64(1)
    place = name >> np.uint64(1) & mask
    while kept[np.int64(place)] != np.uint64(0) and kept[np.int64(place)] != name:
        place = (place + np.uint64(1)) & mask
    return np.int64(place), name


@kernel
def _slot(key, table, keys):  # type: ignore[no-untyped-def]
    """Slot of a key in the table, present or not."""
    mask = np.uint64(table.size - 1)
    place = _hash(key) & mask
    while True:
        node = np.int64(table[np.int64(place)])
        if node < 0:
            return np.int64(place)
        same = True
        for word in range(key.size):
            if keys[node, word] != key[word]:
                same = False
                break
        if same:
            return np.int64(place)
        place = (place + np.uint64(1)) & mask


@kernel
def rehash(nodes, table, keys):  # type: ignore[no-untyped-def]
    """Put all keys into an empty table."""
    mask = np.uint64(table.size - 1)
    for node in range(nodes):
        place = _hash(keys[node]) & mask
        while table[np.int64(place)] >= 0:
            place = (place + np.uint64(1)) & mask
        table[np.int64(place)] = node


@kernel
def _assign(row, place, distance, rows, goals, owner, least, before, seen):  # type: ignore[no-untyped-def]
    """Assign a goal to a row by a shortest augmenting path; `rows` and `goals` are duals, `owner` is a goal's row."""
    many = goals.size
    least[:] = 4 * many * FAR
    seen[:] = False
    goal, current = -1, row
    while True:
        step, following = np.int64(8 * many * FAR), -1
        for other in range(many):
            if not seen[other]:
                reduced = distance[place[current], other] - rows[current] - goals[other]
                if reduced < least[other]:
                    least[other] = reduced
                    before[other] = goal
                if least[other] < step:
                    step = least[other]
                    following = other
        rows[row] += step
        for other in range(many):
            if seen[other]:
                rows[owner[other]] += step
                goals[other] -= step
            else:
                least[other] -= step
        goal = following
        seen[goal] = True
        if owner[goal] < 0:
            break
        current = owner[goal]
    while goal >= 0:
        earlier = before[goal]
        owner[goal] = owner[earlier] if earlier >= 0 else row
        goal = earlier


@kernel
def seed(  # type: ignore[no-untyped-def]
    player, boxes, weight, pushes, terrain, distance, bit_of, player_shift,
    table, keys, spent, estimates, parents, entries, heads, numbers,
):  # fmt: skip
    """Insert the start into empty tables; returns its estimate, `FAR` or more if it is dead.

    Nothing is inserted if the weighted estimate is beyond the last level.
    """
    adjacent, goal_of, stuck = terrain.adjacent, terrain.goal_of, terrain.stuck
    many, cells, goals = boxes.size, adjacent.shape[0], distance.shape[1]
    for i in range(many):
        if bit_of[boxes[i]] < 0:
            return FAR
    taken, solid = np.zeros(cells, dtype=np.bool_), np.zeros(cells, dtype=np.bool_)
    for i in range(many):
        taken[boxes[i]] = True
    for i in range(many):
        if frozen(boxes[i], boxes, taken, solid, adjacent, stuck, goal_of):
            return FAR
    place = np.full(goals, cells, dtype=np.int64)
    place[:many] = boxes
    rows, columns = np.zeros(goals, dtype=np.int64), np.zeros(goals, dtype=np.int64)
    owner, before = np.full(goals, -1, dtype=np.int64), np.empty(goals, dtype=np.int64)
    least, seen = np.empty(goals, dtype=np.int64), np.empty(goals, dtype=np.bool_)
    for row in range(goals):
        _assign(row, place, distance, rows, columns, owner, least, before, seen)
    estimate = np.int64(0)
    for goal in range(goals):
        estimate += distance[place[owner[goal]], goal]
    if estimate >= FAR or weight * estimate >= heads.size:
        return estimate
    if pushes:
        player = walk(player, taken, adjacent, np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64))
    for i in range(many):
        keys[0, bit_of[boxes[i]] >> 6] |= np.uint64(1) << np.uint64(bit_of[boxes[i]] & 63)
    keys[0, keys.shape[1] - 1] |= np.uint64(player) << np.uint64(player_shift)
    spent[0], estimates[0], parents[0] = 0, estimate, -1
    table[_slot(keys[0], table, keys)] = 0
    entries[0, 0], entries[0, 1], entries[0, 2] = 0, 0, -1
    heads[weight * estimate] = 0
    numbers[NODES] = numbers[ENTRIES] = 1
    numbers[LEVEL] = numbers[BOUND] = weight * estimate
    return estimate


@kernel
def search(  # type: ignore[no-untyped-def]
    limit, most, kept, corrals, room, many, cell_of, weight, pushes, terrain, distance, bit_of, player_shift,
    table, keys, spent, estimates, parents, entries, heads, numbers,
):  # fmt: skip
    """Expand up to `limit` nodes.

    Parameters
    ----------
    limit
        Number of expansions before it returns.
    most
        Upper limit: only plans with a lower cost are searched for.
    kept
        uint64, a power of two in length: the placements of boxes to consider, see `place_of`; length 1 for all.
    corrals
        Whether nodes that are lost by `deadlock_kernels.dead` are skipped, and corrals restrict the boxes to push
        (`deadlock_kernels.pressing`); only if pushes are counted and all placements are considered.
    room
        Workspace of the corral tests.
    many
        Number of boxes.
    cell_of
        int64[bits]: cell of a bit in a key.
    weight, pushes
        Factor of the estimate, and whether pushes are counted instead of moves.
    terrain
        The level without its boxes.
    distance
        int64[cells + 1, goals]: pushes from a cell to a goal on an empty level, `FAR` if impossible; the last row
        belongs to no cell and is 0.
    bit_of
        int64[cells]: bit of a cell in a key, -1 for dead squares.
    player_shift
        First bit of the player's cell in the last word.
    table
        int32, a power of two in length, at most half full: node of a key, or -1.
    keys, spent, estimates, parents
        uint64[nodes, words] and int32 by node: key, cost so far, estimate, parent.
    entries
        int32[n, 3]: node, its cost when inserted, next entry.
    heads
        int32[levels]: first entry of each value of cost plus weighted estimate, or -1.
    numbers
        int64[NUMBERS]: see the names.

    Returns
    -------
    int64
        `FOUND` (the goal node is in `numbers`), `FINISHED` if the open list is empty, `PAUSED`, `FULL` if a table is
        too small, or `SHALLOW` if there are too few levels.
    """
    adjacent, goal_of, stuck = terrain.adjacent, terrain.goal_of, terrain.stuck
    cells, words, goals = adjacent.shape[0], keys.shape[1], distance.shape[1]
    taken, solid, forced = np.zeros(cells, np.bool_), np.zeros(cells, np.bool_), np.zeros(cells, np.bool_)
    steps, inner = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
    queue = np.empty(cells, dtype=np.int64)
    boxes, place = np.empty(many, dtype=np.int64), np.full(goals, cells, dtype=np.int64)
    rows, columns, owner = np.zeros(goals, np.int64), np.zeros(goals, np.int64), np.zeros(goals, np.int64)
    child_rows, child_columns, child_owner = rows.copy(), columns.copy(), owner.copy()
    before, least, seen = np.empty(goals, np.int64), np.empty(goals, np.int64), np.empty(goals, np.bool_)
    placed, fresh = np.empty(words, dtype=np.uint64), np.empty(words, dtype=np.uint64)
    lower = (np.uint64(1) << np.uint64(player_shift)) - np.uint64(1)
    one = np.uint64(1)
    done = 0
    while done < limit:
        level = numbers[LEVEL]
        while level < heads.size and heads[level] < 0:
            level += 1
        numbers[LEVEL] = level
        if level >= heads.size:
            return FINISHED
        if (
            numbers[NODES] + 4 * many >= keys.shape[0]
            or 2 * (numbers[NODES] + 4 * many) >= table.size
            or numbers[ENTRIES] + 4 * many >= entries.shape[0]
        ):
            return FULL
        entry = heads[level]
        node = np.int64(entries[entry, 0])
        if entries[entry, 1] != spent[node] or spent[node] + estimates[node] >= most:
            heads[level] = entries[entry, 2]
            continue
        numbers[BOUND] = max(numbers[BOUND], level)
        if estimates[node] == 0:
            numbers[GOAL] = node
            return FOUND
        heads[level] = entries[entry, 2]
        numbers[EXPANDED] += 1
        done += 1
        cost, number = np.int64(spent[node]), 0
        for word in range(words):
            rest = keys[node, word]
            if word == words - 1:
                rest &= lower
            placed[word] = rest
            while rest:
                low = rest & (~rest + one)
                rest ^= low
                box = cell_of[64 * word + _BIT_OF[np.int64((low * np.uint64(_BRUIJN)) >> np.uint64(58))]]
                boxes[number] = box
                taken[box] = True
                number += 1
        lowest = walk(np.int64(keys[node, words - 1] >> np.uint64(player_shift)), taken, adjacent, steps, queue)
        choice, assigned = -1, False
        if corrals:
            lost = dead(boxes, lowest, taken, terrain, room)
            choice = 0 if lost else pressing(boxes, taken, steps, terrain, room, forced)
        for i in range(many if choice != 0 else 0):
            box = boxes[i]
            if choice > 0 and not forced[box]:
                continue
            for move in range(4):
                there = adjacent[box, move]
                behind = adjacent[box, move ^ 1]
                if there < 0 or behind < 0 or taken[there] or steps[behind] < 0 or bit_of[there] < 0:
                    continue
                taken[box] = False
                taken[there] = True
                boxes[i] = there
                player, total = box, cost + 1
                if pushes:
                    player = walk(box, taken, adjacent, inner, queue)
                else:
                    total += steps[behind]
                for word in range(words):
                    fresh[word] = placed[word]
                fresh[bit_of[box] >> 6] ^= one << np.uint64(bit_of[box] & 63)
                fresh[bit_of[there] >> 6] ^= one << np.uint64(bit_of[there] & 63)
                if kept.size > 1:
                    within, _ = place_of(fresh, kept)
                    if kept[within] == np.uint64(0):
                        boxes[i] = box
                        taken[there] = False
                        taken[box] = True
                        continue
                fresh[words - 1] |= np.uint64(player) << np.uint64(player_shift)
                slot = _slot(fresh, table, keys)
                reached = np.int64(table[slot])
                estimate = np.int64(FAR)
                if reached >= 0:
                    if spent[reached] > total:
                        estimate = np.int64(estimates[reached])
                elif not frozen(there, boxes, taken, solid, adjacent, stuck, goal_of):
                    if not assigned:
                        assigned = True
                        for row in range(many):
                            place[row] = boxes[row]
                        place[i] = box
                        for goal in range(goals):
                            owner[goal] = -1
                        for row in range(goals):
                            rows[row] = 0
                            _assign(row, place, distance, rows, columns, owner, least, before, seen)
                    for goal in range(goals):
                        child_rows[goal], child_columns[goal] = rows[goal], columns[goal]
                        child_owner[goal] = owner[goal] if owner[goal] != i else -1
                    place[i] = there
                    child_rows[i] = 0
                    _assign(i, place, distance, child_rows, child_columns, child_owner, least, before, seen)
                    estimate = np.int64(0)
                    for goal in range(goals):
                        estimate += distance[place[child_owner[goal]], goal]
                    place[i] = box
                if estimate < FAR and total + estimate < most:
                    rank = total + weight * estimate
                    if rank >= heads.size:
                        for j in range(many):
                            taken[boxes[j]] = False
                        entries[entry, 2] = heads[level]
                        heads[level] = entry  # to be expanded again with more levels
                        numbers[EXPANDED] -= 1
                        numbers[WANTED] = rank
                        return SHALLOW
                    if reached < 0:
                        reached = numbers[NODES]
                        numbers[NODES] += 1
                        table[slot] = reached
                        for word in range(words):
                            keys[reached, word] = fresh[word]
                        estimates[reached] = estimate
                    spent[reached] = total
                    parents[reached] = node
                    number = numbers[ENTRIES]
                    numbers[ENTRIES] += 1
                    entries[number, 0], entries[number, 1] = reached, total
                    entries[number, 2] = heads[rank]
                    heads[rank] = number
                    numbers[LEVEL] = min(numbers[LEVEL], rank)
                boxes[i] = box
                taken[there] = False
                taken[box] = True
        for j in range(many):
            taken[boxes[j]] = False
    return PAUSED
