"""Length of the walks from the goal from which a network for Lights Out learns, and its inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.problems.plans.training import Training

__all__ = ["TRAINING"]


class _LightsOutTraining(Training):
    def longest(self, problem: Any) -> int:
        """One step per cell."""
        return int(problem.instance.cells)

    def inputs(self, problem: Any) -> NDArray[np.uint8]:
        """One input per light, 1 if it is on (Agostinelli et al. 2019)."""
        cells = problem.instance.cells
        shown = np.zeros((2 * cells, cells), dtype=np.uint8)
        shown[1::2] = np.eye(cells, dtype=np.uint8)
        return shown


TRAINING = _LightsOutTraining()
