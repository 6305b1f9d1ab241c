"""The side file of an exported graph: the piece, cell and rotation of each vertex.

CSV with the header `node,tile,row,column,rotation`; nodes and tiles count from 1, rows and columns from 0 at the top
left, rotations are clockwise quarter-turns of the piece as the puzzle's file gives it.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from matheur.engine.files import write_packed
from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.problems.edge_matching.instance import CELLS_MAX, EMPTY, Board

if TYPE_CHECKING:
    from matheur.problems.edge_matching.clique_graph import PlacementGraph

__all__ = ["NodeTable", "place"]

_COLUMNS = ["node", "tile", "row", "column", "rotation"]
_LIMITS = {"tile": (1, CELLS_MAX), "row": (0, CELLS_MAX - 1), "column": (0, CELLS_MAX - 1), "rotation": (0, 3)}


def place(board: Board, cells: NDArray[np.int32], pieces: NDArray[np.int32], rotations: NDArray[np.int32]) -> Board:
    """A copy of a board with pieces placed in empty cells.

    Raises
    ------
    ValueError
        If a cell is taken, or a piece is used twice.
    """
    result = np.array(board, dtype=np.int32)
    for what, values, taken in (
        ("cell", cells, np.flatnonzero(result != EMPTY)),
        ("piece", pieces, result[result != EMPTY] >> 2),
    ):
        distinct, counts = np.unique(values, return_counts=True)
        if (counts > 1).any():
            raise ValueError(f"two vertices share {what} {distinct[counts > 1][0]}")
        clash = np.intersect1d(distinct, taken)
        if clash.size:
            raise ValueError(f"{what} {clash[0]} is taken already")
    result[cells] = 4 * pieces + rotations
    return result


@dataclass(frozen=True, eq=False, slots=True)
class NodeTable:
    """The placements of vertices without their graph, as 0-based int32 arrays by vertex."""

    piece: NDArray[np.int32]
    row: NDArray[np.int32]
    column: NDArray[np.int32]
    rotation: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.piece)

    @classmethod
    def of(cls, placements: PlacementGraph, columns: int) -> NodeTable:
        """The table of a graph of a board with `columns` columns."""
        row, column = np.divmod(placements.cell, np.int32(columns))
        return cls(placements.piece, row, column, placements.rotation)

    def compatible(self, vertices: Sequence[int] | NDArray[np.integer]) -> bool:
        """Whether the vertices share neither a cell nor a piece; colours are not checked."""
        chosen = np.asarray(vertices, dtype=np.int64)
        cells = self.row[chosen].astype(np.int64) * CELLS_MAX + self.column[chosen]
        return len(np.unique(cells)) == len(np.unique(self.piece[chosen])) == len(chosen)

    @staticmethod
    def encode(board: Board) -> list[list[int] | None]:
        """A board as in result files: piece from 1 and rotation for each cell, None if it is empty."""
        return [None if value == EMPTY else [int(value) // 4 + 1, int(value) % 4] for value in board.tolist()]

    def to_board(
        self,
        vertices: Sequence[int] | NDArray[np.integer],
        *,
        rows: int | None = None,
        columns: int | None = None,
        board: Board | None = None,
    ) -> Board:
        """The board of a clique.

        Parameters
        ----------
        rows, columns
            Size of the board; by default the smallest that holds every cell of the table, which is correct for the
            graph of a whole board.
        board
            Board around the region; empty by default. The cells of the table are emptied first.

        Raises
        ------
        ValueError
            If the vertices share a cell or a piece, or do not fit the board.
        """
        height = int(self.row.max(initial=-1)) + 1 if rows is None else rows
        width = int(self.column.max(initial=-1)) + 1 if columns is None else columns
        if height * width > CELLS_MAX or (self.row >= height).any() or (self.column >= width).any():
            raise ValueError(f"the cells of the table do not fit a board of {height} x {width}")
        base = np.full(height * width, EMPTY, dtype=np.int32) if board is None else np.array(board, dtype=np.int32)
        if len(base) != height * width:
            raise ValueError(f"a board of {height} x {width} has {height * width} cells, not {len(base)}")
        cells = self.row * width + self.column
        base[cells] = EMPTY
        chosen = np.asarray(vertices, dtype=np.int64)
        if (self.piece[chosen] >= height * width).any():
            raise ValueError(f"a board of {height} x {width} has no piece {self.piece[chosen].max() + 1}")
        return place(base, cells[chosen], self.piece[chosen], self.rotation[chosen])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table atomically: the file appears complete or not at all."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_COLUMNS)
        numbers = np.arange(1, len(self) + 1)
        writer.writerows(np.column_stack([numbers, self.piece + 1, self.row, self.column, self.rotation]).tolist())
        write_packed(os.fspath(path), text.getvalue().encode())

    @classmethod
    def parse(cls, source: Source) -> NodeTable:
        """Read the table from a file, whose rows and columns may come in any order.

        Raises
        ------
        InputError
            If a column is missing, a value is not a number in its range, or the nodes are not 1 to n.
        """
        lines = source.lines
        header = [name.strip().lower() for name in lines[0].split(",")] if lines else []
        if sorted(header) != sorted(_COLUMNS):
            raise InputError(
                f"the first line must be '{','.join(_COLUMNS)}' ({shown(','.join(header), 60)})",
                source=source.name,
                line=1,
            )
        where = [header.index(name) for name in _COLUMNS]
        records: list[tuple[int, ...]] = []
        filled = [(number, line) for number, line in enumerate(lines[1:], 2) if line.strip()]
        limits = {"node": (1, len(filled)), **_LIMITS}
        for number, line in filled:
            fields = [field.strip() for field in line.split(",")]
            if len(fields) != len(_COLUMNS):
                raise InputError(f"5 values are needed ({len(fields)})", source=source.name, line=number)
            record = []
            for name, place_ in zip(_COLUMNS, where, strict=True):
                least, most = limits[name]
                field = fields[place_]
                if not (field.isascii() and field.isdigit() and len(field) <= 9 and least <= int(field) <= most):
                    what = f"{name} must be a number from {least} to {most} ({shown(field, 20)})"
                    raise InputError(what, source=source.name, line=number)
                record.append(int(field))
            records.append(tuple(record))
        table = np.array(records, dtype=np.int32).reshape(-1, len(_COLUMNS))
        table = table[np.argsort(table[:, 0], kind="stable")]
        wrong = np.flatnonzero(table[:, 0] != np.arange(1, len(table) + 1))
        if wrong.size:
            raise InputError(f"a node is named twice or missing (about {wrong[0] + 1})", source=source.name)
        table[:, 1] -= 1
        return cls(*np.ascontiguousarray(table[:, 1:].T))
