"""Rubik's cube as the command line sees it: recognise, read, make and draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.problems.port import Generated, Recognition, Source
from matheur.problems.rubik.builtin import BUILTINS, builtin
from matheur.problems.rubik.formats import (
    ReadOptions,
    looks_like_instance,
    read_instance,
    read_solution,
    write_cube,
)
from matheur.problems.rubik.generator import generate
from matheur.problems.rubik.picture import picture
from matheur.problems.rubik.problem import Rubik
from matheur.problems.type_options import check_known, check_seed, whole

__all__ = ["TYPE", "RubikType"]

_GENERATE_OPTIONS = ("size", "moves", "metric")


class RubikType:
    """Implements `matheur.problems.port.ProblemType` for cubes."""

    name = "rubik"
    summary = "turn the faces of Rubik's cube until each shows one colour, in quarter or half turns"

    def recognises(self, source: Source) -> Recognition:
        """How surely the content is a cube; never raises."""
        return looks_like_instance(source)

    def read(self, source: Source, options: Mapping[str, Any]) -> Rubik:
        """The cube in a text file; `options` are those of `ReadOptions`."""
        instance = read_instance(source, ReadOptions.from_mapping(options))
        return Rubik(instance, tuple(source.assumed))

    def builtins(self) -> Mapping[str, str]:
        """Names of the built-in cubes, with a line each."""
        return BUILTINS

    def builtin(self, name: str, options: Mapping[str, Any] = MappingProxyType({})) -> Rubik:
        """A built-in cube by name; with the option `metric`, in another metric."""
        metric = ReadOptions.from_mapping(options).metric
        instance = builtin(name)
        return Rubik(instance if metric is None else replace(instance, metric=metric))

    def read_solution(self, problem: Rubik, source: Source) -> NDArray[np.int32]:
        """A plan in turns."""
        return read_solution(problem, source)

    def generate(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A scrambled cube; its score is the length of the scramble taken back, far from the shortest plan.

        Options are `moves` (or `size`) of the scramble, 100 if missing, and `metric` (`quarter`, `half`).

        Raises
        ------
        ConfigurationError
            If an option is unknown or makes no sense.
        """
        check_known(options, _GENERATE_OPTIONS, "the rubik generator")
        check_seed(seed)
        moves = whole(options, "moves")
        if moves is None:
            moves = whole(options, "size")
        metric = options.get("metric", "quarter")
        instance, plan = generate(seed=seed, moves=100 if moves is None else moves, metric=metric)
        solution = Rubik(instance).encode(np.array(plan, dtype=np.int32))
        return Generated(write_cube(instance), solution, len(plan))

    def picture(self, problem: Rubik, solution: NDArray[np.int32] | None, kind: str) -> bytes:
        """The cube, or a plan step by step, as `svg`, `png`, `html` (animated) or `text`."""
        return picture(problem, solution, kind)


TYPE = RubikType()
