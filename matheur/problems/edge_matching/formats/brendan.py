"""Brendan Owen's solution files: `W H`, then `x y r` of each piece in the order of its list.

x counts columns from the left and y rows from the *bottom*, both from 0; r is the number of clockwise quarter-turns.
The format cannot leave out a piece.
"""

from __future__ import annotations

import numpy as np

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.problems.edge_matching.formats.text import data_lines, place
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance

__all__ = ["read_brendan", "write_brendan"]


def read_brendan(instance: Instance, source: Source) -> Board:
    """Read a board from such a file.

    Raises
    ------
    InputError
        If the text is malformed, its size is not the puzzle's, or two pieces share a cell.
    """
    lines = list(data_lines(source))
    if not lines:
        raise InputError("there is no board in this file", source=source.name)
    header, body = lines[0], lines[1:]
    size = header.integers()
    if size != [instance.columns, instance.rows]:
        transposed = size == [instance.rows, instance.columns]
        raise header.error(
            f"the first line must be the puzzle's width and height, {instance.columns} {instance.rows} "
            f"(it is {shown(header.text)})."
            + (" Maybe the puzzle's own first line means width and height (size order wh)?" if transposed else "")
        )
    if len(body) != instance.cells:
        raise InputError(f"the file places {len(body)} pieces, the puzzle has {instance.cells}", source=source.name)
    board = np.full(instance.cells, EMPTY, dtype=np.int32)
    for piece, line in enumerate(body):
        numbers = line.integers()
        if len(numbers) != 3:
            raise line.error(f"a piece is placed by x, y and rotation (this line has {len(numbers)} numbers)")
        x, y, rotation = numbers
        if x >= instance.columns or y >= instance.rows:
            raise line.error(
                f"x = {x}, y = {y} lies outside the {instance.columns} wide and {instance.rows} high board"
            )
        if rotation > 3:
            raise line.error(f"a rotation is 0 to 3 quarter-turns ({rotation})")
        cell = (instance.rows - 1 - y) * instance.columns + x
        if board[cell] != EMPTY:
            raise line.error(f"{place(cell, instance.columns)} already holds piece {board[cell] // 4 + 1}")
        board[cell] = 4 * piece + rotation
    return board


def write_brendan(instance: Instance, board: Board) -> str:
    """The text of such a file for a board.

    Raises
    ------
    InputError
        If some piece is not on the board exactly once, which the format cannot express.
    """
    if sorted((board // 4).tolist()) != list(range(instance.cells)):
        raise InputError(
            "Brendan Owen's format needs a complete board with every piece once. Maybe write text placements?"
        )
    lines = [f"{instance.columns} {instance.rows}"]
    for cell in np.argsort(board // 4).tolist():
        row, column = divmod(cell, instance.columns)
        lines.append(f"{column} {instance.rows - 1 - row} {board[cell] % 4}")
    return "\n".join(lines) + "\n"
