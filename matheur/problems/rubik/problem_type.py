"""Rubik's cube on the command line: recognise, read, generate and draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.problem_type import Generated
from matheur.engine.source import Source
from matheur.problems.rubik.builtin import builtin
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
from matheur.problems.simple_type import Format, SimpleType
from matheur.problems.type_options import whole

__all__ = ["TYPE", "RubikType"]


class RubikType(SimpleType[Rubik]):
    """Implements `matheur.engine.problem_type.ProblemType` for cubes."""

    name = "rubik"
    summary = "turn the faces of Rubik's cube until each shows one colour, in quarter or half turns"
    problem = Rubik
    formats = (Format(looks_like_instance, read_instance),)
    options = ReadOptions
    instances = builtin
    generator_options = ("size", "moves", "metric")
    pictures = picture

    def read_solution(self, problem: Rubik, source: Source) -> NDArray[np.int32]:
        """A plan as a list of turns."""
        return read_solution(problem, source)

    def make(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A scrambled cube; its score is the length of the reversed scramble, which is far from optimal.

        Options are `moves` (or `size`), the length of the scramble (default 100), and `metric` (`quarter`, `half`).

        Raises
        ------
        ConfigurationError
            If an option is unknown or its value is invalid.
        """
        moves = whole(options, "moves")
        if moves is None:
            moves = whole(options, "size")
        metric = options.get("metric", "quarter")
        instance, plan = generate(seed=seed, moves=100 if moves is None else moves, metric=metric)
        solution = Rubik(instance).encode(np.array(plan, dtype=np.int32))
        return Generated(write_cube(instance), solution, len(plan))


TYPE = RubikType()
