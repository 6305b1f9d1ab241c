"""The instance as given in a file: fixed facilities, more locations than facilities, and their reduction to the core.

Dummy facilities without flows and costs are added until there is one facility for each location; they take the
remaining locations at no cost. Fixed facilities are removed: their interaction with the others becomes linear costs,
and their interaction with each other a constant. Both reductions are exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from matheur.problems.quadratic_assignment.instance import GENERAL_MAX, MAGNITUDE_MAX, Instance, whole_numbers
from matheur.problems.quadratic_assignment.restriction import Restriction, restrict

__all__ = ["Given", "assemble"]

_NONE: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Given:
    """An instance as given, and its relation to the core that operators work on.

    Attributes
    ----------
    flows, distances, linear, pairs, decimals
        As in `Instance`, but with m facilities on n locations: shapes (m, m), (n, n), (m, n), (m, n, m, n).
    fixed
        Location of each fixed facility, both from 0.
    restriction
        The instance with facilities added and the fixed ones removed.
    """

    flows: NDArray[np.int64]
    distances: NDArray[np.int64]
    linear: NDArray[np.int64] | None
    pairs: NDArray[np.int64] | None
    decimals: tuple[int, int]
    fixed: Mapping[int, int]
    restriction: Restriction

    @property
    def facilities(self) -> int:
        """Number of facilities, without the added ones."""
        return len(self.flows)

    @property
    def locations(self) -> int:
        """Number of locations."""
        return len(self.distances)

    def places(self, permutation: NDArray[np.int32]) -> NDArray[np.int32]:
        """The location of each facility; the row is not checked to be a permutation of the core."""
        return self.restriction.complete(permutation)[: self.facilities]

    def permutation(self, places: NDArray[np.int32]) -> NDArray[np.int32] | None:
        """The permutation of the core that corresponds to a list of locations; None if it moves a fixed facility.

        The added facilities take the remaining locations in ascending order. If two facilities share a location, this
        is kept so that `evaluate` reports it.
        """
        one = self.restriction
        if any(places[facility] != location for facility, location in self.fixed.items()):
            return None
        number = np.full(self.locations, -1)
        number[one.locations] = np.arange(len(one.locations))
        real = one.facilities[one.facilities < self.facilities]
        found = np.full(len(one.facilities), -1, dtype=np.int32)
        found[: len(real)] = number[places[real]]
        if (found[: len(real)] < 0).any():
            return None
        left = np.setdiff1d(np.arange(len(found)), found[: len(real)])
        found[len(real) :] = left[: len(found) - len(real)]
        return found


def assemble(
    flows: NDArray[np.int64],
    distances: NDArray[np.int64],
    name: str = "",
    decimals: tuple[int, int] = (0, 0),
    *,
    linear: NDArray[np.int64] | None = None,
    pairs: NDArray[np.int64] | None = None,
    fixed: Mapping[int, int] = _NONE,
) -> Instance:
    """An instance with linear costs, fixed facilities, or more locations than facilities.

    Parameters
    ----------
    flows, distances
        Shapes (m, m) and (n, n), m <= n; zeros for the general form.
    linear
        Cost of each facility on each location, in units of the objective; shape (m, n).
    pairs
        Costs of the general form, shape (m, n, m, n), see `Instance`. Entries with i = j and k = l are added to the
        linear costs; entries that no permutation can incur are dropped.
    fixed
        Location of each fixed facility, both from 0.

    Raises
    ------
    ValueError
        If shapes do not agree, numbers are not integers, there are more facilities than locations, or two facilities
        are fixed on one location.
    """
    flows, distances = whole_numbers(flows), whole_numbers(distances)
    linear = None if linear is None else whole_numbers(linear)
    pairs = None if pairs is None else whole_numbers(pairs)
    m, n = len(flows), len(distances)
    _check(flows, distances, linear, pairs, fixed)
    if pairs is not None:
        linear, pairs = _split(linear, pairs)
    plain = m == n and not fixed
    if plain:
        return Instance(flows, distances, name, decimals, linear, 0, pairs)
    large = np.zeros((n, n), dtype=np.int64)
    large[:m, :m] = flows
    costs, table = None, None
    if linear is not None:
        costs = np.zeros((n, n), dtype=np.int64)
        costs[:m] = linear
    if pairs is not None:
        table = np.zeros((n, n, n, n), dtype=np.int64)
        table[:m, :, :m] = pairs
    padded = Instance(large, distances, name, decimals, costs, 0, table)
    places = np.full(n, -1)
    staying = dict(sorted(fixed.items()))
    if len(staying) == n:  # at least one facility must be free; it has one location left
        staying.popitem()
    places[list(staying)] = list(staying.values())
    one = restrict(padded, places)
    core = Given(flows, distances, linear, pairs, decimals, dict(fixed), one)
    if not staying:
        return Instance(large, distances, name, decimals, costs, 0, table, core)
    return Instance(one.flows, one.distances, name, decimals, one.linear, one.constant, one.pairs, core)


def _check(
    flows: NDArray[np.int64],
    distances: NDArray[np.int64],
    linear: NDArray[np.int64] | None,
    pairs: NDArray[np.int64] | None,
    fixed: Mapping[int, int],
) -> None:
    m, n = len(flows), len(distances)
    if flows.shape != (m, m) or distances.shape != (n, n) or not m:
        raise ValueError(f"flows {flows.shape} and distances {distances.shape} must be square")
    if m > n:
        raise ValueError(f"more facilities than locations ({m} and {n})")
    if linear is not None and linear.shape != (m, n):
        raise ValueError(
            f"linear costs of {m} facilities on {n} locations must be a table of that shape, not {linear.shape}"
        )
    if pairs is not None:
        if pairs.shape != (m, n, m, n):
            raise ValueError(f"costs of {m} facilities on {n} locations have the shape (m, n, m, n) ({pairs.shape})")
        if n > GENERAL_MAX:
            raise ValueError(f"the general form takes up to {GENERAL_MAX} locations ({n})")
    for facility, location in fixed.items():
        if not (0 <= facility < m and 0 <= location < n):
            raise ValueError(f"facility {facility + 1} is fixed on location {location + 1}, which do not both exist")
    if len(set(fixed.values())) < len(fixed):
        twice = next(one for one in fixed.values() if list(fixed.values()).count(one) > 1)
        raise ValueError(f"two facilities are fixed on location {twice + 1}")


def _split(
    linear: NDArray[np.int64] | None, pairs: NDArray[np.int64]
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
    """Linear costs plus those contained in the table, and the table with the costs of pairs only."""
    m, n = pairs.shape[:2]
    i, k = np.indices((m, n))
    own = pairs[i, k, i, k]
    table = pairs.copy()
    table[np.arange(m), :, np.arange(m)] = 0
    table[:, np.arange(n), :, np.arange(n)] = 0
    if own.any():
        if linear is not None and (abs(linear.astype(np.float64)) + abs(own.astype(np.float64))).max() >= MAGNITUDE_MAX:
            raise ValueError("the numbers are so large that a sum could overflow")
        linear = own if linear is None else linear + own
    return linear, table
