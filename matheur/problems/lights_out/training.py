"""How long walks from the goal should be, from which a network for Lights Out learns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.problems.plans.training import Training

__all__ = ["TRAINING"]


class _LightsOutTraining(Training):
    def longest(self, problem: Any) -> int:
        """A step for each cell."""
        return int(problem.instance.cells)

    def inputs(self, problem: Any) -> NDArray[np.uint8]:
        """An input for each light, 1 if it is on (Agostinelli et al. 2019)."""
        return np.kron(np.eye(problem.instance.cells, dtype=np.uint8), np.array([[0], [1]], dtype=np.uint8))


TRAINING = _LightsOutTraining()
