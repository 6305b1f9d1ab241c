"""Any mixed-integer linear program: a file of MPS or LP, or a Pyomo model."""

from matheur.problems.milp.problem import Milp
from matheur.problems.milp.problem_type import TYPE, MilpType

__all__ = ["TYPE", "Milp", "MilpType"]
