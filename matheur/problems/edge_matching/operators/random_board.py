"""Construction `random`: a random board that respects the frame and the hints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.problems.edge_matching.instance import Board, Instance
from matheur.problems.edge_matching.operators.board_tools import cell_groups, count_mismatches, piece_groups

__all__ = ["RandomBoard"]


@dataclass(frozen=True, slots=True)
class RandomBoard:
    """Every cell gets a random piece of its class in a random rotation that fits.

    If counting classes is not enough (a piece whose two frame sides face each other, a hint that contradicts the
    frame), a bipartite matching of pieces and cells decides whether a complete board exists. The colours of inner
    sides are ignored. Work: cells filled.
    """

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Make a complete board, or prove that none exists."""
        instance: Instance = problem.instance
        possible = np.logical_or.reduce(instance.fits.reshape(-1, 4, instance.cells), axis=1)
        piece_of = _shuffled_by_group(instance, rng)
        if piece_of is None or not possible[piece_of, np.arange(instance.cells)].all():
            piece_of = _matched(possible, rng)
        if (piece_of < 0).any():
            return Outcome(Status.INFEASIBLE, reason=_why(instance, possible, piece_of))
        choices = instance.fits[4 * piece_of[:, None] + np.arange(4), np.arange(instance.cells)[:, None]]
        rotation = (rng.random(choices.shape) * choices).argmax(axis=1)
        board = (4 * piece_of + rotation).astype(np.int32)
        budget.spend(work=instance.cells)
        return Outcome(Status.IMPROVED, board, count_mismatches(instance, board))


def _shuffled_by_group(instance: Instance, rng: Generator) -> NDArray[np.int64] | None:
    """A piece for each cell, by shuffling each class over its cells; None if the classes have different sizes."""
    cell_group, piece_group = cell_groups(instance), piece_groups(instance)
    piece_of = np.full(instance.cells, -1, dtype=np.int64)
    for hint in instance.hints:
        piece_of[hint.cell] = hint.piece
    for group in np.unique(cell_group[cell_group >= 0]):
        cells, pieces = np.flatnonzero(cell_group == group), np.flatnonzero(piece_group == group)
        if cells.size != pieces.size:
            return None
        piece_of[cells] = rng.permutation(pieces)
    return piece_of


def _matched(possible: NDArray[np.bool_], rng: Generator) -> NDArray[np.int64]:
    """A piece for each cell by maximum matching of a shuffled graph, -1 for a cell that stays empty."""
    from scipy.sparse import csr_array  # imported here: hardly any puzzle needs it
    from scipy.sparse.csgraph import maximum_bipartite_matching

    pieces, cells = rng.permutation(possible.shape[0]), rng.permutation(possible.shape[1])
    graph = csr_array(possible[np.ix_(pieces, cells)])
    row_of = maximum_bipartite_matching(graph, perm_type="row")
    piece_of = np.full(cells.size, -1, dtype=np.int64)
    piece_of[cells] = np.where(row_of >= 0, pieces[row_of], -1)
    return piece_of


def _why(instance: Instance, possible: NDArray[np.bool_], piece_of: NDArray[np.int64]) -> str:
    """Say which piece or cell makes a complete board impossible."""
    for hint in instance.hints:
        if not possible[hint.piece, hint.cell]:
            return f"piece {hint.piece + 1} cannot lie in cell {hint.cell} as its hint demands: the frame does not fit"
    idle = np.flatnonzero(~possible.any(axis=1))
    if idle.size:
        return f"piece {idle[0] + 1} fits in no cell of the {instance.rows} x {instance.columns} board"
    return (
        f"at most {np.count_nonzero(piece_of >= 0)} of {instance.cells} cells can be filled: "
        "the numbers of corner, border and inner pieces differ from those of their cells"
    )
