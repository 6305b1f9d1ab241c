"""Which format is it? The content decides, never the file's name."""

from __future__ import annotations

from matheur.errors import InputError
from matheur.problems.edge_matching.formats import brendan, bucas, json_format, mcgavin, piece_list, placement
from matheur.problems.edge_matching.formats.bucas_url import is_bucas
from matheur.problems.edge_matching.formats.options import ReadOptions
from matheur.problems.edge_matching.formats.text import Line, data_lines, text_of
from matheur.problems.edge_matching.instance import Board, Instance
from matheur.problems.port import Source

__all__ = ["looks_like_instance", "read_board", "read_instance"]


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """The puzzle in a bucas URL, JSON, McGavin's CSV or a piece list.

    Raises
    ------
    InputError
        If it is none of these, with the line and the value.
    """
    options = options or ReadOptions()
    text = text_of(source)
    try:
        if is_bucas(text):
            return bucas.read_bucas_instance(source, options)
        if text.lstrip().startswith(("{", "[")):
            return json_format.read_json_instance(source, options)
        lines = list(data_lines(source))
        if any(mcgavin.is_mcgavin(line) for line in lines[:2]):
            return mcgavin.read_mcgavin(source, options)
        return piece_list.read_piece_list(source, options)
    except ValueError as error:
        raise InputError(str(error), source=source.name) from None


def read_board(instance: Instance, source: Source) -> Board:
    """A board of a known puzzle: bucas URL, JSON, text placements or Brendan Owen's format.

    Raises
    ------
    InputError
        If it is none of these or does not belong to this puzzle.
    """
    text = text_of(source)
    if is_bucas(text):
        return bucas.read_bucas_board(instance, source)
    if text.lstrip().startswith(("{", "[")):
        return json_format.read_json_board(instance, source)
    lines = list(data_lines(source))
    if any("/" in line.text for line in lines[:2]):
        return placement.read_placement(instance, source)
    if lines and all(line.numeric for line in lines[:2]):
        return brendan.read_brendan(instance, source)
    raise InputError(
        "this is no board. Maybe a bucas URL, a JSON list of [piece, rotation], or lines of piece/rotation?",
        source=source.name,
    )


def looks_like_instance(source: Source) -> bool:
    """Whether the content looks like a puzzle of this kind; lines of numbers get a close look."""
    try:
        text = text_of(source)
        if is_bucas(text):
            return "board_edges=" in text
        if text.lstrip().startswith("{"):
            data = json_format.load_json(source)
            return data.get("format") == json_format.FORMAT or {"width", "height", "pieces"} <= set(data)
        lines = list(data_lines(source))
        if any(mcgavin.is_mcgavin(line) for line in lines[:2]):
            return True
        return bool(lines) and _looks_like_pieces(lines)
    except InputError:
        return False


def _looks_like_pieces(lines: list[Line]) -> bool:
    """A header that counts the pieces, or at least a corner piece; never a bare square of distinct numbers."""
    header = piece_list.parse_header(lines[0])
    body = lines if header is None else lines[1:]
    widths = {len(line.words) for line in body}
    if not body or len(widths) > 1 or not widths <= {4, 5} or not all(line.numeric for line in body):
        return False
    colours = [word for line in body for word in line.words[-4:]]
    framed = any(line.words[-4:].count("0") == 2 for line in body)
    if header is None:
        return framed or len(set(colours)) < len(colours)
    if header.counts_pieces:
        return True
    numbers = header.numbers
    claimed = {numbers[0], numbers[0] ** 2} if len(numbers) == 1 else {numbers[0] * numbers[1]}
    return len(body) in claimed or framed
