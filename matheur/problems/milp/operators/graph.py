"""Neighbourhood `graph`: columns that are near each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.linear.model import LinearModel
from matheur.problems.milp.operators.neighbourhood import LargeNeighbourhood
from matheur.problems.milp.operators.state import State
from matheur.solvers.linear_task import Restriction

__all__ = ["Graph"]

_DENSE = 0.1  # share of the columns: a row with more says nothing about nearness
_SPARSE = 50  # a row with at most this many columns always counts


@dataclass(frozen=True, slots=True)
class Graph(LargeNeighbourhood):
    """Integer columns are free that are nearest to one of them: by the number of rows from one to the next.

    Graph induced neighbourhood search (Maher and others 2017).
    """

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """Draw a column, and expand from row to row."""
        if not len(state.whole):
            return Restriction()
        centre = int(state.whole[rng.integers(len(state.whole))])
        return state.freed(state.first(_distances(state.model, centre, state.size)[state.whole], rng))


def _distances(model: LinearModel, centre: int, enough: int) -> NDArray[np.int64]:
    """Number of rows between a column and each other one; a large number beyond the nearest integer columns."""
    far = np.iinfo(np.int64).max
    distances = np.full(model.width, far)
    distances[centre] = 0
    by_row, by_column = model.matrix, model.transposed
    used = np.diff(by_row.indptr) > max(_SPARSE, _DENSE * model.width)  # as if they had been used
    border, reached, step = np.array([centre]), 1, 0
    while len(border) and reached < enough:
        step += 1
        rows = np.unique(_entries(by_column, border))
        rows = rows[~used[rows]]
        used[rows] = True
        border = np.unique(_entries(by_row, rows))
        border = border[distances[border] == far]
        distances[border] = step
        reached += int(model.integral[border].sum())
    return distances


def _entries(matrix: Any, lines: NDArray[np.int64]) -> NDArray[np.int64]:
    """Indices of the entries of some rows (CSR) or columns (CSC)."""
    begin, end = matrix.indptr[lines], matrix.indptr[lines + 1]
    sizes = end - begin
    offsets = np.repeat(begin - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes) if len(lines) else sizes
    return matrix.indices[offsets + np.arange(sizes.sum())]
