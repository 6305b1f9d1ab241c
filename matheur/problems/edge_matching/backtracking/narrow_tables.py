"""Tables of the layered backtracker for lines of up to 12 cells: the colours of the edge are a queue in one word."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.layer_tables import LayerTables, Lines, UnfitError
from matheur.problems.edge_matching.backtracking.quotas import quota_end

__all__ = ["NarrowTables"]

_LINE_MAX, _WORD = 12, 64
_SPENT_BITS, _SPENT_COLOURS = 8, 3  # in the columns of a comb: bits for counting sides, and number of colours


class NarrowTables(LayerTables):
    """The arrays of `narrow_kernels`.

    Puzzles that fit have a frame, at least three rows and columns, at most 15 inner colours and 15 colours along the
    frame, the latter an even number of times each, and hints that determine a cell only among the first cells of the
    order. They are filled by rows, by columns or as a comb of either, in lines of at most 12 cells. The second lines of
    a comb begin after the first cells, and have at most three cells if the first lines have 12. Sides with up to three
    rare colours are counted in the second lines if eight bits are left, as with three cells after lines of 10;
    otherwise, the second lines must begin after the quota ends.
    """

    INSIDE_MAX, FRAME_MAX, COLOURS_MAX, FIELD, FITS, INSIDE, FRAME = 64, 40, 15, 4, 1, 2, 3
    ALONG_AT = 0

    @cached_property
    def kernels(self) -> Any:
        """Module of the kernel."""
        from matheur.problems.edge_matching.backtracking import narrow_kernels

        return narrow_kernels

    @property
    def arguments(self) -> tuple[Any, ...]:
        """Arguments of the kernel's `advance` between the number of colours and the schedule."""
        many = None if self._set_size[1] == self.kernels.FEW else True
        return (
            self.mask, self.entries, self.more, self.copied, self.base, self.there, self.own, self.twins, self.slips,
            self.queue, self.bend, self.bend_at, self.bend_spent, self.spent_at, self.lines, self.looks, many,
            self.ahead, self.ahead_at,
        )  # fmt: skip

    @property
    def _set_size(self) -> tuple[int, int]:
        few = int(self._sides.max()) < 2 * self.kernels.FEW
        return 2, self.kernels.FEW if few else self.kernels.MANY

    def _begins(self) -> tuple[int, NDArray[np.int64]]:
        given, lines = len(self.first_cells), self._lines[0]
        until = len(self.order) if len(self._lines) == 1 else self._lines[1].begin - given
        return lines.length, np.arange(-given % lines.length, until, lines.length)

    def _check(self, hinted: NDArray[np.int64]) -> None:
        instance = self._instance
        if max(lines.length for lines in self._lines) > _LINE_MAX:
            raise UnfitError("lines that are too long")
        self.spent_at = self.FIELD * (_LINE_MAX + 1)
        self._counts_all = True
        if len(self._lines) == 2:
            first, columns = self._lines
            shown = self.FIELD * (columns.length + 1 + first.length)
            frequent = np.sort(np.bincount(instance.pieces.ravel())[1:])[-_SPENT_COLOURS:].sum()
            self._counts_all = shown <= _WORD - _SPENT_BITS and bool(frequent < 1 << _SPENT_BITS)
            behind = columns.begin > quota_end(instance.cells) * instance.cells
            if shown > _WORD or columns.length < 2 or not (self._counts_all or behind):
                raise UnfitError("columns that are too long, or begin too early")
            self.spent_at = max(self.spent_at, shown * self._counts_all)
        if np.isin(self.order, hinted).any():
            raise UnfitError("hints beyond the first cells")
        if len(self._lines) == 2 and len(self.first_cells) > self._lines[1].begin:
            raise UnfitError("first cells that reach into the columns")

    def _groups(self) -> NDArray[np.int64]:
        places = len(self.first_cells) + np.arange(len(self.order))
        return (places >= self._lines[-1].begin).astype(np.int64) * (len(self._lines) - 1)

    def _lines_of(self, group: int) -> Lines:
        return self._lines[group]

    def _shown_by(self, group: int, along: int, across: int) -> int:
        return along | across << self.FIELD * self._lines[group].length

    def _counts_sides(self, group: int) -> bool:
        return group == 0 or self._counts_all  # otherwise, their bits hold the last row in the columns of a comb

    def _move_on(self) -> None:
        """Set `queue` and `bend` as described in `narrow_kernels`."""
        cells, given = len(self.order), len(self.first_cells)
        self.queue: NDArray[np.uint64] = np.zeros((cells + 1, 4), dtype=np.uint64)
        self.slips: NDArray[np.int64] = np.zeros(cells, dtype=np.int64)
        self._across_at, self._along_mask = np.zeros(cells, dtype=np.int64), np.full(cells, self._colour)
        self.there: NDArray[np.uint64] = self.base[1:].copy()
        self.bend, self.bend_at, self.bend_spent = -1, 0, np.uint64(0)
        for lines in self._lines:
            places = np.flatnonzero(given + np.arange(cells) >= lines.begin)
            self.queue[places, 0] = (1 << self.FIELD * lines.length) - self._colour - 1
            self.queue[places, 1] = (1 << _WORD) - (1 << self.spent_at)
            self._across_at[places] = self.FIELD * lines.length
            self.slips[places] = self._slips(places, lines)
        if len(self._lines) == 2:
            across, lines = self._lines[0].length, self._lines[1]
            self.bend, self.bend_at = lines.begin - given, self.FIELD * (lines.length + 1)
            self.queue[self.bend :, 1] = (1 << _WORD) - (1 << self.bend_at)
            self.bend_spent = np.uint64(((1 << _WORD) - (1 << self.spent_at)) * self._counts_all)
            if self.bend > 0:
                self.there[self.bend - 1] = self.base[-1]
                self._along_mask[self.bend - 1] = 0
                self._across_at[self.bend - 1] = self.bend_at + self.FIELD * (across - 1)
            for column in range(1, across):
                last = self.bend + column * lines.length - 1
                self.queue[last, 2:] = self.bend_at + self.FIELD * column, self._colour
                self._along_mask[last] = 0

    def _show_first(self, row: NDArray[np.uint64], spent: int) -> None:
        lines, edge = self._lines[0], 0
        for shown in self._sides[self.fixed[self.first_cells[-lines.length - 1 :]]].tolist():
            edge = edge >> self.FIELD & ~self._colour | shown[lines.along]
            edge |= shown[lines.across] << self.FIELD * lines.length
        if self.bend == 0:
            edge >>= self.FIELD
            row[1] = edge << self.bend_at | edge & self._colour | spent * self._counts_all << self.spent_at
        else:
            row[1] = edge | spent << self.spent_at

    def _key_of(self, place: int, row: list[int]) -> int:
        return row[1] & (self._keys - 1)

    def _with_key(self, row: list[int], key: int) -> list[int]:
        return [row[0], row[1] & ~(self._keys - 1) | key, *row[2:]]

    def _shown_after(self, place: int, after: list[int]) -> tuple[int, int]:
        along = self._asked(place + 1, after) & int(self._along_mask[place])
        return along, after[1] >> int(self._across_at[place]) & self._colour
