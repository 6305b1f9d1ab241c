"""Built-in cubes: the superflip, and seeded scrambles."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from matheur.problems.builtin_instances import Builtins
from matheur.problems.rubik.cubies import Cubies, facelets_of
from matheur.problems.rubik.generator import generate, uniform
from matheur.problems.rubik.instance import Instance

__all__ = ["BUILTINS", "builtin"]

_SEED = 2026

BUILTINS: Mapping[str, str] = MappingProxyType(
    {
        "demo": "a random cube",
        "short": "nine random quarter turns from the solved cube",
        "medium": "14 random quarter turns from the solved cube",
        "superflip": "all twelve edges flipped: 24 quarter turns, 20 with half turns",
        "twisted": "one corner twisted: turns cannot solve it",
        **{f"random-{n}": f"random cube number {n}" for n in range(1, 6)},
    }
)
"""Names of the built-in cubes, with a line each."""


def _make(name: str) -> Instance:
    if name in ("short", "medium"):
        return generate(seed=_SEED, moves=9 if name == "short" else 14, title=name)[0]
    if name in ("superflip", "twisted"):
        corners, edges = tuple(range(8)), tuple(range(12))
        flipped = name == "superflip"
        twists = (0,) * 8 if flipped else (1, *(0,) * 7)
        return Instance(facelets_of(Cubies(corners, twists, edges, (int(flipped),) * 12)), title=name)
    number = 0 if name == "demo" else int(name.removeprefix("random-"))
    return uniform(np.random.default_rng([_SEED, number]), title=name)


builtin = Builtins("rubik", BUILTINS, _make)
"""A built-in cube, in the quarter-turn metric."""
