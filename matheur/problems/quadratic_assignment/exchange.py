"""Cost change of exchanging two facilities, for all pairs at once, and steepest descent over these exchanges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.quadratic_assignment.instance import Instance

__all__ = ["descend", "exchanges"]

Matrix = NDArray[np.int64]


def exchanges(flows: Matrix, distances: Matrix) -> Matrix:
    """Change of the cost if facilities r and s change places, shape (n, n); any integers, diagonals included.

    Parameters
    ----------
    flows
        Flow of each pair of facilities.
    distances
        Distances between the current locations: row i belongs to the location of facility i.

    Notes
    -----
    Two matrix products, O(n**3) for all pairs.
    """
    a, b = flows, distances
    whole = a.T @ b + a @ b.T
    own, da, db = np.diagonal(whole), np.diagonal(a)[:, None], np.diagonal(b)[:, None]
    change = whole + whole.T - own - own[:, None]
    # The sums above run over all third facilities; r and s themselves are excluded.
    at_r = (da - a) * (b - db) + (da - a.T) * (b.T - db)
    change -= at_r + at_r.T
    return change + (da - da.T) * (db.T - db) + (a - a.T) * (b.T - b)


def descend(instance: Instance, places: NDArray[np.int32], moves: int) -> NDArray[np.int32]:
    """Make the best exchange of two facilities until none improves or `moves` are made; return a new permutation."""
    places = places.copy()
    for _ in range(moves):
        change = exchanges(instance.flows, instance.distances[np.ix_(places, places)])
        one, other = divmod(int(change.argmin()), instance.n)
        if change[one, other] >= 0:
            break
        places[[one, other]] = places[[other, one]]
    return places
