"""Sliding tiles: the 8-, 15-, 24-puzzle and their like on any rectangle."""

from matheur.problems.sliding_tile.builtin import BUILTINS, builtin
from matheur.problems.sliding_tile.formats import ReadOptions, read_instance, read_solution, write_board
from matheur.problems.sliding_tile.generator import generate, uniform
from matheur.problems.sliding_tile.instance import GOALS, MOVES, SIDE_MAX, Instance, goal_tiles
from matheur.problems.sliding_tile.picture import picture
from matheur.problems.sliding_tile.problem import SlidingTile
from matheur.problems.sliding_tile.problem_type import TYPE, SlidingTileType
from matheur.problems.sliding_tile.solvability import reachable

__all__ = [
    "BUILTINS",
    "GOALS",
    "MOVES",
    "SIDE_MAX",
    "TYPE",
    "Instance",
    "ReadOptions",
    "SlidingTile",
    "SlidingTileType",
    "builtin",
    "generate",
    "goal_tiles",
    "picture",
    "reachable",
    "read_instance",
    "read_solution",
    "uniform",
    "write_board",
]
