"""Cells to which a box can be pushed or pulled while the other boxes stay, compiled.

The player can get from one side of a box to another if and only if both sides and the box's cell lie in the same
biconnected component of the cells that are free without that box. One pass over the floor therefore covers all places
of the box. One call costs one depth-first search over the floor (Hopcroft and Tarjan 1973) and one breadth-first search
over places and sides of the box.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matheur.kernels import kernel

__all__ = ["Reach", "blocks", "box_reach", "movable", "reach_of", "side_masks"]


class Reach(NamedTuple):
    """Workspace and result of `box_reach`.

    Attributes
    ----------
    block
        int64[n, 4]: biconnected component of the edge from a cell in a direction.
    order, low, back, path, following, edges
        State of the depth-first search.
    seen
        int8[n, 4]: 0 if the box was not brought to a cell with the player on this side of it; 1 for the first side of a
        component, 2 for further sides.
    queue
        int64[4 n]: places reached, nearest first, as `4 * cell + side`.
    """

    block: NDArray[np.int64]
    order: NDArray[np.int64]
    low: NDArray[np.int64]
    back: NDArray[np.int64]
    path: NDArray[np.int64]
    following: NDArray[np.int64]
    edges: NDArray[np.int64]
    seen: NDArray[np.int8]
    queue: NDArray[np.int64]


def reach_of(cells: int) -> Reach:
    """Arrays for a floor of this many cells."""
    return Reach(
        block=np.zeros((cells, 4), dtype=np.int64),
        order=np.zeros(cells, dtype=np.int64),
        low=np.zeros(cells, dtype=np.int64),
        back=np.zeros(cells, dtype=np.int64),
        path=np.zeros(cells + 1, dtype=np.int64),
        following=np.zeros(cells + 1, dtype=np.int64),
        edges=np.zeros(4 * cells, dtype=np.int64),
        seen=np.zeros((cells, 4), dtype=np.int8),
        queue=np.zeros(4 * cells, dtype=np.int64),
    )


@kernel
def blocks(start, taken, adjacent, work):  # type: ignore[no-untyped-def]
    """Biconnected components of the free cells connected with `start`, by Hopcroft and Tarjan.

    `work.block[cell, direction]` is the component of an edge; entries of other cells are not changed.
    """
    block, order, low, back = work.block, work.order, work.low, work.back
    path, following, edges = work.path, work.following, work.edges
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
def box_reach(box, sides, pull, taken, adjacent, open_, work):  # type: ignore[no-untyped-def]
    """Find the cells to which a box can be pushed (or pulled) without moving another box.

    Parameters
    ----------
    sides
        One bit for each direction in which the player can stand next to the box.
    pull
        Whether the box is pulled.
    taken
        Other boxes; the box itself must not be marked.
    open_
        Whether a box may stand in a cell.
    work
        A `Reach`; its `seen` and `queue` are the result.

    Returns
    -------
    int
        Number of entries in the queue.
    """
    blocks(box, taken, adjacent, work)
    block, seen, queue = work.block, work.seen, work.queue
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
    """Sides of a box that the player can reach if there is no other box: `masks[box, player]`, one bit each."""
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

    `able[box, direction]` is found by pulls from the goals.
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
