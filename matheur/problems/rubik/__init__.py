"""Rubik's cube in quarter or half turns."""

from matheur.problems.rubik.builtin import BUILTINS, builtin
from matheur.problems.rubik.cubies import Cubies, cubies_of, facelets_of
from matheur.problems.rubik.formats import ReadOptions, read_instance, read_solution, write_cube
from matheur.problems.rubik.generator import generate, uniform
from matheur.problems.rubik.instance import METRICS, Instance
from matheur.problems.rubik.picture import picture
from matheur.problems.rubik.problem import Rubik
from matheur.problems.rubik.problem_type import TYPE, RubikType
from matheur.problems.rubik.stickers import MOVES, QUARTER_TURNS, SOLVED, turn, turns
from matheur.problems.rubik.turn_text import parse_moves

__all__ = [
    "BUILTINS",
    "METRICS",
    "MOVES",
    "QUARTER_TURNS",
    "SOLVED",
    "TYPE",
    "Cubies",
    "Instance",
    "ReadOptions",
    "Rubik",
    "RubikType",
    "builtin",
    "cubies_of",
    "facelets_of",
    "generate",
    "parse_moves",
    "picture",
    "read_instance",
    "read_solution",
    "turn",
    "turns",
    "uniform",
    "write_cube",
]
