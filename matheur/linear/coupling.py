"""Coupling of groups of a family by rows: which groups share rows, and whether they follow each other like periods."""

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

_NEAR = 2  # consecutive groups that a row of a time-like family may span
_OFFERED = 3
_COVERED = 0.3  # least share of the integer columns that a useful family has in its groups
_ENOUGH = 2.0  # least integer columns in a group, on average
_DENSE = 0.3  # rows through a larger share of the groups say nothing about which of them belong together
_MANY = 100  # nor do rows through more groups than this


@dataclass(frozen=True, slots=True)
class Coupling:
    """Counts of the rows within and across the groups of a family.

    Attributes
    ----------
    inside
        Number of rows whose columns are all in one group, apart from columns of no group.
    across
        Number of rows with columns of several groups.
    near
        Number of those rows that span only a few consecutive groups.
    integers
        Number of integer columns that are in a group.
    """

    inside: int
    across: int
    near: int
    integers: int

    def time_like(self, family: Family) -> bool:
        """Whether groups follow each other like periods: they have an order, and most rows across are local in it."""
        return family.ordered and 2 * self.near > self.across


@dataclass(frozen=True, eq=False)
class Structure:
    """A family of a model, with its coupling by rows.

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
        """Number of rows that each pair of groups shares, see `neighbours_of`."""
        return neighbours_of(self.model, self.family)


def coupling_of(model: LinearModel, family: Family) -> Coupling:
    """Count the rows inside groups and across them."""
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
    """The first and the last group of each row; the last one is -1 for rows without groups."""
    group = family.of[model.columns].astype(np.int64)
    owner = model.rows
    known = group >= 0
    lowest = np.full(model.height, len(family.values), dtype=np.int64)
    highest = np.full(model.height, -1, dtype=np.int64)
    np.minimum.at(lowest, owner[known], group[known])
    np.maximum.at(highest, owner[known], group[known])
    return lowest, highest


def neighbours_of(model: LinearModel, family: Family) -> csr_array:
    """Number of rows that each pair of groups shares; rows through a large share of the groups do not count."""
    from scipy.sparse import csr_array  # imported where needed: a plain solve starts without it

    count = len(family.values)
    known = family.of[model.columns] >= 0
    owner = model.rows[known]
    entries = (np.ones(len(owner), dtype=np.float64), (owner, family.of[model.columns][known]))
    through = csr_array(entries, shape=(model.height, count))
    through.data[:] = 1.0  # a row counts once per group, whatever its number of columns there
    groups = np.diff(through.indptr)
    through = through[(groups > 1) & (groups <= max(_NEAR, min(_MANY, _DENSE * count)))]
    return csr_array(through.T @ through)


def best_families(model: LinearModel, families: Sequence[Family]) -> tuple[Family, ...]:
    """Up to three of the most promising families, used if the user declares none.

    They have integer columns, several in each group, and many rows inside groups. If there is no such family, the
    result is bands of columns that share rows; in a small model each integer column is a group, in the order of the
    model.
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
