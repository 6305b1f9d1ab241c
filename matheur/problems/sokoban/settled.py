"""Boxes that no plan moves: those in closed rooms, and those that walls and each other hold in place (frozen boxes).

To every search they are walls, which takes no plan away: a box counts as frozen only if each of the two axes is closed
to it, as there is a wall or another frozen box at one end, or dead squares, from which no box gets to a goal, at both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from matheur.problems.sokoban.instance import STEPS, Instance

__all__ = ["Settled", "pulls_in", "reached"]

_AXES = ((0, 1), (2, 3))


@dataclass(frozen=True, slots=True)
class Settled:
    """What is left of a level when boxes that no plan moves are walls.

    Attributes
    ----------
    cells
        Where the player and other boxes may get to, ascending.
    frozen, closed
        Boxes that walls and each other hold in place, and boxes that the player never gets to, ascending.
    """

    cells: tuple[int, ...]
    frozen: tuple[int, ...]
    closed: tuple[int, ...]

    @staticmethod
    def of(instance: Instance) -> Settled:
        """The boxes of a level as they stand at its beginning."""
        offsets = [down * instance.columns + right for down, right in STEPS]
        free = set(instance.region)  # walled in: no step leaves the level or its row
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
    """For each of the cells those that a box can be pulled to from there, with the player wherever it helps."""
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
    """The largest set of boxes that hold each other: without the boxes that can move, and those that they set free.

    The first one of such a set to be pushed would need two cells that are no walls and hold no box of the set.
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
