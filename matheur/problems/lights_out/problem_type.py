"""Lights Out on the command line: recognise, read, generate and draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from matheur.engine.problem_type import Generated
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.lights_out.builtin import builtin
from matheur.problems.lights_out.formats import (
    ReadOptions,
    looks_like_instance,
    read_instance,
    read_solution,
    write_board,
)
from matheur.problems.lights_out.generator import generate
from matheur.problems.lights_out.instance import Edges
from matheur.problems.lights_out.picture import picture
from matheur.problems.lights_out.problem import LightsOut
from matheur.problems.lights_out.rules import target_of
from matheur.problems.simple_type import Format, SimpleType
from matheur.problems.type_options import grid_size, whole

__all__ = ["TYPE", "LightsOutType"]


class LightsOutType(SimpleType[LightsOut]):
    """Implements `matheur.engine.problem_type.ProblemType` for Lights Out boards."""

    name = "lights-out"
    summary = "press cells, each of which toggles itself and its neighbours, until all lights are off"
    problem = LightsOut
    formats = (Format(looks_like_instance, read_instance),)
    options = ReadOptions
    instances = builtin
    generator_options = ("size", "pattern", "presses", "states", "edges", "target")
    pictures = picture

    def read_solution(self, problem: LightsOut, source: Source) -> NDArray[np.int32]:
        """Presses in JSON or plain text."""
        return read_solution(problem, source)

    def make(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random solvable board; its score is the number of hidden presses, which is rarely minimal.

        Options are `size` ("7" or "5x8"; default 7), `presses` (the number of random presses), and the rules `pattern`,
        `states`, `edges` and `target`, as for the reader.

        Raises
        ------
        ConfigurationError
            If an option is unknown or its value is invalid.
        """
        rows, columns = grid_size(options, 7, "5x8")
        presses = whole(options, "presses", 6)
        rules = ReadOptions(**{key: options[key] for key in ("pattern", "states", "edges", "target") if key in options})
        states = rules.states or 2
        try:
            target = () if rules.target is None else target_of(rules.target, rows, columns, states)
        except InputError as error:
            raise ConfigurationError(error.message) from None
        edges = cast(Edges, rules.edges or "plain")
        instance, hidden = generate(
            rows, columns, seed=seed, pattern=rules.pattern or "plus", presses=presses, states=states, edges=edges,
            target=target,
        )  # fmt: skip
        return Generated(write_board(instance), LightsOut(instance).encode(hidden), len(hidden))


TYPE = LightsOutType()
