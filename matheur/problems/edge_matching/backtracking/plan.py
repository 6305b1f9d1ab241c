"""What a backtracking search is asked to do, and what suits boards of which size."""

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
_OPENINGS = {  # measured by cells, where they are better: allowances are whole numbers
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
    """Among which quotas those to be tried are chosen by samples.

    Attributes
    ----------
    families
        Kinds of colour sets: number of colours of the frame, number of others, and how much later than Blackwood's the
        curve of such sets is.
    sets
        Number of colour sets tried per family, those first that the fewest pieces carry.
    placements
        Size of a tree in the first round.
    fitted, compared
        Number of sets that seem best by one sample each, whose quotas are sought for that size; and number of these
        that are compared by large samples, and go on to the next round.
    most
        Number of quotas of a round, at most.
    worse
        How much less than the best of a round another one may promise for its placements, a logarithm.
    after
        Placements before quotas are chosen: of one quota where all of it is tried, else of all starts.
    seconds
        Time below which it is not worth it: choosing takes some 45 seconds, 100 for `LONG`, 20 for `LARGE`.
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
"""For boards of up to 100 cells, where all that a quota allows is tried."""

LONG = replace(
    SMALL,
    families=(
        (1, 1, 1.1), (1, 1, 1.2), (1, 2, 1.25), (1, 2, 1.35), (1, 3, 1.4), (1, 3, 1.5), (1, 4, 1.55), (2, 2, 1.2),
        (2, 2, 1.3), (2, 3, 1.35), (2, 3, 1.45), (2, 4, 1.45), (2, 4, 1.55),
    ),
    fitted=48, compared=40, most=32, worse=0.6, seconds=1500.0,
)  # fmt: skip
"""For these where there is time: a tenth more boards are promised for an hour, with choosing twice as long."""

LARGE = Sampling(
    families=((1, 1, 1.0), (1, 2, 1.1)),
    sets=10, placements=1e12, fitted=12, compared=8, most=1, worse=0.0, after=400_000_000, seconds=45.0,
)  # fmt: skip
"""For larger ones, where starts try some of it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a search is asked to do.

    `Backtracking.plan` makes one by the size of the board; `dataclasses.replace` changes it.

    Attributes
    ----------
    order
        Cells, each after those above and on its left.
    total
        Mismatches that the first board may have, at least those of fixed pieces with each other; later ones one fewer
        than the best.
    opening
        Share of the board from which mismatches begin to be allowed.
    settling
        Whether that moves until mismatches take a fixed share of the time (decision 56); not for a `schedule`.
    schedule
        Share of the board from which the 1st, 2nd, ... mismatch is allowed, instead of the curve.
    sets
        Number of sets of rare colours that are tried; the strictest quota that starts meet decides which is taken.
    sampling
        How quotas are chosen by samples from many sets (decision 70), None for never. Where all that a quota allows is
        tried: once a quota has taken long. Elsewhere: all starts after some time, unless there are hints.
    strength
        Share of the sides with rare colours that must have been laid where the quota ends, to begin with; 0 for
        no quota.
    spread
        Every second start asks for less than the strictest quota, by a share of it that is drawn from 0 to this.
    apart
        Whether no piece may have two mismatches.
    restart
        Placements of the longest start: after them it begins again with the candidates in another order. A start is as
        long as all before it, but at least a tenth of this. 0 for starts that end only when all that their quota
        allows was tried, the next one asking for less (decision 55); None for never: then no quota follows one.
    patience
        Placements after which a start is given up that has not yet come beyond the quota, of the longest; of shorter
        ones in proportion; 0 for never.
    loose
        Number of cells at the end where two joints of a cell may slip, and joints along the frame.
    others
        Further orders: where a start ends only when all was tried, each of them and each piece in the first cell is a
        start of its own, and a quota was tried when all of them were; only with `layered`, and where no piece has to be
        laid one board at a time.
    job
        Number of this search and how many there are, which divide those starts.
    layered
        Whether many partial boards are continued at once, where the puzzle allows that (`layer_tables`): two to four
        times as many placements a second; then no cell is `loose`. Not with `apart`.
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
    """The opening that filled most boards of few mismatches on puzzles of this size (decisions 45 and 51)."""
    order = "rows" if order == "columns" else order
    return _OPENINGS.get((order, cells), _OPENING[order])


def default_strength(cells: int) -> float:
    """The strength to begin with: small boards have too few sides of a colour for a quota."""
    return 0.96 if cells >= _QUOTA_CELLS else 0.0


def default_layered(cells: int) -> bool:
    """Whether many partial boards are continued at once, where the puzzle allows it (decisions 57, 58)."""
    return cells in _LAYERED_CELLS


def default_restart(cells: int, strength: float) -> int:
    """Placements of the longest start, 0 for all that its quota allows, if there is one (decision 55)."""
    return 0 if cells in TRIED_CELLS and strength > 0 else _RESTART


def default_sets(cells: int) -> int:
    """Sets of rare colours to be tried: several on 12 x 12 and the like (decision 53)."""
    return 4 if cells in _SETS_CELLS else 1


def default_spread(cells: int) -> float:
    """How much weaker than the strictest quota others may be: some five sides, but 0 where all of one is tried."""
    return 0.0 if cells in TRIED_CELLS else min(0.25, 10 / cells)


def default_sampling(cells: int, seconds: float = math.inf) -> Sampling | None:
    """How quotas are chosen on a board of this many cells with this many seconds left, None for not at all."""
    every = [LONG, SMALL] if cells in TRIED_CELLS else [LARGE] if cells in _SETS_CELLS else []
    return next((sampling for sampling in every if seconds >= sampling.seconds), None)
