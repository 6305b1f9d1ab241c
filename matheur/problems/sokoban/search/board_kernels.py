"""Walks of the player and frozen boxes in a position, compiled."""

from __future__ import annotations

from matheur.kernels import kernel

__all__ = ["frozen", "melted", "walk"]


@kernel
def melted(cell, boxes, solid, adjacent, stuck):  # type: ignore[no-untyped-def]
    """Whether the box in a cell is free; if it is not, the frozen boxes stay marked in `solid`."""
    for i in range(boxes.size):
        solid[boxes[i]] = True
    changed, freed = True, False
    while changed and not freed:
        changed = False
        for i in range(boxes.size):
            box = boxes[i]
            if solid[box]:
                for axis in range(2):
                    if (
                        not stuck[box, axis]
                        and not solid[adjacent[box, 2 * axis]]
                        and not solid[adjacent[box, 2 * axis + 1]]
                    ):
                        solid[box] = False
                        changed = True
                        break
        freed = not solid[cell]
    return freed


@kernel
def frozen(cell, boxes, taken, solid, adjacent, stuck, goal_of):  # type: ignore[no-untyped-def]
    """Whether a box just pushed to `cell` can never move again, or only to a dead square: a deadlock.

    A box counts as frozen until one of its axes is found free: no wall, no frozen box, not both ends dead.
    """
    for axis in range(2):
        one, two = adjacent[cell, 2 * axis], adjacent[cell, 2 * axis + 1]
        if not stuck[cell, axis] and not taken[one] and not taken[two]:
            return False
    freed, dead = melted(cell, boxes, solid, adjacent, stuck), False
    for i in range(boxes.size):
        if solid[boxes[i]] and goal_of[boxes[i]] < 0:
            dead = True
        solid[boxes[i]] = False
    return dead and not freed


@kernel
def walk(player, taken, adjacent, steps, queue):  # type: ignore[no-untyped-def]
    """Steps from the player to every cell, -1 for unreachable ones; returns the lowest reachable cell."""
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
