"""A matrix as levels of colour: small enough to draw, zero apart from all else, large ranges on a logarithmic scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CELLS_MAX", "LEVELS", "HeatMap", "heat_map"]

CELLS_MAX = 96
"""Largest number of rows and columns of a picture; larger matrices are drawn in blocks."""

LEVELS = 12
"""Colours of values above 0, and as many of values below."""

_NUMBERED = 16  # largest size of matrices that show their numbers
_HINTED = 24  # largest size of matrices whose cells have hints
_DIGITS = 5
_RANGE = 40.0  # logarithmic if the largest value is this multiple of the median one


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A matrix prepared for drawing.

    Attributes
    ----------
    title, note
        Two lines above the map.
    levels
        Colour levels: 0 for zero, 1 to `LEVELS` for positive values, -1 to -`LEVELS` for negative ones. Shape (m, m),
        int8.
    low, high
        Ends of the scale as text: the smallest value (or the smallest above 0), and the largest.
    logarithmic
        Whether levels are equal ratios and not equal differences.
    block
        Number of rows and columns per cell, which shows their mean.
    numbers
        Texts in the cells, by rows; empty if there is no room.
    hints
        A sentence for each cell, by rows; empty for large matrices.
    rows, columns
        Label of each row and of each column (the first one of a block).
    """

    title: str
    note: str
    levels: NDArray[np.int8]
    low: str
    high: str
    logarithmic: bool
    block: int
    numbers: tuple[str, ...]
    hints: tuple[str, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]

    @property
    def size(self) -> int:
        """Cells along each side."""
        return len(self.levels)


def heat_map(
    matrix: NDArray[np.int64], title: str, note: str, hint: str, columns: NDArray[np.int32] | None = None
) -> HeatMap:
    """The heat map of a square matrix of integers.

    Parameters
    ----------
    matrix
        Shape (n, n).
    title, note
        Lines above the map.
    hint
        Text with `{row}`, `{column}` (from 1) and `{value}`.
    columns
        Numbers to show above the columns, if not 1, 2, ...
    """
    n = len(matrix)
    block = -(-n // CELLS_MAX)
    values = matrix.astype(np.float64)
    if block > 1:
        starts = np.arange(0, n, block)
        sums = np.add.reduceat(np.add.reduceat(values, starts, axis=0), starts, axis=1)
        lengths = np.minimum(starts + block, n) - starts
        values = sums / np.outer(lengths, lengths)
    levels, logarithmic = _levels(values)
    low, high = _ends(values, logarithmic)
    cells = matrix.ravel().tolist() if n <= _HINTED else []
    numbers = [str(value) for value in cells] if n <= _NUMBERED else []
    shown = np.arange(1, n + 1) if columns is None else columns
    return HeatMap(
        title,
        note + (f"; means of {block} x {block}" if block > 1 else ""),
        levels,
        low,
        high,
        logarithmic,
        block,
        tuple(numbers) if max(map(len, numbers), default=0) <= _DIGITS else (),
        tuple(hint.format(row=i // n + 1, column=i % n + 1, value=f"{value:,}") for i, value in enumerate(cells)),
        tuple(range(1, n + 1, block)),
        tuple(shown[::block].tolist()),
    )


def _levels(values: NDArray[np.float64]) -> tuple[NDArray[np.int8], bool]:
    """Levels, and whether they are logarithmic."""
    sizes = np.abs(values)
    there = sizes[sizes > 0]
    if not len(there):
        return np.zeros(values.shape, dtype=np.int8), False
    most, least = float(there.max()), float(there.min())
    logarithmic = most > _RANGE * float(np.median(there))
    share = sizes / most
    if logarithmic:
        share = np.log(np.maximum(sizes, least) / least) / np.log(most / least)
    levels = np.clip(np.ceil(share * LEVELS - 1e-9), 1, LEVELS)
    return (np.sign(values) * levels).astype(np.int8), logarithmic


def _ends(values: NDArray[np.float64], logarithmic: bool) -> tuple[str, str]:
    sizes = np.abs(values[values != 0])
    most = float(sizes.max(initial=0))
    if (values < 0).any():
        return _number(-most), _number(most)
    return _number(float(sizes.min()) if logarithmic else 0.0), _number(most)


def _number(value: float) -> str:
    """Whole numbers as they are, means rounded."""
    if value == round(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.1f}" if 10 <= abs(value) < 1e6 else f"{value:.3g}"
