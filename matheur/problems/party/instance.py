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
"""Those that have a name in a file; a total is named by its column."""


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
        What is wanted of a party that meets all demands: the least `price`, the greatest `synergy` or `chemistry`, or
        the greatest `total` of a measure. For a chemistry there is one constraint that says what it is.
    maximised
        The measure whose total is wanted; empty for the other objectives. An item without the number cannot be chosen.
    plays
        Whether an item is in position where it stands: only then it takes part in the chemistry. Shape (slots, items),
        bool; None if that is so wherever it fits.
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
        """Whether the objective is the sum of what the single items cost, see `costs`."""
        return self.objective in ("price", "total")

    @property
    def chemistry(self) -> ChemistryConstraint:
        """The constraint whose points are wanted, where the chemistry is the objective."""
        return next(one for one in self.constraints if isinstance(one, ChemistryConstraint))

    @property
    def points_top(self) -> int:
        """Points of a party that could not be better, where points are the objective: of a synergy or a chemistry."""
        if self.objective == "chemistry":
            return self.chemistry.most * len(slots_of(self.chemistry, len(self.slots)))
        return 0 if self.points is None else self.points.unit

    @cached_property
    def plain(self) -> bool:
        """Whether every constraint is a sum, or a number of items with or of values, over all slots."""
        return not any(is_rule(one) or one.scope is not None for one in self.constraints)

    @cached_property
    def in_position(self) -> NDArray[np.bool_]:
        """Whether an item takes part in the chemistry in a slot, if one speaks of the slot. Shape (slots, items)."""
        if self.plays is None:
            return self.fits
        asked = np.zeros((len(self.slots), 1), dtype=np.bool_)
        for one in self.constraints:
            if isinstance(one, ChemistryConstraint):
                asked[list(slots_of(one, len(self.slots)))] = True
        return self.fits & (self.plays | ~asked)

    @cached_property
    def costs(self) -> NDArray[np.int64]:
        """What each item adds to the objective: its price, or what it has less of the maximised measure than the best.

        `UNBUYABLE` for an item that has no price, or none of that number. Shape (items,), int64.
        """
        if self.objective != "total":
            return self.catalogue.prices
        measure = self.catalogue.measures[self.maximised]
        has = (self.catalogue.prices != UNBUYABLE) & ~measure.missing
        return np.where(has, self.total_top - measure.amounts, UNBUYABLE)

    @cached_property
    def total_top(self) -> int:
        """The greatest amount of the maximised measure that an item has."""
        measure = self.catalogue.measures[self.maximised]
        return int(measure.amounts[~measure.missing].max(initial=0))

    def usable(self, slot: int) -> NDArray[np.bool_]:
        """Items that a slot could use as far as price, exclusion and missing numbers tell. Shape (items,)."""
        usable = self._buyable
        for constraint in self.constraints:
            if constraint.scope is not None and slot in constraint.scope.slots:
                for column in measures_of(constraint):
                    usable = usable & ~self.catalogue.measures[column].missing
        return usable

    @cached_property
    def _buyable(self) -> NDArray[np.bool_]:
        """Items that any slot could use as far as the same tells."""
        buyable = self.costs != UNBUYABLE
        buyable[list(self.excluded)] = False
        for constraint in self.constraints:
            if constraint.scope is None:
                for column in measures_of(constraint):
                    buyable &= ~self.catalogue.measures[column].missing
        return buyable

    @cached_property
    def candidates(self) -> tuple[NDArray[np.int32], ...]:
        """For each slot the items that may stand there, ascending; a fixed slot has its item or nothing."""
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
        """The formation as a `networkx.Graph`: nodes are names of slots, edges join neighbours.

        Parameters
        ----------
        solution
            A party, items by slot; its items become the attribute `item` of the nodes, by their ids.
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
        """The same puzzle with the neighbours that a `networkx.Graph` of its slots names.

        Raises
        ------
        ValueError
            If a node of the graph is no slot.
        """
        place = {name: number for number, name in enumerate(self.slots)}
        for node in graph.nodes:
            if node not in place:
                raise ValueError(f"there is no slot '{node}'. {nearest(str(node), place)}")
        pairs = sorted({(min(place[a], place[b]), max(place[a], place[b])) for a, b in graph.edges() if a != b})
        return replace(self, edges=np.array(pairs, dtype=np.int32).reshape(-1, 2))

    @cached_property
    def points(self) -> Points | None:
        """The synergy in whole numbers; None without synergy, or without edges (then it is 1)."""
        if self.synergy is None or not len(self.edges):
            return None
        return points_of(self.synergy, self.catalogue, len(self.edges))

    @property
    def priced(self) -> Instance:
        """The same puzzle with the price as its objective."""
        return self if self.objective == "price" else replace(self, objective="price", maximised="")
