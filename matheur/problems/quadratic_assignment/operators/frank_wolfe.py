"""The fast approximate quadratic assignment of SciPy, reproduced step by step in slices of about 10 ms.

From 1,000 facilities on, one linear assignment of SciPy takes seconds and cannot be interrupted.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.quadratic_assignment.operators.linear_assignment_kernels import assign_rows

__all__ = ["TOLERANCE", "linear_assignment", "quadratic_assignment"]

Matrix = NDArray[np.float64]

TOLERANCE = 0.03  # SciPy's
_STOCHASTIC, _ROUNDS = 1e-3, 1000  # tolerance of the row and column sums of a random start, and rounds to reach it
_PIECE = 10_000_000  # steps of the kernel between two checks of the clock
_WHOLE, _ROWS = 1000, 256  # rows of a matrix product computed at once, and block size for larger ones


def quadratic_assignment(
    flows: Matrix,
    distances: Matrix,
    costs: Matrix | None = None,
    *,
    steps: int,
    rng: Generator | None = None,
    start: Matrix | None = None,
    tolerance: float = TOLERANCE,
) -> tuple[NDArray[np.int64], int]:
    """Frank-Wolfe steps on the doubly stochastic matrices (Vogelstein et al. 2015), then a permutation.

    Meant to be called under a watch (`Budget.watched`).

    Parameters
    ----------
    flows, distances
        Shape (n, n).
    costs
        Linear costs, shape (n, n); None if there are none.
    steps
        Largest number of Frank-Wolfe steps.
    rng
        For a random start halfway to the barycentre; None for the barycentre.
    start
        A doubly stochastic matrix to start from instead.
    tolerance
        Stop when a step changes the matrix by less (root mean square per row).

    Returns
    -------
    places, steps
        The location of each facility, and steps made.
    """
    n = len(flows)
    here = np.ones((n, n)) / n
    if rng is not None:
        here = (here + _doubly_stochastic(rng.uniform(size=(n, n)))) / 2
    if start is not None:
        here = start
    done = 0
    while done < steps:
        done += 1
        gradient = _product(_product(flows, here), distances.T) + _product(_product(flows.T, here), distances)
        if costs is not None:
            gradient += costs
        columns = linear_assignment(gradient)
        corner = np.eye(n)[columns]
        way = here - corner
        first, second = _product(flows.T, way), _product(distances, way.T)
        linear = (first * distances.T[columns]).sum() + (flows * second[columns]).sum()
        if costs is not None:
            linear += (costs * way).sum()
        square = (first.T * second).sum()
        inside = square > 0 and 0 <= -linear / (2 * square) <= 1
        part = -linear / (2 * square) if inside else np.argmin([0, linear + square])
        there = part * here + (1 - part) * corner
        near = np.linalg.norm(here - there) / np.sqrt(n) < tolerance
        here = there
        if near:
            break
    return linear_assignment(-here), done


def linear_assignment(cost: Matrix) -> NDArray[np.int64]:
    """The column of each row in a minimum-cost perfect matching, the same one as SciPy's `linear_sum_assignment`.

    Examples
    --------
    >>> linear_assignment(np.array([[4.0, 1.0], [2.0, 3.0]])).tolist()
    [1, 0]
    """
    n = len(cost)
    cost = np.ascontiguousarray(cost)
    u, v, reach = np.zeros(n), np.zeros(n), np.empty(n)
    path, column_of, row_of = (np.full(n, -1, dtype=np.int64) for _ in range(3))
    rows, columns, remaining = np.empty(n, dtype=np.bool_), np.empty(n, dtype=np.bool_), np.empty(n, dtype=np.int64)
    size = max(1, _PIECE // (n * n))
    for first in range(0, n, size):
        last = min(n, first + size)
        assign_rows(first, last, cost, u, v, path, column_of, row_of, reach, rows, columns, remaining)
    return column_of


def _product(left: Matrix, right: Matrix) -> Matrix:
    """The matrix product, in blocks of rows if it is large; blocks are rounded differently."""
    if len(left) < _WHOLE:
        return left @ right
    return np.concatenate([left[at : at + _ROWS] @ right for at in range(0, len(left), _ROWS)])


def _doubly_stochastic(matrix: Matrix) -> Matrix:
    """Rows and columns scaled until their sums are near 1 (Sinkhorn and Knopp 1967)."""
    columns = 1 / matrix.sum(axis=0)
    rows = 1 / (matrix @ columns)
    scaled = matrix
    for _ in range(_ROUNDS):
        if all((np.abs(scaled.sum(axis=axis) - 1) < _STOCHASTIC).all() for axis in (1, 0)):
            break
        columns = 1 / (rows @ matrix)
        rows = 1 / (matrix @ columns)
        scaled = rows[:, None] * matrix * columns
    return scaled
