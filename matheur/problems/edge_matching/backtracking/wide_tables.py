"""Tables of the layered backtracker for boards of up to 16 columns: the colours of the edge stay in place."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.layer_tables import LayerTables, Lines, UnfitError
from matheur.problems.edge_matching.instance import DOWN, RIGHT

__all__ = ["WideTables"]

_COLUMNS_MAX, _COMB_MAX = 16, 4
_A_WORD = 8  # columns


class WideTables(LayerTables):
    """The arrays of `wide_kernels`.

    Puzzles that fit have a frame, 3 to 16 columns, and at most 19 inner colours and 19 colours along the frame, the
    latter an even number of times each. They are filled by rows or as a comb of at most 4 rows. Joints of a cell with a
    hint below or on the right cannot slip.
    """

    INSIDE_MAX, FRAME_MAX, COLOURS_MAX, FIELD, FITS, INSIDE, FRAME = 128, 36, 19, 5, 2, 4, 6
    ALONG_AT = 32

    @cached_property
    def kernels(self) -> Any:
        """Module of the kernel."""
        from matheur.problems.edge_matching.backtracking import wide_kernels

        return wide_kernels

    @property
    def arguments(self) -> tuple[Any, ...]:
        """Arguments of the kernel's `advance` between the number of colours and the schedule."""
        return (
            self.mask, self.entries, self.more, self.copied, self.base, self.own, self.twins, self.slips, self.places,
            self.lines, self.looks, self.ahead, self.ahead_at,
        )  # fmt: skip

    @property
    def _set_size(self) -> tuple[int, int]:
        return self.kernels.PARTS, self.kernels.PART

    def _begins(self) -> tuple[int, NDArray[np.int64]]:
        given, columns = len(self.first_cells), self._instance.columns
        return columns, np.arange(-given % columns, self._upper * columns - given, columns)

    def _check(self, hinted: NDArray[np.int64]) -> None:
        instance, lines = self._instance, self._lines
        by_rows = lines[0] == Lines.rows(0, instance.columns)
        if len(lines) == 2 and not by_rows:
            raise UnfitError("a comb of columns, then rows")
        upper = lines[1].begin // instance.columns if len(lines) == 2 else instance.rows * by_rows
        if instance.columns > _COLUMNS_MAX or instance.rows - upper > _COMB_MAX:
            raise UnfitError("lines that are too long")
        self._upper, self.spent_at = upper, self.kernels.SPENT_AT

    def _groups(self) -> NDArray[np.int64]:
        rows: NDArray[np.int64] = np.maximum(0, self.order // self._instance.columns - self._upper)
        return rows

    def _lines_of(self, group: int) -> Lines:
        return Lines.rows(0, self._instance.columns)

    def _shown_by(self, group: int, along: int, across: int) -> int:
        return across | along << self.kernels.LEFT_AT + self.FIELD * group

    def _wanted(self, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Placements that match hints below and on the right."""
        for side in (DOWN, RIGHT):
            beside = self._instance.neighbours[self.order, side]
            hint = np.where(beside >= 0, self.hinted[beside], -1)
            for place in np.flatnonzero(hint >= 0).tolist():
                allowed[place] &= self._sides[:, side] == self._sides[hint[place], (side + 2) % 4]
        return allowed

    def _move_on(self) -> None:
        """Set `places` as described in `wide_kernels`."""
        column = self.order % self._instance.columns
        self.places: NDArray[np.uint64] = np.zeros((len(self.order) + 1, 3), dtype=np.uint64)
        self.places[:-1, 0] = 2 + column // _A_WORD
        self.places[:-1, 1] = self.FIELD * (column % _A_WORD)
        self.places[:-1, 2] = self.kernels.LEFT_AT + self.FIELD * self._groups()
        self.places[-1] = 2, 0, self.kernels.LEFT_AT
        self._reads: list[tuple[int, int, int]] = [(one[0], one[1], one[2]) for one in self.places.tolist()]
        self.slips: NDArray[np.int64] = self._slips(np.arange(len(self.order)), self._lines_of(0))

    def _show_first(self, row: NDArray[np.uint64], spent: int) -> None:
        columns, kernels = self._instance.columns, self.kernels
        words = [0] * kernels.WORDS
        words[kernels.PARENT] = spent << self.spent_at
        every: NDArray[np.int64] = np.zeros((self._instance.cells, 4), dtype=np.int64)
        every[self.first_cells] = self._sides[self.fixed[self.first_cells]]
        shown = every.reshape(-1, columns, 4)
        filled = np.isin(np.arange(self._instance.cells), self.first_cells).reshape(-1, columns)
        for column in range(columns):
            rows = np.flatnonzero(filled[:, column])
            if rows.size:
                colour = int(shown[rows[-1], column, DOWN])
                words[2 + column // _A_WORD] |= colour << self.FIELD * (column % _A_WORD)
        if self.order.size:
            first = min(int(self.order[0]) // columns, self._upper)
            for group, line in enumerate(range(first, first + 1 if first < self._upper else len(filled))):
                laid = np.flatnonzero(filled[line])
                if laid.size:
                    colour = int(shown[line, laid[-1], RIGHT])
                    words[kernels.PARENT] |= colour << kernels.LEFT_AT + self.FIELD * group
        row |= np.array(words, dtype=np.uint64)

    def _key_of(self, place: int, row: list[int]) -> int:
        word, above, left = self._reads[place]
        return (row[word] >> above & self._colour) << self.FIELD | row[self.kernels.PARENT] >> left & self._colour

    def _with_key(self, row: list[int], key: int) -> list[int]:
        word, above, left = self._reads[0]
        changed, parent = row.copy(), self.kernels.PARENT
        changed[word] = row[word] & ~(self._colour << above) | key >> self.FIELD << above
        changed[parent] = row[parent] & ~(self._colour << left) | (key & self._colour) << left
        return changed

    def _shown_after(self, place: int, after: list[int]) -> tuple[int, int]:
        # If the next cell reads the same colour, its key may be that of a copy.
        (word, above, left), (next_word, next_above, next_left) = self._reads[place], self._reads[place + 1]
        asked = self._asked(place + 1, after)
        along, across = after[self.kernels.PARENT] >> left & self._colour, after[word] >> above & self._colour
        if left == next_left:
            along = asked & self._colour
        if (word, above) == (next_word, next_above):
            across = asked >> self.FIELD
        return along, across
