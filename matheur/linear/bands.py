"""Groups of a model without informative names: columns near each other in the graph of rows and columns."""

from __future__ import annotations

import math

import numpy as np

from matheur.linear.groups import Family
from matheur.linear.model import LinearModel

__all__ = ["bands"]

_LEAST, _MOST = 4, 40  # groups
_DENSE = 0.1  # share of the columns: a row with more says nothing about nearness
_SPARSE = 50  # a row with at most this many columns always counts


def bands(model: LinearModel) -> Family | None:
    """Integer columns in about as many groups as each has columns; None if there are too few.

    The columns are ordered so that columns of the same row are near each other (reverse Cuthill-McKee on the graph of
    rows and columns, without dense rows), and the order is cut into equal parts. Most rows then stay within a group or
    two consecutive ones.
    """
    count = min(_MOST, math.isqrt(int(model.integral.sum())))
    if count < _LEAST:
        return None
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    matrix = model.matrix
    sizes = np.diff(matrix.indptr)
    rows = np.flatnonzero(sizes <= max(_SPARSE, _DENSE * model.width))
    part = matrix[rows]
    owner = np.repeat(np.arange(len(rows)), np.diff(part.indptr)) + model.width
    size = model.width + len(rows)
    ends = np.concatenate([part.indices, owner]), np.concatenate([owner, part.indices])
    graph = csr_matrix((np.ones(2 * len(owner), dtype=np.int8), ends), shape=(size, size))
    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    columns = order[order < model.width]
    columns = columns[model.integral[columns]]
    of = np.full(model.width, -1, dtype=np.int32)
    of[columns] = np.arange(len(columns)) * count // len(columns)
    return Family("bands", tuple(str(number + 1) for number in range(count)), of, ordered=True)
