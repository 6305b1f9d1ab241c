"""Sokoban: push boxes onto goals."""

from matheur.problems.sokoban.builtin import BUILTINS, builtin
from matheur.problems.sokoban.formats import (
    ReadOptions,
    read_instance,
    read_levels,
    read_solution,
    split_levels,
    write_level,
)
from matheur.problems.sokoban.generator import generate
from matheur.problems.sokoban.instance import COSTS, MOVES, Instance
from matheur.problems.sokoban.picture import picture
from matheur.problems.sokoban.problem import Sokoban
from matheur.problems.sokoban.problem_type import TYPE, SokobanType

__all__ = [
    "BUILTINS",
    "COSTS",
    "MOVES",
    "TYPE",
    "Instance",
    "ReadOptions",
    "Sokoban",
    "SokobanType",
    "builtin",
    "generate",
    "picture",
    "read_instance",
    "read_levels",
    "read_solution",
    "split_levels",
    "write_level",
]
