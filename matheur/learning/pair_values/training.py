"""Training of pair values: solve boards, learn from the plans, solve more boards with what was learnt.

As bootstrapping does (Arfaee, Zilles and Holte 2011), but all rounds have boards of one kind; the plans get better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date

import numpy as np

from matheur import __version__
from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError
from matheur.learning.pair_values.fitting import Shared, fit, shared_values, values_from
from matheur.learning.pair_values.model import PairModel
from matheur.learning.pair_values.samples import EXCESS, collect, joined
from matheur.statespace.sliding_tile.geometry import Geometry
from matheur.statespace.sliding_tile.guide import AUTO_GUIDES, guide_by_name

__all__ = ["PairOptions", "PairProgress", "train_pairs"]

_MOST_SIDES = 8


@dataclass(frozen=True, slots=True)
class PairOptions:
    """How pair values are trained.

    Attributes
    ----------
    patterns
        Partitions of the tiles by name, joined by `+`, or `auto`.
    boards
        Boards that are solved in each round.
    width
        Of the beams that solve them.
    share
        Chance that a board of a layer of these beams is solved, too.
    shortest, longest
        Tries of the random walks that make the boards; 0: from the size.
    trust
        What searches take of the learnt score, of 1; the rest is the plain one. Pairs that were met seldom have learnt
        the chances of their few boards.
    """

    patterns: str = "auto"
    boards: tuple[int, ...] = (300, 1000, 3000)
    width: int = 2000
    share: float = 0.03
    shortest: int = 0
    longest: int = 0
    trust: float = 0.8

    def __post_init__(self) -> None:
        if not self.boards or min(*self.boards, self.width) < 1 or not (0 <= self.share <= 1 and 0 <= self.trust <= 1):
            raise ConfigurationError("boards and width must be at least 1, share and trust between 0 and 1")
        if self.shortest < 0 or self.longest < self.shortest:
            raise ConfigurationError(f"longest must be at least shortest ({self.shortest}, {self.longest})")


@dataclass(frozen=True, slots=True)
class PairProgress:
    """How far a training is.

    Attributes
    ----------
    seconds
        Since it began.
    round, boards, samples
        Number of the round (from 1), boards solved in it, boards learnt from (0 until it ends).
    length
        Mean length of the plans of the round.
    plain_error, error
        Root mean square on boards that were not learnt from, in slides, without and with pairs; None until the round
        ends.
    """

    seconds: float
    round: int
    boards: int
    length: float
    samples: int = 0
    plain_error: float | None = None
    error: float | None = None


def train_pairs(
    board: Geometry,
    options: PairOptions,
    budget: Budget,
    seed: int,
    *,
    start: PairModel | None = None,
    on_progress: Callable[[PairProgress], None] | None = None,
) -> PairModel:
    """Train for a board, in rounds; all learn from the plans of the rounds so far but the first, which are too long.

    Parameters
    ----------
    budget
        An iteration is a board solved. Where it ends, the last round learns from what it has.
    seed
        Of all randomness. With a budget of iterations the same seed gives the same values.
    start
        Values to begin with. Of those for boards of another size the first round takes what pairs in like places
        have in common.
    on_progress
        Called now and then.

    Returns
    -------
    PairModel
        Those of the last round.

    Raises
    ------
    ConfigurationError
        If the board is too narrow, or fewer than two boards were solved.
    """
    if min(board.rows, board.columns) < 3 or max(board.rows, board.columns) > _MOST_SIDES:
        raise ConfigurationError(f"pair values are for boards from 3x3 to 8x8, not {board.rows}x{board.columns}")
    names = AUTO_GUIDES.get((board.rows, board.columns), "auto") if options.patterns == "auto" else options.patterns
    guide = guide_by_name(board, names, budget=budget)
    if guide is None:
        raise ConfigurationError("the time ended before the tables were built")
    rng = np.random.default_rng(seed)
    steps = _steps(board, options)
    searching, shared = _begin(board, names, start, options.trust)
    learnt: PairModel | None = None
    begun, known = budget.clock(), None
    for number, boards in enumerate(options.boards, 1):
        own = guide if searching is None else replace(guide, pairs=searching.on(board, guide.partitions))

        def tell(done: int, lengths: Sequence[int], number: int = number) -> None:
            if on_progress is not None and done % 50 == 0 and lengths:
                on_progress(PairProgress(budget.clock() - begun, number, done, float(np.mean(lengths))))

        samples = collect(own, boards, steps, options.width, options.share, rng, budget, tell)
        if len(samples.lengths) < (2 if known is None else 1):
            break
        known = samples if number <= 2 or known is None else joined(known, samples)
        found = fit(guide, known, rng, shared=shared)
        shared = found.shared
        training = {**asdict(options), "seed": seed, "round": number, "samples": len(known.left), "error": found.error,
                    "plain_error": found.plain_error, "length": float(np.mean(samples.lengths)),
                    "matheur": __version__, "date": f"{date.today():%Y-%m-%d}"}  # fmt: skip
        searching = learnt = _trusted(
            PairModel(
                board.rows,
                board.columns,
                board.goal,
                names,
                found.distance,
                found.excess,
                found.constant,
                found.values,
                training,
            ),
            options.trust,
        )
        if on_progress is not None:
            on_progress(
                PairProgress(
                    budget.clock() - begun, number, len(samples.lengths), float(np.mean(samples.lengths)),
                    len(known.left), found.plain_error, found.error,
                )
            )  # fmt: skip
        if budget.exhausted:
            break
    if learnt is None:
        raise ConfigurationError("values are learnt from two boards at least, and fewer were solved")
    return learnt


def _steps(board: Geometry, options: PairOptions) -> tuple[int, int]:
    """Lengths of walks: from some order to nearly none."""
    mixing = board.cells**2
    return options.shortest or mixing // 3, options.longest or 3 * mixing


def _begin(
    board: Geometry, names: str, start: PairModel | None, trust: float
) -> tuple[PairModel | None, Shared | None]:
    """What the first round searches with, and what its learning begins with."""
    if start is None:
        return None, None
    shared = shared_values(start)
    if (start.rows, start.columns, start.goal) == (board.rows, board.columns, board.goal):
        return start, shared
    values = values_from(board, shared)
    return _trusted(
        PairModel(board.rows, board.columns, board.goal, names, start.distance, start.excess, start.constant, values),
        trust,
    ), shared


def _trusted(model: PairModel, trust: float) -> PairModel:
    """The model's score mixed with the plain one."""
    distance, excess = trust * np.array([model.distance, model.excess]) + (1 - trust) * np.array(EXCESS) / 100
    return replace(
        model,
        distance=float(distance),
        excess=float(excess),
        constant=trust * model.constant,
        values=(trust * model.values).astype(np.float32),
    )
