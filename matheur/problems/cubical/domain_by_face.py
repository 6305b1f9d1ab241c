"""The cubical sliding puzzle with its moves listed face by face, as the published evolutionary planner draws them."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.domain import Kernel
from matheur.problems.cubical import domain_by_face_kernels as cubical_by_face_kernels
from matheur.problems.cubical.domain import CubicalDomain, face_masks

__all__ = ["CubicalByFace"]

_DIMENSION_MAX, _WORD = 6, 64


class CubicalByFace(CubicalDomain):
    """The same puzzle, in which a vertex that lies on two free faces of a ring is listed twice.

    A uniform choice among the successors then agrees with the code published with the paper: near vertices lie on more
    faces and are therefore more likely.

    Raises
    ------
    ValueError
        If the puzzle needs more than one word per key or d is more than 6.
    """

    def __init__(self, d: int, k: int, start: Sequence[int], goal: Sequence[int]) -> None:
        super().__init__(d, k, start, goal)
        if d > _DIMENSION_MAX or self.packing.words > 1:
            raise ValueError(f"moves face by face need d <= {_DIMENSION_MAX} and keys of one word ({self.name})")
        self.name += " by face"
        rings = self.start.size
        masks = np.ascontiguousarray(face_masks(d, k)[:, :, 0])
        self.branching: int = max(1, rings * comb(d, k) * ((1 << k) - 1))
        numbers = np.array([d, rings, masks.shape[1]], dtype=np.int64)
        self.expander: Kernel | None = Kernel(cubical_by_face_kernels.expand_by_face, numbers, (masks,))

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> CubicalByFace:
        """The same cube with other endpoints."""
        return CubicalByFace(self.d, self.k, np.asarray(start).tolist(), np.asarray(goal).tolist())
