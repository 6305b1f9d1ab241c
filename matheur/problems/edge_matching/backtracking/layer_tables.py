"""Common part of the tables of the layered backtrackers: cells and pieces, kinds of cells, keys, copies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.quotas import sides_along_the_frame
from matheur.problems.edge_matching.instance import DOWN, LEFT, RIGHT, UP, Board, Instance
from matheur.problems.edge_matching.rules import PLAIN

__all__ = ["LayerTables", "Lines", "UnfitError"]

_TRY_COST, _TRY_COST_AHEAD = 1.2, 0.8  # looking ahead makes placements fewer, but more expensive
_CACHE_LINE = 8  # words
_APART = 24  # extra rows between the data of the cells of a line, which avoid conflicts in the cache
_WORD = 64  # bits of a word
_ALL = (1 << _WORD) - 1

_Array = NDArray[np.int64]


class UnfitError(ValueError):
    """The puzzle or the order does not fit in the words of the kernel."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Cells that form lines of one direction, from one place of an order onwards.

    Attributes
    ----------
    begin
        First of these places.
    length
        Number of cells of a line.
    before, ahead, across, along
        Sides of a cell: towards the previous line, the previous cell, the next line and the next cell.
    """

    begin: int
    length: int
    before: int
    ahead: int
    across: int
    along: int

    @classmethod
    def rows(cls, begin: int, length: int) -> Lines:
        """From left to right."""
        return cls(begin, length, UP, LEFT, DOWN, RIGHT)

    @classmethod
    def columns(cls, begin: int, length: int) -> Lines:
        """From top to bottom."""
        return cls(begin, length, LEFT, UP, RIGHT, DOWN)


def _scans(grid: _Array) -> Iterator[tuple[list[Lines], _Array]]:
    """Orders by rows, by columns, and as combs of rows and of columns, with their lines."""
    for rows, one, other in ((grid, Lines.rows, Lines.columns), (grid.T, Lines.columns, Lines.rows)):
        number, length = rows.shape
        yield [one(0, length)], rows.ravel()
        for k in range(1, number):
            yield [one(0, length), other(k * length, number - k)], np.append(rows[:k], rows[k:].T)


def _aligned(words: int) -> NDArray[np.uint64]:
    """Words aligned to a cache line."""
    room = np.zeros(words + _CACHE_LINE, dtype=np.uint64)
    begin = -(room.ctypes.data // room.itemsize) % _CACHE_LINE
    return room[begin : begin + words]


class LayerTables(ABC):
    """The arrays of a layered backtracker, for a puzzle and the order of its cells by rows, by columns or as a comb.

    If more pieces are free at the beginning than there are bits, the first cells are filled by another walk, and the
    tables cover the rest: `start` takes a board of the first cells, without mismatches.

    With `look_ahead`, partial boards whose next line cannot be filled are dropped at the beginning of the line, as well
    as pieces after which the line cannot be completed (decision 65). This finds the same full boards with fewer
    placements.

    Attributes
    ----------
    first_cells
        Cells filled by another walk, in order, including those that hints determine.
    order
        Cells that are filled, by depth, including later cells that hints determine.
    hinted
        Board of the cells that hints determine.
    fixed
        Board of the cells filled beforehand: `hinted` and the board passed to `start`.
    sides
        Number of sides of the hinted pieces with colours that are spent first; see `exhaust`.
    whole
        Whether no other walk is needed, because hints determine all first cells, or there are none.
    beginnings
        Pieces that fit in the first cell; empty if not `whole`.

    Raises
    ------
    UnfitError
        If the puzzle does not fit.
    """

    INSIDE_MAX: ClassVar[int]
    """Maximum number of free inner pieces."""
    FRAME_MAX: ClassVar[int]
    """Maximum number of free frame pieces."""
    COLOURS_MAX: ClassVar[int]
    """Maximum number of inner colours, and of colours along the frame."""
    FIELD: ClassVar[int]
    """Bits per colour."""
    FITS: ClassVar[int]
    """Number of words of a row that hold the fitting pieces."""
    INSIDE: ClassVar[int]
    """First of the `FITS` words of a row that hold the free inner pieces."""
    FRAME: ClassVar[int]
    """Word of a row that holds the free frame pieces."""
    ALONG_AT: ClassVar[int]
    """Bit of an entry at which the colour required of the next cell of a line starts."""

    spent_at: int
    """Bit of an entry, or of the word to which it is added, from which sides with rare colours are counted."""
    try_cost: float
    """Cost of looking up a word for a mismatch, in placements, including those that follow from it."""

    def __init__(self, instance: Instance, order: _Array, look_ahead: bool = True) -> None:
        self._instance = instance
        self._take_order(order)
        self._number_colours()
        self._list_placements()
        self._move_on()
        self.odd = self._odd_colours()
        self._look_ahead(look_ahead)
        self.exhaust(np.zeros(0, dtype=np.int64))

    @property
    @abstractmethod
    def kernels(self) -> Any:
        """Module of the kernel."""

    @property
    @abstractmethod
    def arguments(self) -> tuple[Any, ...]:
        """Arguments of the kernel's `advance` between the number of colours and the schedule."""

    @property
    def _keys(self) -> int:
        return 1 << 2 * self.FIELD

    @property
    def _colour(self) -> int:
        """Mask of a colour."""
        return (1 << self.FIELD) - 1

    @abstractmethod
    def _check(self, hinted: _Array) -> None:
        """Raise `UnfitError` for lines or hints that do not fit."""

    @abstractmethod
    def _groups(self) -> _Array:
        """Group number of each place of the order; cells of different groups are of different kinds."""

    @abstractmethod
    def _lines_of(self, group: int) -> Lines:
        """Lines that define by which colours cells of a group are looked up, and which they show."""

    @abstractmethod
    def _shown_by(self, group: int, along: int, across: int) -> int:
        """Value that a placement with these colours adds to the edge."""

    @property
    @abstractmethod
    def _set_size(self) -> tuple[int, int]:
        """Number of parts of a set of colours, and of colours per part, in the look-ahead tables."""

    @abstractmethod
    def _begins(self) -> tuple[int, _Array]:
        """Number of cells of a line, and the places where lines begin that look-ahead may check."""

    def _counts_sides(self, group: int) -> bool:
        """Whether sides with colours that are spent are counted in this group."""
        return True

    def _wanted(self, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Reduce the allowed placements by place, shape (places, placements), to those that the kernel may lay."""
        return allowed

    @abstractmethod
    def _move_on(self) -> None:
        """Set how the edge advances by place, and where slips are possible."""

    @abstractmethod
    def _show_first(self, row: NDArray[np.uint64], spent: int) -> None:
        """Write the colours that the first cells show, and the number of sides spent there, into the row."""

    @abstractmethod
    def _key_of(self, place: int, row: list[int]) -> int:
        """Key that a row shows to a cell."""

    @abstractmethod
    def _with_key(self, row: list[int], key: int) -> list[int]:
        """Row with another key for the first cell."""

    @abstractmethod
    def _shown_after(self, place: int, after: list[int]) -> tuple[int, int]:
        """Colours along and across of the piece laid at a place, from the row after it."""

    def exhaust(self, colours: _Array) -> None:
        """Spend these colours first, from the next `start` onwards.

        Raises
        ------
        ValueError
            If the colours have more sides than can be counted.
        """
        counts = np.isin(self._instance.pieces, colours).sum(axis=1).astype(np.int64)
        if int(counts.sum()) >> _WORD - self.spent_at:
            raise ValueError(f"{counts.sum()} sides with colours that are spent first, too many to count")
        self._rare = counts
        self._counted = counts.copy()  # sides spent, except those of hints
        self._counted[self.hinted[self.hinted >= 0] >> 2] = 0
        self.sides: int = int(counts[self.hinted[self.hinted >= 0] >> 2].sum())

    def start(self, rng: Generator, first: int | None = None, board: Board | None = None) -> None:
        """Begin with given first cells, and assign bits to pieces, starting with pieces whose colours are spent first.

        Pieces are otherwise in random order. The first cell takes all pieces that fit, or only the given one.
        """
        from matheur.problems.edge_matching.backtracking import layer_looks, layer_rows

        self.fixed = self.hinted if board is None else board
        used = self.fixed[self.first_cells] >> 2
        free = np.ones(self._instance.cells, dtype=bool)
        free[used] = False
        bit = np.zeros(self._instance.cells, dtype=np.int64)
        self._piece: dict[bool, dict[int, int]] = {}
        row = np.zeros(self.kernels.WORDS, dtype=np.uint64)
        for framed in (False, True):
            pieces = np.flatnonzero((self._on_frame == framed) & free)
            ordered = pieces[np.lexsort((rng.random(len(pieces)), self._rare[pieces] == 0))]
            words = 1 if framed else self.FITS
            for word, part in enumerate(np.array_split(np.arange(len(ordered)), words)):
                bit[ordered[part]] = _WORD * word + np.arange(len(part))
                row[(self.FRAME if framed else self.INSIDE) + word] = (1 << len(part)) - 1
            self._piece[framed] = dict(zip(bit[ordered].tolist(), ordered.tolist(), strict=True))
        layer_rows.lay_out(
            self._address, self._pieces, self._shown, self._counts, bit, free, self._counted, self.spent_at,
            self.FITS, self.mask, self.entries,
        )  # fmt: skip
        if self._looked_at.size:
            layer_looks.fill_looks(
                self.mask, self.entries, self._origin[: -self._keys], self.ALONG_AT, self.FIELD, self.FITS,
                *self._set_size, self._stride, self.looks,
            )  # fmt: skip
        row[self.FRAME] |= np.uint64(self.odd << self.kernels.ODD_AT)
        self._show_first(row, int(self._counted[used].sum()))
        self.first: NDArray[np.uint64] = self._with_copies(row)
        if first is not None:
            for word in range(self.FITS):
                self.first[:, word] &= np.uint64((1 << int(bit[first])) >> _WORD * word & _ALL)

    def _look_ahead(self, asked: bool) -> None:
        """Set the lines that the kernel checks, `lines`, and make room for the tables, `looks`.

        These are all lines except the first and one into which the first cells extend.
        """
        cells = len(self.order)
        length, begins = self._begins()
        begins = begins[begins > 0] if asked else begins[:0]
        self.lines: _Array = np.zeros(cells + 1, dtype=np.int64)
        self.lines[begins] = length
        self.ahead_at: _Array = np.zeros(cells + 1, dtype=np.int64)
        self._looked_at: _Array = (begins[:, None] + np.arange(length)).ravel()
        self.try_cost = _TRY_COST_AHEAD if begins.size else _TRY_COST
        parts, bits = self._set_size
        self._stride = self.FITS * ((1 << self.FIELD) + (parts << bits)) + self.kernels.SPARE
        self.looks: NDArray[np.uint64] = _aligned((int(self.base[-1]) >> self.FIELD) * self._stride * asked)

    def reserve(self, width: int) -> None:
        """Make room for the look-ahead results, `ahead`, of up to `width` rows of a layer."""
        room = self.FITS * (width + _APART)
        self.ahead: NDArray[np.uint64] = np.full(room * len(self._looked_at), _ALL, dtype=np.uint64)
        self.ahead_at[self._looked_at] = self.FITS + room * np.arange(len(self._looked_at))

    def _with_copies(self, row: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The row and its copies with the keys of further rotations, with the pieces that fit in the first cell."""
        if not self.order.size:
            return row[None]
        words, rows = row.tolist(), []
        asked = key = self._key_of(0, words)
        free = int(self.own[0])
        while key == asked or key:
            address = int(self.base[0]) + key
            one = np.array(self._with_key(words, key), dtype=np.uint64)
            one[: self.FITS] = self.mask[self.FITS * address : self.FITS * (address + 1)]
            if free == self.FRAME:
                one[0] &= row[free]
            else:
                one[: self.FITS] &= row[free : free + self.FITS]
            rows.append(one)
            key = int(self.more[address])
            asked = -1
        return np.array(rows)

    def board(self, chain: NDArray[np.uint64], depth: int) -> Board:
        """The board of a row and its ancestors, shape (depth + 1, words)."""
        board = self.fixed.copy()
        rows: list[list[int]] = chain[: depth + 1].tolist()
        for place in range(depth):
            row, after = rows[place], rows[place + 1]
            piece, kind = self._laid(place, row, after), int(self._kind_of[place])
            looks = self._by_look[(kind, piece, *self._shown_after(place, after))]
            board[self.order[place]] = looks[0][1] if len(looks) == 1 else self._turned(looks, place, row, after)
        return board

    def _laid(self, place: int, row: list[int], after: list[int]) -> int:
        """The piece that is free in one row but not in the next."""
        framed = int(self.own[place]) == self.FRAME
        if framed:
            laid = (row[self.FRAME] ^ after[self.FRAME]) & ((1 << self.kernels.ODD_AT) - 1)
        else:
            words = range(self.INSIDE, self.INSIDE + self.FITS)
            laid = sum((row[word] ^ after[word]) << _WORD * (word - self.INSIDE) for word in words)
        return self._piece[framed][laid.bit_length() - 1]

    def _asked(self, place: int, row: list[int]) -> int:
        """The key that a row had before it was copied for further rotations."""
        return int(self._origin[int(self.base[place]) + self._key_of(place, row)])

    def _turned(self, looks: list[tuple[int, int, int]], place: int, row: list[int], after: list[int]) -> int:
        """The rotation with the recorded mismatches, among several with equal colours along and across."""
        kernels = self.kernels
        shown, asked = self._key_of(place, row), self._asked(place, row)
        frame, frame_after = row[self.FRAME], after[self.FRAME]
        made = (frame_after >> kernels.USED_AT) - (frame >> kernels.USED_AT)
        odd = (frame_after ^ frame) >> kernels.ODD_AT & ((1 << kernels.USED_AT - kernels.ODD_AT) - 1)

        def agreement(look: tuple[int, int, int]) -> int:
            key, _, copied = look
            before = key >> self.FIELD, asked >> self.FIELD
            ahead = key & self._colour, asked & self._colour
            mismatches = int(before[0] != before[1]) + int(ahead[0] != ahead[1])
            changed = 1 << before[0] ^ 1 << before[1] ^ 1 << ahead[0] ^ 1 << ahead[1]
            return 2 * (mismatches == made and changed == odd) + (copied == shown)

        return max(looks, key=agreement)[1]

    def _take_order(self, order: _Array) -> None:
        """Split the order into the first cells and the cells of the tables."""
        instance = self._instance
        grid = np.arange(instance.cells).reshape(instance.rows, instance.columns)
        if not instance.framed or min(grid.shape) < 3:
            raise UnfitError("no frame, or too few lines")
        if instance.rules != PLAIN:
            raise UnfitError("signs, or pieces that may not be turned")
        lines = next((lines for lines, one in _scans(grid) if np.array_equal(order, one)), None)
        if lines is None:
            raise UnfitError("the order is neither by rows nor by columns nor a comb")
        self._lines: list[Lines] = lines
        self._on_frame = instance.piece_class > 0
        determined = np.flatnonzero(instance.fits.sum(axis=0) == 1)
        hinted = determined[instance.fixed[determined]]
        self.hinted: NDArray[np.int32] = np.full(instance.cells, -1, dtype=np.int32)
        self.hinted[hinted] = instance.fits[:, hinted].argmax(axis=0)
        self.fixed = self.hinted
        outside: NDArray[np.bool_] = np.any(instance.outside[order], axis=1)
        inside_left = np.append(np.cumsum(~outside[::-1])[::-1], 0)
        frame_left = np.append(np.cumsum(outside[::-1])[::-1], 0)
        least = int(np.argmax((inside_left <= self.INSIDE_MAX) & (frame_left <= self.FRAME_MAX)))
        # First cells that hints determine need no other walk.
        cells = int(np.isin(order, hinted).argmin()) if hinted.size < len(order) else len(order)
        cells = max(cells, least)
        self.first_cells: _Array = np.array(order[:cells], dtype=np.int64)
        self.order: _Array = np.array(order[cells:], dtype=np.int64)
        self.whole: bool = not (self.hinted[self.first_cells] < 0).any()
        self._check(np.array(hinted, dtype=np.int64))

    def _number_colours(self) -> None:
        """Number the colours of sides, shape (placements, 4), separately for joints along the frame and all others."""
        sides = self._instance.sides.astype(np.int64)
        along = sides_along_the_frame(sides)
        names, counts = np.unique(sides[::4][along[::4]], return_counts=True)
        if (counts % 2).any():
            raise UnfitError("some joint along the frame cannot match")
        others = np.unique(sides[~along & (sides > 0)])
        if max(len(names), len(others)) > self.COLOURS_MAX:
            raise UnfitError("more colours than numbers")
        self._sides = np.where(along, np.searchsorted(names, sides) + 1, np.searchsorted(others, sides) + 1)
        self._sides[sides == 0] = 0
        self._is_along = along
        self.colours = len(others) + 1

    def _list_placements(self) -> None:
        """List address, piece and shown colours of all placements that may be laid in some kind of cell."""
        instance, looks = self._instance, self._sides
        hinted = self.hinted[self.hinted >= 0] >> 2
        allowed: NDArray[np.bool_] = np.array(instance.fits[:, self.order].T)
        allowed[:, np.isin(np.arange(4 * instance.cells) >> 2, hinted)] = False
        late = np.flatnonzero(self.hinted[self.order] >= 0)
        allowed[late] = np.arange(4 * instance.cells) == self.hinted[self.order[late], None]
        kinds, kind_of = np.unique(
            np.column_stack([self._groups(), self._wanted(allowed)]), axis=0, return_inverse=True
        )
        keys = self._keys
        self._kind_of = np.ravel(kind_of).astype(np.int64)
        number = len(kinds)
        self.more: NDArray[np.uint64] = np.zeros((number + 1) * keys, dtype=np.uint64)
        self.copied: NDArray[np.uint8] = np.zeros((number + 1) * keys, dtype=np.uint8)
        self._origin: _Array = np.tile(np.arange(keys), number + 1)
        self._by_look: dict[tuple[int, int, int, int], list[tuple[int, int, int]]] = defaultdict(list)
        addresses, placements, shown, counts = [], [], [], []
        for kind, row in enumerate(kinds):
            group = int(row[0])
            lines = self._lines_of(group)
            fitting = np.flatnonzero(row[1:])
            distinct = np.unique(np.column_stack([fitting >> 2, looks[fitting]]), axis=0, return_index=True)[1]
            fitting = fitting[np.sort(distinct)]
            key = looks[fitting, lines.before] << self.FIELD | looks[fitting, lines.ahead]
            spare = self._keys_of_none(looks[fitting, lines.before], looks[fitting, lines.ahead])
            holder: dict[tuple[int, int], int] = {}
            for placement, wanted in zip(fitting.tolist(), key.tolist(), strict=True):
                at = wanted
                while (at, placement >> 2) in holder:
                    if not self.more[kind * keys + at]:
                        if not spare:
                            raise UnfitError("too many pieces fit in several rotations")
                        self.more[kind * keys + at] = spare[0]
                        self._origin[kind * keys + spare[0]] = wanted
                        self.copied[kind * keys + spare.pop(0)] = 1
                    at = int(self.more[kind * keys + at])
                holder[at, placement >> 2] = placement
                along, across = int(looks[placement, lines.along]), int(looks[placement, lines.across])
                self._by_look[kind, placement >> 2, along, across].append((wanted, placement, at))
                addresses.append(kind * keys + at)
                placements.append(placement)
                shown.append(self._shown_by(group, along, across))
                counts.append(self._counts_sides(group))
        self._address = np.array(addresses, dtype=np.int64)
        self._shown = np.array(shown, dtype=np.uint64)
        self._pieces = np.array(placements, dtype=np.int64) >> 2
        self._counts = np.array(counts, dtype=bool)
        self.base: NDArray[np.uint64] = (keys * np.append(self._kind_of, number)).astype(np.uint64)
        self.mask: NDArray[np.uint64] = np.zeros((number + 1) * keys * self.FITS, dtype=np.uint64)
        self.mask[-keys * self.FITS :] = np.uint64(_ALL)
        self.entries: NDArray[np.uint64] = np.zeros(_WORD * len(self.mask), dtype=np.uint64)
        begins = self.order.size > 0 and self.whole
        starting = self._pieces[self._address // keys == self._kind_of[0]] if begins else []
        self.beginnings: tuple[int, ...] = tuple(np.unique(starting).tolist())
        copies = np.count_nonzero(self.more.reshape(-1, keys), axis=1)
        self.twins: _Array = np.minimum(copies, 1)[np.append(self._kind_of, number)].astype(np.int64)
        on_frame = instance.outside[self.order].any(axis=1)
        self.own: _Array = np.append(np.where(on_frame, self.FRAME, self.INSIDE), self.INSIDE)

    def _slips(self, places: _Array, lines: Lines) -> _Array:
        """Joints that may slip: 1 for the joint with the previous line, plus 2 for the joint with the previous cell.

        Joints along the frame may not slip.
        """
        outside = self._instance.outside[self.order[places]]
        before, ahead, across, along = (
            outside[:, side] for side in (lines.before, lines.ahead, lines.across, lines.along)
        )
        slips: _Array = ~(before | ahead | along) + 2 * ~(ahead | before | across)
        return slips

    def _keys_of_none(self, before: _Array, ahead: _Array) -> list[int]:
        """Keys that cannot occur for a kind of cell, in order."""
        top = int(self._sides.max())
        none_above, none_ahead = bool((before > 0).all()), bool((ahead > 0).all())
        pairs = ((key, key >> self.FIELD, key & self._colour) for key in range(1, self._keys))
        return [
            key
            for key, above, beside in pairs
            if max(above, beside) > top or (above == 0 and none_above) or (beside == 0 and none_ahead)
        ]

    def _odd_colours(self) -> int:
        """A bit for each inner colour with an odd number of sides still to be matched."""
        sides = self._sides[::4][~self._is_along[::4]]
        bits = reduce(lambda bits, colour: bits ^ 1 << colour, sides[sides > 0].tolist(), 0)
        for cell in np.flatnonzero(self.hinted >= 0).tolist():
            for side in (UP, LEFT):
                other = int(self._instance.neighbours[cell, side])
                if other >= 0 and self.hinted[other] >= 0:
                    shown = self._sides[self.hinted[cell], side], self._sides[self.hinted[other], (side + 2) % 4]
                    if shown[0] != shown[1]:
                        raise UnfitError("hints that do not match")
        return bits
