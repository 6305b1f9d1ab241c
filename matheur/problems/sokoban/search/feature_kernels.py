"""Feature space search over pushes of one box, compiled.

A node is a placement of the boxes and the region of the player; its key has a bit for every cell from which a box can
reach a goal, and the lowest cell of the region in the upper bits of the last word. A move takes one box to another cell
by any number of pushes (`box_kernels`).

Every node belongs to a cell of the feature space: the number of goals filled in the order of the packing plan, the
number of regions into which the boxes divide the floor, and the effort for the next goal of the plan (`_effort`) or the
number of boxes that the next step of the plan would lock out. Moves are queued in the cell of their node, by weight, in
linked lists within one array. The search cycles through the cells and makes the lightest move of each, the latest
first. A move that an adviser recommends has the weight of its node, any other move more (Shoham and Schaeffer, "The
FESS algorithm", 2020). Advisers prefer more goals filled, fewer regions, more room for the player, fewer boxes that the
plan would lock out, more possible pushes, less effort for the next goal, for the best box and for all boxes (or boxes
closer to any goal).

A step costs one flood and one deadlock test for the move, then a few floods for each move of the new node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matheur.kernels import kernel
from matheur.problems.sokoban.search.board_kernels import frozen, walk
from matheur.problems.sokoban.search.box_kernels import box_reach
from matheur.problems.sokoban.search.deadlock_kernels import dead, pressing, stranded
from matheur.problems.sokoban.search.push_kernels import _slot

__all__ = [
    "ADVISERS",
    "EXPANDED",
    "FINISHED",
    "FOUND",
    "FULL",
    "GENERATED",
    "GOAL",
    "MOVES",
    "NODES",
    "NUMBERS",
    "PAUSED",
    "ROWS",
    "WEIGHTS",
    "Coding",
    "Desk",
    "Order",
    "Store",
    "feature_cells",
    "search",
    "seed",
]

FINISHED, FOUND, PAUSED, FULL = 0, 1, 2, 3
NODES, MOVES, ROWS, EXPANDED, GOAL, ACTIVE, TURN, GENERATED = range(8)
NUMBERS = 8
WEIGHTS, ADVISERS = 256, 7
_REGIONS, _THIRD = 24, 8
_BLOCKED, _HOPELESS, _FILLED = 8, 4000, 1 << 20
_TRIES = 8


class Coding(NamedTuple):
    """Encoding of positions in keys: bit of each cell (-1 for dead ones), cell of each bit, and shift of the player."""

    bit_of: NDArray[np.int64]
    cell_of: NDArray[np.int64]
    player_shift: int


class Order(NamedTuple):
    """The packing plan, see `packing.PackingPlan`, and whether locked-out boxes replace the effort as a feature."""

    goals: NDArray[np.int64]
    rank: NDArray[np.int64]
    locked: NDArray[np.bool_]
    near: NDArray[np.int64]
    by_lock: bool


class Store(NamedTuple):
    """Arrays that grow with the search.

    Attributes
    ----------
    table
        int32, a power of two in length, at most half full: node of a key, or -1.
    keys, weights, parents
        uint64[nodes, words] and int32[nodes]: keys, weights and parents of the nodes.
    made
        int32[nodes, 2]: former cell of the box that was moved, and `4 * cell + side` of its new cell and the player's
        side.
    moves
        int32[m, 4]: node, `4 * cell + side`, box, next move of the same weight.
    row_of, heads, lightest
        int32: row of each cell of the feature space, or -1; int32[rows, WEIGHTS] and int32[rows]: first move of each
        weight, or -1, and a lower limit of the weights in use.
    active
        int32[rows]: rows with moves.
    """

    table: NDArray[np.int32]
    keys: NDArray[np.uint64]
    weights: NDArray[np.int32]
    parents: NDArray[np.int32]
    made: NDArray[np.int32]
    moves: NDArray[np.int32]
    row_of: NDArray[np.int32]
    heads: NDArray[np.int32]
    lightest: NDArray[np.int32]
    active: NDArray[np.int32]


class Desk(NamedTuple):
    """Workspace of a step; `taken` and `forced` are all False between steps."""

    taken: NDArray[np.bool_]
    forced: NDArray[np.bool_]
    boxes: NDArray[np.int64]
    mark: NDArray[np.int8]
    flood: NDArray[np.int64]
    steps: NDArray[np.int64]
    walls: NDArray[np.int64]
    away: NDArray[np.int64]
    buckets: NDArray[np.int64]
    links: NDArray[np.int64]
    key: NDArray[np.uint64]


def feature_cells(goals: int) -> int:
    """Number of cells in the feature space of a plan with `goals` goals."""
    return (goals + 1) * _REGIONS * _THIRD


@kernel
def _regions(taken, adjacent, mark, queue, player):  # type: ignore[no-untyped-def]
    """Number of regions of free cells; lowest cell and size of the player's region, whose cells get mark 1."""
    mark[:] = 0
    regions, lowest, size = 0, player, 0
    for first in range(-1, mark.size):
        start = player if first < 0 else first
        if mark[start] or taken[start]:
            continue
        regions += 1
        mark[start] = 1 if first < 0 else 2
        queue[0] = start
        head, tail = 0, 1
        while head < tail:
            cell = queue[head]
            head += 1
            if first < 0 and cell < lowest:
                lowest = cell
            for move in range(4):
                there = adjacent[cell, move]
                if there >= 0 and not taken[there] and not mark[there]:
                    mark[there] = mark[start]
                    queue[tail] = there
                    tail += 1
        if first < 0:
            size = tail
    return regions, lowest, size


