"""Piece lists (`e2pieces.txt` and its variants): one piece per line, four colours.

The first line may be `rows columns`, `0`, one number, `ntiles: N`, `W H borders` (Clark; sides left, up, right, down)
or the first piece. A fifth number before the four is the piece's index, optionally with a colon (`1: 0 0 1 2`). Without
a size, the board is square. Column names such as `id,top,right,bottom,left` specify the order of the sides. Colours may
be letters of one case.

Two numbers on the first line are rows and columns, as in the published files of the 6 x 12 clue puzzle; other sources
write width and height (`size_order="wh"`). For squares, this makes no difference. For rectangles, both readings are the
same puzzle with the board turned by a quarter-turn; only the coordinates of hints and boards differ.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.problems.edge_matching.formats.columns import plain_rows
from matheur.problems.edge_matching.formats.options import ReadOptions, merge_hints
from matheur.problems.edge_matching.formats.signed_list import begins_with_piece, is_signed, signed_table
from matheur.problems.edge_matching.formats.text import COLOUR_MAX, Line, data_lines
from matheur.problems.edge_matching.instance import CELLS_MAX, Instance
from matheur.problems.edge_matching.rules import PLAIN, VARIANTS, Rules

__all__ = ["Header", "board_size", "parse_header", "read_piece_list", "reorder_sides", "write_piece_list"]

_NTILES = re.compile(r"ntiles\s*[:=]?\s*([0-9]{1,9})", re.IGNORECASE)
_SIZE = re.compile(r"([0-9]{1,9})\s*[xX]\s*([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a piece list.

    Attributes
    ----------
    line
        The line, for error messages.
    numbers
        One, two or three numbers.
    counts_pieces
        True for `ntiles: N`, whose number is certainly the number of pieces.
    """

    line: Line
    numbers: list[int]
    counts_pieces: bool = False


def parse_header(line: Line) -> Header | None:
    """The header in a first line, or None if this line is a piece."""
    if match := _NTILES.fullmatch(line.text):
        return Header(line, [int(match[1])], counts_pieces=True)
    if match := _SIZE.fullmatch(line.text):
        return Header(line, [int(match[1]), int(match[2])])
    if len(line.words) <= 3:
        return Header(line, line.integers())
    return None


def read_piece_list(source: Source, options: ReadOptions) -> Instance:
    """Read the puzzle in a piece list.

    Raises
    ------
    InputError
        If the text is malformed, with the line and the value.
    """
    given = plain_rows(list(data_lines(source)), letters=options.variant != "signed")
    lines = given.lines
    if not lines:
        raise InputError("there is no piece in this file", source=source.name)
    signed = options.variant == "signed" or (options.variant is None and is_signed(lines))
    header = None if signed and begins_with_piece(lines[0]) else parse_header(lines[0])
    body = lines if header is None else lines[1:]
    rules = options.rules
    if signed:
        rules, table = VARIANTS["signed"], signed_table(body)
    else:
        table = _colours(body, source.name, COLOUR_MAX - rules.zero)
    if given.names is not None and table:
        _check_names(given.names, body[0])
        source.assume(f"line {given.names.number}, {shown(given.names.text)}, is a header")
    if given.frame is not None:
        frame = f"{shown(given.frame)} is the frame" if given.frame else "none is the frame"
        source.assume(f"letters are colours, {frame}")
    sides = options.sides or given.sides or ("lurd" if header is not None and len(header.numbers) == 3 else "urdl")
    rows, columns = board_size(len(table), header, options, source.name)
    hints = merge_hints(rows, columns, [], options.hints, source.name)
    instance = Instance(rows, columns, reorder_sides(table, sides, rules), hints, source.stem, rules)
    if rows != columns and header is not None and len(header.numbers) == 2 and _size_is_free(options):
        source.assume(
            f"{shown(header.line.text)} in line {header.line.number} are rows and columns, not width and height"
        )
    if options.sides is None and not given.sides:
        _note_sides(table, instance, sides, source)
    return instance


def _check_names(names: Line, first: Line) -> None:
    unnamed = names.text.startswith((",", ";"))  # the index, as pandas writes it
    if len(names.words) + unnamed != len(first.words):
        raise first.error(f"{len(first.words)} numbers below {len(names.words)} names ({shown(names.text)})")


def _size_is_free(options: ReadOptions) -> bool:
    """Whether the options leave the meaning of the two numbers on the first line open."""
    return options.size_order is None and options.rows is None and options.columns is None


def _note_sides(table: list[list[int]], instance: Instance, sides: str, source: Source) -> None:
    """Record the order of the sides as an assumption if the frame fits only with another order.

    Turned and mirrored orders yield the same kinds of pieces, so there are three orders to try.
    """
    if not instance.framed or instance.rules != PLAIN or _splits(instance):
        return
    for other in ("udlr", "ulrd", "urdl"):
        if _splits(replace(instance, pieces=reorder_sides(table, other), hints=())):
            source.assume(f"the sides of a piece are in the order {sides}; with {other} the frame would fit (sides)")
            return


