"""Party building puzzles: items on the slots of a formation (graph-synergy squads)."""

from matheur.problems.party.catalogue import UNBUYABLE, Catalogue, Measure, Trait
from matheur.problems.party.constraints import (
    Constraint,
    CountConstraint,
    DistinctConstraint,
    MaxSameConstraint,
    SumConstraint,
)
from matheur.problems.party.instance import Instance
from matheur.problems.party.problem import Party
from matheur.problems.party.synergy import Points, Synergy, Term, TermPoints

__all__ = [
    "UNBUYABLE",
    "Catalogue",
    "Constraint",
    "CountConstraint",
    "DistinctConstraint",
    "Instance",
    "MaxSameConstraint",
    "Measure",
    "Party",
    "Points",
    "SumConstraint",
    "Synergy",
    "Term",
    "TermPoints",
    "Trait",
]
