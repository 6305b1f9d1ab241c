"""Recognition of files that are edge-matching puzzles.

Lines of four or five small numbers may also be boards of Lights Out or sliding tiles, matrices, or lists of edges. A
piece list is therefore proved by a first line that counts the pieces, by names of the sides, or by numbers of corners,
border and inner pieces that suit the board; an index before each piece is further evidence.
"""

from __future__ import annotations

import math

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.edge_matching.formats import json_format, mcgavin, piece_list
from matheur.problems.edge_matching.formats.columns import plain_rows
from matheur.problems.edge_matching.formats.options import ReadOptions
from matheur.problems.edge_matching.formats.signed_list import begins_with_piece, is_signed
from matheur.problems.edge_matching.formats.text import COLOUR_MAX, Line, data_lines, text_of
from matheur.problems.edge_matching.formats.url_search import has_board_url, is_board_url
from matheur.problems.edge_matching.problem import EdgeMatching

__all__ = ["claim", "holds_pieces", "is_json"]

_NINE = 9  # this many pieces do not fit a frame by chance
_CORNER = {
    (True, True, False, False),
    (False, True, True, False),
    (False, False, True, True),
    (True, False, False, True),
}


def claim(source: Source) -> Recognition:
    """Degree of certainty that the content is a puzzle of this kind; never raises."""
    try:
        source = Source(source.name, source.data)  # a copy, so that no assumptions are recorded
        text = text_of(source)
        if is_json(text):
            return _of_json(source, text)
        rows = plain_rows(list(data_lines(source)))
        lines = rows.lines
        if any(mcgavin.is_mcgavin(line) for line in lines[:2]):
            return Recognition.PROVED
        if is_signed(lines):
            return _of_signed(lines)
        if holds_pieces(lines):
            if rows.sides:
                return Recognition.PROVED if len(lines[-1].words) in (4, 5) else Recognition.NO
            found = _of_pieces(lines, source)
            if rows.frame is not None and not (rows.frame and _frame_holds(source)):  # letters with another meaning
                return Recognition.NO
            if (
                found == Recognition.FITS and rows.colons and not _frame_holds(source)
            ):  # vertices of a graph and their neighbours
                return Recognition.NO
            return found
        if has_board_url(text):
            return Recognition.PROVED if is_board_url(text) else Recognition.NO
        return Recognition.NO
    except InputError:
        return Recognition.NO


def is_json(text: str) -> bool:
    """Whether a text begins like JSON."""
    return text.lstrip()[:1] in ("{", "[")


def holds_pieces(lines: list[Line]) -> bool:
    """Whether the lines are numbers, apart from comments."""
    return bool(lines) and all(line.numeric for line in lines[1:]) and (len(lines) > 1 or lines[0].numeric)


def _of_json(source: Source, text: str) -> Recognition:
    try:
        data = json_format.load_json(source)
    except InputError:
        data = None
    if isinstance(data, dict) and (
        data.get("format") == json_format.FORMAT or {"width", "height", "pieces"} <= set(data)
    ):
        return Recognition.PROVED
    solved = isinstance(data, dict) and "solution" in data
    return Recognition.FITS if is_board_url(text) and not solved else Recognition.NO


def _of_pieces(lines: list[Line], source: Source) -> Recognition:
    header = piece_list.parse_header(lines[0])
    body = lines if header is None else lines[1:]
    widths = {len(line.words) for line in body}
    if len(widths) != 1 or not widths <= {4, 5} or not all(line.numeric for line in body):
        return Recognition.NO
    if header is not None and header.counts_pieces:
        return Recognition.PROVED
    table = [line.integers() for line in body]
    numbers = [] if header is None else header.numbers
    counted = len(numbers) > 1 and numbers[0] * numbers[1] == len(table)
    if max(max(row[-4:]) for row in table) > COLOUR_MAX or not (counted or _could_be_pieces(numbers, table)):
        return Recognition.NO
    framed = _frame_holds(source)
    if counted:
        # The lines may also be the size of two matrices, the value 2, and their rows.
        matrices = numbers[1] == 2 and numbers[0] == len(table[0])
        return Recognition.FITS if matrices and not framed else Recognition.PROVED
    colours = max(max(row[-4:]) for row in table)
    if colours <= 1 and not (framed and (numbers or len(table) >= _NINE)):
        return Recognition.NO  # lights
    indexed = len(table[0]) == 5
    told = len(numbers) == 1 and numbers[0] in (len(table), math.isqrt(len(table)))
    clear = len(table) >= _NINE and colours > 1
    return Recognition.PROVED if framed and (clear or (indexed and told)) else Recognition.FITS


def _of_signed(lines: list[Line]) -> Recognition:
    """Recognition of lines with four signed sides, which a first line with the size proves."""
    header = None if begins_with_piece(lines[0]) else piece_list.parse_header(lines[0])
    count = len(lines) - (header is not None)
    if header is not None:
        numbers = header.numbers
        fits = header.counts_pieces or (len(numbers) == 2 and numbers[0] * numbers[1] == count)
        return Recognition.PROVED if fits else Recognition.NO
    return Recognition.FITS if count > 1 and math.isqrt(count) ** 2 == count else Recognition.NO


def _could_be_pieces(numbers: list[int], table: list[list[int]]) -> bool:
    """Whether a table without a first line of rows and columns can be a piece list."""
    count, width = len(table), len(table[0])
    colours = [row[-4:] for row in table]
    flat = [colour for row in colours for colour in row]
    zeros = [tuple(colour == 0 for colour in row) for row in colours]
    if width == 5 and sorted(row[0] for row in table) not in (list(range(count)), list(range(1, count + 1))):
        return False
    if len(set(flat)) == len(flat):
        return False  # tiles
    if len(numbers) == 1 and numbers[0] == width and count <= 2 * width and count != width:
        return all(row in _CORNER for row in zeros[:4])  # else the size of matrices, and their rows
    if not any(map(any, zeros)):
        return math.isqrt(count) ** 2 == count
    if count == width and _is_distance_matrix(table) and not all(row in _CORNER for row in zeros):
        return False
    return any(row in _CORNER for row in zeros)


def _is_distance_matrix(table: list[list[int]]) -> bool:
    """Whether the table is symmetric with zeros on the diagonal."""
    size = range(len(table))
    return all(table[i][j] == table[j][i] and table[i][i] == 0 for i in size for j in size)


def _frame_holds(source: Source) -> bool:
    """Whether the pieces have a frame, with the numbers of corners, border and inner pieces that the board needs."""
    try:
        instance = piece_list.read_piece_list(source, ReadOptions())
    except (InputError, ValueError):
        return False
    return instance.framed and EdgeMatching(instance).infeasible_reason() is None
