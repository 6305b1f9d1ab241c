"""Sokoban as the command line sees it: recognise, read, make and draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.problem_type import Generated
from matheur.engine.source import Source
from matheur.problems.simple_type import Format, SimpleType
from matheur.problems.sokoban.builtin import builtin
from matheur.problems.sokoban.formats import (
    ReadOptions,
    holds_solution,
    looks_like_instance,
    read_instance,
    read_solution,
    write_level,
)
from matheur.problems.sokoban.generator import generate
from matheur.problems.sokoban.picture import picture
from matheur.problems.sokoban.problem import Sokoban
from matheur.problems.type_options import grid_size, whole

__all__ = ["TYPE", "SokobanType"]


class SokobanType(SimpleType[Sokoban]):
    """Implements `matheur.engine.problem_type.ProblemType` for levels."""

    name = "sokoban"
    summary = "push boxes onto goals through a warehouse, in few moves or few pushes"
    problem = Sokoban
    formats = (Format(looks_like_instance, read_instance),)
    options = ReadOptions
    instances = builtin
    generator_options = ("size", "boxes", "pulls", "cost")
    pictures = picture

    def read_solution(self, problem: Sokoban, source: Source) -> NDArray[np.int32]:
        """A plan in LURD letters, or the best plan below the level in its file."""
        return read_solution(problem, source)

    def holds_solution(self, problem: Sokoban, source: Source) -> bool:
        """Whether there is a solution below the level."""
        return holds_solution(problem, source)

    def make(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random solvable level; its score is the length of the plan that made it, which is far from optimal.

        Options are `size` ("10" or "9x12"; 10 if missing), `boxes` (4), `pulls`, the number of pulls that take the
        boxes away from their goals, and `cost` (`moves`, `pushes`), the unit of the score.

        Raises
        ------
        ConfigurationError
            If an option is invalid.
        """
        rows, columns = grid_size(options, 10, "9x12")
        cost = ReadOptions.from_mapping({key: options[key] for key in ("cost",) if key in options}).cost
        boxes, pulls = whole(options, "boxes"), whole(options, "pulls")
        instance, plan = generate(rows, columns, seed=seed, boxes=4 if boxes is None else boxes, pulls=pulls, cost=cost)
        problem, moves = Sokoban(instance), np.array(plan, dtype=np.int32)
        value, reading = problem.evaluate(moves).objective, {"cost": cost} if "cost" in options else {}
        return Generated(write_level(instance), problem.encode(moves), value, options=reading)


TYPE = SokobanType()
