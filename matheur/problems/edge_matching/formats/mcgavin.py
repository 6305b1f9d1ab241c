"""McGavin's CSV: the size, then per piece four 16-bit binary words up, right, down, left and a hint `x,y,rotation`.

Grey is sixteen ones. x is the column and y the row of the hint, from 0 at the top left; `0,0,0` means no hint, so a
hint with rotation 0 in the first cell cannot be written.
"""

from __future__ import annotations

import re

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.edge_matching.formats.options import ReadOptions, merge_hints
from matheur.problems.edge_matching.formats.piece_list import board_size, parse_header, reorder_sides
from matheur.problems.edge_matching.formats.text import COLOUR_MAX, Line, data_lines
from matheur.problems.edge_matching.instance import CELLS_MAX, Hint, Instance
from matheur.problems.edge_matching.rules import PLAIN

__all__ = ["is_mcgavin", "read_mcgavin", "write_mcgavin"]

_WORD = re.compile(r"[01]{16}")
_GREY = 0xFFFF


def is_mcgavin(line: Line) -> bool:
    """Whether a line (the second of a file) is a piece of this format."""
    return len(line.words) >= 4 and all(_WORD.fullmatch(word) for word in line.words[:4])


def read_mcgavin(source: Source, options: ReadOptions) -> Instance:
    """Read a puzzle from such a file.

    Raises
    ------
    InputError
        If the text is malformed, with the line and the value.
    """
    lines = list(data_lines(source))
    header = parse_header(lines[0]) if lines else None
    body = lines if header is None else lines[1:]
    if not body:
        raise InputError("there is no piece in this file", source=source.name)
    if len(body) > CELLS_MAX:
        raise body[CELLS_MAX].error(f"a puzzle may have up to {CELLS_MAX} pieces (there are {len(body)})")
    table = [_piece(line) for line in body]
    rows, columns = board_size(len(table), header, options, source.name)
    hints = []
    for piece, line in enumerate(body):
        x, y, rotation = (line.integer(word) for word in line.words[4:])
        if (x, y, rotation) == (0, 0, 0):
            continue
        if x >= columns or y >= rows or rotation > 3:
            raise line.error(
                f"the hint x = {x}, y = {y}, rotation {rotation} lies outside the {rows} x {columns} board"
            )
        hints.append(Hint(y * columns + x, piece, rotation))
    pieces = reorder_sides(table, options.sides or "urdl")
    if options.variant not in (None, "framed"):
        raise InputError(f"this format has no variants ({options.variant!r})", source=source.name)
    return Instance(rows, columns, pieces, merge_hints(rows, columns, hints, options.hints, source.name), source.stem)


def write_mcgavin(instance: Instance) -> str:
    """The text of such a file for a puzzle with a square board.

    Raises
    ------
    InputError
        If the board is not square, or a hint or the variant cannot be written.
    """
    if instance.rules != PLAIN:
        raise InputError("McGavin's format has neither signs, nor 0 as a colour, nor pieces that may not be turned")
    if instance.rows != instance.columns:
        raise InputError(f"McGavin's format is for square boards (this one is {instance.rows} x {instance.columns})")
    hints = {hint.piece: hint for hint in instance.hints}
    lines = [str(instance.rows)]
    for piece, colours in enumerate(instance.pieces.tolist()):
        place = [0, 0, 0]
        if piece in hints:
            row, column = divmod(hints[piece].cell, instance.columns)
            rotation = hints[piece].rotation
            if rotation is None or (row, column, rotation) == (0, 0, 0):
                raise InputError(f"McGavin's format cannot express the hint for piece {piece + 1}")
            place = [column, row, rotation]
        lines.append(",".join([*(f"{colour or _GREY:016b}" for colour in colours), *map(str, place)]))
    return "\n".join(lines) + "\n"


def _piece(line: Line) -> list[int]:
    words = line.words
    if len(words) != 7 or not is_mcgavin(line):
        raise line.error("a piece of McGavin's format is four 16-digit binary numbers and a hint x,y,rotation")
    colours = [0 if int(word, 2) == _GREY else int(word, 2) for word in words[:4]]
    if max(colours) > COLOUR_MAX:
        raise line.error(f"colours are up to {COLOUR_MAX} ({max(colours)})")
    return colours
