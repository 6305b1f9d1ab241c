"""Cubical sliding puzzles: rings on the vertices of a hypercube (Merleau, O'Malley, Roldán, Mukherjee 2024)."""

from matheur.problems.cubical.instance import DIMENSION_MAX, Instance
from matheur.problems.cubical.problem import Cubical

__all__ = ["DIMENSION_MAX", "Cubical", "Instance"]
