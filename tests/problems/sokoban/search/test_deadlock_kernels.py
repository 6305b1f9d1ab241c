"""Deadlocks, against searches that try everything."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from problems.sokoban.small_levels import flood, level_of, pushes_from, solvable

from matheur.problems.sokoban.search.deadlock_kernels import Terrain, dead, pressing, room_of, stranded, terrain_of
from matheur.problems.sokoban.search.floor import Floor


def positions(most: int) -> Iterator[tuple[Floor, Terrain, np.ndarray, int]]:
    """Random positions with all boxes on living cells."""
    many = 0
    for seed in range(100_000):
        level = level_of(seed, boxes=3 + seed % 3, rows=6 + seed % 2, columns=6)
        if level is None:
            continue
        floor = Floor.of(level, level.region)  # as in a search, in which boxes get frozen on the way
        number = {cell: i for i, cell in enumerate(floor.cells)}
        if not all(cell in number for cell in (*level.boxes, *level.goals)):
            continue
        boxes = np.array([number[box] for box in level.boxes], dtype=np.int64)
        if floor.alive[boxes].all():
            yield floor, terrain_of(floor), boxes, number[level.player]
            many += 1
        if many == most:
            return
    raise AssertionError("too few positions")


def taken_by(floor: Floor, boxes: np.ndarray) -> np.ndarray:
    """Marks of the boxes."""
    taken = np.zeros(len(floor.cells), dtype=np.bool_)
    taken[boxes] = True
    return taken


def test_what_is_dead_has_no_solution() -> None:
    """Whatever a test calls lost cannot be solved; the tests find some of them."""
    lost = cut = 0
    for floor, terrain, boxes, player in positions(400):
        room, taken, goals = room_of(len(floor.cells), len(floor.goals)), taken_by(floor, boxes), frozenset(floor.goals)
        here = frozenset(boxes.tolist())
        first = dead(boxes, player, taken, terrain, room)
        again = dead(boxes, player, taken, terrain, room)
        cuts = [box for box in boxes.tolist() if stranded(box, boxes, taken, terrain, room)]
        assert first == again
        assert not (room.solid.any())
        assert not (room.corral.any())
        assert not (room.alone.any())
        if first or cuts:
            assert not solvable(floor.adjacent, goals, here, player)
        lost, cut = lost + first, cut + bool(cuts)
    assert lost > 10
    assert cut > 0


def test_pushes_that_a_corral_leaves_suffice() -> None:
    """If a corral decides, a position that can be solved can be solved by a push of one of its boxes next."""
    decided = 0
    for floor, terrain, boxes, player in positions(600):
        cells, goals, here = len(floor.cells), frozenset(floor.goals), frozenset(boxes.tolist())
        steps, forced = np.full(cells, -1, dtype=np.int64), np.zeros(cells, dtype=np.bool_)
        steps[list(flood(floor.adjacent, player, here))] = 0
        room = room_of(cells, len(goals))
        many = pressing(boxes, taken_by(floor, boxes), steps, terrain, room, forced)
        assert not (room.corral.any())
        assert not (room.alone.any())
        if many < 0 or here <= goals or not solvable(floor.adjacent, goals, here, player):
            continue
        assert many > 0
        chosen = {box for box in here if forced[box]}
        after = [(there, at) for there, at in pushes_from(floor.adjacent, here, player) if at in chosen]
        assert any(solvable(floor.adjacent, goals, there, at) for there, at in after)
        decided += 1
    assert decided > 5
