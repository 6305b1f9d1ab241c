"""Feature space search over pushes of one box, compiled.

A node is a placement of the boxes and the region of the player; its key has a bit for every cell from which a box can
get to a goal, and the lowest cell of the region in the upper bits of the last word. A move takes one box by any number
of pushes to another cell. Which cells and sides of a box the player can get to is told by the biconnected components of
the free cells without that box: he gets from one side of the box to another one if and only if both sides lie in the
same component.

Every node belongs to a cell of the feature space: goals filled in the order of the packing plan, regions into which
the boxes divide the floor, and boxes that stand where the next steps of the plan would lock them out. Moves wait in the
cell of their node, by weight. The search takes the cells in turn, in each the lightest move. A move that an adviser
recommends weighs as much as its node, any other one more (Shoham and Schaeffer, "The FESS algorithm", 2020).
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.statespace.sokoban.push_kernels import _frozen, _slot, _walk

__all__ = ["FOUND", "FULL", "PAUSED", "FINISHED", "NUMBERS", "box_reach", "blocks", "search", "seed"]

FINISHED, FOUND, PAUSED, FULL = 0, 1, 2, 3
NODES, MOVES, EXPANDED, GOAL, ACTIVE, TURN, GENERATED, TRIED = range(8)
NUMBERS = 8
REGIONS_MAX, LOCKED_MAX, WEIGHTS = 24, 8, 512
ADVISERS = 6
SEALED_NODES, SEALED_BOXES, VISITED = 1024, 10, 256


@kernel
def blocks(start, taken, adjacent, block, order, low, back, path, following, edges):  # type: ignore[no-untyped-def]
    """Biconnected components of the free cells that hang together with `start`, by Hopcroft and Tarjan.

    `block[cell, direction]` is the component of an edge; those of other cells are left as they are.
    """
    order[:] = 0
    count, top, number, depth = 1, 0, 0, 0
    order[start], low[start], back[start] = 1, 1, -1
    path[0], following[0] = start, 0
    while depth >= 0:
        cell, move = path[depth], following[depth]
        if move < 4:
            following[depth] += 1
            there = adjacent[cell, move]
            if there < 0 or taken[there]:
                continue
            if order[there] == 0:
                edges[top] = 4 * cell + move
                top += 1
                count += 1
                order[there], low[there], back[there] = count, count, move ^ 1
                depth += 1
                path[depth], following[depth] = there, 0
            elif move != back[cell] and order[there] < order[cell]:
                edges[top] = 4 * cell + move
                top += 1
                low[cell] = min(low[cell], order[there])
        else:
            depth -= 1
            if depth >= 0:
                parent = path[depth]
                low[parent] = min(low[parent], low[cell])
                if low[cell] >= order[parent]:
                    last = 4 * parent + (back[cell] ^ 1)
                    while True:
                        top -= 1
                        edge = edges[top]
                        one, to = edge >> 2, edge & 3
                        block[one, to] = number
                        block[adjacent[one, to], to ^ 1] = number
                        if edge == last:
                            break
                    number += 1


@kernel
def box_reach(  # type: ignore[no-untyped-def]
    box, sides, pull, taken, adjacent, open_, block, order, low, back, path, following, edges, seen, queue,
):  # fmt: skip
    """Where a box can be pushed (or pulled) without moving another one.

    Parameters
    ----------
    sides
        Bit for each direction in which the player can stand next to the box.
    pull
        Whether it is pulled.
    taken
        Other boxes; the box itself must not be marked.
    open_
        Whether a box may stand in a cell.
    seen
        int8[n, 4], filled: 0 not reached; else the player can stand in this direction of the box in this cell, 1 as
        the first side that was reached of its component, 2 as another one.

    Returns
    -------
    int
        Places and sides in `queue`, `4 * cell + direction`.
    """
    blocks(box, taken, adjacent, block, order, low, back, path, following, edges)
    seen[:] = 0
    head, tail = 0, 0
    for move in range(4):
        if sides >> move & 1:
            seen[box, move] = 1
            queue[tail] = 4 * box + move
            tail += 1
    while head < tail:
        cell, side = queue[head] >> 2, queue[head] & 3
        head += 1
        if pull:
            there = adjacent[cell, side]  # the player's cell becomes the box's
            beyond = adjacent[there, side]
            if beyond < 0 or taken[beyond] or not open_[there]:
                continue
            arrived = side
        else:
            there = adjacent[cell, side ^ 1]
            if there < 0 or taken[there] or not open_[there]:
                continue
            arrived = side
        if seen[there, arrived] == 0:
            for move in range(4):
                beside = adjacent[there, move]
                if (
                    beside >= 0
                    and not taken[beside]
                    and seen[there, move] == 0
                    and block[there, move] == block[there, arrived]
                ):
                    seen[there, move] = 1 if move == arrived else 2
                    queue[tail] = 4 * there + move
                    tail += 1
    return tail


@kernel
def side_masks(adjacent, masks):  # type: ignore[no-untyped-def]
    """Sides of a box that the player can get to if there is no other box: `masks[box, player]`, a bit each."""
    cells = adjacent.shape[0]
    queue, mark = np.zeros(cells, dtype=np.int64), np.zeros(cells, dtype=np.bool_)
    for box in range(cells):
        masks[box] = 0
        mark[:] = False
        mark[box] = True
        for move in range(4):
            start = adjacent[box, move]
            if start < 0 or mark[start]:
                continue
            mark[start] = True
            queue[0] = start
            head, tail, sides = 0, 1, 0
            while head < tail:
                cell = queue[head]
                head += 1
                for step in range(4):
                    there = adjacent[cell, step]
                    if there == box:
                        sides |= 1 << (step ^ 1)
                    elif there >= 0 and not mark[there]:
                        mark[there] = True
                        queue[tail] = there
                        tail += 1
            for place in range(tail):
                masks[box, queue[place]] = sides


@kernel
def movable(adjacent, goals, masks, able):  # type: ignore[no-untyped-def]
    """Whether a box with the player next to it in a direction can be brought to a goal if there is no other box.

    `able[box, direction]`, found by pulls from the goals.
    """
    cells = adjacent.shape[0]
    queue = np.zeros(4 * cells, dtype=np.int64)
    able[:] = False
    head, tail = 0, 0
    for goal in goals:
        for move in range(4):
            if adjacent[goal, move] >= 0:
                able[goal, move] = True
                queue[tail] = 4 * goal + move
                tail += 1
    while head < tail:
        box, side = queue[head] >> 2, queue[head] & 3
        head += 1
        there = adjacent[box, side]
        if adjacent[there, side] < 0:
            continue
        mask = masks[there, adjacent[there, side]]
        for move in range(4):
            if mask >> move & 1 and not able[there, move]:
                able[there, move] = True
                queue[tail] = 4 * there + move
                tail += 1


@kernel
def _lost(box, player, masks, able):  # type: ignore[no-untyped-def]
    """Whether a box can get to no goal from where the player is, even if there were no other box."""
    mask = masks[box, player]
    for move in range(4):
        if mask >> move & 1 and able[box, move]:
            return False
    return True


@kernel
def _mixed(boxes, player):  # type: ignore[no-untyped-def]
    """A hash of a small position that does not depend on the order of the boxes."""
    value = np.uint64(player + 1) * np.uint64(0x9E3779B97F4A7C15)
    for box in boxes:
        one = np.uint64(box + 1) * np.uint64(0xBF58476D1CE4E5B9)
        one ^= one >> np.uint64(31)
        value += one * np.uint64(0x94D049BB133111EB)
    value ^= value >> np.uint64(29)
    return value | np.uint64(1)


@kernel
def _sealed(  # type: ignore[no-untyped-def]
    subset, corral, player, adjacent, alive, stuck, goal_of, masks, able, taken, solid, steps, queue, visited,
):  # fmt: skip
    """Whether these boxes alone can neither be brought home nor let the player into the cells of the corral.

    A small depth-first search that gives up after `SEALED_NODES` positions. `taken` must have these boxes alone.
    """
    many = subset.size
    visited[:] = np.uint64(0)
    boxes_of = np.zeros((SEALED_NODES + 1, many), dtype=np.int64)
    player_of = np.zeros(SEALED_NODES + 1, dtype=np.int64)
    boxes_of[0], player_of[0] = subset, player
    stack, nodes = 1, 0
    for box in subset:
        taken[box] = False
    current = np.zeros(many, dtype=np.int64)
    while stack > 0:
        stack -= 1
        current[:] = boxes_of[stack]
        for box in current:
            taken[box] = True
        lowest = _walk(player_of[stack], taken, adjacent, steps, queue)
        home, inside = True, False
        for box in current:
            home = home and goal_of[box] >= 0
        for place in range(corral.size):
            if corral[place] and steps[place] >= 0:
                inside = True
                break
        place = np.int64(_mixed(current, lowest) & np.uint64(visited.size - 1))
        name, fresh = _mixed(current, lowest), True
        while visited[place] != np.uint64(0):
            if visited[place] == name:
                fresh = False
                break
            place = (place + 1) & (visited.size - 1)
        if fresh:
            visited[place] = name
            nodes += 1
        if home or inside or nodes > SEALED_NODES // 8:
            for box in current:
                taken[box] = False
            for box in subset:
                taken[box] = True
            return False
        if fresh:
            for number in range(many):
                box = current[number]
                for move in range(4):
                    beside, there = adjacent[box, move ^ 1], adjacent[box, move]
                    if beside < 0 or there < 0 or taken[there] or steps[beside] < 0 or not alive[there]:
                        continue
                    taken[box] = False
                    taken[there] = True
                    current[number] = there
                    if not _lost(there, box, masks, able) and not _frozen(
                        there, current, taken, solid, adjacent, stuck, goal_of
                    ):
                        if stack >= SEALED_NODES:
                            current[number] = box
                            for other in current:
                                taken[other] = False
                            taken[there] = False
                            for other in subset:
                                taken[other] = True
                            return False
                        boxes_of[stack], player_of[stack] = current, box
                        stack += 1
                    current[number] = box
                    taken[there] = False
                    taken[box] = True
        for box in current:
            taken[box] = False
    for box in subset:
        taken[box] = True
    return True


@kernel
def _dead(  # type: ignore[no-untyped-def]
    boxes, player, adjacent, alive, stuck, goal_of, masks, able, taken, mark, flood, solid, steps, queue, corral, alone,
    visited, known,
):  # fmt: skip
    """Whether a position is lost: a box that can get to no goal, or boxes around a closed region that hold each other.

    `known` caches what is known of small positions: a hash with the answer in its last bit.
    """
    for box in boxes:
        if _lost(box, player, masks, able):
            return True
    cells = adjacent.shape[0]
    _walk(player, taken, adjacent, steps, queue)
    mark[:] = 0
    for cell in range(cells):
        if steps[cell] >= 0:
            mark[cell] = 1
    for start in range(cells):
        if mark[start] or taken[start]:
            continue
        corral[:] = False
        mark[start] = 1
        corral[start] = True
        flood[0] = start
        head, tail, many = 0, 1, 0
        loose = False
        while head < tail:
            cell = flood[head]
            head += 1
            for move in range(4):
                there = adjacent[cell, move]
                if there < 0:
                    continue
                if taken[there]:
                    if not alone[there]:
                        alone[there] = True
                        many += 1
                        loose = loose or goal_of[there] < 0
                elif not mark[there]:
                    mark[there] = 1
                    corral[there] = True
                    flood[tail] = there
                    tail += 1
        if many == 0:
            continue
        # Boxes next to those around the region may keep these from being pushed.
        grown = True
        while grown and many < SEALED_BOXES:
            grown = False
            for box in boxes:
                if not alone[box] and many < SEALED_BOXES:
                    for move in range(4):
                        there = adjacent[box, move]
                        if there >= 0 and alone[there]:
                            alone[box] = True
                            many += 1
                            grown = True
                            loose = loose or goal_of[box] < 0
                            break
        wants = loose
        if not wants:
            for place in range(tail):
                wants = wants or goal_of[flood[place]] >= 0
        subset = np.zeros(many, dtype=np.int64)
        number = 0
        for box in boxes:
            if alone[box]:
                subset[number] = box
                number += 1
        sealed = False
        if wants and many <= SEALED_BOXES:
            lowest = _walk(player, alone, adjacent, steps, queue)
            name = _mixed(subset, lowest)
            place = np.int64(name & np.uint64(known.size - 1))
            if known[place] >> np.uint64(1) == name >> np.uint64(1):
                sealed = known[place] & np.uint64(1) == np.uint64(1)
            else:
                sealed = _sealed(
                    subset, corral, player, adjacent, alive, stuck, goal_of, masks, able, alone, solid, steps, queue,
                    visited,
                )  # fmt: skip
                known[place] = (name >> np.uint64(1) << np.uint64(1)) | np.uint64(sealed)
        for box in subset:
            alone[box] = False
        if sealed:
            return True
    return False


@kernel
def _regions(taken, adjacent, mark, queue, player):  # type: ignore[no-untyped-def]
    """Regions of free cells; the player's lowest cell, and the size of his region."""
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
    """Ways in which the player can push a box by one cell."""
    count = 0
    for box in boxes:
        for move in range(4):
            beside, there = adjacent[box, move ^ 1], adjacent[box, move]
            if beside >= 0 and there >= 0 and mark[beside] == 1 and not taken[there] and alive[there]:
                count += 1
    return count


