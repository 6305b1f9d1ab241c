"""Boards and puzzles from URLs of the viewer e2.bucas.name, and back; `bucas_url` describes their parts."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, nearest
from matheur.problems.edge_matching.formats.bucas_url import MOTIFS_ORDERS, parse_bucas
from matheur.problems.edge_matching.formats.options import ReadOptions, merge_hints
from matheur.problems.edge_matching.formats.piece_list import reorder_sides
from matheur.problems.edge_matching.formats.text import place
from matheur.problems.edge_matching.instance import EMPTY, Board, Hint, Instance
from matheur.problems.edge_matching.rules import Rules

__all__ = ["read_bucas_board", "read_bucas_instance", "with_hints_of", "write_bucas"]


def read_bucas_instance(source: Source, options: ReadOptions) -> Instance:
    """The puzzle whose pieces lie on the board of a URL; the rotation of a piece on the board is its rotation 0.

    Raises
    ------
    InputError
        If the URL cannot be parsed, or the board has empty cells, whose pieces are unknown.
    """
    url = parse_bucas(source)
    holes = np.flatnonzero(url.empty)
    if url.pieces is None and (url.rows, url.columns) == (1, 1):
        holes = holes[:0]  # the only piece of a framed board of one cell is all grey
    if holes.size:
        raise InputError(
            f"{holes.size} cells of the board are empty, so that the pieces of the puzzle are not all known "
            f"(the first is {place(int(holes[0]), url.columns)}). "
            "Maybe give a piece list as the instance and this URL as its board?",
            source=source.name,
        )
    cells = url.rows * url.columns
    for what, given, asked in (("rows", url.rows, options.rows), ("columns", url.columns, options.columns)):
        if asked not in (None, given):
            raise InputError(f"the URL has a board of {given} {what}, but {asked} were asked for", source=source.name)
    order = np.arange(cells) if url.pieces is None else url.pieces
    numbers, counts = np.unique(order, return_counts=True)
    if counts.max() > 1:
        raise InputError(f"board_pieces names piece {numbers[counts.argmax()] + 1} twice", source=source.name)
    if numbers[-1] >= cells:
        raise InputError(
            f"board_pieces names piece {numbers[-1] + 1}; a board of {cells} cells has pieces 1 to {cells}",
            source=source.name,
        )
    pieces = np.zeros((cells, 4), dtype=np.int16)
    pieces[order] = url.edges
    hints = [Hint(int(cell), int(order[cell]), 0) for cell in np.flatnonzero(url.fixed)]
    merged = merge_hints(url.rows, url.columns, hints, options.hints, source.name)
    own = reorder_sides(_codes(pieces, options.rules).tolist(), options.sides or "urdl")
    return Instance(url.rows, url.columns, own, merged, url.name, options.rules)


def _codes(edges: NDArray[np.int16], rules: Rules) -> NDArray[np.int16]:
    """The codes of the sides of pieces, from letters as numbers.

    Letters are codes: `a` is grey, so colour 0 is `b`, and with signs each colour has two letters. If 0 is a colour but
    a link has grey sides, it was written by a program for which `a` is 0.
    """
    return edges + np.int16(1) if rules.zero and not edges.all() else edges


def read_bucas_board(instance: Instance, source: Source) -> Board:
    """The board of a URL with the pieces of a known puzzle.

    Pieces are identified by their numbers, checked against their colours, or by their colours alone; of equal pieces,
    the first unused one is taken. A piece that the board uses too often is repeated, and the evaluator reports it.

    Raises
    ------
    InputError
        If the URL cannot be parsed, has another size, or shows colours that no piece of the puzzle has.
    """
    url = parse_bucas(source)
    if (url.rows, url.columns) != (instance.rows, instance.columns):
        raise InputError(
            f"the board is {url.rows} x {url.columns}, the puzzle {instance.rows} x {instance.columns} "
            "(rows x columns)",
            source=source.name,
        )
    empty = url.empty
    if url.pieces is None and instance.cells == 1:
        empty = ~(instance.shown == url.edges[0]).all(axis=1).any(keepdims=True)
    shapes: dict[tuple[int, ...], list[int]] = {}
    for placement, sides in enumerate(instance.shown.tolist()):
        same = shapes.setdefault(tuple(sides), [])
        if not same or same[-1] // 4 != placement // 4:  # a symmetric piece counts with its first rotation
            same.append(placement)
    if not instance.rules.rotation:  # pieces that would have to be turned come last
        for same in shapes.values():
            same.sort(key=lambda placement: placement % 4 > 0)
    edges = url.edges.copy()
    edges[~empty] = _codes(edges[~empty], instance.rules)
    board = np.full(instance.cells, EMPTY, dtype=np.int32)
    unused = {shape: list(reversed(placements)) for shape, placements in shapes.items()}
    used = np.zeros(instance.cells, dtype=bool)
    for cell in np.flatnonzero(~empty).tolist():
        shape = tuple(edges[cell].tolist())
        letters = "".join(chr(ord("a") + colour) for colour in url.edges[cell].tolist())
        candidates = shapes.get(shape, [])
        if url.pieces is not None:
            candidates = [placement for placement in candidates if placement // 4 == url.pieces[cell]]
            if not candidates:
                raise InputError(
                    f"{place(cell, instance.columns)} shows {letters!r} (in default colours), which is not piece "
                    f"{url.pieces[cell] + 1} of the puzzle. "
                    "Maybe another numbering of the pieces or another motifs_order?",
                    source=source.name,
                )
            board[cell] = candidates[0]
            continue
        if not candidates:
            raise InputError(
                f"{place(cell, instance.columns)} shows {letters!r} (in default colours), "
                "which no piece of the puzzle has. Maybe another puzzle or another motifs_order?",
                source=source.name,
            )
        waiting = unused[shape]
        while waiting and used[waiting[-1] // 4]:
            waiting.pop()
        board[cell] = waiting[-1] if waiting else candidates[0]
        used[board[cell] // 4] = True
    return board


def with_hints_of(instance: Instance, link: str | None) -> Instance:
    """The puzzle with the fixed cells of a link, or all filled cells if none is marked as fixed, as further hints.

    Raises
    ------
    InputError
        If the link is not a board of this puzzle, holds no piece, or contradicts other hints.
    """
    if link is None:
        return instance
    source = Source("<hints>", link.encode("utf-8", "surrogatepass"))
    board, fixed = read_bucas_board(instance, source), parse_bucas(source).fixed
    cells = np.flatnonzero((board != EMPTY) & (fixed if fixed.any() else True))
    if not cells.size:
        raise InputError("the link has no piece that could be a hint", source=source.name)
    found = {cell: divmod(int(board[cell]), 4) for cell in cells.tolist()}
    more = tuple((*divmod(cell, instance.columns), piece + 1, turn) for cell, (piece, turn) in found.items())
    # A hint without a rotation is a weaker form of the same hint.
    own = [hint for hint in instance.hints if hint.rotation is not None or found.get(hint.cell, (-1,))[0] != hint.piece]
    hints = merge_hints(instance.rows, instance.columns, own, more, source.name)
    try:
        return replace(instance, hints=hints)
    except ValueError as error:  # a turned piece, where pieces may not be turned
        raise InputError(str(error), source=source.name) from None


def write_bucas(instance: Instance, board: Board, *, motifs_order: str = "default", piece_numbers: bool = True) -> str:
    """The URL of a board.

    Parameters
    ----------
    motifs_order
        One of `MOTIFS_ORDERS`.
    piece_numbers
        Whether to write `board_pieces` (omitted for more than 999 pieces, which three digits cannot number).

    Raises
    ------
    InputError
        If the puzzle has more than 25 colours, for which there are not enough letters.
    """
    if motifs_order not in MOTIFS_ORDERS:
        raise ConfigurationError(f"unknown motifs_order {motifs_order!r}. {nearest(motifs_order, MOTIFS_ORDERS)}")
    if instance.colours > 26:
        raise InputError(
            f"a bucas URL has letters for colours up to 25 (this puzzle goes up to {instance.colours - 1})"
        )
    letters = "".join(chr(ord("a") + colour) for colour in MOTIFS_ORDERS[motifs_order])
    shown = np.where((board >= 0)[:, None], instance.shown[board], 0)
    fields = {
        "puzzle": quote(instance.name or "board", safe="+", errors="replace"),
        "board_w": str(instance.columns),
        "board_h": str(instance.rows),
        "board_edges": "".join(letters[colour] for colour in shown.ravel().tolist()),
    }
    if piece_numbers and instance.cells <= 999:
        fields["board_pieces"] = "".join(f"{value // 4 + 1:03d}" if value >= 0 else "000" for value in board.tolist())
    if instance.hints:
        kinds = np.array(list("dcb"))[np.minimum(2, instance.outside.sum(axis=1))]
        kinds = np.where(instance.fixed, "e", np.where(board >= 0, kinds, "a"))
        fields["board_types"] = "".join(kinds.tolist())
    if motifs_order != "default":
        fields["motifs_order"] = motifs_order
    return "https://e2.bucas.name/#" + "&".join(f"{key}={value}" for key, value in fields.items())
