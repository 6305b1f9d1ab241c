"""Tables of the layered backtracker, for puzzles that fit in its words."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.operators.edge_matching.slip_schedule import QUOTA_END, sides_along_the_frame
from matheur.problems.edge_matching.instance import DOWN, LEFT, RIGHT, UP, Board, Instance

__all__ = ["LayerTables"]

_INSIDE, _FRAME = 2, 3  # the words of a row with the free pieces
_INSIDE_MAX, _FRAME_MAX, _LINE_MAX, _COLOURS_MAX = 64, 40, 12, 15
_KEYS = 256
_FIELD, _WORD = 4, 64  # bits of a colour in the edge, and of a word

_Array = NDArray[np.int64]


class _UnfitError(ValueError):
    """The puzzle or the order does not fit in the words of the kernel."""


@dataclass(frozen=True, slots=True)
class _Lines:
    """Cells of an order that lie in lines of one direction, from one place of the order on.

    Attributes
    ----------
    begin
        That place.
    length
        Cells of a line.
    before, ahead, across, along
        Sides of a cell: towards the line before, the cell before, the next line, the next cell.
    """

    begin: int
    length: int
    before: int
    ahead: int
    across: int
    along: int

    @classmethod
    def rows(cls, begin: int, length: int) -> _Lines:
        """From left to right."""
        return cls(begin, length, UP, LEFT, DOWN, RIGHT)

    @classmethod
    def columns(cls, begin: int, length: int) -> _Lines:
        """From top to bottom."""
        return cls(begin, length, LEFT, UP, RIGHT, DOWN)


class LayerTables:
    """The arrays of `layer_kernels`, for a puzzle and the order of its cells by rows, by columns or as a comb.

    Where more pieces are free at the beginning than there are bits, the first cells are laid otherwise, and the tables
    are for the rest: `start` takes a board of the first cells.

    Attributes
    ----------
    first_cells
        The cells that are laid otherwise, in order, with those that hints determine among them.
    order
        The cells that are filled, by depth.
    hinted
        Board of the cells that hints determine.
    fixed
        Board of all cells that are not filled: `hinted`, and what `start` was given.
    sides
        Sides of the hinted pieces with the colours that are spent first, by `exhaust`.
    whole
        Whether nothing has to be laid otherwise: hints determine the first cells, or there are none.
    beginnings
        Pieces that fit in the first cell; none if not `whole`.

    Raises
    ------
    ValueError
        If the puzzle does not fit; see `of`.
    """

    def __init__(self, instance: Instance, order: _Array) -> None:
        self._instance = instance
        self._take_order(order)
        self._number_colours()
        self._list_placements()
        self._queue()
        self.odd = self._odd_colours()
        self.exhaust(np.zeros(0, dtype=np.int64))

    @classmethod
    def of(cls, instance: Instance, order: _Array) -> LayerTables | None:
        """The tables, or None for puzzles that do not fit.

        What fits has a frame, at least three rows and columns, is filled by rows, by columns or as a comb, in lines of
        at most 12 cells, where at most 64 pieces inside and 40 of the frame are free, has at most 15 colours inside and
        15 along the frame, those an even number of times, and hints that determine a cell only among the first cells of
        the order. The columns of a comb have at most three cells on a board of 12 columns, and begin behind the quota.
        """
        try:
            return cls(instance, order)
        except _UnfitError:
            return None

    def exhaust(self, colours: _Array) -> None:
        """Spend such colours first from the next `start` on."""
        counts = np.isin(self._instance.pieces, colours).sum(axis=1).astype(np.int64)
        self._rare = counts
        self.sides = int(counts[self.hinted[self.hinted >= 0] >> 2].sum())

    def start(self, rng: Generator, first: int | None = None, board: Board | None = None) -> None:
        """Begin with given first cells: which bit stands for which piece, those with colours to be spent first.

        Pieces that are equal in that come at random. The first cell takes all that fit, or one piece only.
        """
        from matheur.operators.edge_matching import layer_kernels as kernels

        self.fixed = self.hinted if board is None else board
        used = self.fixed[self.first_cells] >> 2
        free = np.ones(self._instance.cells, dtype=bool)
        free[used] = False
        bit = np.zeros(self._instance.cells, dtype=np.int64)
        self._piece = {}
        first_row = np.zeros(kernels.WORDS, dtype=np.uint64)
        for word, of_word in ((_INSIDE, ~self._on_frame), (_FRAME, self._on_frame)):
            pieces = np.flatnonzero(of_word & free)
            ordered = pieces[np.lexsort((rng.random(len(pieces)), self._rare[pieces] == 0))]
            bit[ordered] = np.arange(len(ordered))
            self._piece[word] = ordered
            first_row[word] = (1 << len(ordered)) - 1
        placements = self._address, self._pieces, self._shown, self._counts
        kernels.lay_out(*placements, bit, free, self._rare, self.mask, self.entries)
        first_row[1] = self._first_edge(int(self._rare[used].sum()) - self.sides)
        first_row[_FRAME] |= np.uint64(self.odd << kernels.ODD_AT)
        self.first: NDArray[np.uint64] = self._with_copies(first_row)
        if first is not None:
            self.first[:, 0] &= np.uint64(1) << np.uint64(bit[first])

    def _with_copies(self, row: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The row, and those with the keys of further rotations, with the pieces that fit in the first cell."""
        if not self.order.size:
            return row[None]
        rows, key = [], int(row[1]) & (_KEYS - 1)
        at: int = key
        while not rows or at:
            place = int(self.base[0]) + at
            one = row.copy()
            one[0] = self.mask[place] & row[int(self.own[0])]
            one[1] ^= np.uint64(key ^ at)
            rows.append(one)
            at = int(self.more[place])
        return np.array(rows)

    def board(self, chain: NDArray[np.uint64], depth: int) -> Board:
        """The board of a row and those that it comes from, shape (depth + 1, words)."""
        from matheur.operators.edge_matching import layer_kernels as kernels

        board = self.fixed.copy()
        rows: list[list[int]] = chain[: depth + 1].tolist()
        for place in range(depth):
            row, after, word = rows[place], rows[place + 1], int(self.own[place])
            laid = row[word] ^ after[word]
            if word == _FRAME:
                laid &= (1 << kernels.ODD_AT) - 1
            piece = int(self._piece[word][laid.bit_length() - 1])
            kind = int(self._kind_of[place])
            along = self._asked(place + 1, after) & int(self._along_mask[place])
            looks = self._by_look[kind, piece, along, after[1] >> int(self._across_at[place]) & 15]
            board[self.order[place]] = looks[0][1] if len(looks) == 1 else self._turned(looks, place, row, after)
        return board

    def _asked(self, place: int, row: list[int]) -> int:
        """The key that a row had before it was copied for further rotations."""
        key = row[1] & (_KEYS - 1)
        return int(self._origin[int(self.base[place]) + key])

    def _turned(self, looks: list[tuple[int, int, int]], place: int, row: list[int], after: list[int]) -> int:
        """Of several rotations that look alike from below and behind, the one that mismatches as is on record."""
        from matheur.operators.edge_matching import layer_kernels as kernels

        asked, frame, frame_after = self._asked(place, row), row[_FRAME], after[_FRAME]
        made = (frame_after >> kernels.USED_AT) - (frame >> kernels.USED_AT)
        odd = (frame_after ^ frame) >> kernels.ODD_AT & 0xFFFF

        def agreement(look: tuple[int, int, int]) -> int:
            key, _, copied = look
            above, ahead = (key >> 4, asked >> 4), (key & 15, asked & 15)
            mismatches = int(above[0] != above[1]) + int(ahead[0] != ahead[1])
            changed = 1 << above[0] ^ 1 << above[1] ^ 1 << ahead[0] ^ 1 << ahead[1]
            return 2 * (mismatches == made and changed == odd) + (copied == row[1] & (_KEYS - 1))

        return max(looks, key=agreement)[1]

    def _take_order(self, order: _Array) -> None:
        """Lines, and which cells are laid otherwise."""
        instance = self._instance
        grid = np.arange(instance.cells).reshape(instance.rows, instance.columns)
        if not instance.framed or min(grid.shape) < 3:
            raise _UnfitError("no frame, or too few lines")
        combs = ((k, np.append(grid[:k], grid[k:].T)) for k in range(instance.rows, -1, -1))
        upper = next((k for k, comb in combs if np.array_equal(order, comb)), None)
        if upper is None:
            raise _UnfitError("the order is neither by rows nor by columns nor a comb")
        rows = _Lines.rows(0, instance.columns)
        columns = _Lines.columns(upper * instance.columns, instance.rows - upper)
        self._lines = [rows] * (upper > 0) + [columns] * (upper < instance.rows)
        if max(lines.length for lines in self._lines) > _LINE_MAX:
            raise _UnfitError("lines that are too long")
        if len(self._lines) == 2 and (
            _FIELD * (columns.length + 1 + instance.columns) > _WORD
            or columns.length < 2
            or columns.begin <= QUOTA_END * instance.cells
        ):
            raise _UnfitError("columns that are too long, or begin too early")
        self._on_frame = instance.piece_class > 0
        determined = np.flatnonzero(instance.fits.sum(axis=0) == 1)
        hinted = determined[instance.fixed[determined]]
        self.hinted: NDArray[np.int32] = np.full(instance.cells, -1, dtype=np.int32)
        self.hinted[hinted] = instance.fits[:, hinted].argmax(axis=0)
        self.fixed = self.hinted
        outside = instance.outside[order].any(axis=1)
        inside_left = np.append(np.cumsum(~outside[::-1])[::-1], 0)
        frame_left = np.append(np.cumsum(outside[::-1])[::-1], 0)
        least = int(np.argmax((inside_left <= _INSIDE_MAX) & (frame_left <= _FRAME_MAX)))
        # Where hints are all that comes first, they need nothing else.
        cells = int(np.isin(order, hinted).argmin()) if hinted.size < len(order) else len(order)
        cells = max(cells, least)
        if np.isin(order[cells:], hinted).any():
            raise _UnfitError("hints beyond the first cells")
        if len(self._lines) == 2 and cells > columns.begin:
            raise _UnfitError("first cells that reach into the columns")
        self.first_cells: _Array = np.array(order[:cells], dtype=np.int64)
        self.order: _Array = np.array(order[cells:], dtype=np.int64)
        self.whole: bool = not (self.hinted[self.first_cells] < 0).any()

    def _number_colours(self) -> None:
        """Sides as small numbers, shape (placements, 4): joints along the frame and all others are counted apart."""
        sides = self._instance.sides.astype(np.int64)
        along = sides_along_the_frame(sides)
        names, counts = np.unique(sides[::4][along[::4]], return_counts=True)
        if (counts % 2).any():
            raise _UnfitError("some joint along the frame cannot match")
        others = np.unique(sides[~along & (sides > 0)])
        if max(len(names), len(others)) > _COLOURS_MAX:
            raise _UnfitError("more colours than numbers")
        self._sides = np.where(along, np.searchsorted(names, sides) + 1, np.searchsorted(others, sides) + 1)
        self._sides[sides == 0] = 0
        self._is_along = along
        self.colours = len(others) + 1

    def _list_placements(self) -> None:
        """Address, key, placement and shown colours of whatever may be laid in some kind of cell."""
        instance, looks = self._instance, self._sides
        hinted = self.hinted[self.hinted >= 0] >> 2
        allowed = instance.fits[:, self.order].T & ~np.isin(np.arange(4 * instance.cells) >> 2, hinted)
        places = len(self.first_cells) + np.arange(len(self.order))
        number_of_lines = (places >= self._lines[-1].begin).astype(np.int64) * (len(self._lines) - 1)
        kinds, kind_of = np.unique(np.column_stack([number_of_lines, allowed]), axis=0, return_inverse=True)
        self._kind_of = np.ravel(kind_of).astype(np.int64)
        number = len(kinds)
        self.more: NDArray[np.uint64] = np.zeros((number + 1) * _KEYS, dtype=np.uint64)
        self.copied: NDArray[np.uint8] = np.zeros((number + 1) * _KEYS, dtype=np.uint8)
        self._origin: _Array = np.tile(np.arange(_KEYS), number + 1)
        self._by_look: dict[tuple[int, int, int, int], list[tuple[int, int, int]]] = defaultdict(list)
        addresses, placements, shown, counts = [], [], [], []
        for kind, row in enumerate(kinds):
            lines = self._lines[row[0]]
            fitting = np.flatnonzero(row[1:])
            distinct = np.unique(np.column_stack([fitting >> 2, looks[fitting]]), axis=0, return_index=True)[1]
            fitting = fitting[np.sort(distinct)]
            key = looks[fitting, lines.before] << _FIELD | looks[fitting, lines.ahead]
            spare = self._keys_of_none(looks[fitting, lines.before], looks[fitting, lines.ahead])
            holder: dict[tuple[int, int], int] = {}
            for placement, wanted in zip(fitting.tolist(), key.tolist(), strict=True):
                at = wanted
                while (at, placement >> 2) in holder:
                    if not self.more[kind * _KEYS + at]:
                        if not spare:
                            raise _UnfitError("too many pieces fit in several rotations")
                        self.more[kind * _KEYS + at] = spare[0]
                        self._origin[kind * _KEYS + spare[0]] = wanted
                        self.copied[kind * _KEYS + spare.pop(0)] = 1
                    at = int(self.more[kind * _KEYS + at])
                holder[at, placement >> 2] = placement
                along, across = int(looks[placement, lines.along]), int(looks[placement, lines.across])
                self._by_look[kind, placement >> 2, along, across].append((wanted, placement, at))
                addresses.append(kind * _KEYS + at)
                placements.append(placement)
                shown.append(along | across << _FIELD * lines.length)
                counts.append(lines is self._lines[0])
        self._address = np.array(addresses, dtype=np.int64)
        self._shown = np.array(shown, dtype=np.uint64)
        self._pieces = np.array(placements, dtype=np.int64) >> 2
        self._counts = np.array(counts, dtype=bool)  # sides are counted as spent in the first lines only
        self.base: NDArray[np.uint64] = (_KEYS * np.append(self._kind_of, number)).astype(np.uint64)
        self.mask: NDArray[np.uint64] = np.zeros((number + 1) * _KEYS, dtype=np.uint64)
        self.mask[-_KEYS:] = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
        self.entries: NDArray[np.uint64] = np.zeros(_WORD * len(self.mask), dtype=np.uint64)
        begins = self.order.size > 0 and self.whole
        starting = self._pieces[self._address // _KEYS == self._kind_of[0]] if begins else []
        self.beginnings: tuple[int, ...] = tuple(np.unique(starting).tolist())
        copies = np.count_nonzero(self.more.reshape(-1, _KEYS), axis=1)
        self.twins: _Array = np.minimum(copies, 1)[np.append(self._kind_of, number)].astype(np.int64)
        on_frame = instance.outside[self.order].any(axis=1)
        self.own: _Array = np.append(np.where(on_frame, _FRAME, _INSIDE), _INSIDE)

    def _queue(self) -> None:
        """How the edge moves on, by place: what `layer_kernels` says of `queue` and `bend`, and where slips may be."""
        from matheur.operators.edge_matching import layer_kernels as kernels

        cells, given = len(self.order), len(self.first_cells)
        outside = self._instance.outside[self.order]
        self.queue: NDArray[np.uint64] = np.zeros((cells + 1, 4), dtype=np.uint64)
        self.slips: _Array = np.zeros(cells, dtype=np.int64)
        self._across_at, self._along_mask = np.zeros(cells, dtype=np.int64), np.full(cells, 15)
        self.there: NDArray[np.uint64] = self.base[1:].copy()
        self.bend, self.bend_at = -1, 0
        for lines in self._lines:
            places = np.flatnonzero(given + np.arange(cells) >= lines.begin)
            self.queue[places, 0] = (1 << _FIELD * lines.length) - 16
            self.queue[places, 1] = (1 << _WORD) - (1 << kernels.SPENT_AT)
            self._across_at[places] = _FIELD * lines.length
            at = outside[places]
            along_the_frame = at[:, lines.ahead] | at[:, lines.along]  # the joint with the line before
            self.slips[places] = ~(at[:, lines.before] | along_the_frame)
            along_the_frame = at[:, lines.before] | at[:, lines.across]
            self.slips[places] += 2 * ~(at[:, lines.ahead] | along_the_frame)
        if len(self._lines) == 2:
            lines = self._lines[1]
            self.bend, self.bend_at = lines.begin - given, _FIELD * (lines.length + 1)
            self.queue[self.bend :, 1] = (1 << _WORD) - (1 << self.bend_at)
            if self.bend > 0:
                self.there[self.bend - 1] = self.base[-1]
                self._along_mask[self.bend - 1] = 0
                self._across_at[self.bend - 1] = self.bend_at + _FIELD * (self._instance.columns - 1)
            for column in range(1, self._instance.columns):
                last = self.bend + column * lines.length - 1
                self.queue[last, 2:] = self.bend_at + _FIELD * column, 15
                self._along_mask[last] = 0

    def _keys_of_none(self, before: _Array, ahead: _Array) -> list[int]:
        """Keys that no cell of a kind can have, in order."""
        top = int(self._sides.max())
        none_above, none_ahead = bool((before > 0).all()), bool((ahead > 0).all())
        return [
            key
            for key in range(1, _KEYS)
            if max(key >> 4, key & 15) > top or (key >> 4 == 0 and none_above) or (key & 15 == 0 and none_ahead)
        ]

    def _odd_colours(self) -> int:
        """A bit for each colour inside of which an odd number of sides has to match beyond what is given."""
        sides = self._sides[::4][~self._is_along[::4]]
        bits = reduce(lambda bits, colour: bits ^ 1 << colour, sides[sides > 0].tolist(), 0)
        for cell in np.flatnonzero(self.hinted >= 0).tolist():
            for side in (UP, LEFT):
                other = int(self._instance.neighbours[cell, side])
                if other >= 0 and self.hinted[other] >= 0:
                    shown = self._sides[self.hinted[cell], side], self._sides[self.hinted[other], (side + 2) % 4]
                    if shown[0] != shown[1]:
                        raise _UnfitError("hints that do not match")
        return bits

    def _first_edge(self, spent: int) -> int:
        """What the first cells show, and how many sides were spent there beyond those of hints."""
        from matheur.operators.edge_matching import layer_kernels as kernels

        lines, edge = self._lines[0], 0
        for shown in self._sides[self.fixed[self.first_cells[-lines.length - 1 :]]].tolist():
            edge = (edge >> _FIELD & ~15) | shown[lines.along] | shown[lines.across] << _FIELD * lines.length
        if self.bend == 0:
            edge >>= _FIELD
            return edge << self.bend_at | edge & 15
        return edge | spent << kernels.SPENT_AT
