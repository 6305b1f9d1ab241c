"""The subproblem that remains when some facilities are fixed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matheur.problems.quadratic_assignment.instance import Instance

__all__ = ["Restriction", "restrict"]


@dataclass(frozen=True, eq=False)
class Restriction:
    """A quadratic assignment of k free facilities to k free locations, with linear costs.

    Assigning free facility number i to free location number q[i] has the total cost `constant + sum linear[i, q[i]] +
    sum flows[i, j] * distances[q[i], q[j]]`, which is the objective of the instance.

    Attributes
    ----------
    facilities, locations
        The free facilities and locations, ascending; int64, shape (k,).
    fixed
        Location of each facility, -1 for the free ones; int32, shape (n,).
    constant
        Cost of the fixed facilities among themselves.
    linear
        Cost of each assignment: diagonal terms, linear costs, and its interaction with the fixed facilities; int64,
        shape (k, k).
    flows, distances
        Flows and distances among the free facilities and locations, with zero diagonals; int64, shape (k, k).
    grain
        Grain of the instance, which divides every objective.
    pairs
        Costs of the general form among the free facilities, shape (k, k, k, k); None for the Koopmans-Beckmann form.
    """

    facilities: NDArray[np.int64]
    locations: NDArray[np.int64]
    fixed: NDArray[np.int32]
    constant: int
    linear: NDArray[np.int64]
    flows: NDArray[np.int64]
    distances: NDArray[np.int64]
    grain: int
    pairs: NDArray[np.int64] | None = None

    def cost(self, order: ArrayLike) -> int:
        """Objective of the instance if free facility i goes to free location number `order[i]`."""
        q = np.asarray(order, dtype=np.int64)
        rows = np.arange(len(q))
        own = self.linear[rows, q].sum()
        if self.pairs is not None:
            own += self.pairs[rows[:, None], q[:, None], rows, q].sum()
        return self.constant + int(own + (self.flows * self.distances[np.ix_(q, q)]).sum())

    def complete(self, order: ArrayLike) -> NDArray[np.int32]:
        """The permutation of the whole instance."""
        places = self.fixed.copy()
        places[self.facilities] = self.locations[np.asarray(order, dtype=np.int64)]
        return places

    def order(self, places: NDArray[np.int32]) -> NDArray[np.int64]:
        """Numbers of the free locations that a permutation of the whole instance assigns to the free facilities."""
        return np.searchsorted(self.locations, places[self.facilities])


def restrict(instance: Instance, places: ArrayLike, free: ArrayLike | None = None) -> Restriction:
    """Fix some facilities at their locations.

    Parameters
    ----------
    places
        Location of each facility, shape (n,); -1 if it has none.
    free
        Facilities that are free although they have a location; facilities without a location are always free.

    Raises
    ------
    ValueError
        If two fixed facilities share a location, or a location does not exist.
    """
    n = instance.n
    fixed = np.array(places, dtype=np.int32)
    if fixed.shape != (n,) or (fixed < -1).any() or (fixed >= n).any():
        raise ValueError(f"an instance of size {n} takes {n} locations below {n}, or -1")
    if free is not None:
        fixed[np.asarray(free, dtype=np.int64)] = -1
    staying, facilities = np.flatnonzero(fixed >= 0), np.flatnonzero(fixed < 0)
    taken = fixed[staying]
    if len(np.unique(taken)) < len(taken):
        raise ValueError("two fixed facilities share a location")
    locations = np.setdiff1d(np.arange(n), taken)
    a, b = instance.flows, instance.distances
    constant = instance.constant + int((a[np.ix_(staying, staying)] * b[np.ix_(taken, taken)]).sum())
    if instance.linear is not None:
        constant += int(instance.linear[staying, taken].sum())
    linear = instance.assignments[np.ix_(facilities, locations)]
    linear += a[np.ix_(facilities, staying)] @ b[np.ix_(locations, taken)].T
    linear += a[np.ix_(staying, facilities)].T @ b[np.ix_(taken, locations)]
    flows, distances = a[np.ix_(facilities, facilities)], b[np.ix_(locations, locations)]
    np.fill_diagonal(flows, 0)
    np.fill_diagonal(distances, 0)
    pairs = None
    if instance.pairs is not None:
        c = instance.pairs
        constant += int(c[staying[:, None], taken[:, None], staying, taken].sum())
        linear += c[np.ix_(facilities, locations)][:, :, staying, taken].sum(axis=2)
        linear += c[staying, taken][:, facilities[:, None], locations].sum(axis=0)
        pairs = np.ascontiguousarray(c[np.ix_(facilities, locations, facilities, locations)])
    return Restriction(facilities, locations, fixed, constant, linear, flows, distances, instance.grain, pairs)
