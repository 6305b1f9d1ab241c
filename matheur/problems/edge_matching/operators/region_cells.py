"""Regions of any shape: grown around mismatches, or made of the cells in which two boards differ."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.instance import DOWN, EMPTY, RIGHT, Board, Instance
from matheur.problems.edge_matching.operators.proof_windows import mismatched_joints

__all__ = ["cycles", "differing_cells", "grown_cells", "mismatched_ends"]

Cells = NDArray[np.intp]


def mismatched_ends(instance: Instance, board: Board) -> NDArray[np.intp]:
    """Shape (mismatches, 2): the two cells of each mismatched joint."""
    joints = np.argwhere(mismatched_joints(instance, board))
    beside = instance.neighbours[joints[:, 0], np.where(joints[:, 1] == 0, RIGHT, DOWN)]
    return np.stack([joints[:, 0], beside], axis=1).astype(np.intp)


def grown_cells(
    instance: Instance, seeds: NDArray[np.intp], size: int, rng: Generator, among: NDArray[np.bool_] | None = None
) -> Cells:
    """The up to `size` cells nearest to some seeds, with random choice at equal distances; ascending.

    Parameters
    ----------
    among
        Cells that may be taken and passed through; by default, all that no hint fixes.
    """
    allowed = ~instance.fixed if among is None else among & ~instance.fixed
    taken = np.zeros(instance.cells, dtype=bool)
    layer: NDArray[np.integer] = np.unique(seeds[allowed[seeds]])
    left = size
    while layer.size and left > 0:
        if layer.size > left:
            layer = rng.permutation(layer)[:left]
        taken[layer] = True
        left -= layer.size
        beside = instance.neighbours[layer].ravel()
        beside = np.unique(beside[beside >= 0])
        layer = beside[allowed[beside] & ~taken[beside]]
    return np.flatnonzero(taken)


def differing_cells(first: Board, second: Board) -> Cells:
    """Cells in which two boards hold different pieces, or the same piece in different rotations."""
    return np.flatnonzero(first != second)


def cycles(first: Board, second: Board) -> list[Cells]:
    """The differing cells in closed sets: in each set, both boards hold the same pieces.

    They are the cycles of the permutation that takes one board to the other. Pieces on only one board and empty cells
    end a path instead.
    """
    cells = differing_cells(first, second)
    where = {int(second[cell]) >> 2: int(cell) for cell in cells if second[cell] != EMPTY}
    after = {int(cell): where.get(int(first[cell]) >> 2) if first[cell] != EMPTY else None for cell in cells}
    before = {there: cell for cell, there in after.items() if there is not None}
    found: list[Cells] = []
    seen: set[int] = set()
    for cell in after:
        if cell in seen:
            continue
        start = cell
        while before.get(start, cell) not in (cell, start):
            start = before[start]
        path: list[int] = []
        at: int | None = start
        while at is not None and at not in seen:
            path.append(at)
            seen.add(at)
            at = after[at]
        found.append(np.array(sorted(path), dtype=np.intp))
    return found
