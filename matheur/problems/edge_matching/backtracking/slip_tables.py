"""Tables of the slip backtracker: kinds of cells, words of candidates, slots of neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.problems.edge_matching.instance import DOWN, LEFT, RIGHT, UP, Instance
from matheur.problems.edge_matching.operators.orientation import CORNERS

__all__ = ["BEGINNINGS", "ORDERS", "SlipTables", "fill_order", "last_line", "transposed_order"]

ORDERS = ("rows", "columns", "comb")
BEGINNINGS = (*CORNERS, "nearest")

_ADDRESSES_MAX = 20_000_000
_BITS = 63  # bits of a word without its sign
_Array = NDArray[np.int64]


def fill_order(rows: int, columns: int, order: str, comb: int | None = None) -> _Array:
    """All cells, each after the cells above it and on its left.

    Parameters
    ----------
    order
        `rows`, `columns`, or `comb`: by rows, except the last `comb` rows, which are filled column by column.
    comb
        Rows filled column by column; None for a quarter of all rows, rounded up, because such combs fill the most
        boards with few mismatches (decision 51).

    Examples
    --------
    >>> fill_order(3, 3, "comb", comb=2).tolist()
    [0, 1, 2, 3, 6, 4, 7, 5, 8]
    """
    grid = np.arange(rows * columns).reshape(rows, columns)
    upper = rows - _upright(rows, order, comb)
    return np.concatenate([grid[:upper].ravel(), grid[upper:].T.ravel()]).astype(np.int64)


def transposed_order(rows: int, columns: int, order: str, comb: int | None = None) -> _Array:
    """The order of `fill_order` with rows and columns exchanged, so that a comb ends with rows.

    Examples
    --------
    >>> transposed_order(3, 3, "comb", comb=2).tolist()
    [0, 3, 6, 1, 2, 4, 5, 7, 8]
    """
    column, row = np.divmod(fill_order(columns, rows, order, comb), rows)
    return np.asarray(row * columns + column, dtype=np.int64)


def last_line(rows: int, columns: int, order: str, comb: int | None = None) -> int:
    """Number of cells of the row or column that such an order fills last.

    Examples
    --------
    >>> last_line(3, 4, "rows"), last_line(3, 4, "columns"), last_line(3, 4, "comb", comb=2)
    (4, 3, 2)
    """
    return _upright(rows, order, comb) or columns


def _upright(rows: int, order: str, comb: int | None) -> int:
    """Number of rows that an order fills column by column."""
    if order == "comb":
        return -(-rows // 4) if comb is None else min(comb, rows)
    if order not in ORDERS:
        raise ConfigurationError(f"order must be one of {', '.join(ORDERS)} ({order!r})")
    return rows if order == "columns" else 0


@dataclass(frozen=True, slots=True)
class _Kind:
    """Cells that take the same placements and are looked up by the same sides."""

    placements: _Array
    by_north: bool
    by_west: bool


class SlipTables:
    """The arrays of `slip_kernels`, for a puzzle and an order of its cells.

    Parameters
    ----------
    order
        Cells, each after the cells above it and on its left.
    loose
        Number of cells at the end where joints along the frame may also slip, as well as two joints of a cell.

    Attributes
    ----------
    order
        Cells that are filled, by depth, without those that a hint determines.
    fixed
        Board of the cells that hints determine.
    sides
        Number of sides of the fixed pieces with colours that are spent first; see `exhaust`. Candidates with at least
        one such side come first.
    bit
        A bit for each colour whose sides all meet other sides; 0 for the frame and for colours without a bit.
    odd
        Bits of the colours with an odd number of sides outside joints of two fixed pieces.
    mismatches
        Number of mismatched joints of two fixed pieces.

    Raises
    ------
    ConfigurationError
        If there are too many colours, so that the tables would be unreasonably large.
    """

    _address: _Array
    _entry: _Array

    def __init__(self, instance: Instance, order: _Array, loose: int) -> None:
        self._instance = instance
        determined = np.flatnonzero(instance.fits.sum(axis=0) == 1)
        hinted = determined[instance.fixed[determined]]
        self.fixed: NDArray[np.int32] = np.full(instance.cells, -1, dtype=np.int32)
        self.fixed[hinted] = instance.fits[:, hinted].argmax(axis=0)
        self.order: NDArray[np.int64] = order[~np.isin(order, hinted)]
        names, compact = np.unique(instance.sides, return_inverse=True)
        shift = 0 if names[0] == 0 else 1  # 0 is the frame, or nothing
        self._sides = compact.reshape(instance.sides.shape).astype(np.int64) + shift
        self.colours: int = len(names) + shift
        self._parities(hinted)
        self._slots(hinted)
        self._kinds()
        self._list()
        self._ranges(loose)
        self.exhaust(np.zeros(0, dtype=np.int64))

    def exhaust(self, colours: _Array) -> None:
        """Spend these colours first, from the next `shuffle` onwards."""
        from matheur.problems.edge_matching.backtracking import slip_kernels as kernels

        pieces = np.isin(self._instance.pieces, colours).sum(axis=1).astype(np.int64)
        counts = pieces[self.placements(self._entry) >> 2]
        sides_at = kernels.RIGHT_BITS + kernels.DOWN_BITS + kernels.PLACEMENT_BITS
        self._entry = (self._entry & ((1 << sides_at) - 1)) | counts << sides_at
        self._later = counts == 0
        self.sides = int(pieces[self.fixed[self.fixed >= 0] >> 2].sum())

    def shuffle(self, rng: Generator) -> None:
        """Rebuild all words, with equally good candidates in random order."""
        from matheur.problems.edge_matching.backtracking import slip_kernels as kernels

        order = np.lexsort((rng.random(len(self._address)), self._later, self._address))
        self.live[:] = 0
        self.live[self.base[-1]] = 1
        further = int(self.base[-1]) + 1
        kernels.lay(order, self._address, self._entry, self.flips, further, self.live, self.entries, self.flip)

    def placements(self, choice: _Array) -> NDArray[np.int32]:
        """Placements of entries."""
        from matheur.problems.edge_matching.backtracking import slip_kernels as kernels

        at = kernels.RIGHT_BITS + kernels.DOWN_BITS
        return ((choice >> at) & ((1 << kernels.PLACEMENT_BITS) - 1)).astype(np.int32)

    def candidates(self) -> Iterator[tuple[int, int, int, int]]:
        """All candidates: address, colour on the right, colour below times the number of colours, placement."""
        from matheur.problems.edge_matching.backtracking import slip_kernels as kernels

        right = self._entry & ((1 << kernels.RIGHT_BITS) - 1)
        down = (self._entry >> kernels.RIGHT_BITS) & ((1 << kernels.DOWN_BITS) - 1)
        placements = self.placements(self._entry)
        yield from zip(self._address.tolist(), right.tolist(), down.tolist(), placements.tolist(), strict=True)

    def _parities(self, hinted: _Array) -> None:
        """Find the colours with an odd number of sides to match, and the mismatches of fixed pieces."""
        instance = self._instance
        numbers = np.arange(self.colours)
        known = (numbers > 0) & (numbers < _BITS) & (instance.framed and not instance.rules.signed)
        self.bit: NDArray[np.int64] = np.where(known, np.int64(1) << np.minimum(numbers, _BITS - 1), 0)
        sides = self._sides[::4].ravel().tolist()  # unrotated
        self.mismatches: int = 0
        for cell in hinted.tolist():
            for side in (RIGHT, DOWN):
                other = int(instance.neighbours[cell, side])
                if other >= 0 and self.fixed[other] >= 0:
                    joined = self._sides[self.fixed[cell], side], self._sides[self.fixed[other], (side + 2) % 4]
                    sides += joined
                    self.mismatches += int(joined[0] != joined[1])
        self.odd: int = int(np.bitwise_xor.reduce(self.bit[sides]))

    def _slots(self, hinted: _Array) -> None:
        """Set the neighbours by depth, and the colours of fixed cells."""
        instance, order = self._instance, self.order
        cells = len(order)
        slot = np.full(instance.cells + 1, cells, dtype=np.int64)
        slot[order] = np.arange(cells)
        slot[hinted] = cells + 1 + np.arange(len(hinted))
        neighbour = instance.neighbours[order]
        beside = slot[neighbour]  # neighbour -1 is the last entry: no cell
        if (beside[:, [UP, LEFT]] > np.where(beside[:, [UP, LEFT]] < cells, np.arange(cells)[:, None], 1 << 40)).any():
            raise ConfigurationError("an order must take each cell after those above and on its left")
        self.above: NDArray[np.int64] = np.append(beside[:, UP], cells)
        self.left: NDArray[np.int64] = np.append(beside[:, LEFT], cells)
        self.down: NDArray[np.int64] = np.zeros(cells + 1 + len(hinted), dtype=np.int64)
        self.right: NDArray[np.int64] = np.zeros_like(self.down)
        self.down[cells + 1 :] = self._sides[self.fixed[hinted], DOWN] * self.colours
        self.right[cells + 1 :] = self._sides[self.fixed[hinted], RIGHT]
        corners = np.full((cells, 2), cells, dtype=np.int64)
        for place, (one, other) in enumerate(((UP, RIGHT), (DOWN, LEFT))):
            inside = (neighbour[:, one] >= 0) & (neighbour[:, other] >= 0)
            there = slot[neighbour[inside, one] + (1 if other == RIGHT else -1)]
            earlier = there < np.flatnonzero(inside)
            corners[np.flatnonzero(inside)[earlier], place] = there[earlier]
        self.corners = corners

    def _kinds(self) -> None:
        """Group the cells by their placements and by the neighbours whose colours they are looked up by."""
        instance, cells = self._instance, len(self.order)
        known: dict[bytes, int] = {}
        self._kind: list[_Kind] = []
        self._kind_of = np.zeros(cells, dtype=np.int64)
        self._ignoring = np.full(cells, -1, dtype=np.int64)  # kind that ignores fixed cells below or right
        hinted = np.repeat(np.isin(np.arange(instance.cells), self.fixed[self.fixed >= 0] >> 2), 4)

        def kind_of(allowed: NDArray[np.bool_], depth: int) -> int:
            by_north, by_west = bool(self.above[depth] != cells), bool(self.left[depth] != cells)
            key = np.packbits(allowed).tobytes() + bytes([by_north, by_west])
            if key not in known:
                known[key] = len(self._kind)
                self._kind.append(_Kind(self._distinct(np.flatnonzero(allowed)), by_north, by_west))
            return known[key]

        for depth, cell in enumerate(self.order.tolist()):
            allowed = instance.fits[:, cell] & ~hinted
            wanted = self._wanted(cell)
            if wanted:
                free = not any(self._along_frame(cell, int(instance.neighbours[cell, side])) for side in wanted)
                self._ignoring[depth] = kind_of(allowed, depth) if free else -1
                for side, colour in wanted.items():
                    allowed &= self._sides[:, side] == colour
            self._kind_of[depth] = kind_of(allowed, depth)
        size = self.colours**2
        if size * len(self._kind) > _ADDRESSES_MAX or self.colours > 1000:
            raise ConfigurationError(f"the tables of {self.colours} colours are too large for backtracking")
        self.base: NDArray[np.int64] = 1 + size * np.append(self._kind_of, len(self._kind))

    def _wanted(self, cell: int) -> dict[int, int]:
        """Colours that fixed cells below and on the right show to a cell, by side."""
        beside = {side: int(self._instance.neighbours[cell, side]) for side in (RIGHT, DOWN)}
        return {
            side: int(self._sides[self.fixed[other], (side + 2) % 4])
            for side, other in beside.items()
            if other >= 0 and self.fixed[other] >= 0
        }

    def _along_frame(self, cell: int, other: int) -> bool:
        """Whether two neighbours lie on the same edge of the board."""
        outside = self._instance.outside
        return self._instance.framed and bool((outside[cell] & outside[other]).any())

    def _distinct(self, placements: _Array) -> _Array:
        """The placements without rotations of a symmetric piece that show the same as an earlier rotation."""
        rows = np.column_stack([placements >> 2, self._sides[placements]])
        return placements[np.sort(np.unique(rows, axis=0, return_index=True)[1])]

    def _list(self) -> None:
        """List address and entry of every placement of every kind."""
        from matheur.problems.edge_matching.backtracking import slip_kernels as kernels

        addresses, entries = [], []
        for number, kind in enumerate(self._kind):
            sides = self._sides[kind.placements]
            address = kind.by_north * sides[:, UP] * self.colours + kind.by_west * sides[:, LEFT]
            address = address + 1 + number * self.colours**2
            down_at, placement_at = kernels.RIGHT_BITS, kernels.RIGHT_BITS + kernels.DOWN_BITS
            entry = sides[:, RIGHT] | (sides[:, DOWN] * self.colours << down_at) | (kind.placements << placement_at)
            addresses.append(np.broadcast_to(address, entry.shape))
            entries.append(entry)
        none = np.zeros(0, dtype=np.int64)  # where all cells are fixed
        self._address, self._entry = np.concatenate([none, *addresses]), np.concatenate([none, *entries])
        per_piece = np.bincount(((self._entry >> (kernels.RIGHT_BITS + kernels.DOWN_BITS)) & 0x3FFF) >> 2, minlength=1)
        self.flips: int = max(1, int(per_piece.max()))
        further = len(self._address) // kernels.BLOCK + 1
        self.live: NDArray[np.int64] = np.zeros(int(self.base[-1]) + 1 + further, dtype=np.int64)
        self.entries: NDArray[np.int64] = np.zeros(len(self._address) + further, dtype=np.int64)
        self.flip: NDArray[np.int32] = np.zeros(self._instance.cells * self.flips, dtype=np.int32)

    def _ranges(self, loose: int) -> None:
        """Set the ranges of colours that slips may require, by depth."""
        instance, cells, size = self._instance, len(self.order), self.colours**2
        self.ranges: NDArray[np.int64] = np.zeros((cells, 8), dtype=np.int64)
        for depth, cell in enumerate(self.order.tolist()):
            last = depth >= cells - loose
            kind = self._kind[self._kind_of[depth]]
            for at, side, used in ((0, UP, kind.by_north), (2, LEFT, kind.by_west)):
                beside = int(instance.neighbours[cell, side])
                if not used or not kind.placements.size:
                    continue
                if self._along_frame(cell, beside) and not last:
                    continue
                shown = self._sides[kind.placements, side]
                self.ranges[depth, at : at + 2] = shown.min(), shown.max() + 1
            self.ranges[depth, 4] = last
            if self._ignoring[depth] >= 0:
                wanted = self._wanted(cell)
                below = wanted[DOWN] * self.colours if DOWN in wanted else -1
                self.ranges[depth, 5:] = 1 + size * self._ignoring[depth], below, wanted.get(RIGHT, -1)
