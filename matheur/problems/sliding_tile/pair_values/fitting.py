"""Pair values from samples: least squares for the weights, then gradient steps for the pairs.

There are more pairs of tiles and cells than the samples can distinguish. The value of a pair is therefore the sum of
its own value and of a value shared by all pairs in similar positions: the same offsets between the goals of both tiles,
from the goal of the first tile to its cell, and from the first tile to the second. The shared values are learnt quickly
and transfer to boards of other sizes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.sliding_tile.pair_values.fitting_kernels import pass_over
from matheur.problems.sliding_tile.pair_values.model import PairModel
from matheur.problems.sliding_tile.pair_values.samples import Samples
from matheur.problems.sliding_tile.search.geometry import Geometry, geometry
from matheur.problems.sliding_tile.search.guide import Guide

__all__ = ["Fit", "Shared", "fit", "shared_values", "transferred", "values_from"]

Shared = tuple[NDArray[np.int64], NDArray[np.float32]]

_EPOCHS, _RATE, _OWN, _DECAY = 4, 0.15, 0.4, 1e-5
_HELD_OUT = 20  # one source in this many is held out
_SIDE = 8  # greater than any difference of rows or columns


@dataclass(frozen=True, eq=False)
class Fit:
    """Result of a fit.

    Attributes
    ----------
    distance, excess, constant
        Weights in slides, as in `PairModel`.
    values
        float32[pairs, cells, cells], as in `PairModel`.
    shared
        Codes of offsets int64[.], ascending, and their values float32[.], from which another training may start.
    plain_error, error
        Root mean square error on held-out samples, in slides, without and with pairs.
    """

    distance: float
    excess: float
    constant: float
    values: NDArray[np.float32]
    shared: Shared
    plain_error: float
    error: float


def fit(guide: Guide, samples: Samples, rng: Generator, *, shared: Shared | None = None) -> Fit:
    """Learn the remaining lengths of plans.

    Parameters
    ----------
    guide
        Guide whose excess is part of the estimate.
    shared
        Initial shared values.
    """
    board = guide.board
    cells = board.cells
    away = guide.distance[np.arange(cells), samples.cells_of].sum(axis=1).astype(np.float32)
    excess = guide.mean_excess(samples.cells_of)
    target = samples.left.astype(np.float32)
    held = samples.source % _HELD_OUT == 0
    learn, test = np.flatnonzero(~held), np.flatnonzero(held)
    columns = np.stack([away, excess, np.ones_like(away)], axis=1)
    weights, *_ = np.linalg.lstsq(columns[learn], target[learn], rcond=None)
    error = (columns @ weights - target).astype(np.float32)
    codes, index = _alike(board)
    own = np.zeros((cells, cells, cells, cells), dtype=np.float32)
    common = _on(codes, shared)
    views = [samples.cells_of]
    if board.mirror_cell is not None and board.mirror_tile is not None:
        mirrored = np.empty_like(samples.cells_of)
        mirrored[:, board.mirror_tile] = board.mirror_cell[samples.cells_of]
        views.append(mirrored)
    for epoch in range(_EPOCHS):
        rate = _RATE * (1 - epoch / _EPOCHS)
        for view in views:
            pass_over(rng.permutation(learn), view, error, own, common, index, rate, _OWN, _DECAY)
    after = pass_over(test, samples.cells_of, error, own, common, index, 0.0, _OWN, _DECAY)
    upper, lower = _pairs(board)
    values = own[upper, :, lower, :]
    known = lower > 0
    values[known] += common[index[upper[known], :, lower[known], :]]
    return Fit(
        float(weights[0]), float(weights[1]), float(weights[2]), values,
        (codes, common),
        float(np.sqrt(np.square(error[test]).mean())) if len(test) else 0.0, float(np.sqrt(after)),
    )  # fmt: skip


def shared_values(model: PairModel) -> Shared:
    """Mean values of pairs in similar positions."""
    board = geometry(model.rows, model.columns, model.goal)
    codes, index = _alike(board)
    upper, lower = _pairs(board)
    known = lower > 0
    places = index[upper[known], :, lower[known], :].ravel()
    sums = np.bincount(places, weights=model.values[known].ravel(), minlength=len(codes))
    return codes, (sums / np.maximum(1, np.bincount(places, minlength=len(codes)))).astype(np.float32)


def transferred(model: PairModel, board: Geometry) -> PairModel:
    """Values for a board of another size: the shared values of pairs in similar positions, and the same weights."""
    values = values_from(board, shared_values(model))
    return PairModel(
        board.rows, board.columns, board.goal, model.patterns, model.distance, model.excess, model.constant, values,
        {"size": f"{model.rows}x{model.columns}", **model.training},
    )  # fmt: skip


def values_from(board: Geometry, shared: Shared) -> NDArray[np.float32]:
    """Shared values of pairs, float32[pairs, cells, cells]; 0 for unknown offsets."""
    codes, index = _alike(board)
    common = _on(codes, shared)
    upper, lower = _pairs(board)
    values = common[index[upper, :, lower, :]]
    values[lower == 0] = 0.0
    return np.asarray(values, dtype=np.float32)


def _on(codes: NDArray[np.int64], shared: Shared | None) -> NDArray[np.float32]:
    """Shared values for the given codes, 0 if unknown."""
    common = np.zeros(len(codes), dtype=np.float32)
    if shared is not None:
        _, here, there = np.intersect1d(codes, shared[0], assume_unique=True, return_indices=True)
        common[here] = shared[1][there]
    return common


def _pairs(board: Geometry) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Tiles of each pair, the higher first, in the order of `PairModel.values`."""
    upper, lower = np.tril_indices(board.cells, -1)
    return upper, lower


def _alike(board: Geometry) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Codes of offsets, and the number of the code of each `[i, a, j, b]`."""
    cell = np.arange(board.cells)
    place = np.stack(np.divmod(cell, board.columns))
    goal = place[:, board.home]
    parts = [
        goal[:, :, None, None, None] - goal[:, None, None, :, None],
        place[:, None, :, None, None] - goal[:, :, None, None, None],
        place[:, None, :, None, None] - place[:, None, None, None, :],
    ]
    code = np.zeros((board.cells,) * 4, dtype=np.int32)
    for part in parts:
        for axis in part.astype(np.int32):
            code *= 2 * _SIDE
            code += axis + _SIDE
    there = np.zeros((2 * _SIDE) ** 6, dtype=np.bool_)
    there[code] = True
    number = np.cumsum(there, dtype=np.int32) - np.int32(1)
    return np.flatnonzero(there), number[code]
