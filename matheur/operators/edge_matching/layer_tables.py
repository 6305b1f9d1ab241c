"""Tables of the layered backtracker, for puzzles that fit in its words."""

from __future__ import annotations

from collections import defaultdict
from functools import reduce

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.operators.edge_matching.slip_schedule import sides_along_the_frame
from matheur.problems.edge_matching.instance import DOWN, LEFT, RIGHT, UP, Board, Instance

__all__ = ["LayerTables"]

_INSIDE, _FRAME = 2, 3  # the words of a row with the free pieces
_INSIDE_MAX, _FRAME_MAX, _LINE_MAX, _COLOURS_MAX = 64, 40, 10, 15
_KEYS = 256

_Array = NDArray[np.int64]


class _UnfitError(ValueError):
    """The puzzle or the order does not fit in the words of the kernel."""


class LayerTables:
    """The arrays of `layer_kernels`, for a puzzle and the order of its cells by rows or by columns.

    Attributes
    ----------
    order
        The cells that are filled, by depth: those that a hint determines are not among them.
    fixed
        Board of the others.
    sides
        Sides of the fixed pieces with the colours that are spent first, by `exhaust`.
    line
        Cells of a row, or of a column where the order goes by columns.
    beginnings
        Pieces that fit in the first cell.

    Raises
    ------
    ValueError
        If the puzzle does not fit; see `of`.
    """

    def __init__(self, instance: Instance, order: _Array) -> None:
        self._instance = instance
        self._take_order(order)
        self._split_pieces()
        self._number_colours()
        self._list_placements()
        self.odd = self._odd_colours()
        self.exhaust(np.zeros(0, dtype=np.int64))

    @classmethod
    def of(cls, instance: Instance, order: _Array) -> LayerTables | None:
        """The tables, or None for puzzles that do not fit.

        What fits has a frame, at least three rows and columns, is filled by rows or by columns of at most 10 cells, has
        at most 64 pieces inside and 40 of the frame, at most 15 colours inside and 15 along the frame, those an even
        number of times, and hints that determine a cell only where the order begins.
        """
        try:
            return cls(instance, order)
        except _UnfitError:
            return None

    def exhaust(self, colours: _Array) -> None:
        """Spend such colours first from the next `shuffle` on."""
        counts = np.isin(self._instance.pieces, colours).sum(axis=1).astype(np.int64)
        self._rare = counts
        self.sides = int(counts[self.fixed[self.fixed >= 0] >> 2].sum())

    def shuffle(self, rng: Generator, first: int | None = None) -> None:
        """Which bit stands for which piece: those with colours to be spent come first, else at random.

        The first cell takes all that fit, or one piece only.
        """
        from matheur.operators.edge_matching import layer_kernels as kernels

        self._piece = {}
        bit = np.zeros(self._instance.cells, dtype=np.int64)
        for word, pieces in ((_INSIDE, self._inside), (_FRAME, self._frame)):
            ordered = pieces[np.lexsort((rng.random(len(pieces)), self._rare[pieces] == 0))]
            bit[ordered] = np.arange(len(ordered))
            self._piece[word] = ordered
        piece = self._placement >> 2
        self.mask[:-_KEYS] = 0
        np.bitwise_or.at(self.mask, self._address, np.uint64(1) << bit[piece].astype(np.uint64))
        entry = self._along.astype(np.uint64) | self._across.astype(np.uint64) << np.uint64(4 * self.line)
        entry |= self._rare[piece].astype(np.uint64) << np.uint64(kernels.SPENT_AT)
        self.entries[64 * self._address + bit[piece]] = entry
        given = self.fixed[self.fixed >= 0] >> 2
        self.first: NDArray[np.uint64] = np.zeros(kernels.WORDS, dtype=np.uint64)
        for word, pieces in self._piece.items():
            free = pieces[~np.isin(pieces, given)]
            self.first[word] = np.bitwise_or.reduce(np.uint64(1) << bit[free].astype(np.uint64), initial=np.uint64(0))
        self.first[1] = self._first_edge()
        self.first[_FRAME] |= np.uint64(self.odd << kernels.ODD_AT)
        if self.order.size:
            address = int(self.base[0]) + (int(self.first[1]) & (_KEYS - 1))
            self.first[0] = self.mask[address] & self.first[int(self.own[0])]
            if first is not None:
                self.first[0] &= np.uint64(1) << np.uint64(bit[first])

    def board(self, chain: NDArray[np.uint64], depth: int) -> Board:
        """The board of a row and those that it comes from, shape (depth + 1, words)."""
        from matheur.operators.edge_matching import layer_kernels as kernels

        board = self.fixed.copy()
        rows: list[list[int]] = chain[: depth + 1].tolist()
        across_at = 4 * self.line
        for place in range(depth):
            row, after, word = rows[place], rows[place + 1], int(self.own[place])
            laid = row[word] ^ after[word]
            if word == _FRAME:
                laid &= (1 << kernels.ODD_AT) - 1
            piece = int(self._piece[word][laid.bit_length() - 1])
            kind = int(self._kind_of[place])
            along = self._asked(place + 1, after) & 15
            looks = self._by_look[kind, piece, along, after[1] >> across_at & 15]
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
        """Lines, and what is fixed where they begin."""
        instance = self._instance
        grid = np.arange(instance.cells).reshape(instance.rows, instance.columns)
        if np.array_equal(order, grid.ravel()):
            self.line, self._turn = instance.columns, 0
        elif np.array_equal(order, grid.T.ravel()):
            self.line, self._turn = instance.rows, 1
        else:
            raise _UnfitError("the order is neither by rows nor by columns")
        if not instance.framed or min(grid.shape) < 3 or self.line > _LINE_MAX:
            raise _UnfitError("no frame, or lines that are too long or too few")
        determined = np.flatnonzero(instance.fits.sum(axis=0) == 1)
        hinted = determined[instance.fixed[determined]]
        if not np.isin(order[: len(hinted)], hinted).all():
            raise _UnfitError("hints beyond the first cells")
        self.fixed: NDArray[np.int32] = np.full(instance.cells, -1, dtype=np.int32)
        self.fixed[hinted] = instance.fits[:, hinted].argmax(axis=0)
        self._given = order[: len(hinted)]
        self.order: _Array = np.array(order[len(hinted) :], dtype=np.int64)

    def _split_pieces(self) -> None:
        frame = self._instance.piece_class > 0
        self._inside, self._frame = np.flatnonzero(~frame), np.flatnonzero(frame)
        if len(self._inside) > _INSIDE_MAX or len(self._frame) > _FRAME_MAX:
            raise _UnfitError("more pieces than bits")

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
        instance = self._instance
        before, ahead, across, along = ((UP, LEFT, DOWN, RIGHT), (LEFT, UP, RIGHT, DOWN))[self._turn]
        allowed = instance.fits[:, self.order].T & ~np.isin(np.arange(4 * instance.cells) >> 2, self._hinted())
        kinds, kind_of = np.unique(allowed, axis=0, return_inverse=True)
        self._kind_of = np.ravel(kind_of).astype(np.int64)
        looks = self._sides
        addresses, keys, placements = [], [], []
        number = len(kinds)
        self.more: NDArray[np.uint64] = np.zeros((number + 1) * _KEYS, dtype=np.uint64)
        self.copied: NDArray[np.uint8] = np.zeros((number + 1) * _KEYS, dtype=np.uint8)
        self._origin: _Array = np.tile(np.arange(_KEYS), number + 1)
        for kind, row in enumerate(kinds):
            fitting = np.flatnonzero(row)
            distinct = np.unique(np.column_stack([fitting >> 2, looks[fitting]]), axis=0, return_index=True)[1]
            fitting = fitting[np.sort(distinct)]
            key = looks[fitting, before] << 4 | looks[fitting, ahead]
            spare = self._keys_of_none(looks[fitting, before], looks[fitting, ahead])
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
                addresses.append(kind * _KEYS + at)
                keys.append(wanted)
                placements.append(placement)
        self._address = np.array(addresses, dtype=np.int64)
        self._placement = np.array(placements, dtype=np.int32)
        self._along, self._across = looks[self._placement, along], looks[self._placement, across]
        self._by_look: dict[tuple[int, int, int, int], list[tuple[int, int, int]]] = defaultdict(list)
        shown = zip(self._address.tolist(), keys, placements, self._along.tolist(), self._across.tolist(), strict=True)
        for address, wanted, placement, beside, below in shown:
            look = address // _KEYS, placement >> 2, beside, below
            self._by_look[look].append((wanted, placement, address % _KEYS))
        self.base: NDArray[np.uint64] = (_KEYS * np.append(self._kind_of, number)).astype(np.uint64)
        self.mask: NDArray[np.uint64] = np.zeros((number + 1) * _KEYS, dtype=np.uint64)
        self.mask[-_KEYS:] = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
        self.entries: NDArray[np.uint64] = np.zeros(64 * len(self.mask), dtype=np.uint64)
        starting = self._placement[self._address >> 8 == self._kind_of[0]] >> 2 if self.order.size else []
        self.beginnings: tuple[int, ...] = tuple(np.unique(starting).tolist())
        copies = np.count_nonzero(self.more.reshape(-1, _KEYS), axis=1)
        self.twins: _Array = np.minimum(copies, 1)[np.append(self._kind_of, number)].astype(np.int64)
        outside = instance.outside[self.order]
        on_frame = outside.any(axis=1)
        self.own: _Array = np.append(np.where(on_frame, _FRAME, _INSIDE), _INSIDE)
        may_before = ~(outside[:, before] | outside[:, ahead] | outside[:, along])  # not along the frame
        may_ahead = ~(outside[:, ahead] | outside[:, before] | outside[:, across])
        self.slips: _Array = may_before.astype(np.int64) + 2 * may_ahead.astype(np.int64)

    def _hinted(self) -> _Array:
        return (self.fixed[self.fixed >= 0] >> 2).astype(np.int64)

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
        for cell in self._given.tolist():
            for side in (UP, LEFT):
                other = int(self._instance.neighbours[cell, side])
                if other >= 0 and self._sides[self.fixed[cell], side] != self._sides[self.fixed[other], (side + 2) % 4]:
                    raise _UnfitError("hints that do not match")
        return bits

    def _first_edge(self) -> int:
        """What the given cells show."""
        across, along = ((DOWN, RIGHT), (RIGHT, DOWN))[self._turn]
        edge = 0
        for cell in self._given.tolist():
            shown = self._sides[self.fixed[cell]]
            edge = (edge >> 4 & ~15) | int(shown[along]) | int(shown[across]) << 4 * self.line
        return edge
