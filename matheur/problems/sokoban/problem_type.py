"""Sokoban as the command line sees it: recognise, read, make and draw."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.problems.port import Generated, Recognition, Source
from matheur.problems.sokoban.builtin import BUILTINS, builtin
from matheur.problems.sokoban.formats import (
    ReadOptions,
    looks_like_instance,
    read_instance,
    read_solution,
    write_level,
)
from matheur.problems.sokoban.generator import generate
from matheur.problems.sokoban.picture import picture
from matheur.problems.sokoban.problem import Sokoban
from matheur.problems.type_options import check_known, check_seed, whole

__all__ = ["TYPE", "SokobanType"]

_GENERATE_OPTIONS = ("size", "boxes", "pulls", "cost")


class SokobanType:
    """Implements `matheur.problems.port.ProblemType` for levels."""

    name = "sokoban"
    summary = "push boxes onto goals through a warehouse, in few moves or few pushes"

    def recognises(self, source: Source) -> Recognition:
        """How surely the content is a level; never raises."""
        return looks_like_instance(source)

    def read(self, source: Source, options: Mapping[str, Any]) -> Sokoban:
        """The level in a text file; `options` are those of `ReadOptions`."""
        instance = read_instance(source, ReadOptions.from_mapping(options))
        return Sokoban(instance, tuple(source.assumed))

    def builtins(self) -> Mapping[str, str]:
        """Names of the built-in levels, with a line each."""
        return BUILTINS

    def builtin(self, name: str, options: Mapping[str, Any] = MappingProxyType({})) -> Sokoban:
        """A built-in level by name; with the option `cost`, counted in `moves` or `pushes`."""
        return Sokoban(replace(builtin(name), cost=ReadOptions.from_mapping(options).cost))

    def read_solution(self, problem: Sokoban, source: Source) -> NDArray[np.int32]:
        """A plan in LURD letters."""
        return read_solution(problem, source)

    def generate(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random solvable level; its score is the length of the hidden plan, far from the shortest.

        Options are `size` ("10" or "9x12"; 10 if missing), `boxes` (4), `pulls` that took the boxes away from their
        goals, and `cost` (`moves`, `pushes`) in which the score is counted.

        Raises
        ------
        ConfigurationError
            If an option is unknown or makes no sense.
        """
        check_known(options, _GENERATE_OPTIONS, "the sokoban generator")
        check_seed(seed)
        match = re.fullmatch(r"\s*([0-9]{1,4})(?:\s*[xX,]\s*([0-9]{1,4}))?\s*", str(options.get("size", 10)))
        if match is None:
            raise ConfigurationError(f"size must be N or ROWSxCOLUMNS ({options['size']!r}). Maybe '9x12'?")
        cost = ReadOptions.from_mapping({key: options[key] for key in ("cost",) if key in options}).cost
        boxes, pulls = whole(options, "boxes"), whole(options, "pulls")
        rows, columns = int(match[1]), int(match[2] or match[1])
        instance, plan = generate(rows, columns, seed=seed, boxes=4 if boxes is None else boxes, pulls=pulls, cost=cost)
        problem, moves = Sokoban(instance), np.array(plan, dtype=np.int32)
        return Generated(write_level(instance), problem.encode(moves), problem.evaluate(moves).objective)

    def picture(self, problem: Sokoban, solution: NDArray[np.int32] | None, kind: str) -> bytes:
        """The level, or a plan step by step, as `svg`, `png`, `html` (animated) or `text`."""
        return picture(problem, solution, kind)


TYPE = SokobanType()
