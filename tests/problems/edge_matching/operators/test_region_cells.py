"""Regions grown around mismatches, and what two boards do not agree on."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from problems.edge_matching.operators.boards import framed, problems, random_board

from matheur.problems.edge_matching import EMPTY, EdgeMatching
from matheur.problems.edge_matching.operators.board_tools import count_mismatches
from matheur.problems.edge_matching.operators.region_cells import cycles, differing_cells, grown_cells, mismatched_ends


@given(problems(), st.integers(0, 99))
def test_mismatched_ends_are_neighbours_and_as_many_as_the_mismatches(problem: EdgeMatching, seed: int) -> None:
    """One pair of touching cells for each mismatch."""
    board = random_board(problem, seed, empty=0.2)
    ends = mismatched_ends(problem.instance, board)
    assert len(ends) == count_mismatches(problem.instance, board)
    assert all(b in problem.instance.neighbours[a] for a, b in ends)


@given(st.integers(1, 30), st.integers(0, 35), st.integers(0, 99))
def test_a_region_is_connected_and_nearest_first(size: int, seed_cell: int, seed: int) -> None:
    """As many cells as asked for, in whole layers by distance but for the last one."""
    instance = framed(6, 6).instance
    cells = grown_cells(instance, np.array([seed_cell]), size, np.random.default_rng(seed))
    assert cells.size == size
    assert seed_cell in cells
    row, column = np.divmod(np.arange(36), 6)
    distance = abs(row - seed_cell // 6) + abs(column - seed_cell % 6)
    farthest = distance[cells].max()
    assert set(np.flatnonzero(distance < farthest)) <= set(cells.tolist())


def test_a_region_leaves_hints_and_other_cells_alone() -> None:
    """Cells that are fixed, or not among those given, are neither taken nor passed."""
    instance = framed(6, 6, seed=3, hints=3).instance
    rng = np.random.default_rng(1)
    assert not instance.fixed[grown_cells(instance, np.arange(36), 36, rng)].any()
    among = np.arange(36) % 6 < 2
    found = grown_cells(framed(6, 6).instance, np.array([0, 5]), 36, rng, among)
    assert found.tolist() == np.flatnonzero(among).tolist()


@given(problems(), st.integers(0, 99), st.booleans())
def test_cycles_are_closed_and_cover_what_differs(problem: EdgeMatching, seed: int, holes: bool) -> None:
    """Each differing cell is in one set; on full boards each set holds the same pieces on both."""
    first, second = (random_board(problem, seed + i, empty=0.3 if holes else 0.0) for i in range(2))
    found = cycles(first, second)
    assert sorted(cell for cycle in found for cell in cycle.tolist()) == differing_cells(first, second).tolist()
    if not ((first == EMPTY).any() or (second == EMPTY).any()):
        for cycle in found:
            assert sorted(first[cycle] >> 2) == sorted(second[cycle] >> 2)


def test_cycles_are_as_small_as_can_be() -> None:
    """Three exchanges and a turn make four sets."""
    board = np.arange(36, dtype=np.int32) * 4
    other = board.copy()
    for here, there in ((7, 9), (14, 20), (22, 28)):
        other[[here, there]] = other[[there, here]]
    other[15] += 1
    assert [cycle.tolist() for cycle in cycles(board, other)] == [[7, 9], [14, 20], [15], [22, 28]]
