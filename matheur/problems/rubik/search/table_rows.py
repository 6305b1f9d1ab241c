"""Rows of the distance tables: a move maps each row of entries to one other row."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from matheur.problems.rubik.search.classes import KEPT, classes
from matheur.problems.rubik.search.coordinates import TWISTS, corner_moves, twist_moves
from matheur.problems.rubik.search.edge_kernels import (
    TRACKED,
    WIDTH,
    backward_edges,
    edge_neighbours,
    forward_edges,
    row_of,
)
from matheur.problems.rubik.search.pieces import symmetries, turns_of
from matheur.problems.rubik.search.table_kernels import backward, close, forward

__all__ = ["EDGE_ROWS", "EDGE_SET", "EdgeRows", "TableRows", "TwistRows", "edge_images", "rows_of"]

EDGE_SET = (0, 1, 2, 3, 8, 9)
"""Edges of a table: UR UF UL UB FR FL. A half turn of the cube about the axis R-L maps them to the other six."""

EDGE_ROWS = 12 * 11 * 10 * 9 * 8 * 7
_SOLVED_PLACING = 494
"""Number of the set of places 8 to 11, which is the last set of four places."""


class TableRows(Protocol):
    """Rows of entries under moves.

    Attributes
    ----------
    rows, width
        Number of rows, and of entries per row.
    home
        Entry of the solved cube.
    """

    rows: int
    width: int
    home: int

    def expand(self, forwards: bool, depth: int, begin: int, end: int, table: NDArray[np.uint8]) -> None:
        """Find entries at `depth` + 1: reached from entries of some rows, or among the entries of some rows."""

    def close(self, depth: int, begin: int, end: int, table: NDArray[np.uint8]) -> None:
        """Assign this depth to the symmetric images of its entries in some rows."""


class TwistRows:
    """Twists of the corners, combined with any coordinate that a move maps to a single value."""

    width: int = TWISTS

    def __init__(self, name: str, moves: int) -> None:
        self._moves = moves
        if name == "corners":
            self._neighbours = corner_moves() * KEPT
            self._stabiliser, self._images = np.ones(40320, dtype=np.uint16), np.empty((1, TWISTS), dtype=np.int16)
            self._maps = np.ascontiguousarray(twist_moves()[:, None])
            self.home: int = 0
        else:
            known = classes()
            self._neighbours, self._stabiliser, self._images = known.neighbours, known.stabiliser, known.twist_image
            self._maps = np.ascontiguousarray(self._images[:, twist_moves()].transpose(1, 0, 2))
            self.home = int(known.class_of[_SOLVED_PLACING * 2048]) // KEPT * TWISTS
        self.rows: int = len(self._neighbours)

    def expand(self, forwards: bool, depth: int, begin: int, end: int, table: NDArray[np.uint8]) -> None:
        """Expand row by row, with twists changed by the map of the move."""
        step = forward if forwards else backward
        step(depth, begin, end, self._moves, self._neighbours, self._maps, table)

    def close(self, depth: int, begin: int, end: int, table: NDArray[np.uint8]) -> None:
        """Close rows that a symmetry maps to themselves."""
        close(depth, begin, end, self._stabiliser, self._images, table)


class EdgeRows:
    """Places and flips of the edges of `EDGE_SET`."""

    rows: int = EDGE_ROWS
    width: int = WIDTH

    def __init__(self, moves: int) -> None:
        known = turns_of()
        source = known.source[:moves, 8:] - 8
        turned = (known.value[:moves, 8:, 0] % 2).astype(np.int64)
        target, flip = np.empty_like(source), np.empty_like(source)
        np.put_along_axis(target, source, np.broadcast_to(np.arange(12), source.shape), axis=1)
        np.put_along_axis(flip, source, turned, axis=1)
        self._neighbours = np.empty((EDGE_ROWS, moves), dtype=np.uint32)
        edge_neighbours(target, flip, self._neighbours)
        self.home: int = int(row_of(np.array(EDGE_SET, dtype=np.int64))) * WIDTH

    def expand(self, forwards: bool, depth: int, begin: int, end: int, table: NDArray[np.uint8]) -> None:
        """Expand row by row, with flips changed by an exclusive-or."""
        step = forward_edges if forwards else backward_edges
        step(depth, begin, end, self._neighbours.shape[1], self._neighbours, table)

    def close(self, depth: int, begin: int, end: int, table: NDArray[np.uint8]) -> None:
        """Do nothing, since no two entries are symmetric."""


def rows_of(name: str, moves: int) -> TableRows:
    """The rows of a table: `corners`, `phase1` or `edges`."""
    return EdgeRows(moves) if name == "edges" else TwistRows(name, moves)


@lru_cache(maxsize=1)
def edge_images() -> NDArray[np.uint8]:
    """Images of components in both sets of edges: uint8[2, 12, 24], by set, edge place and component.

    An image is 32 * (number of the edge in its set) + 2 * place + flip, or 255 if the edge belongs to the other set.
    The other set is viewed in the image of the cube under a symmetry that maps it to `EDGE_SET`, so that one table
    serves both.
    """
    known = symmetries()
    numbers = {edge: number for number, edge in enumerate(EDGE_SET)}
    swap = next(
        k
        for k in range(len(known.move))
        if {int(known.place[k, 8 + edge]) - 8 for edge in EDGE_SET}.isdisjoint(EDGE_SET)
    )
    found = np.full((2, 12, 24), 255, dtype=np.uint8)
    for side, k in enumerate((0, swap)):
        for place in range(12):
            there = int(known.place[k, 8 + place]) - 8
            for value in range(24):
                piece, flip = divmod(int(known.value[k, 8 + place, value]), 2)
                if piece in numbers:
                    found[side, place, value] = 32 * numbers[piece] + 2 * there + flip
    assert len(numbers) == TRACKED
    return found
