"""The sliding-tile puzzle as the command line sees it: recognise, read, make and draw."""

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
from matheur.problems.sliding_tile.builtin import BUILTINS, builtin
from matheur.problems.sliding_tile.formats import (
    ReadOptions,
    looks_like_instance,
    read_instance,
    read_solution,
    write_board,
)
from matheur.problems.sliding_tile.generator import generate
from matheur.problems.sliding_tile.picture import picture
from matheur.problems.sliding_tile.problem import SlidingTile
from matheur.problems.type_options import check_known, check_seed, whole

__all__ = ["TYPE", "SlidingTileType"]

_GENERATE_OPTIONS = ("size", "goal", "moves")


class SlidingTileType:
    """Implements `matheur.problems.port.ProblemType` for sliding tiles."""

    name = "sliding-tile"
    summary = "slide numbered tiles over the blank into their order in as few slides as possible (15-puzzle)"

    def recognises(self, source: Source) -> Recognition:
        """How surely the content is a board; never raises."""
        return looks_like_instance(source)

    def read(self, source: Source, options: Mapping[str, Any]) -> SlidingTile:
        """The board in a text file; `options` are those of `ReadOptions`."""
        instance = read_instance(source, ReadOptions.from_mapping(options))
        return SlidingTile(instance, tuple(source.assumed))

    def builtins(self) -> Mapping[str, str]:
        """Names of the built-in boards, with a line each."""
        return BUILTINS

    def builtin(self, name: str, options: Mapping[str, Any] = MappingProxyType({})) -> SlidingTile:
        """A built-in board by name; with the option `goal`, to another goal."""
        goal = ReadOptions.from_mapping(options).goal
        instance = builtin(name)
        return SlidingTile(instance if goal is None else replace(instance, goal=goal))

    def read_solution(self, problem: SlidingTile, source: Source) -> NDArray[np.int32]:
        """A plan in letters."""
        return read_solution(problem, source)

    def generate(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random solvable board; its score is the length of the hidden plan, far from the shortest.

        Options are `size` ("4" or "3x5"; 4 if missing), `goal` (`blank-last`, `blank-first`) and `moves` of the random
        walk from the goal.

        Raises
        ------
        ConfigurationError
            If an option is unknown or makes no sense.
        """
        check_known(options, _GENERATE_OPTIONS, "the sliding-tile generator")
        check_seed(seed)
        match = re.fullmatch(r"\s*([0-9]{1,4})(?:\s*[xX,]\s*([0-9]{1,4}))?\s*", str(options.get("size", 4)))
        if match is None:
            raise ConfigurationError(f"size must be N or ROWSxCOLUMNS ({options['size']!r}). Maybe '3x5'?")
        moves = whole(options, "moves")
        rows, columns = int(match[1]), int(match[2] or match[1])
        instance, plan = generate(rows, columns, seed=seed, goal=options.get("goal", "blank-last"), moves=moves)
        solution = SlidingTile(instance).encode(np.array(plan, dtype=np.int32))
        return Generated(write_board(instance), solution, len(plan))

    def picture(self, problem: SlidingTile, solution: NDArray[np.int32] | None, kind: str) -> bytes:
        """The board, or a plan step by step, as `svg`, `png`, `html` (animated) or `text`."""
        return picture(problem, solution, kind)


TYPE = SlidingTileType()
