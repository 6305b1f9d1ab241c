"""The exhaustive search for perfect boards: boards, placements, slices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from matheur.errors import ConfigurationError
from matheur.problems.edge_matching import EdgeMatching, Hint, Instance, generate
from matheur.problems.edge_matching.backtracking.perfect_search import PerfectSearch, _count_one_by_one, count_boards


def slip_count(instance: Instance) -> tuple[set[bytes], int]:
    """All perfect boards and the placements, by the slip backtracker without slips."""
    boards = set[bytes]()
    _, nodes = _count_one_by_one(instance, np.arange(instance.cells), lambda board: boards.add(board.tobytes()))
    return boards, nodes


@pytest.mark.parametrize(
    ("rows", "columns", "colours", "seed"), [(5, 5, 4, 1), (4, 6, 3, 2), (4, 5, 3, 3), (8, 8, 7, 4)]
)
def test_boards_are_those_of_the_slip_backtracker(rows: int, columns: int, colours: int, seed: int) -> None:
    """Two programs with different tables agree, on boards that begin with hints, too; one looks ahead along lines."""
    instance, solution = generate(rows, columns, inner_colours=colours, frame_colours=2, seed=seed)
    hinted = range(30) if instance.cells == 64 else range(2)
    hints = tuple(Hint(cell, int(solution[cell]) // 4, int(solution[cell]) % 4) for cell in hinted)
    instance, boards = replace(instance, hints=hints), set[bytes]()
    counted, nodes = count_boards(instance, look=lambda board: boards.add(board.tobytes()))
    expected, placements = slip_count(instance)
    assert boards == expected
    assert 0 < nodes < placements
    assert count_boards(instance, look_ahead=False) == (counted, placements)
    assert counted == len(boards) > 0
    problem = EdgeMatching(instance)
    for board in boards:
        assert problem.evaluate(np.frombuffer(board, dtype=np.int32)).objective == 0


def test_pieces_that_fit_in_more_than_one_rotation() -> None:
    """On two colours without a frame, most pieces fit a pair of colours several times; equal looks count once."""
    several = 0
    for seed in range(4):
        pieces = np.random.default_rng(seed).integers(1, 3, (6, 4))
        instance = Instance(2, 3, pieces)
        boards, nodes = count_boards(instance)
        expected, placements = slip_count(instance)
        assert (boards, nodes) == (len(expected), placements)
        several += boards
    assert several > 0


def test_slices_do_not_change_the_course() -> None:
    """Boards come one by one in the same order, whatever the slices."""
    instance, _ = generate(5, 5, inner_colours=4, frame_colours=2, seed=1)
    courses = []
    for nodes in (1 << 40, 997):
        search, course = PerfectSearch(instance, np.arange(25)), []
        while not search.exhausted:
            if search.advance(nodes):
                assert search.board is not None
                course.append((search.nodes, search.board.tobytes()))
        assert not search.advance(nodes)
        courses.append(course)
    assert courses[0] == courses[1]
    assert courses[0]


def test_nothing_left_to_search() -> None:
    """A board that is given whole is a solution or none; lines that are too long are refused."""
    instance, solution = generate(3, 3, seed=1)
    whole = tuple(Hint(cell, int(solution[cell]) // 4, int(solution[cell]) % 4) for cell in range(9))
    assert count_boards(replace(instance, hints=whole)) == (1, 0)
    middle = whole[4]
    assert middle.rotation is not None
    turned = replace(middle, rotation=(middle.rotation + 1) % 4)
    assert count_boards(replace(instance, hints=(*whole[:4], turned, *whole[5:]))) == (0, 0)
    with pytest.raises(ConfigurationError, match="does not fit"):
        PerfectSearch(generate(13, 13, seed=1)[0], np.arange(169))


def test_more_pieces_than_bits() -> None:
    """A 12 x 12 board is refused with 40 cells given; with 100 given, both backtrackers find the same."""
    instance, solution = generate(12, 12, seed=1)
    hints = tuple(Hint(cell, int(solution[cell]) // 4, int(solution[cell]) % 4) for cell in range(100))
    with pytest.raises(ConfigurationError, match="does not fit"):
        PerfectSearch(replace(instance, hints=hints[:40]), np.arange(144))
    late = replace(instance, hints=hints)
    assert PerfectSearch(late, np.arange(144)).nodes == 0
    expected, placements = _count_one_by_one(late, np.arange(144), lambda _: None)
    assert count_boards(late, look_ahead=False) == (expected, placements)
    found, nodes = count_boards(late)
    assert found == expected >= 1
    assert nodes < placements
