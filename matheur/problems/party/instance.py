"""A party building puzzle: choose an item for every slot of a formation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from matheur.errors import nearest
from matheur.problems.party.catalogue import UNBUYABLE, Catalogue
from matheur.problems.party.constraints import ChemistryConstraint, Constraint, measures_of, slots_of
from matheur.problems.party.rules import is_rule
from matheur.problems.party.synergy import Points, Synergy, points_of

__all__ = ["OBJECTIVES", "Instance", "Objective"]

Objective: TypeAlias = Literal["price", "synergy", "chemistry", "total"]

OBJECTIVES: tuple[Objective, ...] = ("price", "synergy", "chemistry")
"""Objectives that have a name in a file; a total is given by its column."""


@dataclass(frozen=True, eq=False)
class Instance:
    """Slots, items and demands (Party Building Puzzle: see the documentation of the format).

    Attributes
    ----------
    catalogue
        The items.
    slots
        Names of the slots, in the order of the entries of a solution.
    fits
        Whether an item fits a slot by its position. Shape (slots, items), bool.
    edges
        Pairs of neighbouring slots, each once, lower number first. Shape (edges, 2), int32.
    synergy
        Terms of the synergy and its demanded minimum, or None.
    constraints
        Constraints, all of which must hold.
    fixed
        Fixed items, slot number -> item number.
    excluded
        Items that must not be used.
    name
        Display name.
    objective
        Objective: minimise the `price`, or maximise the `synergy`, the `chemistry` or the `total` of a measure. For
        `chemistry`, exactly one constraint defines it.
    maximised
        Measure whose total is maximised; empty for the other objectives. An item without the number cannot be chosen.
    plays
        Whether an item is in position in a slot; only then it takes part in the chemistry. Shape (slots, items), bool;
        None if every item is in position wherever it fits.
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
    maximised: str = ""
    plays: NDArray[np.bool_] | None = None

    @property
    def additive(self) -> bool:
        """Whether the objective is a sum over the items, see `costs`."""
        return self.objective in ("price", "total")

    @property
    def chemistry(self) -> ChemistryConstraint:
        """Constraint whose points are maximised, if the chemistry is the objective."""
        return next(one for one in self.constraints if isinstance(one, ChemistryConstraint))

    @property
    def points_top(self) -> int:
        """Upper limit of the points of a party, if the objective is the synergy or the chemistry."""
        if self.objective == "chemistry":
            return self.chemistry.most * len(slots_of(self.chemistry, len(self.slots)))
        return 0 if self.points is None else self.points.unit

    @cached_property
    def plain(self) -> bool:
        """Whether every constraint is a sum or counts items or values, and covers all slots."""
        return not any(is_rule(one) or one.scope is not None for one in self.constraints)

    @cached_property
    def in_position(self) -> NDArray[np.bool_]:
        """Whether an item is in position in a slot, for slots with a chemistry constraint. Shape (slots, items)."""
        if self.plays is None:
            return self.fits
        asked = np.zeros((len(self.slots), 1), dtype=np.bool_)
        for one in self.constraints:
            if isinstance(one, ChemistryConstraint):
                asked[list(slots_of(one, len(self.slots)))] = True
        return self.fits & (self.plays | ~asked)

    @cached_property
    def costs(self) -> NDArray[np.int64]:
        """Contribution of each item to the objective: its price, or the best maximised amount minus its own.

        `UNBUYABLE` for an item without a price or without this number. Shape (items,), int64.
        """
        if self.objective != "total":
            return self.catalogue.prices
        measure = self.catalogue.measures[self.maximised]
        has = (self.catalogue.prices != UNBUYABLE) & ~measure.missing
        return np.where(has, self.total_top - measure.amounts, UNBUYABLE)

    @cached_property
    def total_top(self) -> int:
        """Largest amount of the maximised measure among all items."""
        measure = self.catalogue.measures[self.maximised]
        return int(measure.amounts[~measure.missing].max(initial=0))

    def usable(self, slot: int) -> NDArray[np.bool_]:
        """Whether a slot could use each item, judged by price, exclusion and missing numbers only. Shape (items,)."""
        usable = self._buyable
        for constraint in self.constraints:
            if constraint.scope is not None and slot in constraint.scope.slots:
                for column in measures_of(constraint):
                    usable = usable & ~self.catalogue.measures[column].missing
        return usable

    @cached_property
    def _buyable(self) -> NDArray[np.bool_]:
        """Whether any slot could use each item, by the same criteria."""
        buyable = self.costs != UNBUYABLE
        buyable[list(self.excluded)] = False
        for constraint in self.constraints:
            if constraint.scope is None:
                for column in measures_of(constraint):
                    buyable &= ~self.catalogue.measures[column].missing
        return buyable

    @cached_property
    def candidates(self) -> tuple[NDArray[np.int32], ...]:
        """Allowed items of each slot, ascending; a fixed slot has only its item, or none."""
        found = []
        elsewhere = {item: slot for slot, item in self.fixed.items()}
        for slot in range(len(self.slots)):
            items = np.flatnonzero(self.fits[slot] & self.usable(slot)).astype(np.int32)
            if slot in self.fixed:
                items = items[items == self.fixed[slot]]
            elif elsewhere:
                items = items[~np.isin(items, list(elsewhere))]
            found.append(items)
        return tuple(found)

    def to_networkx(self, solution: NDArray[np.integer] | None = None) -> Any:
        """Return the formation as a `networkx.Graph`: nodes are slot names, edges join neighbours.

        Parameters
        ----------
        solution
            Party, items by slot; the ids of its items become the node attribute `item`.
        """
        import networkx

        found = networkx.Graph(name=self.name)
        found.add_nodes_from(
            (slot, {"candidates": len(items)}) for slot, items in zip(self.slots, self.candidates, strict=True)
        )
        found.add_edges_from((self.slots[one], self.slots[two]) for one, two in self.edges.tolist())
        if solution is not None:
            for slot, item in zip(self.slots, np.asarray(solution).tolist(), strict=True):
                found.nodes[slot]["item"] = self.catalogue.ids[item]
        return found

    def with_edges(self, graph: Any) -> Instance:
        """Return the same puzzle with the edges of a `networkx.Graph` of its slots.

        Raises
        ------
        ValueError
            If a node of the graph is not a slot.
        """
        place = {name: number for number, name in enumerate(self.slots)}
        for node in graph.nodes:
            if node not in place:
                raise ValueError(f"there is no slot '{node}'. {nearest(str(node), place)}")
        pairs = sorted({(min(place[a], place[b]), max(place[a], place[b])) for a, b in graph.edges() if a != b})
        return replace(self, edges=np.array(pairs, dtype=np.int32).reshape(-1, 2))

    @cached_property
    def points(self) -> Points | None:
        """Synergy in whole numbers; None if there is no synergy, or if there are no edges (the synergy is then 1)."""
        if self.synergy is None or not len(self.edges):
            return None
        return points_of(self.synergy, self.catalogue, len(self.edges))

    @property
    def priced(self) -> Instance:
        """Same puzzle with the price as its objective."""
        return self if self.objective == "price" else replace(self, objective="price", maximised="")
