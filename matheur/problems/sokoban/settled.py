"""Boxes that no plan moves: boxes in closed rooms, and boxes blocked by walls and by each other (frozen boxes).

Every search treats them as walls, which excludes no plan: a box counts as frozen only if both of its axes are blocked,
by a wall or another frozen box at one end, or by dead squares, from which no box can reach a goal, at both ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from matheur.problems.sokoban.instance import STEPS, Instance

__all__ = ["Settled", "pulls_in", "reached"]

_AXES = ((0, 1), (2, 3))


@dataclass(frozen=True, slots=True)
class Settled:
    """A level in which the boxes that no plan moves are walls.

    Attributes
    ----------
    cells
        Cells that the player and the other boxes may reach, ascending.
    frozen, closed
        Boxes blocked by walls and by each other, and boxes that the player can never reach, ascending.
    """

    cells: tuple[int, ...]
    frozen: tuple[int, ...]
    closed: tuple[int, ...]

    @staticmethod
    def of(instance: Instance) -> Settled:
        """The settled boxes of a level in its initial position."""
        offsets = [down * instance.columns + right for down, right in STEPS]
        free = set(instance.region)  # enclosed by walls: no step leaves the level or its row
        frozen = set[int]()
        while True:
            around = {cell: [cell + offset for offset in offsets if cell + offset in free] for cell in free}
            cells = reached(around, [instance.player])
            alive = reached(pulls_in(cells, instance.columns), cells.intersection(instance.goals))
            held = _held(cells.intersection(instance.boxes), cells, alive, offsets)
            if not held:
                break
            frozen |= held
            free = cells - held
        closed = set(instance.boxes) - cells - frozen
        return Settled(tuple(sorted(cells)), tuple(sorted(frozen)), tuple(sorted(closed)))


def pulls_in(cells: set[int], columns: int) -> dict[int, list[int]]:
    """For each cell, the cells to which a box can be pulled from it, with the player in the best place."""
    offsets = [down * columns + right for down, right in STEPS]
    return {cell: [cell + o for o in offsets if cell + o in cells and cell + 2 * o in cells] for cell in cells}


def reached(steps: dict[int, list[int]], begin: Iterable[int]) -> set[int]:
    """All cells that steps lead to."""
    seen = set(begin)
    waiting = list(seen)
    while waiting:
        for there in steps[waiting.pop()]:
            if there not in seen:
                seen.add(there)
                waiting.append(there)
    return seen


def _held(boxes: set[int], cells: set[int], alive: set[int], offsets: list[int]) -> set[int]:
    """The largest set of boxes that block each other: without the boxes that can move, and those that they free.

    The first box of such a set to be pushed would need two cells that are neither walls nor occupied by the set.
    """
    held = set(boxes)

    def can_move(box: int) -> bool:
        for first, second in _AXES:
            ends = box + offsets[first], box + offsets[second]
            if all(end in cells and end not in held for end in ends) and not alive.isdisjoint(ends):
                return True
        return False

    waiting = list(boxes)
    while waiting:
        box = waiting.pop()
        if box in held and can_move(box):
            held.remove(box)
            waiting += [box + offset for offset in offsets]
    return held