@kernel
def _packed(taken, plan):  # type: ignore[no-untyped-def]
    """Goals filled from the beginning of the plan."""
    for number in range(plan.size):
        if not taken[plan[number]]:
            return number
    return plan.size


@kernel
def _locked(boxes, packed, rank, locked):  # type: ignore[no-untyped-def]
    """Boxes that the next step of the plan would lock out."""
    count = 0
    following = min(packed + 1, locked.shape[0] - 1)
    for box in boxes:
        if locked[following, box] and not 0 <= rank[box] < packed:
            count += 1
    return count


@kernel
def _sum(boxes, packed, rank, near):  # type: ignore[no-untyped-def]
    """Pushes that the boxes outside of the plan's filled goals are from the goals that are left, each by itself."""
    total = 0
    following = min(packed, near.shape[0] - 1)
    for box in boxes:
        if not 0 <= rank[box] < packed:
            total += near[following, box]
    return total


@kernel
def _home(boxes, goal_of):  # type: ignore[no-untyped-def]
    for box in boxes:
        if goal_of[box] < 0:
            return False
    return True


@kernel
def _cell(packed, regions, locked):  # type: ignore[no-untyped-def]
    """Number of a cell of the feature space."""
    return (packed * REGIONS_MAX + min(regions, REGIONS_MAX - 1)) * LOCKED_MAX + min(locked, LOCKED_MAX - 1)


