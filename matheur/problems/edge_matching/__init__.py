"""Edge-matching puzzles (Eternity II and its kin): instances, evaluator, formats, generator and pictures."""

from matheur.problems.edge_matching.builtin import BUILTINS, builtin, builtin_solution
from matheur.problems.edge_matching.formats import (
    MOTIFS_ORDERS,
    ReadOptions,
    read_board,
    read_hints,
    read_instance,
    write_brendan,
    write_bucas,
    write_hints,
    write_json,
    write_mcgavin,
    write_piece_list,
    write_placement,
)
from matheur.problems.edge_matching.generator import default_colours, generate
from matheur.problems.edge_matching.instance import (
    CELLS_MAX,
    DOWN,
    EMPTY,
    LEFT,
    RIGHT,
    UP,
    Board,
    Hint,
    Instance,
)
from matheur.problems.edge_matching.picture import picture
from matheur.problems.edge_matching.problem import EdgeMatching
from matheur.problems.edge_matching.problem_type import TYPE, EdgeMatchingType
from matheur.problems.edge_matching.rules import VARIANTS, Rules
from matheur.problems.edge_matching.variant_generator import generate_variant

__all__ = [
    "BUILTINS",
    "CELLS_MAX",
    "DOWN",
    "EMPTY",
    "LEFT",
    "MOTIFS_ORDERS",
    "RIGHT",
    "TYPE",
    "UP",
    "VARIANTS",
    "Board",
    "EdgeMatching",
    "EdgeMatchingType",
    "Hint",
    "Instance",
    "ReadOptions",
    "Rules",
    "builtin",
    "builtin_solution",
    "default_colours",
    "generate",
    "generate_variant",
    "load",
    "picture",
    "read_board",
    "read_hints",
    "read_instance",
    "write_brendan",
    "write_bucas",
    "write_hints",
    "write_json",
    "write_mcgavin",
    "write_piece_list",
    "write_placement",
]

load = TYPE.load
