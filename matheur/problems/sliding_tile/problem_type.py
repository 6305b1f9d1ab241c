"""The sliding-tile puzzle as the command line sees it: recognise, read, make and draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.problem_type import Generated
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.simple_type import Format, SimpleType
from matheur.problems.sliding_tile.builtin import builtin
from matheur.problems.sliding_tile.formats import (
    ReadOptions,
    goal_named,
    looks_like_instance,
    read_instance,
    read_solution,
    write_board,
)
from matheur.problems.sliding_tile.generator import generate
from matheur.problems.sliding_tile.instance import SIDE_MAX
from matheur.problems.sliding_tile.picture import picture
from matheur.problems.sliding_tile.problem import SlidingTile
from matheur.problems.type_options import grid_size, whole

__all__ = ["TYPE", "SlidingTileType"]


class SlidingTileType(SimpleType[SlidingTile]):
    """Implements `matheur.engine.problem_type.ProblemType` for sliding tiles."""

    name = "sliding-tile"
    summary = "slide numbered tiles over the blank into their order in as few slides as possible (15-puzzle)"
    problem = SlidingTile
    formats = (Format(looks_like_instance, read_instance),)
    options = ReadOptions
    instances = builtin
    generator_options = ("size", "goal", "moves")
    pictures = picture

    def read_solution(self, problem: SlidingTile, source: Source) -> NDArray[np.int32]:
        """A plan in letters."""
        return read_solution(problem, source)

    def make(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random solvable board; its score is the length of the plan that made it, which is far from optimal.

        Options are `size` ("4" or "3x5"; 4 if missing), `goal` (as for the reader) and `moves` of the random walk from
        the goal.

        Raises
        ------
        ConfigurationError
            If an option is invalid.
        """
        rows, columns = grid_size(options, 4, "3x5")
        moves = whole(options, "moves")
        given = ReadOptions(goal=options.get("goal", "blank-last")).goal
        if max(rows, columns) <= SIDE_MAX:  # otherwise `generate` raises
            try:
                given = goal_named(given, rows, columns)
            except InputError as error:
                raise ConfigurationError(error.message) from None
        instance, plan = generate(rows, columns, seed=seed, goal=given, moves=moves)
        solution = SlidingTile(instance).encode(np.array(plan, dtype=np.int32))
        return Generated(write_board(instance), solution, len(plan))


TYPE = SlidingTileType()
