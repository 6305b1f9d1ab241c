"""Training data of networks for Sokoban: all levels of one size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import Domain
from matheur.problems.plans.training import Training
from matheur.problems.sokoban.boards_domain import BOX, GOAL, PLAYER, SokobanBoards
from matheur.problems.sokoban.formats import ReadOptions, read_levels
from matheur.problems.sokoban.generator import generate
from matheur.problems.sokoban.problem import Sokoban

__all__ = ["TRAINING"]

_CODES = 8  # codes of a cell, 7 of which occur


class _SokobanTraining(Training):
    collects = True

    def longest(self, problem: Any) -> int:
        """A constant length; the walks lead from box to box."""
        return 150

    def inputs(self, problem: Any) -> NDArray[np.uint8]:
        """The cells of the player, boxes, goals and walls (Agostinelli et al. 2019): four inputs per cell."""
        one = problem.instance
        cells = one.rows * one.columns
        planes = ((1 + PLAYER, GOAL + PLAYER), (1 + BOX, GOAL + BOX), (GOAL, GOAL + BOX, GOAL + PLAYER), (0,))
        shown = np.zeros((cells, _CODES, len(planes), cells), dtype=np.uint8)
        for plane, codes in enumerate(planes):
            for code in codes:
                shown[np.arange(cells), code, plane, np.arange(cells)] = 1
        return shown.reshape(cells * _CODES, -1)

    def domain(self, problems: Sequence[Any]) -> Domain:
        """All given levels of the same size as the first one; the network fits any level of that size."""
        levels = [one.instance for one in problems]
        if any(one.cost != "moves" for one in levels):
            raise ConfigurationError("networks for Sokoban count moves, not pushes")
        first = levels[0]
        return SokobanBoards([one for one in levels if (one.rows, one.columns) == (first.rows, first.columns)])

    def read(self, source: Source, options: Mapping[str, Any], *, needed: bool) -> list[Any]:
        cost = ReadOptions.from_mapping(options).cost
        return [Sokoban(replace(one, cost=cost)) for one in read_levels(source, needed=needed)]

    def made(self, like: Any, count: int, seed: int) -> list[Any]:
        one, found, number = like.instance, list[Any](), 0
        while len(found) < count:
            try:
                made, _ = generate(one.rows, one.columns, seed=seed * count + number, boxes=len(one.boxes))
                found.append(Sokoban(replace(made, cost=one.cost)))
            except ConfigurationError:
                if number > 100 and not found:
                    raise
            number += 1
        return found


TRAINING = _SokobanTraining()
