"""The guide of `guided-beam` and `guided-window`: tables, and learnt values of pairs where there are some."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path

from matheur.engine.budget import Budget
from matheur.learning.pair_values import PairModel, read_pairs
from matheur.operators.plans.searching import AUTO
from matheur.statespace.sliding_tile.geometry import Geometry
from matheur.statespace.sliding_tile.guide import Guide, guide_by_name

__all__ = ["NONE", "guide_for"]

NONE = "none"
"""No learnt values."""

_TRAINED = "matheur.learning.trained"


def guide_for(board: Geometry, patterns: str, values: str, *, budget: Budget | None = None) -> Guide | None:
    """The guide of a board; None if the budget ended before its tables were built.

    Parameters
    ----------
    patterns
        As for `guide_by_name`.
    values
        A file of pair values; `auto`: the one that comes with matheur, if there is one for the size; or `none`.

    Raises
    ------
    ConfigurationError, InputError
        If there are no such patterns, or the file cannot be used.
    """
    model = (
        None if values == NONE else _shipped(board.rows, board.columns) if values == AUTO else read_pairs(Path(values))
    )
    guide = guide_by_name(board, patterns, budget=budget)
    if guide is None or model is None:
        return guide
    return _with(guide, model)


@lru_cache(maxsize=8)
def _with(guide: Guide, model: PairModel) -> Guide:
    return replace(guide, pairs=model.on(guide.board, guide.partitions))


@lru_cache(maxsize=8)
def _shipped(rows: int, columns: int) -> PairModel | None:
    """The values that come with matheur."""
    place = files(_TRAINED) / f"sliding-tile-{rows}x{columns}-pairs.npz"
    if not place.is_file():
        return None
    with as_file(place) as path:
        return read_pairs(path)
