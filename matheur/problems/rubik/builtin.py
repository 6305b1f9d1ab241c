"""Built-in cubes: the superflip, the three cubes farthest from the solved cube, and seeded scrambles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from types import MappingProxyType

import numpy as np

from matheur.problems.builtin_instances import Builtins
from matheur.problems.rubik.cubies import Cubies, facelets_of
from matheur.problems.rubik.generator import generate, uniform
from matheur.problems.rubik.instance import Instance
from matheur.problems.rubik.stickers import SOLVED, turn
from matheur.problems.rubik.turn_text import parse_moves

__all__ = ["BUILTINS", "builtin"]

_SEED = 2026

_REID = "U2 D2 L F2 U' D R2 B U' D' R L F2 R U D' R' L U F' B'"
"""The superflip with the four spots (Michael Reid 1998), as a scramble of 26 quarter turns."""

_FARTHEST = {"farthest-ud": _REID, "farthest-rl": f"z {_REID} z'", "farthest-fb": f"x {_REID} x'"}
"""The only cubes known to need 26 quarter turns (Rokicki and Davidson 2014), named by the axis without spots."""

BUILTINS: Mapping[str, str] = MappingProxyType(
    {
        "demo": "a random cube",
        "short": "nine random quarter turns from the solved cube",
        "medium": "14 random quarter turns from the solved cube",
        "superflip": "all twelve edges flipped: 24 quarter turns, 20 with half turns",
        "farthest-ud": "superflip with four spots, none on U and D: 26 quarter turns, no cube needs more",
        "farthest-rl": "superflip with four spots, none on R and L: 26 quarter turns",
        "farthest-fb": "superflip with four spots, none on F and B: 26 quarter turns",
        "twisted": "one corner twisted: turns cannot solve it",
        **{f"random-{n}": f"random cube number {n}" for n in range(1, 6)},
    }
)
"""Names of the built-in cubes, with one line about each."""


def _make(name: str) -> Instance:
    if name in ("short", "medium"):
        return generate(seed=_SEED, moves=9 if name == "short" else 14, title=name)[0]
    if name in _FARTHEST:
        return Instance(reduce(turn, parse_moves(_FARTHEST[name]), SOLVED), title=name)
    if name in ("superflip", "twisted"):
        corners, edges = tuple(range(8)), tuple(range(12))
        flipped = name == "superflip"
        twists = (0,) * 8 if flipped else (1, *(0,) * 7)
        return Instance(facelets_of(Cubies(corners, twists, edges, (int(flipped),) * 12)), title=name)
    number = 0 if name == "demo" else int(name.removeprefix("random-"))
    return uniform(np.random.default_rng([_SEED, number]), title=name)


builtin = Builtins("rubik", BUILTINS, _make)
"""A built-in cube, in the quarter-turn metric."""
