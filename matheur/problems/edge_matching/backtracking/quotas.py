"""Quotas: which colours to spend first, and how soon."""

from __future__ import annotations

from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.edge_matching.instance import Instance

__all__ = [
    "BLACKWOOD",
    "LATER",
    "TRIED_CELLS",
    "Curve",
    "Quota",
    "exhaustion_curve",
    "quota_end",
    "rare_colours",
    "rare_sets",
    "sides_along_the_frame",
    "stretched",
]

_PIECES = 256  # the curves are made for Eternity II; other boards are scaled by the share that is filled

Curve = tuple[tuple[float, float], ...]
"""Depths on a board of 256 cells, and the share of the sides to spend that must have been laid there."""

BLACKWOOD: Curve = (
    (0, 0.0),
    (16, 0.0),
    (26, 28 / 119),
    (56, 71 / 119),
    (76, 89 / 119),
    (102, 106 / 119),
    (160, 1.0),
)
"""Blackwood's curve of 2020, made for Eternity II and its 119 sides with three colours."""


def stretched(factor: float) -> Curve:
    """Blackwood's curve, delayed by a factor.

    Examples
    --------
    >>> stretched(2.0)[-1]
    (320.0, 1.0)
    """
    return tuple((factor * depth, share) for depth, share in BLACKWOOD)


LATER: Curve = stretched(1.15)
"""Blackwood's curve, delayed by 15 %, for small boards (decision 60)."""

TRIED_CELLS = range(81, 101)
"""Sizes of boards where each start tries all that its quota allows."""

_RAREST = 20  # colours of a kind that are considered, if there are more


@dataclass(frozen=True, slots=True)
class Quota:
    """Colours to spend first, and how soon.

    Attributes
    ----------
    colours
        Colours to spend first; empty for no quota.
    strength, curve
        See `exhaustion_curve`.
    """

    colours: tuple[int, ...]
    strength: float
    curve: Curve | None = None

    @property
    def spent(self) -> NDArray[np.int64]:
        """The colours, as an array."""
        return np.array(self.colours, dtype=np.int64)

    def weakened(self, share: float) -> Quota:
        """The quota that requires a share of this one."""
        return replace(self, strength=self.strength * share)

    def asked(self, instance: Instance) -> NDArray[np.int64]:
        """Sides that must have been laid once a cell is filled, shape (cells + 1,)."""
        return exhaustion_curve(instance, self.spent, instance.cells, self.strength, self.curve)


def rare_colours(instance: Instance) -> NDArray[np.int64]:
    """Colours to spend first, by the rule of jwortmann's program: the first of `rare_sets`, empty if there is none."""
    sets = rare_sets(instance, 1)
    return sets[0] if sets else np.zeros(0, dtype=np.int64)


def rare_sets(instance: Instance, number: int, frame: int = 1, inside: int = 2) -> list[NDArray[np.int64]]:
    """Up to `number` sets of colours to spend first, in ascending order of the number of pieces that carry them.

    A set has `frame` colours that occur only along the frame and `inside` others. If the frame has no such colours, a
    set has `frame + inside` colours of all. There are no sets if there are too few colours.
    """
    pieces = instance.pieces
    along = np.zeros(0, dtype=np.int64)
    if instance.framed:
        along = np.setdiff1d(pieces[sides_along_the_frame(pieces)], pieces[(pieces != 0).all(axis=1)])
    inner = np.setdiff1d(np.unique(pieces), np.append(along, 0))
    carriers = {int(colour): (pieces == colour).any(axis=1) for colour in np.append(along, inner)}

    def spread(chosen: tuple[int, ...]) -> int:
        return int(np.logical_or.reduce([carriers[colour] for colour in chosen]).sum())

    def rarest(colours: NDArray[np.integer]) -> list[int]:
        return sorted(colours.tolist(), key=lambda colour: spread((colour,)))[:_RAREST]

    if not along.size:
        frame, inside = 0, frame + inside
    if along.size < frame or inner.size <= inside:
        return []
    first = combinations(rarest(along), frame)
    others = list(combinations(rarest(inner), inside))
    chosen = nsmallest(number, (one + other for one in first for other in others), key=spread)
    return [np.array(colours, dtype=np.int64) for colours in chosen]


def sides_along_the_frame(sides: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which sides of pieces or placements, shape (any, 4), adjoin a frame side and so lie at joints along the frame.

    Examples
    --------
    >>> sides_along_the_frame(np.array([[0, 1, 2, 3]])).tolist()
    [[False, True, False, True]]
    """
    frame = sides == 0
    beside: NDArray[np.bool_] = (np.roll(frame, 1, axis=1) | np.roll(frame, -1, axis=1)) & ~frame
    return beside


def exhaustion_curve(
    instance: Instance, colours: NDArray[np.int64], cells: int, strength: float, curve: Curve | None = None
) -> NDArray[np.int64]:
    """Sides with given colours that must have been laid once a cell is filled, shape (cells + 1,).

    Parameters
    ----------
    strength
        Share of all those sides that the curve requires at its maximum.
    curve
        Curve of the quota; None for `LATER` on boards where each start tries all that its quota allows, and for
        `BLACKWOOD` on others.
    """
    total = np.isin(instance.pieces, colours).sum()
    quota: NDArray[np.int64] = np.floor(quota_shares(cells, curve) * strength * total).astype(np.int64)
    return quota


def quota_shares(cells: int, curve: Curve | None = None) -> NDArray[np.float64]:
    """Share of the sides that a curve of strength 1 requires once a cell is filled, shape (cells + 1,)."""
    depth = _PIECES * np.arange(1, cells + 2) / max(cells, 1)
    depths, shares = np.array(_curve(cells) if curve is None else curve).T
    asked: NDArray[np.float64] = np.where(depth > depths[-1], 0.0, np.interp(depth, depths, shares))
    return asked


def quota_end(cells: int) -> float:
    """Share of the board at which the quota ends: five eighths, or more if each start tries all that it allows."""
    return _curve(cells)[-1][0] / _PIECES


def _curve(cells: int) -> Curve:
    return LATER if cells in TRIED_CELLS else BLACKWOOD
