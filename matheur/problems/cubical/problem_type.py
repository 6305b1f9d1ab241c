"""Cubical sliding puzzles on the command line: recognise, read, generate and draw."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.problem_type import Generated
from matheur.engine.source import Source
from matheur.errors import ConfigurationError
from matheur.problems.cubical.builtin import builtin
from matheur.problems.cubical.formats import (
    ReadOptions,
    looks_like_instance,
    read_instance,
    read_solution,
    write_toml,
)
from matheur.problems.cubical.generator import generate, rings_max
from matheur.problems.cubical.picture import picture
from matheur.problems.cubical.problem import Cubical
from matheur.problems.simple_type import Format, SimpleType
from matheur.problems.type_options import whole

__all__ = ["TYPE", "CubicalType"]

_SIZES = ("dimension", "k", "rings")


class CubicalType(SimpleType[Cubical]):
    """Implements `matheur.engine.problem_type.ProblemType` for cubical sliding puzzles."""

    name = "cubical"
    summary = "slide rings over free faces of a hypercube to their targets in as few moves as possible"
    problem = Cubical
    formats = (Format(looks_like_instance, read_instance),)
    options = ReadOptions
    instances = builtin
    generator_options = ("size", *_SIZES, "moves")
    pictures = picture

    def read_solution(self, problem: Cubical, source: Source) -> NDArray[np.int32]:
        """A plan in JSON or plain text."""
        return read_solution(problem, source)

    def make(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random solvable puzzle in TOML; its score is the length of the hidden plan, which is rarely optimal.

        Options are either `size` ("DIMENSION,K,RINGS", whose last parts may be missing), or `dimension` (default 4),
        `k` (default 2, or 1 on a square) and `rings` (default dimension + 1, or fewer if that many could not move); and
        `moves`, the length of the walk from the target.

        Raises
        ------
        ConfigurationError
            If an option is unknown or its value is invalid.
        """
        sizes = _size(options.get("size"))
        for key in _SIZES:
            value = whole(options, key, 6)
            if value is not None:
                if key in sizes and sizes[key] != value:
                    raise ConfigurationError(f"the size says {key} = {sizes[key]}, the option {value}")
                sizes[key] = value
        d = sizes.get("dimension", 4)
        k = sizes.get("k", max(1, min(2, d - 1)))
        rings = sizes.get("rings", max(1, min(d + 1, rings_max(d, k))))
        title = f"random, seed {seed}"
        instance, plan = generate(d, k, rings, seed=seed, moves=whole(options, "moves", 6), title=title)
        return Generated(write_toml(instance), Cubical(instance).encode(plan), len(plan))


TYPE = CubicalType()


def _size(value: Any) -> dict[str, int]:
    """Parse `4`, `4,3` or `4,3,5` (or with `x` as separator) into named options."""
    if value is None:
        return {}
    words = re.split(r"\s*[,xX]\s*", str(value).strip())
    if len(words) > len(_SIZES) or not all(re.fullmatch(r"[0-9]{1,4}", word) for word in words):
        raise ConfigurationError(f"size must be DIMENSION,K,RINGS or the first of these ({value!r}). Maybe '4,3,5'?")
    return dict(zip(_SIZES, map(int, words), strict=False))