@kernel
def _write_key(boxes, player, bit_of, player_shift, key):  # type: ignore[no-untyped-def]
    one = np.uint64(1)
    key[:] = np.uint64(0)
    for box in boxes:
        key[bit_of[box] >> 6] |= one << np.uint64(bit_of[box] & 63)
    key[key.size - 1] |= np.uint64(player) << np.uint64(player_shift)


@kernel
def _read_key(key, cell_of, player_shift, boxes):  # type: ignore[no-untyped-def]
    one = np.uint64(1)
    number = 0
    for bit in range(cell_of.size):
        if key[bit >> 6] >> np.uint64(bit & 63) & one:
            boxes[number] = cell_of[bit]
            number += 1
    return np.int64(key[key.size - 1] >> np.uint64(player_shift))


@kernel
def _wait(node, weight, box, there, side, cell, moves, heads, lightest, active, numbers):  # type: ignore[no-untyped-def]
    """Put a move into its cell."""
    weight = min(weight, WEIGHTS - 1)
    number = numbers[MOVES]
    numbers[MOVES] += 1
    moves[number, 0], moves[number, 1] = node, 4 * there + side
    moves[number, 2], moves[number, 3] = box, heads[cell, weight]
    heads[cell, weight] = number
    if lightest[cell] == WEIGHTS:
        active[numbers[ACTIVE]] = cell
        numbers[ACTIVE] += 1
    lightest[cell] = min(lightest[cell], weight)


