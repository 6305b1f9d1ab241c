"""How long walks from the goal should be, from which a network for Lights Out learns."""

from __future__ import annotations

from typing import Any

from matheur.problems.plans.training import Training

__all__ = ["TRAINING"]


class _LightsOutTraining(Training):
    def longest(self, problem: Any) -> int:
        """A step for each cell."""
        return int(problem.instance.cells)


TRAINING = _LightsOutTraining()
