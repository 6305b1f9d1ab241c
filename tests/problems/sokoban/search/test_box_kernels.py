"""Moves of one box, against networkx and searches by single pushes."""

from __future__ import annotations

from collections import deque

import networkx as nx
import numpy as np
import pytest
from problems.sokoban.small_levels import flood, level_of

from matheur.problems.sokoban import Instance
from matheur.problems.sokoban.search.box_kernels import blocks, box_reach, movable, reach_of, side_masks
from matheur.problems.sokoban.search.floor import Floor


def floors(many: int, boxes: int) -> list[tuple[Instance, Floor, list[int]]]:
    """Random levels whose boxes all matter."""
    found = list[tuple[Instance, Floor, list[int]]]()
    for seed in range(1000):
        level = level_of(seed, boxes=boxes, rows=6, columns=7)
        if level is None:
            continue
        floor = Floor.of(level)
        number = {cell: i for i, cell in enumerate(floor.cells)}
        if all(box in number for box in level.boxes) and floor.goals:
            found.append((level, floor, [number[box] for box in level.boxes]))
        if len(found) == many:
            return found
    raise AssertionError("too few levels")


def test_biconnected_components() -> None:
    """Two edges have the same number if and only if networkx puts them into the same component."""
    compared = 0
    for _, floor, boxes in floors(40, 4):
        adjacent, work, taken = floor.adjacent, reach_of(len(floor.cells)), np.zeros(len(floor.cells), dtype=np.bool_)
        taken[boxes[1:]] = True
        start = boxes[0]
        cells = flood(adjacent, start, frozenset(boxes[1:]))
        graph = nx.Graph([(cell, there) for cell in cells for there in adjacent[cell].tolist() if there in cells])
        blocks(start, taken, adjacent, work)
        numbers = list[set[int]]()
        for component in nx.biconnected_component_edges(graph):
            ends = [*component, *((two, one) for one, two in component)]
            numbers.append({int(work.block[one, adjacent[one].tolist().index(two)]) for one, two in ends})
        assert all(len(one) == 1 for one in numbers)
        assert len(set().union(*numbers)) == len(numbers)
        compared += len(numbers)
    assert compared > 100


@pytest.mark.parametrize("pull", [False, True], ids=["push", "pull"])
def test_where_a_box_can_be_brought(pull: bool) -> None:
    """The same cells, with the player on the same sides, as by trying all pushes (or pulls) of this box."""
    compared = 0
    for level, floor, boxes in floors(40, 3):
        adjacent, cells = floor.adjacent, len(floor.cells)
        player, work = floor.cells.index(level.player), reach_of(cells)
        others, taken = frozenset(boxes[1:]), np.zeros(cells, dtype=np.bool_)
        taken[boxes[1:]] = True
        near = flood(adjacent, player, frozenset(boxes))
        sides = sum(1 << move for move in range(4) if adjacent[boxes[0], move] in near)
        many = box_reach(boxes[0], sides, pull, taken, adjacent, np.ones(cells, dtype=np.bool_), work)
        found = {divmod(int(entry), 4) for entry in work.queue[:many]}
        expected = _by_single_steps(adjacent, boxes[0], player, others, pull)
        assert found == expected
        assert len(found) == many
        compared += many
    assert compared > 100


def _by_single_steps(
    adjacent: np.ndarray, box: int, player: int, others: frozenset[int], pull: bool
) -> set[tuple[int, int]]:
    """Cells of the box with sides of the player that can be reached by moves of the player."""
    seen, waiting = {(box, player)}, deque([(box, player)])
    while waiting:
        at, here = waiting.popleft()
        for move in range(4):
            there = int(adjacent[here, move])
            after = list[tuple[int, int]]()
            if there == at and not pull:
                beyond = int(adjacent[at, move])
                if beyond >= 0 and beyond not in others:
                    after.append((beyond, at))
            elif there >= 0 and there != at and there not in others:
                after.append((at, there))
                if pull and adjacent[here, move ^ 1] == at:
                    after.append((here, there))
            for one in after:
                if one not in seen:
                    seen.add(one)
                    waiting.append(one)
    return {(at, move) for at, here in seen for move in range(4) if adjacent[at, move] == here}


def test_a_box_alone() -> None:
    """Sides that the player gets to, and whether the box can be brought to a goal, as by trying all."""
    compared = 0
    for _, floor, _ in floors(8, 2):
        adjacent, cells, goals = floor.adjacent, len(floor.cells), np.array(floor.goals)
        masks, able = np.zeros((cells, cells), dtype=np.int8), np.zeros((cells, 4), dtype=np.bool_)
        side_masks(adjacent, masks)
        movable(adjacent, goals, masks, able)
        for box in range(cells):
            for player in set(range(cells)) - {box}:
                near = flood(adjacent, player, frozenset({box}))
                sides = {move for move in range(4) if adjacent[box, move] in near}
                assert sides == {move for move in range(4) if masks[box, player] >> move & 1}
                if sides:
                    places = _by_single_steps(adjacent, box, player, frozenset(), False)
                    home = any(cell in floor.goals for cell, _ in places)
                    assert home == any(able[box, move] for move in sides)
                    compared += 1
    assert compared > 100