@kernel
def _open(  # type: ignore[no-untyped-def]
    node, adjacent, goal_of, stuck, bit_of, cell_of, player_shift, masks, able, plan, rank, locked, near,
    known, table, keys, weights, moves, heads, lightest, active, numbers,
):  # fmt: skip
    """Find the moves of a node, let the advisers choose among them, and put all into the cell of the node."""
    cells = adjacent.shape[0]
    many = 0
    taken = np.zeros(cells, dtype=np.bool_)
    boxes = np.zeros(cell_of.size, dtype=np.int64)
    player = _read_key(keys[node], cell_of, player_shift, boxes)
    one = np.uint64(1)
    for bit in range(cell_of.size):
        if keys[node, bit >> 6] >> np.uint64(bit & 63) & one:
            many += 1
    boxes = boxes[:many]
    for box in boxes:
        taken[box] = True
    steps, queue = np.zeros(cells, dtype=np.int64), np.zeros(4 * cells, dtype=np.int64)
    block = np.zeros((cells, 4), dtype=np.int64)
    order, low, back = np.zeros(cells, dtype=np.int64), np.zeros(cells, dtype=np.int64), np.zeros(cells, dtype=np.int64)
    path, following = np.zeros(cells + 1, dtype=np.int64), np.zeros(cells + 1, dtype=np.int64)
    edges, seen = np.zeros(4 * cells, dtype=np.int64), np.zeros((cells, 4), dtype=np.int8)
    solid, mark = np.zeros(cells, dtype=np.bool_), np.zeros(cells, dtype=np.int8)
    flood, key = np.zeros(cells, dtype=np.int64), np.zeros(keys.shape[1], dtype=np.uint64)
    alive = bit_of >= 0
    corral, alone = np.zeros(cells, dtype=np.bool_), np.zeros(cells, dtype=np.bool_)
    visited, inner = np.zeros(VISITED, dtype=np.uint64), np.zeros(cells, dtype=np.int64)
    line = np.zeros(4 * cells, dtype=np.int64)
    _walk(player, taken, adjacent, steps, queue)
    regions, _, size = _regions(taken, adjacent, mark, flood, player)
    packed = _packed(taken, plan)
    shut, total = _locked(boxes, packed, rank, locked), _sum(boxes, packed, rank, near)
    home = _cell(packed, regions, shut)
    first = numbers[MOVES]
    best = np.full(ADVISERS, -1, dtype=np.int64)
    value = np.zeros(ADVISERS, dtype=np.int64)
    value[0], value[1], value[2], value[3], value[4] = packed, -regions, size, -shut, -total
    value[5] = _free(boxes, taken, adjacent, alive, mark)
    weight = weights[node]
    for number in range(many):
        box = boxes[number]
        sides = 0
        for move in range(4):
            beside = adjacent[box, move]
            if beside >= 0 and steps[beside] >= 0:
                sides |= 1 << move
        if sides == 0:
            continue
        taken[box] = False
        reached = box_reach(
            box, sides, False, taken, adjacent, alive, block, order, low, back, path, following, edges, seen, queue
        )
        for entry in range(reached):
            there, side = queue[entry] >> 2, queue[entry] & 3
            if there == box or seen[there, side] != 1:
                continue
            if numbers[MOVES] >= moves.shape[0]:
                break
            boxes[number] = there
            taken[there] = True
            numbers[GENERATED] += 1
            if not _frozen(there, boxes, taken, solid, adjacent, stuck, goal_of):
                now, lowest, room = _regions(taken, adjacent, mark, flood, adjacent[there, side])
                _write_key(boxes, lowest, bit_of, player_shift, key)
                if table[_slot(key, table, keys)] < 0:
                    filled = _packed(taken, plan)
                    out = _locked(boxes, filled, rank, locked)
                    far = _sum(boxes, filled, rank, near)
                    free = _free(boxes, taken, adjacent, alive, mark)
                    if (
                        filled > value[0] or -now > value[1] or room > value[2] or -out > value[3] or -far > value[4] or free > value[5]
                    ) and _dead(
                        boxes, adjacent[there, side], adjacent, alive, stuck, goal_of, masks, able, taken, mark, flood,
                        solid, inner, line, corral, alone, visited, known,
                    ):  # fmt: skip
                        taken[there] = False
                        boxes[number] = box
                        continue
                    at = numbers[MOVES]
                    _wait(node, weight + 1, box, there, side, home, moves, heads, lightest, active, numbers)
                    if filled > value[0]:
                        value[0], best[0] = filled, at
                    if -now > value[1]:
                        value[1], best[1] = -now, at
                    if room > value[2]:
                        value[2], best[2] = room, at
                    if -out > value[3]:
                        value[3], best[3] = -out, at
                    if -far > value[4]:
                        value[4], best[4] = -far, at
                    if free > value[5]:
                        value[5], best[5] = free, at
            taken[there] = False
            boxes[number] = box
        taken[box] = True
    for adviser in range(ADVISERS):
        at = best[adviser]
        if at >= first and moves[at, 2] >= 0:
            _wait(
                node, weight, moves[at, 2], moves[at, 1] >> 2, moves[at, 1] & 3, home, moves, heads, lightest, active,
                numbers,
            )  # fmt: skip
    return home


