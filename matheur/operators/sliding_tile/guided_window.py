"""Neighbourhood `guided-window`: long segments of the plan again, by beams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError
from matheur.operators.plans.searching import AUTO, Plan
from matheur.operators.sliding_tile.guiding import guide_for, values_for
from matheur.statespace.sliding_tile.beam import beam_tiles
from matheur.statespace.sliding_tile.geometry import boards_along, geometry

__all__ = ["GuidedWindow"]

_WIDEST = 32


@dataclass(frozen=True, slots=True)
class GuidedWindow:
    """Replace segments of the plan by shorter ones that beams find, guided as in `guided-beam`. Work: slides looked at.

    Exact windows prove what they leave, but end at some 40 slides on large boards; a beam re-plans a hundred and more.
    Windows are taken at random places.

    Attributes
    ----------
    patterns, values, excess
        As for `guided-beam`.
    length, longest
        Slides of the shortest and longest windows; lengths are drawn in between.
    width
        Boards of a layer.
    patience
        Windows of a call without a gain after which its beams get twice as wide (32 times at most).
    iterations
        Windows per call.
    """

    patterns: str = AUTO
    values: str = AUTO
    excess: int = 150
    length: int = 40
    longest: int = 120
    width: int = 6_000
    patience: int = 40
    iterations: int = 100

    def __post_init__(self) -> None:
        if not 1 <= self.length <= self.longest:
            raise ConfigurationError(
                f"length must be at least 1 and longest at least length ({self.length}, {self.longest})"
            )
        if min(self.width, self.patience, self.iterations) < 1:
            raise ConfigurationError(
                f"width, patience, iterations must be at least 1 ({self.width}, {self.patience}, {self.iterations})"
            )
        if not 0 <= self.excess <= 1000:
            raise ConfigurationError(f"the weight of the excess is 0 to 1000 percent ({self.excess})")

    def explore(self, problem: Any, incumbent: Plan, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Window after window, keeping every gain."""
        one = problem.instance
        plan = np.asarray(incumbent, dtype=np.int32)
        board = geometry(one.rows, one.columns, one.goal)
        guide = None
        if min(one.rows, one.columns) > 1 and len(plan) > 2:
            guide = guide_for(board, self.patterns, values_for(board, self.values), budget=budget)
        done, failed, width = 0, 0, self.width
        while guide is not None and done < self.iterations and not budget.exhausted and not budget.reached(len(plan)):
            done += 1
            boards = boards_along(board, one.tiles, plan)
            length = int(rng.integers(min(self.length, len(plan)), min(self.longest, len(plan)) + 1))
            begin = int(rng.integers(0, len(plan) - length + 1))
            toward, labels = guide.toward(boards[begin + length].tolist())
            answer = beam_tiles(
                toward, labels[boards[begin]].tolist(), width=width, most=length - 2, excess=(100, self.excess),
                seed=int(rng.integers(1 << 16)), budget=budget,
            )  # fmt: skip
            failed += 1
            if failed == self.patience:
                failed, width = 0, min(2 * width, _WIDEST * self.width)
            if answer.plan is not None:
                failed = 0
                plan = np.concatenate([plan[:begin], answer.plan, plan[begin + length :]])
                budget.offer(plan, len(plan))
        improved = len(plan) < len(incumbent)
        return Outcome(
            Status.IMPROVED if improved else Status.EXHAUSTED, plan if improved else None,
            len(plan) if improved else None, work=budget.spent_work, seconds=budget.elapsed,
        )  # fmt: skip
