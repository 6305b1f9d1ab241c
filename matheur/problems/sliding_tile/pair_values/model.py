"""The result of a training of pair values, and its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.learning.archive import MALFORMED, Archive
from matheur.problems.sliding_tile.search.geometry import Geometry
from matheur.problems.sliding_tile.search.pairs import PairValues

__all__ = ["PairModel", "averaged", "read_pairs", "write_pairs"]

_ARCHIVE = Archive("matheur-pair-values", 1, "a file of pair values")
_STEP = 1 / 256  # resolution in slides of the values in a file


@dataclass(frozen=True, eq=False)
class PairModel:
    """A linear estimate of the number of slides to the goal.

    Attributes
    ----------
    rows, columns, goal
        Size and goal of the boards that the model fits.
    patterns
        Names of the partitions whose excess was used in training.
    distance, excess, constant
        Weights of the taxicab distance and of the mean excess of all partitions, and the constant term, in slides.
    values
        float32[pairs, cells, cells]: value of tile i in cell a and tile j < i in cell b at `[i (i - 1) / 2 + j, a, b]`,
        the blank being tile 0.
    training
        Record of the training, as plain values.
    """

    rows: int
    columns: int
    goal: str
    patterns: str
    distance: float
    excess: float
    constant: float
    values: NDArray[np.float32]
    training: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        cells = self.rows * self.columns
        wanted = (cells * (cells - 1) // 2, cells, cells)
        if not 2 <= cells <= 64 or self.values.shape != wanted:
            raise ConfigurationError(f"pair values of shape {self.values.shape} do not fit {self.rows}x{self.columns}")
        if not np.isfinite([self.distance, self.excess, self.constant]).all():
            raise ConfigurationError("the weights of pair values must be finite")

    def fits(self, board: Geometry) -> bool:
        """Whether the board has the right size."""
        return (board.rows, board.columns) == (self.rows, self.columns)

    def on(self, board: Geometry, partitions: int) -> PairValues:
        """Values for searches on a board, with either goal, whose guide has `partitions` partitions.

        Raises
        ------
        ConfigurationError
            If the board has another size.
        """
        if not self.fits(board):
            raise ConfigurationError(
                f"these pair values are for {self.rows}x{self.columns}, not for {board.rows}x{board.columns}"
            )
        full = self.facing(board.goal)._both_ways()
        # Look-ups hold halves of excesses.
        excesses = np.full(partitions, 2 * self.excess / partitions)
        return PairValues.of(board, self.distance, excesses, self.constant, full)

    def facing(self, goal: str) -> PairModel:
        """The same values for boards with this goal: rotating the board by 180 degrees exchanges both goals."""
        if goal == self.goal:
            return self
        cells = self.rows * self.columns
        # Tile t becomes tile cells - t.
        tile, cell = -np.arange(cells) % cells, np.arange(cells)[::-1]
        full = self._both_ways()[np.ix_(tile, cell, tile, cell)]
        upper, lower = np.tril_indices(cells, -1)
        return replace(self, goal=goal, values=np.ascontiguousarray(full[upper, :, lower, :]))

    def _both_ways(self) -> NDArray[np.float32]:
        """float32[cells, cells, cells, cells]: value of tile i in cell a and tile j in cell b at `[i, a, j, b]`."""
        cells = self.rows * self.columns
        full = np.zeros((cells, cells, cells, cells), dtype=np.float32)
        upper, lower = np.tril_indices(cells, -1)
        full[upper, :, lower, :] = self.values
        full[lower, :, upper, :] = self.values.transpose(0, 2, 1)
        return full


def averaged(models: Sequence[PairModel]) -> PairModel:
    """The mean of several models, with the goal and the partitions of the first one.

    Each model has fitted the noise of its own boards, which averaging reduces, as in bagging (Breiman 1996).

    Parameters
    ----------
    models
        At least one model; all for boards of the same size.

    Raises
    ------
    ConfigurationError
        If sizes differ.
    """
    sizes = sorted({f"{one.rows}x{one.columns}" for one in models})
    if len(sizes) != 1:
        raise ConfigurationError(f"a mean is taken of values for boards of one size ({', '.join(sizes)})")
    own = [one.facing(models[0].goal) for one in models]
    distance, excess, constant = np.mean([[one.distance, one.excess, one.constant] for one in own], axis=0).tolist()
    values = np.zeros_like(own[0].values)
    for one in own:
        values += one.values / np.float32(len(own))
    training = {"mean_of": [dict(one.training) for one in own]} if len(own) > 1 else own[0].training
    return replace(own[0], distance=distance, excess=excess, constant=constant, values=values, training=training)


def write_pairs(path: Path, model: PairModel) -> None:
    """Write a file of pair values, atomically; the numbers are rounded to 1/256 of a slide."""
    description = {
        "rows": model.rows,
        "columns": model.columns,
        "goal": model.goal,
        "patterns": model.patterns,
        "distance": model.distance,
        "excess": model.excess,
        "constant": model.constant,
        "step": _STEP,
        "training": dict(model.training),
    }
    limit = np.iinfo(np.int16).max
    values = np.clip(np.rint(model.values / _STEP), -limit, limit).astype(np.int16)
    _ARCHIVE.write(path, {"values": values}, description)


def read_pairs(path: Path) -> PairModel:
    """The pair values in a file.

    Raises
    ------
    InputError
        If it is not such a file, or is damaged; the message has one line.
    """
    arrays, description = _ARCHIVE.read(path)
    try:
        if arrays["values"].dtype != np.int16:
            raise ValueError("'values' is not an array of int16")
        step = float(description["step"])
        distance, excess, constant = (float(description[name]) for name in ("distance", "excess", "constant"))
        return PairModel(
            int(description["rows"]), int(description["columns"]), str(description["goal"]),
            str(description["patterns"]), distance, excess, constant, (arrays["values"] * step).astype(np.float32),
            dict(description["training"]),
        )  # fmt: skip
    except (*MALFORMED, ConfigurationError) as error:
        raise _ARCHIVE.malformed(path, error) from None
