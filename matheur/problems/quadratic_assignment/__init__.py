"""Quadratic assignment (Koopmans, Beckmann 1957): facilities on locations."""

from matheur.problems.quadratic_assignment.builtin import BUILTINS, builtin
from matheur.problems.quadratic_assignment.formats import read_instance, write_dat, write_sln
from matheur.problems.quadratic_assignment.generator import KINDS, generate
from matheur.problems.quadratic_assignment.given import assemble
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment
from matheur.problems.quadratic_assignment.problem_type import TYPE, QuadraticAssignmentType
from matheur.problems.quadratic_assignment.scipy_door import quadratic_assignment
from matheur.problems.quadratic_assignment.solutions import read_solution

__all__ = [
    "BUILTINS",
    "KINDS",
    "TYPE",
    "Instance",
    "QuadraticAssignment",
    "QuadraticAssignmentType",
    "assemble",
    "builtin",
    "generate",
    "load",
    "quadratic_assignment",
    "read_instance",
    "read_solution",
    "write_dat",
    "write_sln",
]

load = TYPE.load
