"""Training of a file of pair values for the size of a board."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from matheur.engine import Budget
from matheur.engine.interrupt import ctrl_c_ends
from matheur.problems.sliding_tile.instance import GOALS
from matheur.problems.sliding_tile.pair_values.fitting import transferred
from matheur.problems.sliding_tile.pair_values.model import PairModel, averaged, read_pairs, write_pairs
from matheur.problems.sliding_tile.pair_values.training import PairOptions, PairProgress, train_pairs
from matheur.problems.sliding_tile.search.geometry import geometry

__all__ = ["make_pairs"]


def make_pairs(
    problem: Any,
    out: Path,
    budget: Budget,
    seed: int,
    *,
    begin: Path | None = None,
    mean_with: Sequence[Path] = (),
    on_progress: Callable[[PairProgress], None] | None = None,
    **options: Any,
) -> PairModel:
    """Train values of pairs of tiles and write them.

    Parameters
    ----------
    problem
        A board of the wanted size; its start does not matter.
    out
        Path of the file.
    begin
        Initial values, possibly of another size.
    mean_with
        Files of any size; the mean of their values and of the learnt values is written.
    options
        Options of `PairOptions`.

    Raises
    ------
    ConfigurationError, InputError
        If an option or a file is invalid.
    """
    wanted = PairOptions(**options)
    one = problem.instance
    board = geometry(one.rows, one.columns, one.goal if one.goal in GOALS else GOALS[0])
    start = None if begin is None else read_pairs(begin)
    others = [other if other.fits(board) else transferred(other, board) for other in map(read_pairs, mean_with)]
    with ctrl_c_ends(budget):
        model = averaged([train_pairs(board, wanted, budget, seed, start=start, on_progress=on_progress), *others])
        write_pairs(out, model)
    return model
