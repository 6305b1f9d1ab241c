"""The cubical sliding puzzle as the command line sees it: recognise, read, make and draw."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.problems.cubical.builtin import BUILTINS, builtin
from matheur.problems.cubical.formats import (
    ReadOptions,
    looks_like_instance,
    read_instance,
    read_solution,
    write_toml,
)
from matheur.problems.cubical.generator import generate
from matheur.problems.cubical.picture import picture
from matheur.problems.cubical.problem import Cubical
from matheur.problems.port import Generated, Source
from matheur.problems.type_options import check_known, check_seed, whole

__all__ = ["TYPE", "CubicalType"]

_SIZES = ("dimension", "k", "rings")
_GENERATE_OPTIONS = ("size", *_SIZES, "moves")


class CubicalType:
    """Implements `matheur.problems.port.ProblemType` for cubical sliding puzzles."""

    name = "cubical"
    summary = "slide rings over free faces of a hypercube to their targets in as few moves as possible"

    def recognises(self, source: Source) -> bool:
        """Whether the content looks like a puzzle; never raises."""
        return looks_like_instance(source)

    def read(self, source: Source, options: Mapping[str, Any]) -> Cubical:
        """The puzzle in a TOML file; `options` are those of `ReadOptions`."""
        instance = read_instance(source, ReadOptions.from_mapping(options))
        return Cubical(instance, tuple(source.assumed))

    def builtins(self) -> Mapping[str, str]:
        """Names of the built-in puzzles, with a line each."""
        return BUILTINS

    def builtin(self, name: str, options: Mapping[str, Any] = MappingProxyType({})) -> Cubical:
        """A built-in puzzle by name; with the option `k`, played with other faces."""
        k = ReadOptions.from_mapping(options).k
        instance = builtin(name)
        return Cubical(instance if k is None else replace(instance, k=k))

    def read_solution(self, problem: Cubical, source: Source) -> NDArray[np.int32]:
        """A plan in JSON or plain text."""
        return read_solution(problem, source)

    def generate(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random solvable puzzle in TOML; its score is the length of the hidden plan, rarely the shortest.

        Options are `size` ("DIMENSION,K,RINGS", of which the last ones may be missing), or `dimension` (4 if missing),
        `k` (2, or 1 on a square) and `rings` (dimension + 1) one by one, and `moves` of the walk from the target.

        Raises
        ------
        ConfigurationError
            If an option is unknown or makes no sense.
        """
        check_known(options, _GENERATE_OPTIONS, "the cubical generator")
        sizes = _size(options.get("size"))
        for key in _SIZES:
            value = whole(options, key, 6)
            if value is not None:
                if key in sizes and sizes[key] != value:
                    raise ConfigurationError(f"the size says {key} = {sizes[key]}, the option {value}")
                sizes[key] = value
        d = sizes.get("dimension", 4)
        k, rings = sizes.get("k", min(2, d - 1)), sizes.get("rings", d + 1)
        check_seed(seed)
        title = f"random, seed {seed}"
        instance, plan = generate(d, k, rings, seed=seed, moves=whole(options, "moves", 6), title=title)
        return Generated(write_toml(instance), Cubical(instance).encode(plan), len(plan))

    def picture(self, problem: Cubical, solution: NDArray[np.int32] | None, kind: str) -> bytes:
        """The start with its targets, or the plan step by step, as `svg`, `png`, `html` or `text`."""
        return picture(problem, solution, kind)


TYPE = CubicalType()


def _size(value: Any) -> dict[str, int]:
    """`4`, `4,3` or `4,3,5` (or with `x` between them) by name."""
    if value is None:
        return {}
    words = re.split(r"\s*[,xX]\s*", str(value).strip())
    if len(words) > len(_SIZES) or not all(re.fullmatch(r"[0-9]{1,4}", word) for word in words):
        raise ConfigurationError(f"size must be DIMENSION,K,RINGS or the first of these ({value!r}). Maybe '4,3,5'?")
    return dict(zip(_SIZES, map(int, words), strict=False))
