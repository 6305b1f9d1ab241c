"""What rows say of the groups of a family: which ones hold each other, whether they follow each other like periods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from matheur.linear.bands import bands
from matheur.linear.groups import Family, columns_in_order
from matheur.linear.model import LinearModel

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Coupling", "Structure", "best_families", "coupling_of", "neighbours_of"]

_NEAR = 2  # places in the order that a row of a time-like family may span
_OFFERED = 3
_COVERED = 0.3  # least part of the integer columns that a useful family has in its groups
_ENOUGH = 2.0  # least integer columns in a group, on average
_DENSE = 0.3  # rows through a larger part of the groups say nothing about which of them belong together
_MANY = 100  # nor do those through more groups than that


@dataclass(frozen=True, slots=True)
class Coupling:
    """How rows run through a family.

    Attributes
    ----------
    inside
        Rows whose columns are all of one group, those of no group apart.
    across
        Rows with columns of several groups.
    near
        Rows across that span a few consecutive groups only.
    integers
        Integer columns that are in a group.
    """

    inside: int
    across: int
    near: int
    integers: int

    def time_like(self, family: Family) -> bool:
        """Whether the groups follow each other, as periods do: they have an order, and most rows across keep to it."""
        return family.ordered and 2 * self.near > self.across


@dataclass(frozen=True, eq=False)
class Structure:
    """A family of a model, with what rows say of it.

    Attributes
    ----------
    model
        The model.
    family
        The family.
    """

    model: LinearModel
    family: Family

    @cached_property
    def time_like(self) -> bool:
        """Whether the groups follow each other, see `Coupling.time_like`."""
        return coupling_of(self.model, self.family).time_like(self.family)

    @cached_property
    def neighbours(self) -> csr_array:
        """How many rows each two groups share, see `neighbours_of`."""
        return neighbours_of(self.model, self.family)


def coupling_of(model: LinearModel, family: Family) -> Coupling:
    """Count the rows inside of groups and across them."""
    lowest, highest = _ends(model, family)
    used = highest >= 0
    span = (highest - lowest)[used]
    return Coupling(
        inside=int(np.count_nonzero(span == 0)),
        across=int(np.count_nonzero(span)),
        near=int(np.count_nonzero((span > 0) & (span <= min(_NEAR, (len(family.values) - 1) // 2)))),
        integers=int(np.count_nonzero(family.of[model.integral] >= 0)),
    )


def _ends(model: LinearModel, family: Family) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last group of each row; -1 as the last one of rows without any."""
    group = family.of[model.columns].astype(np.int64)
    owner = model.rows
    known = group >= 0
    lowest = np.full(model.height, len(family.values), dtype=np.int64)
    highest = np.full(model.height, -1, dtype=np.int64)
    np.minimum.at(lowest, owner[known], group[known])
    np.maximum.at(highest, owner[known], group[known])
    return lowest, highest


def neighbours_of(model: LinearModel, family: Family) -> csr_array:
    """How many rows each two groups share; rows through a large part of the groups do not count."""
    from scipy.sparse import csr_array  # here and where else it is needed: a plain solve starts without it

    count = len(family.values)
    known = family.of[model.columns] >= 0
    owner = model.rows[known]
    entries = (np.ones(len(owner), dtype=np.float64), (owner, family.of[model.columns][known]))
    through = csr_array(entries, shape=(model.height, count))
    through.data[:] = 1.0  # a row is through a group or not, with however many columns
    groups = np.diff(through.indptr)
    through = through[(groups > 1) & (groups <= max(_NEAR, min(_MANY, _DENSE * count)))]
    return csr_array(through.T @ through)


def best_families(model: LinearModel, families: Sequence[Family]) -> tuple[Family, ...]:
    """The families that promise most, for those who declare none: up to three.

    They have integer columns, several in each group, and many rows that stay inside of groups. If there are none, they
    are bands of columns that share rows; of a small model each integer column is a group, in the order of the model.
    """
    integers = max(1, int(model.integral.sum()))
    rated = []
    for number, family in enumerate(families):
        found = coupling_of(model, family)
        if found.integers < _COVERED * integers or found.integers < _ENOUGH * len(family.values):
            continue
        inside = found.inside / max(1, found.inside + found.across)
        rated.append((-found.integers / integers * (1 + inside), number))
    best = tuple(families[number] for _, number in sorted(rated)[:_OFFERED])
    if best:
        return best
    near = bands(model)
    return (columns_in_order(model.integral) if near is None else near,)
