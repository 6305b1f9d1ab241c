"""Length of the walks from the goal from which a network for Rubik's cube learns, and its inputs."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.problems.plans.training import Training
from matheur.problems.rubik.cubies import CORNER_STICKERS, CORNERS, EDGE_STICKERS, EDGES
from matheur.problems.rubik.stickers import FACES, SOLVED

__all__ = ["TRAINING"]

_VALUES = 32  # values of a component, 24 of which occur


class _RubikTraining(Training):
    def longest(self, problem: Any) -> int:
        """30 moves in the quarter-turn metric, 24 in the half-turn metric."""
        return 30 if problem.instance.metric == "quarter" else 24

    def inputs(self, problem: Any) -> NDArray[np.uint8]:
        """The colour of each of the 54 stickers, one-hot (Agostinelli et al. 2019): 324 inputs."""
        shown = np.zeros((20, _VALUES, len(SOLVED), len(FACES)), dtype=np.uint8)
        for first, names, places in ((0, CORNERS, CORNER_STICKERS), (len(CORNERS), EDGES, EDGE_STICKERS)):
            for (i, place), (piece, name) in product(enumerate(places), enumerate(names)):
                for turned, (j, colour) in product(range(len(name)), enumerate(name)):
                    sticker = place[(j + turned) % len(place)]
                    shown[first + i, len(name) * piece + turned, sticker, FACES.index(colour)] = 1
        for face in range(len(FACES)):  # centres never change: every value of the first component switches them on
            shown[0, :, 9 * face + 4, face] = 1
        return shown.reshape(20 * _VALUES, -1)


TRAINING = _RubikTraining()
