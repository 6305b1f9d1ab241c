"""The guide of `guided-beam` and `guided-window`: tables, and learnt values of pairs if available."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError
from matheur.problems.plans.searching import AUTO
from matheur.problems.sliding_tile.instance import GOALS, Instance
from matheur.problems.sliding_tile.pair_values import PairModel, read_pairs
from matheur.problems.sliding_tile.search.geometry import Geometry, geometry
from matheur.problems.sliding_tile.search.guide import Guide, guide_by_name

__all__ = ["NONE", "guide_for", "tabled", "values_for"]

NONE = "none"
"""No learnt values."""

_TRAINED = Path(__file__).parents[1] / "trained"
_NARROW = 3  # rows and columns
_LARGEST = 7, 7  # size of the largest boards whose values are supplied with matheur
_SMALL = 25  # cells of boards for which tables are sufficient


def tabled(board: Instance) -> Geometry:
    """The geometry whose tables guide searches on a board: with its own goal, or blank-last for other goals."""
    return geometry(board.rows, board.columns, board.goal if board.goal in GOALS else GOALS[0])


def values_for(board: Geometry, values: str) -> PairModel | None:
    """The learnt values for a board.

    Parameters
    ----------
    values
        A file of pair values; `auto`: the file supplied with matheur for the size and, on other boards of more than 25
        cells, the 7 x 7 values of pairs in similar positions; or `none`.

    Raises
    ------
    ConfigurationError, InputError
        If the file is for another size or cannot be read.
    """
    if values == NONE:
        return None
    if values == AUTO:
        model = _shipped(board.rows, board.columns)
        return _transferred(board) if model is None and board.cells > _SMALL else model
    model = _of_file(Path(values))
    if not model.fits(board):
        raise ConfigurationError(
            f"the pair values of {values} are for {model.rows}x{model.columns}, not for {board.rows}x{board.columns}"
        )
    return model


def guide_for(board: Geometry, patterns: str, model: PairModel | None, *, budget: Budget | None = None) -> Guide | None:
    """The guide of a board; None if the budget ended before its tables were built. Patterns as for `guide_by_name`."""
    guide = guide_by_name(board, patterns, budget=budget)
    return guide if guide is None or model is None else _with(guide, model)


@lru_cache(maxsize=8)
def _with(guide: Guide, model: PairModel) -> Guide:
    return replace(guide, pairs=model.on(guide.board, guide.partitions))


def _of_file(path: Path) -> PairModel:
    """Read the file once for all calls, unless it changes."""
    try:
        status = path.stat()
    except OSError:
        return read_pairs(path)  # raises the error
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _read(path: Path, _changed: int, _size: int) -> PairModel:
    return read_pairs(path)


@lru_cache(maxsize=8)
def _shipped(rows: int, columns: int) -> PairModel | None:
    """The values supplied with matheur."""
    file = _TRAINED / f"sliding-tile-{rows}x{columns}-pairs.npz"
    return read_pairs(file) if file.is_file() else None


@lru_cache(maxsize=2)
def _transferred(board: Geometry) -> PairModel | None:
    """The values of the largest board, transferred to another size."""
    from matheur.problems.sliding_tile.pair_values.fitting import transferred

    model = _shipped(*_LARGEST)
    return None if model is None or min(board.rows, board.columns) < _NARROW else transferred(model, board)
