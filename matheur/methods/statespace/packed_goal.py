"""The goal test of the searches: `(key & mask) == goal`, word by word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.domain import Domain

__all__ = ["packed_goal", "packed_start", "starts_at_goal"]


def packed_goal(domain: Domain) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The goal's key [words], 0 in free components, and the mask [words] of the bits that are not free."""
    packing = domain.packing
    full = np.array([(1 << width) - 1 for width in packing.widths], dtype=np.uint8)
    mask = packing.pack(np.where(domain.goal_mask, full, 0).astype(np.uint8)[None])[0]
    return packing.pack(domain.goal[None])[0] & mask, mask


def packed_start(domain: Domain) -> NDArray[np.uint64]:
    """The start's key [1, words]."""
    return domain.packing.pack(domain.start[None])


def starts_at_goal(domain: Domain) -> bool:
    """Whether the start is a goal state, so that the empty plan is optimal."""
    return bool((domain.start == domain.goal)[domain.goal_mask].all())
