"""Party building puzzles: items on the slots of a formation (graph-synergy squads)."""

from matheur.problems.party.builtin import BUILTINS, builtin
from matheur.problems.party.catalogue import UNBUYABLE, Catalogue, Measure, Trait
from matheur.problems.party.constraints import (
    ChemistryConstraint,
    Constraint,
    CountConstraint,
    DistinctConstraint,
    Group,
    MaxSameConstraint,
    MinSameConstraint,
    Scope,
    SquadRatingConstraint,
    SumConstraint,
)
from matheur.problems.party.formats import ReadOptions, read_instance, read_solution, write_puzzle
from matheur.problems.party.instance import Instance
from matheur.problems.party.problem import Party
from matheur.problems.party.problem_type import TYPE, PartyType
from matheur.problems.party.synergy import Points, Synergy, Term, TermPoints

__all__ = [
    "BUILTINS",
    "TYPE",
    "UNBUYABLE",
    "Catalogue",
    "ChemistryConstraint",
    "Constraint",
    "CountConstraint",
    "DistinctConstraint",
    "Group",
    "Instance",
    "MaxSameConstraint",
    "Measure",
    "MinSameConstraint",
    "Party",
    "PartyType",
    "Points",
    "ReadOptions",
    "Scope",
    "SquadRatingConstraint",
    "SumConstraint",
    "Synergy",
    "Term",
    "TermPoints",
    "Trait",
    "builtin",
    "load",
    "read_instance",
    "read_solution",
    "write_puzzle",
]

load = TYPE.load