@kernel
def _free(boxes, taken, adjacent, alive, mark):  # type: ignore[no-untyped-def]
    """Number of single pushes that the player can make."""
    count = 0
    for box in boxes:
        for move in range(4):
            beside, there = adjacent[box, move ^ 1], adjacent[box, move]
            if beside >= 0 and there >= 0 and mark[beside] == 1 and not taken[there] and alive[there]:
                count += 1
    return count


@kernel
def _packed(taken, goals):  # type: ignore[no-untyped-def]
    """Number of goals filled from the beginning of the plan."""
    for number in range(goals.size):
        if not taken[goals[number]]:
            return number
    return goals.size


@kernel
def _locked(boxes, packed, order):  # type: ignore[no-untyped-def]
    """Number of boxes that the next step of the plan would lock out."""
    count, following = 0, min(packed + 1, order.goals.size)
    for box in boxes:
        if order.locked[following, box] and not 0 <= order.rank[box] < packed:
            count += 1
    return count


@kernel
def _far(boxes, packed, order):  # type: ignore[no-untyped-def]
    """Sum of the pushes from each box outside the plan's filled goals to the nearest remaining goal."""
    total = 0
    for box in boxes:
        if not 0 <= order.rank[box] < packed:
            total += order.near[packed, box]
    return total


