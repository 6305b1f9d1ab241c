"""Number of mismatches allowed by depth: along a curve that settles where mismatches take a fixed share of the time."""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.plan import Plan

__all__ = ["WINDOW", "Allowances", "SettlingOpening", "allowance"]

WINDOW = 20_000_000
"""Placements between two adaptations."""

_SHARE = 0.3  # share of the time that mismatches should take
_GROWTH = 3.0  # factor of the time for mismatches when they are allowed one cell earlier
_STEP = 0.5  # maximum step, in cells
_GAIN = 0.5  # share of the step that would be right if the growth were exact
_KEPT = 0.98  # weight of earlier observations at each adaptation
_FRESH = 0.1  # weight of earlier observations when the number of mismatches changes
_CELLS = 256  # the curve is made for Eternity II; other boards are scaled by the share that is filled
_SHAPED = 20  # largest number of mismatches for which the curve has a shape of its own


def allowance(cells: int, total: int, opening: float) -> NDArray[np.int64]:
    """Mismatches that may have been made once a cell is filled, shape (cells + 1,); the last entry is `total`.

    A generalised logistic curve, as in jwortmann's Eternity2Puzzles.jl: floor((K + 1) / (1 + exp(-0.24 (x - o - K)))
    ** (1 / 3.8)) with K = `total`, x the depth and o the opening, both on a board of 256 cells. As K grows, the curve
    shifts towards the end of the board and would allow fewer mismatches before it. Above 20 mismatches, the curve for
    20 is therefore scaled in proportion.

    Parameters
    ----------
    opening
        Share of the board from which mismatches are allowed.
    """
    depth = _CELLS * np.arange(1, cells + 2) / max(cells, 1)
    shaped = min(total, _SHAPED)
    curve = (shaped + 1) / (1 + np.exp(-0.24 * (depth - _CELLS * opening - shaped))) ** (1 / 3.8)
    curve *= total / max(shaped, 1)
    allowed = np.minimum(total, np.floor(curve)).astype(np.int64)
    allowed[-1] = total
    return allowed


class SettlingOpening:
    """Moves the opening until mismatches take a fixed share of the time (decision 56).

    Opening one cell earlier creates two to three times as many boards with a mismatch. They take two to three times as
    long, but fewer than two to three times as many of them are filled. Hence there is a best share of the time. It
    hardly depends on the board, whereas the best opening depends on its size, its colours, the quota and the number of
    mismatches.

    Parameters
    ----------
    opening
        Initial share of the board from which mismatches are allowed.
    cells
        Number of cells of the board.
    try_cost
        Cost of a try, in placements, including the placements that follow from it.
    try_follows
        Placements that follow from a try.

    Attributes
    ----------
    opening
        Share of the board from which mismatches are allowed now.
    """

    def __init__(self, opening: float, cells: int, try_cost: float = 2.5, try_follows: float = 1.15) -> None:
        self.opening = opening
        self._cells, self._cost, self._follows = cells, try_cost, try_follows
        self._without = self._with = 0.0

    def look(self, placements: int, tries: int) -> None:
        """Adapt to the numbers of placements, and of words looked up for a mismatch, since the last call."""
        self._without = _KEPT * self._without + max(0.0, placements - self._follows * tries)
        self._with = _KEPT * self._with + self._cost * tries
        wanted = _SHARE / (1 - _SHARE) * self._without
        if wanted == self._with:
            return
        earlier = _STEP if self._with == 0 else _GAIN * log(max(wanted, 1.0) / self._with, _GROWTH)
        earlier = min(_STEP, max(-_STEP, earlier))
        self._with *= _GROWTH**earlier
        self.opening = min(1.0, max(0.0, self.opening - earlier / self._cells))

    def renew(self) -> None:
        """Give earlier observations less weight, because another number of mismatches is allowed from now on."""
        self._without *= _FRESH
        self._with *= _FRESH


class Allowances:
    """Mismatches allowed by depth according to a plan, for any total number.

    Parameters
    ----------
    cells
        Number of cells of the board.
    try_cost, try_follows
        See `SettlingOpening`.

    Attributes
    ----------
    pause
        Number of placements at which `look` must be called; None for never.
    """

    def __init__(self, plan: Plan, cells: int, try_cost: float, try_follows: float) -> None:
        self._schedule, self._cells = plan.schedule, cells
        self._opening = SettlingOpening(plan.opening, cells, try_cost, try_follows)
        self._placements = self._tries = 0  # at the last adaptation
        self.pause: int | None = WINDOW if plan.settling else None

    @property
    def opening(self) -> float:
        """Share of the board from which the curve allows mismatches now."""
        return self._opening.opening

    def of(self, total: int) -> NDArray[np.int64]:
        """Mismatches that may have been made once a cell is filled, shape (cells + 1,), for `total` on a full board."""
        if self._schedule is None:
            return allowance(self._cells, total, self.opening)
        opened = np.searchsorted(np.sort(self._schedule), np.arange(1, self._cells + 2) / self._cells, side="right")
        return np.minimum(opened, total).astype(np.int64)

    def look(self, placements: int, tries: int) -> None:
        """Adapt the opening to the total numbers of placements, and of words looked up for a mismatch, until now."""
        self._opening.look(placements - self._placements, tries - self._tries)
        self._placements, self._tries = placements, tries
        self.pause = placements + WINDOW

    def renew(self) -> None:
        """Note that another number of mismatches is allowed from now on."""
        self._opening.renew()
