"""The bound of Gilmore (1962) and Lawler (1963), exact for any integers.

Let facility i be on location k. In any permutation its flows a[i, j] (j != i) are matched one to one with its distances
b[k, l] (l != k), so they cost at least the *minimal scalar product*: one list in ascending, the other in descending
order. These costs form an n x n matrix, and its cheapest assignment is a lower bound. The argument needs neither
symmetry nor non-negative numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.problems.quadratic_assignment.instance import Instance

__all__ = ["assignment_bound", "gilmore_lawler", "pair_costs"]

_EXACT = 1 << 53  # integers of smaller magnitude are exact in floating point
_ASSIGNED_MAX = 800  # facilities; the assignment of more of them takes seconds
_ROWS = 256  # rows of a matrix product computed at a time

Matrix = NDArray[np.int64]


def gilmore_lawler(instance: Instance) -> int:
    """A lower bound of the objective, rounded up to the grain of the instance.

    For more than 800 facilities, the sum of the row minima or of the column minima replaces the assignment: weaker than
    the full bound, but fast.

    For an asymmetric instance, the transposed matrices also give a bound and, if one of the two matrices is symmetric,
    so does the sum of the other one and its transpose; the best bound is returned.
    """
    flows, distances, single = instance.flows, instance.distances, instance.assignments
    if instance.pairs is not None:
        found = [assignment_bound(single + _general_costs(instance.pairs))]
    else:
        found = [_bound(flows, distances, single)]
    if instance.pairs is None and not instance.symmetric:
        found.append(_bound(flows.T, distances.T, single))
        largest = max(_largest(flows), _largest(distances), _largest(single))
        if largest < 1 << 61 and _reach(flows, distances) < 1 << 61:
            if (distances == distances.T).all():
                found.append(-(-_bound(flows + flows.T, distances, 2 * single) // 2))
            if (flows == flows.T).all():
                found.append(-(-_bound(flows, distances + distances.T, 2 * single) // 2))
    return -(-(max(found) + instance.constant) // instance.grain) * instance.grain


def pair_costs(flows: Matrix, distances: Matrix) -> Matrix:
    """The least that the flows of facility i (without the one to itself) can cost on location k, shape (n, n)."""
    n = len(flows)
    if n == 1:
        return np.zeros((1, 1), dtype=np.int64)
    off = ~np.eye(n, dtype=bool)
    ascending = np.sort(flows[off].reshape(n, n - 1), axis=1)
    descending = np.sort(distances[off].reshape(n, n - 1), axis=1)[:, ::-1]
    if n * _largest(flows) * _largest(distances) < _EXACT:
        return _product(ascending.astype(np.float64), descending.astype(np.float64).T).astype(np.int64)
    return _product(ascending, descending.T)


def _product(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """The matrix product in blocks of rows; it can be stopped between blocks. All sums are exact."""
    return np.concatenate([left[at : at + _ROWS] @ right for at in range(0, len(left), _ROWS)])


def assignment_bound(costs: Matrix) -> int:
    """The cost of the cheapest assignment, or slightly less if the numbers are too large for floating point."""
    from scipy.optimize import linear_sum_assignment  # late: recognising a file does not need scipy

    n = len(costs)
    least = costs.min(axis=1)
    base, spread = sum(least.tolist()), max(costs.max(axis=1).tolist()) - min(least.tolist())
    # Path lengths and potentials of the solver stay below n times the spread of its matrix.
    shift = max(0, (2 * n * spread).bit_length() - 53)
    raised = (costs.astype(object) - least.astype(object)[:, None]) >> shift if spread >= 1 << 62 else None
    scaled = ((costs - least[:, None]) >> shift if raised is None else raised).astype(np.int64)
    rows, columns = linear_sum_assignment(scaled)
    return base + (sum(scaled[rows, columns].tolist()) << shift)


def _general_costs(pairs: Matrix) -> Matrix:
    """The least that the pairs of facility i on location k can cost in the general form, shape (n, n)."""
    n = len(pairs)
    if n == 1:
        return np.zeros((1, 1), dtype=np.int64)
    others = [np.delete(np.arange(n), one) for one in range(n)]
    return np.array(
        [[assignment_bound(pairs[i, k][np.ix_(others[i], others[k])]) for k in range(n)] for i in range(n)],
        dtype=np.int64,
    )


def _bound(flows: Matrix, distances: Matrix, single: Matrix) -> int:
    """The Gilmore-Lawler bound, including the costs of single assignments."""
    costs = single + pair_costs(flows, distances)
    if len(costs) <= _ASSIGNED_MAX:
        return assignment_bound(costs)
    return max(sum(costs.min(axis=axis).tolist()) for axis in range(2))


def _largest(matrix: Matrix) -> int:
    return max(abs(int(matrix.min())), abs(int(matrix.max())))


def _reach(flows: Matrix, distances: Matrix) -> int:
    """Upper limit on the magnitude of any bound computed from the two matrices."""
    return 2 * len(flows) ** 2 * _largest(flows) * _largest(distances)