@kernel
def _effort(packed, player, taken, adjacent, order, desk):  # type: ignore[no-untyped-def]
    """Cost of the next goal of the plan in pushes: for the best box, and summed over all boxes that are not packed.

    Each box in the way of a box costs `_BLOCKED`; for the best box, boxes in the player's way to it count as well. The
    search pulls from the goal, in the order of cost.
    """
    if packed == order.goals.size:
        return 0, 0
    walls, away, buckets, links = desk.walls, desk.away, desk.buckets, desk.links
    # Number of boxes that the player must cross to each cell: two stacks in one array, the next number's at the end.
    walls[:] = -1
    front, back = 0, walls.size
    desk.flood[0] = player
    walls[player] = 0
    front, crossed = 1, 0
    while front > 0:
        while front > 0:
            front -= 1
            cell = desk.flood[front]
            for move in range(4):
                there = adjacent[cell, move]
                if there < 0 or walls[there] >= 0:
                    continue
                if taken[there]:
                    walls[there] = crossed + 1
                    back -= 1
                    desk.flood[back] = there
                else:
                    walls[there] = crossed
                    desk.flood[front] = there
                    front += 1
        crossed += 1
        while back < walls.size:
            desk.flood[front] = desk.flood[back]
            front, back = front + 1, back + 1
    away[:] = _HOPELESS
    buckets[:] = -1
    goal = order.goals[packed]
    away[goal], links[0, 0], links[0, 1], buckets[0] = 0, goal, -1, 0
    count, cost, idle, best = 1, 0, 0, np.int64(_HOPELESS)
    while idle < buckets.size:
        entry = buckets[cost % buckets.size]
        if entry < 0:
            cost, idle = cost + 1, idle + 1
            continue
        buckets[cost % buckets.size] = links[entry, 1]
        idle = 0
        cell = links[entry, 0]
        if away[cell] != cost:
            continue
        for move in range(4):
            there = adjacent[cell, move]
            if there < 0:
                continue
            beyond = adjacent[there, move]
            if beyond < 0:
                continue
            total = cost + 1 + _BLOCKED * taken[beyond]
            if taken[there]:
                if not 0 <= order.rank[there] < packed:
                    best = min(best, total + _BLOCKED * (walls[beyond] - np.int64(taken[beyond])))
                total += _BLOCKED
            if total < away[there]:
                away[there] = total
                at = total % buckets.size
                links[count, 0], links[count, 1] = there, buckets[at]
                buckets[at] = count
                count += 1
    every = 0
    for cell in range(taken.size):
        if taken[cell] and not 0 <= order.rank[cell] < packed:
            every += away[cell]
    return best, every


@kernel
def _home(boxes, goal_of):  # type: ignore[no-untyped-def]
    home = 0
    for box in boxes:
        if goal_of[box] >= 0:
            home += 1
    return home == boxes.size


@kernel
def _write_key(boxes, player, coding, key):  # type: ignore[no-untyped-def]
    one = np.uint64(1)
    key[:] = np.uint64(0)
    for box in boxes:
        key[coding.bit_of[box] >> 6] |= one << np.uint64(coding.bit_of[box] & 63)
    key[key.size - 1] |= np.uint64(player) << np.uint64(coding.player_shift)


@kernel
def _read_key(key, coding, boxes):  # type: ignore[no-untyped-def]
    one = np.uint64(1)
    number = 0
    for bit in range(coding.cell_of.size):
        if key[bit >> 6] >> np.uint64(bit & 63) & one:
            boxes[number] = coding.cell_of[bit]
            number += 1
    return np.int64(key[key.size - 1] >> np.uint64(coding.player_shift))


@kernel
def _wait(node, weight, box, there, side, row, store, numbers):  # type: ignore[no-untyped-def]
    """Queue a move in the row of its cell."""
    weight = min(weight, WEIGHTS - 1)
    number = numbers[MOVES]
    numbers[MOVES] += 1
    moves, heads, lightest = store.moves, store.heads, store.lightest
    moves[number, 0], moves[number, 1] = node, 4 * there + side
    moves[number, 2], moves[number, 3] = box, heads[row, weight]
    heads[row, weight] = number
    if lightest[row] == WEIGHTS:
        store.active[numbers[ACTIVE]] = row
        numbers[ACTIVE] += 1
    lightest[row] = min(lightest[row], weight)


@kernel
def _row(packed, regions, third, store, numbers):  # type: ignore[no-untyped-def]
    """Row of a cell of the feature space, created if it has none."""
    cell = (packed * _REGIONS + min(regions, _REGIONS - 1)) * _THIRD + min(third, _THIRD - 1)
    if store.row_of[cell] < 0:
        row = numbers[ROWS]
        numbers[ROWS] += 1
        store.row_of[cell], store.lightest[row] = row, WEIGHTS
        store.heads[row] = -1
    return store.row_of[cell]


