"""Recognition of the format, which depends on the content and never on the file's name."""

from __future__ import annotations

import re

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.edge_matching.formats import brendan, bucas, json_format, mcgavin, piece_list, placement
from matheur.problems.edge_matching.formats.claims import holds_pieces, is_json
from matheur.problems.edge_matching.formats.columns import plain_rows
from matheur.problems.edge_matching.formats.options import ReadOptions
from matheur.problems.edge_matching.formats.text import data_lines, text_of
from matheur.problems.edge_matching.formats.url_search import has_board_url, is_board_url
from matheur.problems.edge_matching.instance import Board, Instance

__all__ = ["read_board", "read_instance"]

_CELLS = re.compile(r"[-0-9/,;\s]*")


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """Read a puzzle from a bucas URL, JSON, McGavin's CSV or a piece list.

    Raises
    ------
    InputError
        If the content is none of these, with the line and the value.
    """
    source.single("one puzzle")
    options = options or ReadOptions()
    return bucas.with_hints_of(_read(source, options), options.link)


def _read(source: Source, options: ReadOptions) -> Instance:
    text = text_of(source)
    try:
        if is_json(text):
            if is_board_url(text) and not _is_puzzle(source):
                return bucas.read_bucas_instance(source, options)
            return json_format.read_json_instance(source, options)
        lines = plain_rows(list(data_lines(source))).lines
        if any(mcgavin.is_mcgavin(line) for line in lines[:2]):
            return mcgavin.read_mcgavin(source, options)
        if has_board_url(text) and not holds_pieces(lines):
            return bucas.read_bucas_instance(source, options)
        return piece_list.read_piece_list(source, options)
    except ValueError as error:
        raise InputError(str(error), source=source.name) from None


def read_board(instance: Instance, source: Source) -> Board:
    """Read a board of a known puzzle: bucas URL, JSON, text placements or Brendan Owen's format.

    Raises
    ------
    InputError
        If the content is none of these or does not belong to this puzzle.
    """
    text = text_of(source)
    if is_json(text):
        try:
            return json_format.read_json_board(instance, source)
        except InputError:
            if not is_board_url(text):
                raise
            return bucas.read_bucas_board(instance, source)
    lines = list(data_lines(source))
    if has_board_url(text) and not all(_CELLS.fullmatch(line.text) for line in lines):
        return bucas.read_bucas_board(instance, source)
    if any("/" in line.text for line in lines[:2]):
        return placement.read_placement(instance, source)
    if lines and all(line.numeric for line in lines[:2]):
        return brendan.read_brendan(instance, source)
    raise InputError(
        "this is not a board. Maybe a bucas URL, a JSON list of [piece, rotation], or lines of piece/rotation?",
        source=source.name,
    )


def _is_puzzle(source: Source) -> bool:
    """Whether a JSON text declares itself a puzzle, regardless of the URLs that it contains."""
    try:
        data = json_format.load_json(source)
    except InputError:
        return False
    return isinstance(data, dict) and ("format" in data or {"width", "height", "pieces"} <= set(data))
