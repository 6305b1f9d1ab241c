"""Lights Out: press cells until all lights are off."""

from matheur.problems.lights_out.algebra import Elimination, eliminate
from matheur.problems.lights_out.builtin import BUILTINS, builtin
from matheur.problems.lights_out.formats import ReadOptions, read_instance, read_solution, write_board
from matheur.problems.lights_out.generator import generate
from matheur.problems.lights_out.instance import CELLS_MAX, PATTERNS, Instance
from matheur.problems.lights_out.picture import picture
from matheur.problems.lights_out.problem import LightsOut
from matheur.problems.lights_out.problem_type import TYPE, LightsOutType

__all__ = [
    "BUILTINS",
    "CELLS_MAX",
    "PATTERNS",
    "TYPE",
    "Elimination",
    "Instance",
    "LightsOut",
    "LightsOutType",
    "ReadOptions",
    "builtin",
    "eliminate",
    "generate",
    "picture",
    "read_instance",
    "read_solution",
    "write_board",
]
