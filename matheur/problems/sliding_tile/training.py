"""Training data of networks for sliding tiles: walk lengths and inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.methods.learning.encoding import Encoding
from matheur.methods.statespace.domains import domain_of
from matheur.problems.plans.training import Training

__all__ = ["TRAINING"]


class _SlidingTileTraining(Training):
    def longest(self, problem: Any) -> int:
        """Three quarters of the square of the cells, at most 1,000."""
        one = problem.instance
        cells = int(one.rows * one.columns)
        return min(1000, max(20, 3 * cells**2 // 4))

    def inputs(self, problem: Any) -> NDArray[np.uint8]:
        """One-hot encoding of the tile or blank in each cell (Agostinelli et al. 2019): cells squared inputs."""
        encoding = Encoding.of(domain_of(problem))
        cells = len(encoding.sizes)
        shown = np.zeros((encoding.units, cells * cells), dtype=np.uint8)
        for cell, offset in enumerate(encoding.offsets.tolist()):
            shown[offset : offset + cells, cells * cell : cells * (cell + 1)] = np.eye(cells, dtype=np.uint8)
        return shown


TRAINING = _SlidingTileTraining()
