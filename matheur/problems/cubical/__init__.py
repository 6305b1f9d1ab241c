"""Cubical sliding puzzles: rings on the vertices of a hypercube (Merleau, O'Malley, Roldán, Mukherjee 2024)."""

from matheur.problems.cubical.builtin import BUILTINS, builtin
from matheur.problems.cubical.formats import ReadOptions, read_instance, read_solution, write_toml
from matheur.problems.cubical.generator import generate
from matheur.problems.cubical.instance import DIMENSION_MAX, NAME_MAX, Instance
from matheur.problems.cubical.picture import picture
from matheur.problems.cubical.problem import Cubical
from matheur.problems.cubical.problem_type import TYPE, CubicalType
from matheur.problems.cubical.rules import legal_moves

__all__ = [
    "BUILTINS",
    "DIMENSION_MAX",
    "NAME_MAX",
    "TYPE",
    "Cubical",
    "CubicalType",
    "Instance",
    "ReadOptions",
    "builtin",
    "generate",
    "legal_moves",
    "load",
    "picture",
    "read_instance",
    "read_solution",
    "write_toml",
]

load = TYPE.load
