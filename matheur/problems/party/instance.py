"""A party building puzzle: choose an item for every slot of a formation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.catalogue import UNBUYABLE, Catalogue
from matheur.problems.party.constraints import Constraint, SumConstraint
from matheur.problems.party.synergy import Points, Synergy, points_of

__all__ = ["OBJECTIVES", "Instance", "Objective"]

Objective: TypeAlias = Literal["price", "synergy"]

OBJECTIVES: tuple[Objective, ...] = ("price", "synergy")


@dataclass(frozen=True, eq=False)
class Instance:
    """Slots, items and demands (Party Building Puzzle: see the documentation of the format).

    Attributes
    ----------
    catalogue
        The items.
    slots
        Names of the slots, in the order of solutions.
    fits
        Whether an item may stand in a slot by its position. Shape (slots, items), bool.
    edges
        Pairs of neighbouring slots, each once, lower number first. Shape (edges, 2), int32.
    synergy
        What the synergy is made of and how much is demanded, or None.
    constraints
        All must hold.
    fixed
        Slot number -> the item that must be there.
    excluded
        Items that must not be used.
    name
        For people.
    objective
        What is wanted of a party that meets all demands: the least `price`, or the greatest `synergy`.
    """

    catalogue: Catalogue
    slots: tuple[str, ...]
    fits: NDArray[np.bool_]
    edges: NDArray[np.int32]
    synergy: Synergy | None = None
    constraints: tuple[Constraint, ...] = ()
    fixed: Mapping[int, int] = field(default_factory=dict)
    excluded: frozenset[int] = frozenset()
    name: str = ""
    objective: Objective = "price"

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """Items that some solution could use as far as price, exclusion and missing numbers tell. Shape (items,)."""
        usable = self.catalogue.prices != UNBUYABLE
        usable[list(self.excluded)] = False
        for constraint in self.constraints:
            if isinstance(constraint, SumConstraint):
                usable &= ~self.catalogue.measures[constraint.column].missing
        return usable

    @cached_property
    def candidates(self) -> tuple[NDArray[np.int32], ...]:
        """For each slot the items that may stand there, ascending; a fixed slot has its item or nothing."""
        found = []
        elsewhere = {item: slot for slot, item in self.fixed.items()}
        for slot in range(len(self.slots)):
            items = np.flatnonzero(self.fits[slot] & self.usable).astype(np.int32)
            if slot in self.fixed:
                items = items[items == self.fixed[slot]]
            elif elsewhere:
                items = items[~np.isin(items, list(elsewhere))]
            found.append(items)
        return tuple(found)

    @cached_property
    def points(self) -> Points | None:
        """The synergy in whole numbers; None without synergy, or without edges (then it is 1)."""
        if self.synergy is None or not len(self.edges):
            return None
        return points_of(self.synergy, self.catalogue, len(self.edges))

    @property
    def priced(self) -> Instance:
        """The same puzzle with the price as its objective."""
        return self if self.objective == "price" else replace(self, objective="price")
