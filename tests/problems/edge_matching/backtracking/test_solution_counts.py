"""Exact numbers of solutions, by two methods that share no code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from matheur.models.edge_matching import full
from matheur.models.edge_matching.blocks import exclude
from matheur.problems.edge_matching import DOWN, EMPTY, LEFT, RIGHT, UP, Instance, load
from matheur.solvers import MilpStatus, SolveRequest, get_backend

COUNTS = {3: 2, 4: 12, 5: 1}  # of Brendan Owen's set 2, rotations of the board divided out


def puzzle(data: Path, size: int) -> Instance:
    path = data / "edge_matching" / "brendan_set2_meta2010" / f"pieces_{size:02d}x{size:02d}.txt"
    return load(path, hints=[(0, 0, 1, None)]).instance


def count_by_scan(instance: Instance) -> int:
    """Perfect boards, by a plain row scan with backtracking."""
    sides, fits = instance.sides.tolist(), instance.fits
    by_cell = [np.flatnonzero(fits[:, cell]).tolist() for cell in range(instance.cells)]
    board, used, found = [EMPTY] * instance.cells, [False] * instance.cells, 0

    def fill(cell: int) -> None:
        nonlocal found
        if cell == instance.cells:
            found += 1
            return
        row, column = divmod(cell, instance.columns)
        for placement in by_cell[cell]:
            if used[placement // 4]:
                continue
            if column and sides[board[cell - 1]][RIGHT] != sides[placement][LEFT]:
                continue
            if row and sides[board[cell - instance.columns]][DOWN] != sides[placement][UP]:
                continue
            board[cell], used[placement // 4] = placement, True
            fill(cell + 1)
            used[placement // 4] = False

    fill(0)
    return found


@pytest.mark.parametrize("size", COUNTS)
def test_number_of_solutions_by_a_row_scan(data: Path, size: int) -> None:
    """With tile 1 in a corner, an exhaustive scan counts the known number of perfect boards."""
    assert count_by_scan(puzzle(data, size)) == COUNTS[size]


@pytest.mark.parametrize("solver", ["highs", "scip"])
@pytest.mark.parametrize("size", [3, 4])
def test_number_of_solutions_by_exclusion_cuts(data: Path, size: int, solver: str) -> None:
    """Cutting off each perfect board in turn, constraint (17), a MILP solver finds the same number."""
    instance = puzzle(data, size)
    built = full.build(instance, "exact")
    backend, boards = get_backend(solver), []
    while len(boards) <= COUNTS[size]:
        answer = backend.solve(built.model, SolveRequest())
        if answer.status is MilpStatus.INFEASIBLE:
            break
        boards.append(built.read(answer.values))
        exclude(built, boards[-1])
    assert len(boards) == COUNTS[size]
    assert len({board.tobytes() for board in boards}) == COUNTS[size]
