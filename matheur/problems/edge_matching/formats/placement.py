"""Boards as text: one `piece/rotation` per cell, `---/-` if empty, after an optional line `rows columns`.

Pieces are numbered from 1; the rotation is the number of clockwise quarter-turns of the piece as given in its list.
"""

from __future__ import annotations

import re

import numpy as np

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.problems.edge_matching.formats.text import data_lines, place
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance

__all__ = ["read_placement", "write_placement"]

_CELL = re.compile(r"([0-9]{1,9})/([0-3])")
_HOLE = re.compile(r"-+/-+")


def read_placement(instance: Instance, source: Source) -> Board:
    """Read a board from such a text.

    Raises
    ------
    InputError
        If the text is malformed or its size is not the puzzle's.
    """
    rows = list(data_lines(source))
    if rows and "/" not in rows[0].text:
        header = rows.pop(0)
        size = header.integers()
        if size != [instance.rows, instance.columns]:
            transposed = size == [instance.columns, instance.rows]
            raise header.error(
                f"the board is {' x '.join(map(str, size))}, "
                f"the puzzle {instance.rows} x {instance.columns} (rows x columns)."
                + (" Maybe the puzzle's own first line means width and height (size order wh)?" if transposed else "")
            )
    if len(rows) != instance.rows:
        raise InputError(f"the board has {len(rows)} rows, the puzzle {instance.rows}", source=source.name)
    board = np.full(instance.cells, EMPTY, dtype=np.int32)
    for row, line in enumerate(rows):
        if len(line.words) != instance.columns:
            raise line.error(f"this row has {len(line.words)} cells, the puzzle {instance.columns} columns")
        for column, word in enumerate(line.words):
            if _HOLE.fullmatch(word):
                continue
            cell = row * instance.columns + column
            match = _CELL.fullmatch(word)
            if match is None:
                raise line.error(f"{place(cell, instance.columns)} must be piece/rotation or ---/- ({shown(word)})")
            piece = int(match[1])
            if not 1 <= piece <= instance.cells:
                raise line.error(
                    f"{place(cell, instance.columns)} names piece {piece}; pieces are numbered 1 to {instance.cells}"
                )
            board[cell] = 4 * (piece - 1) + int(match[2])
    return board


def write_placement(instance: Instance, board: Board) -> str:
    """The board as text, in columns of equal width."""
    width = max(3, len(str(instance.cells)))
    hole = "-" * width + "/-"
    cells = [hole if value == EMPTY else f"{value // 4 + 1:>{width}}/{value % 4}" for value in board.tolist()]
    lines = [f"{instance.rows} {instance.columns}"]
    lines += [" ".join(cells[start : start + instance.columns]) for start in range(0, instance.cells, instance.columns)]
    return "\n".join(lines) + "\n"
