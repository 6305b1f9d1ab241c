"""How long walks from the goal should be, from which a network for Rubik's cube learns."""

from __future__ import annotations

from typing import Any

from matheur.problems.plans.training import Training

__all__ = ["TRAINING"]


class _RubikTraining(Training):
    def longest(self, problem: Any) -> int:
        """30 quarter turns or 24 half turns."""
        return 30 if problem.instance.metric == "quarter" else 24


TRAINING = _RubikTraining()
