"""How long walks from the goal should be, from which a network for sliding tiles learns."""

from __future__ import annotations

from typing import Any

from matheur.problems.plans.training import Training

__all__ = ["TRAINING"]


class _SlidingTileTraining(Training):
    def longest(self, problem: Any) -> int:
        """Three quarters of the square of the cells, at most 1,000."""
        one = problem.instance
        cells = int(one.rows * one.columns)
        return min(1000, max(20, 3 * cells**2 // 4))


TRAINING = _SlidingTileTraining()
