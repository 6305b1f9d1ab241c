"""Parameters of a backtracking search, and their defaults by the size of the board."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.quotas import TRIED_CELLS

__all__ = [
    "LARGE",
    "LONG",
    "SMALL",
    "Plan",
    "Sampling",
    "default_layered",
    "default_opening",
    "default_restart",
    "default_sampling",
    "default_sets",
    "default_spread",
    "default_strength",
]

_OPENING = {"comb": 0.9, "rows": 0.883}
_OPENINGS = {  # measured openings by number of cells, if better than the formula, because allowances are whole numbers
    ("comb", 100): 0.895,
    ("comb", 144): 0.907,
    ("comb", 196): 0.904,
    ("comb", 256): 0.898,
    ("rows", 100): 0.875,
    ("rows", 144): 0.891,
}

_QUOTA_CELLS = 64
_RESTART = 400_000_000
_SETS_CELLS = range(101, 145)
_LAYERED_CELLS = range(81, 257)


@dataclass(frozen=True, slots=True)
class Sampling:
    """The quotas among which samples choose those to try.

    Attributes
    ----------
    families
        Kinds of colour sets: number of frame colours, number of other colours, and the factor by which the curve of
        such sets is later than Blackwood's.
    sets
        Number of colour sets tried per family, starting with those that the fewest pieces carry.
    placements
        Size of a tree in the first round.
    fitted, compared
        Number of sets that seem best by one sample each, for which quotas of that size are sought; and number of these
        that are compared by large samples and continue to the next round.
    most
        Maximum number of quotas per round.
    worse
        Maximum loss in promise per placement of a quota against the best of its round, as a logarithm.
    after
        Placements before quotas are chosen: of one quota if each start tries all of it, otherwise of all starts.
    seconds
        Minimum time for which choosing is worthwhile: it takes about 45 seconds, 100 for `LONG`, 20 for `LARGE`.
    """

    families: tuple[tuple[int, int, float], ...]
    sets: int
    placements: float
    fitted: int
    compared: int
    most: int
    worse: float
    after: int
    seconds: float


SMALL = Sampling(
    families=((1, 1, 1.15), (1, 2, 1.3), (1, 3, 1.5), (1, 4, 1.6), (2, 2, 1.3), (2, 3, 1.4), (2, 4, 1.5)),
    sets=24, placements=8e9, fitted=24, compared=20, most=16, worse=0.5, after=1_000_000_000, seconds=300.0,
)  # fmt: skip
"""For boards of up to 100 cells, where each start tries all that its quota allows."""

LONG = replace(
    SMALL,
    families=(
        (1, 1, 1.1), (1, 1, 1.2), (1, 2, 1.25), (1, 2, 1.35), (1, 3, 1.4), (1, 3, 1.5), (1, 4, 1.55), (2, 2, 1.2),
        (2, 2, 1.3), (2, 3, 1.35), (2, 3, 1.45), (2, 4, 1.45), (2, 4, 1.55),
    ),
    fitted=48, compared=40, most=32, worse=0.6, seconds=1500.0,
)  # fmt: skip
"""For the same boards if there is time: promises a tenth more boards in an hour, but choosing takes twice as long."""

LARGE = Sampling(
    families=((1, 1, 1.0), (1, 2, 1.1)),
    sets=10, placements=1e12, fitted=12, compared=8, most=1, worse=0.0, after=400_000_000, seconds=45.0,
)  # fmt: skip
"""For larger boards, where starts try only a part of what their quota allows."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Parameters of a search.

    `Backtracking.plan` creates one by the size of the board; `dataclasses.replace` changes it.

    Attributes
    ----------
    order
        Cells, each after the cells above it and on its left.
    total
        Mismatches allowed in the first board, at least those of fixed pieces with each other; later boards must have
        fewer than the best.
    opening
        Share of the board from which mismatches are allowed.
    settling
        Whether the opening moves until mismatches take a fixed share of the time (decision 56); not with a `schedule`.
    schedule
        Share of the board from which the 1st, 2nd, ... mismatch is allowed, instead of the curve.
    sets
        Number of sets of rare colours that are tried; the set with the strictest quota that starts can meet is used.
    sampling
        How samples choose quotas from many sets (decision 70); None for never. If each start tries all that its quota
        allows, samples are taken once a quota has taken long. Otherwise, they are used for all starts after some time,
        unless there are hints.
    strength
        Initial share of the sides with rare colours that must have been laid where the quota ends; 0 for no quota.
    spread
        Maximum share by which every second start weakens the strictest quota; the share is drawn uniformly from 0 to
        this maximum.
    apart
        Whether no piece may have two mismatches.
    restart
        Maximum number of placements of a start, after which the search restarts with the candidates in another order.
        A start is as long as all earlier ones together, but at least a tenth of this maximum. 0 for starts that end
        only when all that their quota allows has been tried, each with a weaker quota (decision 55). None never
        restarts: then no quota follows another.
    patience
        Placements after which a start of maximum length is abandoned if it has not passed the quota; proportionally
        fewer for shorter starts; 0 for never.
    loose
        Number of cells at the end where two joints of a cell may slip, as well as joints along the frame.
    others
        Further orders. If a start ends only when everything has been tried, each order and each piece in the first
        cell is a start of its own, and a quota is complete when all of them are. Only with `layered`, and if no piece
        has to be laid one board at a time.
    job
        Number of this search, and the number of searches that divide those starts.
    layered
        Whether many partial boards are continued at once if the puzzle allows it (`layer_tables`), with two to four
        times as many placements a second; no cell is `loose` then. Not with `apart`.
    """

    order: NDArray[np.int64]
    total: int
    opening: float
    settling: bool = False
    schedule: tuple[float, ...] | None = None
    sets: int = 1
    sampling: Sampling | None = None
    strength: float = 0.0
    spread: float = 0.0
    apart: bool = False
    restart: int | None = _RESTART
    patience: int = 20_000_000
    loose: int = 0
    others: tuple[NDArray[np.int64], ...] = ()
    job: tuple[int, int] = (0, 1)
    layered: bool = False


def default_opening(cells: int, order: str) -> float:
    """The opening that filled the most boards with few mismatches on puzzles of this size (decisions 45 and 51)."""
    order = "rows" if order == "columns" else order
    return _OPENINGS.get((order, cells), _OPENING[order])


def default_strength(cells: int) -> float:
    """The initial strength; 0 for small boards, which have too few sides of a colour for a quota."""
    return 0.96 if cells >= _QUOTA_CELLS else 0.0


def default_layered(cells: int) -> bool:
    """Whether many partial boards are continued at once if the puzzle allows it (decisions 57, 58)."""
    return cells in _LAYERED_CELLS


def default_restart(cells: int, strength: float) -> int:
    """Maximum placements of a start; 0 to try all that its quota allows, if there is one (decision 55)."""
    return 0 if cells in TRIED_CELLS and strength > 0 else _RESTART


def default_sets(cells: int) -> int:
    """Number of sets of rare colours to try: several on boards of about 12 x 12 (decision 53)."""
    return 4 if cells in _SETS_CELLS else 1


def default_spread(cells: int) -> float:
    """Maximum share by which quotas are weakened: about five sides, but 0 if each start tries all of its quota."""
    return 0.0 if cells in TRIED_CELLS else min(0.25, 10 / cells)


def default_sampling(cells: int, seconds: float = math.inf) -> Sampling | None:
    """How samples choose quotas on a board of this size with this many seconds left; None if they do not."""
    every = [LONG, SMALL] if cells in TRIED_CELLS else [LARGE] if cells in _SETS_CELLS else []
    return next((sampling for sampling in every if seconds >= sampling.seconds), None)
