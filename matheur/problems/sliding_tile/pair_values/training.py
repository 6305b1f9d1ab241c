"""Training of pair values: solve boards, learn from the plans, solve more boards with the learnt values.

Similar to bootstrapping (Arfaee, Zilles and Holte 2011), but all rounds have the same kind of boards; the plans
improve.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date

import numpy as np

from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError
from matheur.problems.sliding_tile.pair_values.fitting import Shared, fit, shared_values, values_from
from matheur.problems.sliding_tile.pair_values.model import PairModel
from matheur.problems.sliding_tile.pair_values.samples import EXCESS, collect, joined
from matheur.problems.sliding_tile.search.geometry import Geometry
from matheur.problems.sliding_tile.search.guide import AUTO_GUIDES, guide_by_name
from matheur.version import __version__

__all__ = ["PairOptions", "PairProgress", "train_pairs"]

_MOST_SIDES = 8
_OFTEN = 50  # boards between two progress reports


@dataclass(frozen=True, slots=True)
class PairOptions:
    """Options of the training of pair values.

    Attributes
    ----------
    patterns
        Partitions of the tiles by name, joined by `+`, or `auto`.
    boards
        Number of boards solved in each round.
    width
        Width of the beams that solve the boards: one for each round, or one for all.
    walks
        Shortest and longest random walks that make the boards, in attempts to move the blank: for each round, or for
        all; empty: chosen from the size.
    share
        Probability, for each layer of these beams, that one of its boards is solved as well.
    threads
        Threads that solve boards in parallel; the values do not depend on their number.
    trust
        Weight of the learnt score in searches, from 0 to 1; the plain score has the rest. Rare pairs have fitted the
        noise of their few boards.
    """

    patterns: str = "auto"
    boards: tuple[int, ...] = (300, 1000, 3000)
    width: tuple[int, ...] = (2000,)
    walks: tuple[tuple[int, int], ...] = ()
    share: float = 0.03
    threads: int = 1
    trust: float = 0.8

    def __post_init__(self) -> None:
        if not self.boards or min(*self.boards, *self.width, self.threads) < 1:
            raise ConfigurationError("boards, width and threads must be at least 1")
        if not (0 <= self.share <= 1 and 0 <= self.trust <= 1):
            raise ConfigurationError(f"share and trust are between 0 and 1 ({self.share}, {self.trust})")
        for name, given in (("width", self.width), ("walks", self.walks)):
            if len(given) not in {1, len(self.boards)} and (given or name == "width"):
                raise ConfigurationError(f"{name}: one for all of {len(self.boards)} rounds or one for each ({given})")
        for shortest, longest in self.walks:
            if not 1 <= shortest <= longest:
                raise ConfigurationError(
                    f"walks must be ranges of at least 1 try, the smaller number first ({self.walks})"
                )

    def round(self, number: int, board: Geometry) -> tuple[int, tuple[int, int]]:
        """Width and walks of a round, counted from 0."""
        mixing = board.cells**2
        walks = self.walks or ((mixing // 3, 3 * mixing),)  # from partly ordered to almost random
        return self.width[number % len(self.width)], walks[number % len(walks)]


@dataclass(frozen=True, slots=True)
class PairProgress:
    """Progress of a training.

    Attributes
    ----------
    seconds
        Seconds since the training began.
    round, boards, samples
        Number of the round (from 1), boards solved in it, and samples learnt from (0 until the round ends).
    length
        Mean length of the plans of the round.
    plain_error, error
        Root mean square error on held-out boards, in slides, without and with pairs; None until the round ends.
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
    """Train for a board in rounds; each round learns from the plans of all rounds so far.

    The plans of the first round are dropped afterwards if it started without values, since they are too long.

    Parameters
    ----------
    budget
        Budget of the training; an iteration is a board solved. When it ends, the last round learns from the plans so
        far.
    seed
        Seed of all random choices. With a budget of iterations the same seed gives the same values.
    start
        Initial values. If they are for another size, the first round uses the shared values of pairs in similar
        positions.
    on_progress
        Called at intervals.

    Returns
    -------
    PairModel
        Values of the last round.

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
    searching, shared = _begin(board, names, start, options.trust)
    learnt: PairModel | None = None
    begun, known = budget.clock(), None
    for number, boards in enumerate(options.boards, 1):
        own = guide if searching is None else replace(guide, pairs=searching.on(board, guide.partitions))

        told = 0

        def tell(done: int, lengths: Sequence[int], number: int = number) -> None:
            nonlocal told
            if on_progress is not None and done // _OFTEN > told and lengths:
                told = done // _OFTEN
                on_progress(PairProgress(budget.clock() - begun, number, done, float(np.mean(lengths))))

        width, walks = options.round(number - 1, board)
        samples = collect(own, boards, walks, width, options.share, rng, budget, tell, threads=options.threads)
        if len(samples.lengths) < (2 if known is None else 1):
            break
        known = samples if known is None or (number == 2 and start is None) else joined(known, samples)
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
        raise ConfigurationError("values are learnt from at least two boards, but fewer were solved")
    return learnt


def _begin(
    board: Geometry, names: str, start: PairModel | None, trust: float
) -> tuple[PairModel | None, Shared | None]:
    """Values for the searches of the first round, and shared values from which its learning starts."""
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
    """The model's score mixed with the plain score."""
    distance, excess = trust * np.array([model.distance, model.excess]) + (1 - trust) * np.array(EXCESS) / 100
    return replace(
        model,
        distance=float(distance),
        excess=float(excess),
        constant=trust * model.constant,
        values=(trust * model.values).astype(np.float32),
    )