def _splits(instance: Instance) -> bool:
    """Whether the number of pieces of each kind, by their frame sides, equals the number of cells."""

    def kinds(sides: NDArray[np.bool_]) -> list[int]:
        turned = [np.roll(sides, turn, axis=1) @ np.array([8, 4, 2, 1]) for turn in range(4)]
        return sorted(np.min(turned, axis=0).tolist())

    return kinds(instance.pieces == 0) == kinds(instance.outside)


def write_piece_list(instance: Instance, *, size_order: str = "rows-columns") -> str:
    """Size line, then `up right down left` of each piece. The format has no hints (see `write_hints`).

    It does not store the variant either, but signs are recognised as such.
    """
    size = (instance.rows, instance.columns) if size_order == "rows-columns" else (instance.columns, instance.rows)
    lines = [
        f"{size[0]} {size[1]}",
        *(" ".join(map(str, piece)) for piece in instance.rules.colours(instance.pieces).tolist()),
    ]
    return "\n".join(lines) + "\n"


def reorder_sides(
    table: list[list[int]], sides: str, rules: Rules = PLAIN
) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
    """Rows in the order `sides`, converted to codes (see `rules`) in the order up, right, down, left."""
    return rules.codes(table).reshape(-1, 4)[:, [sides.index(side) for side in "urdl"]]


def board_size(count: int, header: Header | None, options: ReadOptions, source: str) -> tuple[int, int]:
    """Rows and columns of a board for `count` pieces, from the options, the header or a square root."""
    size = None if header is None else _header_size(count, header, options)
    rows, columns = options.rows, options.columns
    if rows is None and columns is None:
        if size is not None:
            return size
        side = math.isqrt(count)
        if side * side != count:
            raise InputError(
                f"{count} pieces do not make a square. Maybe give the number of rows and columns", source=source
            )
        return side, side
    if rows is None or columns is None:
        known = rows or columns or 1
        rows, columns = rows or count // known, columns or count // known
    if rows * columns != count:
        raise InputError(f"a {rows} x {columns} board needs {rows * columns} pieces (there are {count})", source=source)
    if size is not None and {rows, columns} != set(size):
        raise InputError(
            f"the file is for a {size[0]} x {size[1]} board, but {rows} x {columns} was asked for", source=source
        )
    return rows, columns


def _header_size(count: int, header: Header, options: ReadOptions) -> tuple[int, int] | None:
    numbers = header.numbers
    if len(numbers) == 1:
        number = numbers[0]
        if header.counts_pieces and number != count:
            raise header.line.error(_miscount(f"the first line says {number} pieces", count, number))
        if number not in (0, count) and number * number != count:
            raise header.line.error(
                f"the first line says {number}, but there are neither {number} nor {number} x {number} pieces ({count})"
            )
        return (number, number) if number * number == count else None
    first, second = numbers[:2]
    if first * second != count:
        raise header.line.error(
            _miscount(f"the first line says {first} x {second} = {first * second} pieces", count, first * second)
        )
    by_width = len(numbers) == 3 or options.size_order == "wh"
    return (second, first) if by_width else (first, second)


def _miscount(claim: str, count: int, claimed: int) -> str:
    guess = "the file is cut short" if count < claimed else "two files were joined"
    return f"{claim}, but {count} follow. Maybe {guess}?"


def _colours(lines: list[Line], source: str, most: int) -> list[list[int]]:
    """The four colours of each piece, in the order of the index column if there is one."""
    if not lines:
        raise InputError("there is no piece in this file", source=source)
    if len(lines) > CELLS_MAX:
        raise lines[CELLS_MAX].error(f"a puzzle may have up to {CELLS_MAX} pieces (there are {len(lines)})")
    width = len(lines[0].words)
    if width not in (4, 5):
        example = " Maybe a board instead of a piece list?" if "/" in lines[0].text else ""
        raise lines[0].error(
            f"a piece has 4 colours, or 5 numbers with its index in front (this line has {width}).{example}"
        )
    table = []
    for line in lines:
        words = line.words
        if len(words) != width:
            raise line.error(f"the first piece has {width} numbers, this one has {len(words)} ({shown(line.text)})")
        numbers = line.integers()
        for colour in numbers[-4:]:
            if colour > most:
                frame = " (the frame)" if most == COLOUR_MAX else ""
                raise line.error(f"colours are 0{frame} to {most} ({colour})")
        table.append(numbers)
    return table if width == 4 else _by_index(table, lines)


def _by_index(table: list[list[int]], lines: list[Line]) -> list[list[int]]:
    first = min(numbers[0] for numbers in table)
    if first not in (0, 1):
        raise lines[0].error(
            f"the first of 5 numbers is the piece's index, which starts at 0 or 1 (the least is {first})"
        )
    ordered: list[list[int] | None] = [None] * len(table)
    for numbers, line in zip(table, lines, strict=True):
        index = numbers[0] - first
        if index >= len(table):
            raise line.error(f"the index {numbers[0]} is too large: there are {len(table)} pieces")
        if ordered[index] is not None:
            raise line.error(f"the index {numbers[0]} appears twice")
        ordered[index] = numbers[1:]
    return [numbers for numbers in ordered if numbers is not None]
