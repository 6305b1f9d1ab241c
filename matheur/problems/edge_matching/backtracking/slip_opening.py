"""Where on the board the first mismatch is allowed: as early as the time that mismatches take is worth."""

from __future__ import annotations

from math import log

__all__ = ["WINDOW", "SettlingOpening"]

WINDOW = 20_000_000
"""Placements between two looks."""

_SHARE = 0.3  # of the time that mismatches are to take
_GROWTH = 3.0  # how many times longer mismatches take when they are allowed a cell earlier
_STEP = 0.5  # cells at once, at most
_GAIN = 0.5  # of the step that would be right if the growth were
_KEPT = 0.98  # of what was seen, at each look
_FRESH = 0.1  # of what was seen, for another number of mismatches


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
        Of the board.
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
        """After so many placements and words looked up for a mismatch."""
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