@kernel
def seed(  # type: ignore[no-untyped-def]
    player, boxes, adjacent, goal_of, stuck, bit_of, cell_of, player_shift, masks, able, plan, rank, locked, near,
    known, table, keys, weights, parents, made, moves, heads, lightest, active, numbers,
):  # fmt: skip
    """Put the start into empty tables."""
    cells = adjacent.shape[0]
    taken, mark = np.zeros(cells, dtype=np.bool_), np.zeros(cells, dtype=np.int8)
    flood, key = np.zeros(cells, dtype=np.int64), np.zeros(keys.shape[1], dtype=np.uint64)
    for box in boxes:
        taken[box] = True
    _, lowest, _ = _regions(taken, adjacent, mark, flood, player)
    _write_key(boxes, lowest, bit_of, player_shift, key)
    keys[0] = key
    table[_slot(key, table, keys)] = 0
    parents[0], weights[0] = -1, 0
    numbers[NODES] = 1
    if _home(boxes, goal_of):
        numbers[GOAL] = 0
        return FOUND
    _open(
        0, adjacent, goal_of, stuck, bit_of, cell_of, player_shift, masks, able, plan, rank, locked, near,
        known, table, keys, weights, moves, heads, lightest, active, numbers,
    )  # fmt: skip
    return PAUSED


