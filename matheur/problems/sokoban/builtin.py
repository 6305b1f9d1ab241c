"""Built-in levels: small hand-made ones, and seeded random ones."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from matheur.engine.source import Source
from matheur.problems.builtin_instances import Builtins
from matheur.problems.sokoban.formats import ReadOptions, read_instance
from matheur.problems.sokoban.generator import generate
from matheur.problems.sokoban.instance import Instance

__all__ = ["BUILTINS", "builtin"]

_DRAWN = {
    "two-rooms": """\
###########
#    #    #
# $  #  . #
#  $   .  #
# $@ #  . #
#    #    #
###########
""",
    "two-in-a-row": """\
#########
#@      #
# $ $ ..#
#       #
#########
""",
    "stuck": """\
#######
#$ @ .#
#  $ .#
#     #
#######
""",
}
_RANDOM = {"random-8x8": (8, 8, 3), "random-10x10": (10, 10, 4), "random-12x14": (12, 14, 5)}
_SEED = 2026

BUILTINS: Mapping[str, str] = MappingProxyType(
    {
        "demo": "the same as random-10x10: 10 x 10, four boxes",
        "two-rooms": "three boxes through a door",
        "two-in-a-row": "two boxes, two goals in the same row",
        "stuck": "a box in a corner: it has no solution",
        **{name: f"{rows} x {columns}, {boxes} boxes, random" for name, (rows, columns, boxes) in _RANDOM.items()},
    }
)
"""Names of the built-in levels, with a line each."""


def _make(name: str) -> Instance:
    if name in _DRAWN:
        return read_instance(Source(name, f"; {name}\n{_DRAWN[name]}".encode()), ReadOptions())
    rows, columns, boxes = _RANDOM["random-10x10" if name == "demo" else name]
    return generate(rows, columns, seed=_SEED, boxes=boxes, title=name)[0]


builtin = Builtins("sokoban", BUILTINS, _make)
"""A built-in level, its cost in moves."""