@kernel
def _open(node, terrain, coding, order, reach, room, desk, store, numbers):  # type: ignore[no-untyped-def]
    """Find the moves of a node, let the advisers choose among them, and queue all in the cell of the node."""
    adjacent, alive, goal_of = terrain.adjacent, terrain.alive, terrain.goal_of
    taken, boxes, mark, steps, key = desk.taken, desk.boxes, desk.mark, desk.steps, desk.key
    many = boxes.size
    player = _read_key(store.keys[node], coding, boxes)
    for box in boxes:
        taken[box] = True
    walk(player, taken, adjacent, steps, room.line)
    forced = pressing(boxes, taken, steps, terrain, room, desk.forced)
    regions, _, size = _regions(taken, adjacent, mark, desk.flood, player)
    packed = _packed(taken, order.goals)
    effort, every = _effort(packed, player, taken, adjacent, order, desk)
    shut = _locked(boxes, packed, order)
    row = _row(packed, regions, shut if order.by_lock else effort // _BLOCKED, store, numbers)
    first = numbers[MOVES]
    best, value = np.full(ADVISERS, -1, dtype=np.int64), np.zeros(ADVISERS, dtype=np.int64)
    worth = np.zeros(ADVISERS, dtype=np.int64)
    value[0], value[1], value[2] = packed, -regions, size
    value[3], value[4] = -shut, -_far(boxes, packed, order) if order.by_lock else _FILLED * packed - every
    value[5], value[6] = _free(boxes, taken, adjacent, alive, mark), _FILLED * packed - effort
    weight = store.weights[node]
    for number in range(many if forced != 0 else 0):
        box = boxes[number]
        sides = 0
        for move in range(4):
            beside = adjacent[box, move]
            if beside >= 0 and steps[beside] >= 0:
                sides |= 1 << move
        if sides == 0 or (forced > 0 and not desk.forced[box]):
            continue
        taken[box] = False
        reached = box_reach(box, sides, False, taken, adjacent, alive, reach)
        for entry in range(reached):
            there, side = reach.queue[entry] >> 2, reach.queue[entry] & 3
            if there == box or reach.seen[there, side] != 1:
                continue
            boxes[number] = there
            taken[there] = True
            numbers[GENERATED] += 1
            beside = adjacent[there, side]
            if not frozen(there, boxes, taken, room.solid, adjacent, terrain.stuck, goal_of) and not stranded(
                there, boxes, taken, terrain, room
            ):
                now, lowest, area = _regions(taken, adjacent, mark, desk.flood, beside)
                _write_key(boxes, lowest, coding, key)
                if store.table[_slot(key, store.table, store.keys)] < 0:
                    filled = _packed(taken, order.goals)
                    worth[0], worth[1], worth[2] = filled, -now, area
                    near, every = _effort(filled, lowest, taken, adjacent, order, desk)
                    worth[3], worth[4] = -_locked(boxes, filled, order), _FILLED * filled - every
                    if order.by_lock:
                        worth[4] = -_far(boxes, filled, order)
                    worth[5] = _free(boxes, taken, adjacent, alive, mark)
                    worth[6] = _FILLED * filled - near
                    if not np.any(worth > value) or not dead(boxes, lowest, taken, terrain, room):
                        at = numbers[MOVES]
                        _wait(node, weight + 1, box, there, side, row, store, numbers)
                        for adviser in range(ADVISERS):
                            if worth[adviser] > value[adviser]:
                                value[adviser], best[adviser] = worth[adviser], at
            taken[there] = False
            boxes[number] = box
        taken[box] = True
    for box in boxes:
        taken[box] = desk.forced[box] = False
    for adviser in range(ADVISERS):
        at = best[adviser]
        if at >= first:
            there, side = store.moves[at, 1] >> 2, store.moves[at, 1] & 3
            _wait(node, weight, store.moves[at, 2], there, side, row, store, numbers)


@kernel
def seed(player, boxes, terrain, coding, order, reach, room, desk, store, numbers):  # type: ignore[no-untyped-def]
    """Put the start into an empty store."""
    for box in boxes:
        desk.taken[box] = True
    _, lowest, _ = _regions(desk.taken, terrain.adjacent, desk.mark, desk.flood, player)
    for box in boxes:
        desk.taken[box] = False
    _write_key(boxes, lowest, coding, desk.key)
    store.keys[0] = desk.key
    store.table[_slot(desk.key, store.table, store.keys)] = 0
    store.parents[0], store.weights[0] = -1, 0
    numbers[NODES] = 1
    if _home(boxes, terrain.goal_of):
        numbers[GOAL] = 0
        return FOUND
    _open(0, terrain, coding, order, reach, room, desk, store, numbers)
    return PAUSED


@kernel
def _next_row(store, numbers):  # type: ignore[no-untyped-def]
    """The next row that has a move, or -1; its smallest weight is in `store.lightest`."""
    while numbers[ACTIVE] > 0:
        if numbers[TURN] >= numbers[ACTIVE]:
            numbers[TURN] = 0
        row = store.active[numbers[TURN]]
        while store.lightest[row] < WEIGHTS and store.heads[row, store.lightest[row]] < 0:
            store.lightest[row] += 1
        if store.lightest[row] < WEIGHTS:
            numbers[TURN] += 1
            return row
        numbers[ACTIVE] -= 1
        store.active[numbers[TURN]] = store.active[numbers[ACTIVE]]
    return -1


@kernel
def search(limit, terrain, coding, order, reach, room, desk, store, numbers):  # type: ignore[no-untyped-def]
    """Make moves until there are `limit` new nodes, or many times as many moves have been tried.

    Returns
    -------
    int64
        `FOUND` (the goal node is in `numbers`), `FINISHED` if no move is queued, `PAUSED`, or `FULL` if an array of the
        store is too small for another step.
    """
    taken, boxes, key = desk.taken, desk.boxes, desk.key
    spent, tried, most = 0, 0, 4 * boxes.size * coding.cell_of.size + 2 * ADVISERS
    while spent < limit and tried < _TRIES * limit:
        if (
            numbers[NODES] + 1 >= store.keys.shape[0]
            or numbers[MOVES] + most >= store.moves.shape[0]
            or numbers[ROWS] + 1 >= store.heads.shape[0]
        ):
            return FULL
        row = _next_row(store, numbers)
        if row < 0:
            return FINISHED
        weight = store.lightest[row]
        number = store.heads[row, weight]
        store.heads[row, weight] = store.moves[number, 3]
        node, box = store.moves[number, 0], store.moves[number, 2]
        there, side = store.moves[number, 1] >> 2, store.moves[number, 1] & 3
        tried += 1
        _read_key(store.keys[node], coding, boxes)
        for i in range(boxes.size):
            if boxes[i] == box:
                boxes[i] = there
        for other in boxes:
            taken[other] = True
        _, lowest, _ = _regions(taken, terrain.adjacent, desk.mark, desk.flood, terrain.adjacent[there, side])
        _write_key(boxes, lowest, coding, key)
        slot = _slot(key, store.table, store.keys)
        lost = store.table[slot] >= 0 or dead(boxes, lowest, taken, terrain, room)
        for other in boxes:
            taken[other] = False
        if lost:
            continue
        child = numbers[NODES]
        numbers[NODES] += 1
        numbers[EXPANDED] += 1
        spent += 1
        store.table[slot] = child
        store.keys[child] = key
        store.parents[child], store.weights[child] = node, weight
        store.made[child, 0], store.made[child, 1] = box, 4 * there + side
        if _home(boxes, terrain.goal_of):
            numbers[GOAL] = child
            return FOUND
        _open(child, terrain, coding, order, reach, room, desk, store, numbers)
    return PAUSED
