"""How many mismatches are allowed by depth: along a curve that settles where the time they take is worth it."""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.plan import Plan

__all__ = ["WINDOW", "Allowances", "SettlingOpening", "allowance"]

WINDOW = 20_000_000
"""Placements between two looks."""

_SHARE = 0.3  # of the time that mismatches are to take
_GROWTH = 3.0  # how many times longer mismatches take when they are allowed a cell earlier
_STEP = 0.5  # cells at once, at most
_GAIN = 0.5  # of the step that would be right if the growth were
_KEPT = 0.98  # of what was seen, at each look
_FRESH = 0.1  # of what was seen, for another number of mismatches
_CELLS = 256  # the curve is that of Eternity II; other boards are measured by the share that is filled
_SHAPED = 20  # mismatches up to which the curve has a shape of its own


def allowance(cells: int, total: int, opening: float) -> NDArray[np.int64]:
    """Mismatches that may have been made once a cell is filled, shape (cells + 1,); the last entry is `total`.

    A generalised logistic curve, as in jwortmann's Eternity2Puzzles.jl: floor((K + 1) / (1 + exp(-0.24 (x - o - K)))
    ** (1 / 3.8)) with K = `total`, x the depth and o the opening, both on a board of 256 cells. It shifts to the end of
    the board as K grows, and would allow ever less before it: more than 20 mismatches are allowed as 20 are, in
    proportion.

    Parameters
    ----------
    opening
        Share of the board from which mismatches begin to be allowed.
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

    An opening one cell earlier makes some two or three times as many boards with a mismatch, which take as many times
    longer, and not as many times more of them are filled. So there is a best share of the time. It hardly depends on
    the board, while the best opening depends on its size, its colours, the quota and the number of mismatches.

    Parameters
    ----------
    opening
        Share of the board, to begin with.
    cells
        Number of cells of the board.
    try_cost
        What a try costs, in placements, with the placements that follow from it.
    try_follows
        Placements that follow from a try.

    Attributes
    ----------
    opening
        Share of the board from which mismatches are to be allowed.
    """

    def __init__(self, opening: float, cells: int, try_cost: float = 2.5, try_follows: float = 1.15) -> None:
        self.opening = opening
        self._cells, self._cost, self._follows = cells, try_cost, try_follows
        self._without = self._with = 0.0

    def look(self, placements: int, tries: int) -> None:
        """Adapt to the numbers of placements and of words looked up for a mismatch until now."""
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
        """From now on another number of mismatches is allowed: what was seen counts for less."""
        self._without *= _FRESH
        self._with *= _FRESH


class Allowances:
    """What is allowed by depth, as the plan says, for any number of mismatches.

    Parameters
    ----------
    cells
        Number of cells of the board.
    try_cost, try_follows
        See `SettlingOpening`.

    Attributes
    ----------
    pause
        Placements after which `look` is to be called, None for never.
    """

    def __init__(self, plan: Plan, cells: int, try_cost: float, try_follows: float) -> None:
        self._schedule, self._cells = plan.schedule, cells
        self._opening = SettlingOpening(plan.opening, cells, try_cost, try_follows)
        self._placements = self._tries = 0  # at the last look
        self.pause: int | None = WINDOW if plan.settling else None

    @property
    def opening(self) -> float:
        """Share of the board from which mismatches are allowed now, by the curve."""
        return self._opening.opening

    def of(self, total: int) -> NDArray[np.int64]:
        """Mismatches that may have been made once a cell is filled, shape (cells + 1,), if all may be `total`."""
        if self._schedule is None:
            return allowance(self._cells, total, self.opening)
        opened = np.searchsorted(np.sort(self._schedule), np.arange(1, self._cells + 2) / self._cells, side="right")
        return np.minimum(opened, total).astype(np.int64)

    def look(self, placements: int, tries: int) -> None:
        """Move the opening by the numbers of placements and of words looked up for a mismatch until now."""
        self._opening.look(placements - self._placements, tries - self._tries)
        self._placements, self._tries = placements, tries
        self.pause = placements + WINDOW

    def renew(self) -> None:
        """From now on another number of mismatches is allowed."""
        self._opening.renew()
