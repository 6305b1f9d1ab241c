"""A quadratic assignment problem: facilities on locations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matheur.errors import ConfigurationError

if TYPE_CHECKING:
    from matheur.problems.quadratic_assignment.given import Given

__all__ = ["GENERAL_MAX", "MAGNITUDE_MAX", "Instance", "flows_only", "total_cost", "whole_numbers"]

GENERAL_MAX = 30
"""Largest n of the general form, whose table has n**4 numbers."""

MAGNITUDE_MAX = 1 << 60
"""Sum over all pairs of |flow| times the largest |distance| (or the other way round) must stay below this."""

_SAFE = MAGNITUDE_MAX / 2  # above this, a floating-point estimate is not trusted


@dataclass(frozen=True, eq=False)
class Instance:
    """Place n facilities on n locations so that the sum of flow times distance is least (Koopmans, Beckmann 1957).

    This is the form that operators work on: all facilities are free, and there are as many facilities as locations. An
    instance with fixed facilities, or with more locations than facilities, is reduced to it exactly (`given`).

    Attributes
    ----------
    flows
        First matrix of the file, a[i, j] from facility i to j; any integers, not necessarily symmetric. Shape (n, n),
        int64.
    distances
        Second matrix, b[k, l] from location k to l. Shape (n, n), int64.
    name
        Name shown to users.
    decimals
        Number of decimals by which the flows and the distances of the file were scaled to integers: the objective is in
        units of 1 / 10**(sum of both).
    linear
        Cost of facility i on location k, in units of the objective; shape (n, n), int64. None if there are no such
        costs.
    constant
        Constant added to the cost of every permutation.
    pairs
        The general form (Lawler 1963): c[i, k, j, l] is the joint cost of facility i on location k and facility j on
        location l, in addition to the linear costs; flows and distances are 0. Entries with i = j or k = l are 0, since
        they are linear costs or never incurred. Shape (n, n, n, n), int64, n up to `GENERAL_MAX`. None for the
        Koopmans-Beckmann form.
    given
        The instance as given in the file, if it differs from this form.

    Raises
    ------
    ValueError
        If the matrices are not square and of the same size, do not hold whole numbers, or hold numbers so large that a
        sum could overflow.
    """

    flows: NDArray[np.int64]
    distances: NDArray[np.int64]
    name: str = ""
    decimals: tuple[int, int] = (0, 0)
    linear: NDArray[np.int64] | None = None
    constant: int = 0
    pairs: NDArray[np.int64] | None = None
    given: Given | None = None

    def __post_init__(self) -> None:
        for name in ("flows", "distances", "linear", "pairs"):
            table = getattr(self, name)
            if table is not None:
                object.__setattr__(self, name, whole_numbers(table))
        shape = self.flows.shape
        if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0 or self.distances.shape != shape:
            raise ValueError(f"flows {shape} and distances {self.distances.shape} must be square and of one size")
        if self.linear is not None and self.linear.shape != shape:
            raise ValueError(f"linear costs {self.linear.shape} must have the shape of the flows {shape}")
        if self.pairs is not None and (self.pairs.shape != shape + shape or self.n > GENERAL_MAX):
            raise ValueError(
                f"the general form takes costs of shape (n, n, n, n), n up to {GENERAL_MAX} ({self.pairs.shape})"
            )
        if self._worst(float) >= _SAFE:
            worst = self._worst(object)
            if worst >= MAGNITUDE_MAX:
                raise ValueError(f"the numbers are so large that a sum could overflow ({worst})")

    @property
    def n(self) -> int:
        """Number of facilities and of locations."""
        return len(self.flows)

    def _worst(self, exact: type) -> float:
        """Upper limit on the magnitude of any objective, in floating point or (with `object`) in exact integers."""
        worst = _worst(self.flows, self.distances, exact) + abs(self.constant)
        for table in (self.linear, self.pairs):
            if table is not None:
                worst += abs(table.astype(exact)).sum()
        return worst

    def cost(self, places: NDArray[Any]) -> int:
        """The objective of a permutation, or of any list of locations, one for each facility."""
        return self.constant + total_cost(self, places)

    @property
    def assignments(self) -> NDArray[np.int64]:
        """Cost of facility i on location k by itself: linear costs, and flow to itself; shape (n, n), a new array."""
        own = np.outer(np.diagonal(self.flows), np.diagonal(self.distances))
        return own if self.linear is None else own + self.linear

    @cached_property
    def symmetric(self) -> bool:
        """Whether both matrices are symmetric."""
        return bool((self.flows == self.flows.T).all() and (self.distances == self.distances.T).all())

    @cached_property
    def grain(self) -> int:
        """A number (at least 1) that divides every objective, such as 2 for symmetric matrices without linear costs."""
        common = int(np.gcd.reduce(self.flows, axis=None)) * int(np.gcd.reduce(self.distances, axis=None))
        pairs = not (np.diagonal(self.flows).any() and np.diagonal(self.distances).any())
        grain = 2 * common if self.symmetric and pairs else common
        for table in (self.linear, self.pairs):
            if table is not None:
                grain = math.gcd(grain, int(np.gcd.reduce(table, axis=None)))
        return max(1, math.gcd(grain, self.constant))


def whole_numbers(table: ArrayLike) -> NDArray[np.int64]:
    """The table as int64, so that no product overflows unnoticed.

    Raises
    ------
    ValueError
        If it holds other numbers than integers of at most 64 bits.
    """
    found = np.asarray(table)
    if found.size and not np.can_cast(found.dtype, np.int64):
        raise ValueError(f"costs are tables of whole numbers of at most 64 bits (one has the type {found.dtype})")
    return found.astype(np.int64, copy=False)


def _worst(flows: NDArray[np.int64], distances: NDArray[np.int64], exact: type) -> float:
    """Upper limit on the magnitude of any sum of products, in floating point or (with `object`) in exact integers."""
    a: NDArray[Any] = abs(flows.astype(exact))
    b: NDArray[Any] = abs(distances.astype(exact))
    return min(a.sum() * b.max(), b.sum() * a.max())


def total_cost(one: Instance | Given, places: NDArray[Any]) -> int:
    """Cost of a list of locations, one for each facility, without the constant."""
    rows = np.arange(len(places))
    if one.pairs is None:
        total = int((one.flows * one.distances[np.ix_(places, places)]).sum())
    else:
        total = int(one.pairs[rows[:, None], places[:, None], rows, places].sum())
    return total if one.linear is None else total + int(one.linear[rows, places].sum())


def flows_only(instance: Instance, operator: str) -> None:
    """Refuse the general form.

    Raises
    ------
    ConfigurationError
        If the instance is in the general form.
    """
    if instance.pairs is not None:
        raise ConfigurationError(
            f"'{operator}' needs flows and distances; this instance has the general form. Maybe 'genetic', "
            "'robust-tabu' or 'branch-and-bound'?"
        )