@kernel
def search(  # type: ignore[no-untyped-def]
    limit, many, adjacent, goal_of, stuck, bit_of, cell_of, player_shift, masks, able, plan, rank, locked, near,
    known, table, keys, weights, parents, made, moves, heads, lightest, active, numbers,
):  # fmt: skip
    """Make moves, at most `limit` new nodes."""
    cells = adjacent.shape[0]
    taken, mark = np.zeros(cells, dtype=np.bool_), np.zeros(cells, dtype=np.int8)
    flood, key = np.zeros(cells, dtype=np.int64), np.zeros(keys.shape[1], dtype=np.uint64)
    boxes = np.zeros(many, dtype=np.int64)
    alive, solid = bit_of >= 0, np.zeros(cells, dtype=np.bool_)
    corral, alone = np.zeros(cells, dtype=np.bool_), np.zeros(cells, dtype=np.bool_)
    visited, inner = np.zeros(VISITED, dtype=np.uint64), np.zeros(cells, dtype=np.int64)
    line = np.zeros(4 * cells, dtype=np.int64)
    spent = 0
    while spent < limit:
        # The next cell that has a move.
        cell, idle = -1, 0
        while numbers[ACTIVE] > 0 and cell < 0:
            if numbers[TURN] >= numbers[ACTIVE]:
                numbers[TURN] = 0
            candidate = active[numbers[TURN]]
            while lightest[candidate] < WEIGHTS and heads[candidate, lightest[candidate]] < 0:
                lightest[candidate] += 1
            if lightest[candidate] == WEIGHTS:
                numbers[ACTIVE] -= 1
                active[numbers[TURN]] = active[numbers[ACTIVE]]
                continue
            numbers[TURN] += 1
            cell = candidate
        if cell < 0:
            return FINISHED
        if numbers[NODES] >= keys.shape[0] - 1 or numbers[MOVES] >= moves.shape[0] - 64 * cells:
            return FULL
        number = heads[cell, lightest[cell]]
        heads[cell, lightest[cell]] = moves[number, 3]
        node, there, side, box = moves[number, 0], moves[number, 1] >> 2, moves[number, 1] & 3, moves[number, 2]
        _read_key(keys[node], cell_of, player_shift, boxes)
        numbers[TRIED] += 1
        for i in range(many):
            if boxes[i] == box:
                boxes[i] = there
        for i in range(many):
            taken[boxes[i]] = True
        _, lowest, _ = _regions(taken, adjacent, mark, flood, adjacent[there, side])
        dead = _dead(
            boxes, lowest, adjacent, alive, stuck, goal_of, masks, able, taken, mark, flood, solid, inner, line, corral,
            alone, visited, known,
        )  # fmt: skip
        for i in range(many):
            taken[boxes[i]] = False
        if dead:
            continue
        _write_key(boxes, lowest, bit_of, player_shift, key)
        slot = _slot(key, table, keys)
        if table[slot] >= 0:
            continue
        child = numbers[NODES]
        numbers[NODES] += 1
        table[slot] = child
        keys[child] = key
        parents[child] = node
        made[child, 0], made[child, 1] = box, 4 * there + side
        weights[child] = lightest[cell]
        spent += 1
        numbers[EXPANDED] += 1
        if _home(boxes, goal_of):
            numbers[GOAL] = child
            return FOUND
        _open(
            child, adjacent, goal_of, stuck, bit_of, cell_of, player_shift, masks, able, plan, rank, locked, near,
            known, table, keys, weights, moves, heads, lightest, active, numbers,
        )  # fmt: skip
    return PAUSED
