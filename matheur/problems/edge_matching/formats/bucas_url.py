"""URLs of the board viewer e2.bucas.name: a board as letters in a query string or fragment.

`board_edges` holds four letters per cell (up, right, down, left as placed), row by row; `a` is grey, `aaaa` an empty
cell, for which some programs write `0000`. `board_pieces`, if present, holds three digits per cell: the piece number
from 1, or `000` for an empty cell; some boards number from 000. `board_types` may mark fixed cells with `e`.
`motifs_order` selects another numbering of the 22 colours of Eternity II, which is translated to the default one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError, nearest, shown
from matheur.problems.edge_matching.formats.text import text_of
from matheur.problems.edge_matching.formats.url_search import found_in
from matheur.problems.edge_matching.instance import CELLS_MAX

__all__ = ["MOTIFS_ORDERS", "BucasUrl", "parse_bucas"]

_MARIE = (0, 1, 9, 17, 5, 13, 2, 10, 18, 6, 14, 3, 11, 19, 7, 15, 4, 12, 20, 8, 16, 21, 22)
_JEF = (0, 8, 16, 22, 4, 12, 7, 15, 21, 3, 11, 6, 14, 20, 2, 10, 5, 13, 19, 1, 9, 18, 17)
_UNCHANGED = (23, 24, 25)
MOTIFS_ORDERS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "default": tuple(range(26)),
        "jef": _JEF + _UNCHANGED,
        "marie": _MARIE + _UNCHANGED,
        "jblackwood": _MARIE + _UNCHANGED,
    }
)
"""For each order, the colours that it uses instead of colours 0, 1, ... 25 of the default order."""

_KNOWN = ("board_edges", "board_h", "board_pieces", "board_types", "board_w", "motifs_order", "puzzle", "puzzle_size")
_EDGES = re.compile(r"[a-z0]*")
_DIGITS = re.compile(r"[0-9]*")
_SIZE = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class BucasUrl:
    """Content of a URL, in the default colours.

    Attributes
    ----------
    rows, columns
        Size of the board.
    edges
        Colours as placed, shape (cells, 4); all 0 in empty cells.
    pieces
        Piece numbers from 0 by cell, -1 in empty cells; None if the URL has no numbers.
    fixed
        Cells marked as fixed.
    name
        The puzzle's name.
    """

    rows: int
    columns: int
    edges: NDArray[np.int16]
    pieces: NDArray[np.int32] | None
    fixed: NDArray[np.bool_]
    name: str

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Cells without a piece, that is, without colours and without a number."""
        blank = (self.edges == 0).all(axis=1)
        return blank if self.pieces is None else blank & (self.pieces < 0)


def parse_bucas(source: Source) -> BucasUrl:
    """Parse the URL in a text.

    Raises
    ------
    InputError
        If a part is missing, has the wrong length or an invalid character, if parts contradict each other, or if there
        are several boards.
    """
    try:
        found = found_in(text_of(source), _checked)
        if len(found) > 1:
            raise InputError(f"{len(found)} URLs where one is expected. Maybe copy one of them to a file of its own?")
        return _parse(found[0] if found else {})
    except InputError as error:
        raise error.located(source.name) from None


def _checked(url: str) -> dict[str, str]:
    """The parameters of a URL that make a board."""
    parameters: dict[str, str] = {}
    for part in re.split(r"[#?&]", url):
        key, equals, value = part.partition("=")
        if not equals or key not in _KNOWN:
            continue
        if key in parameters:
            raise InputError(f"the URL gives {key} twice")
        parameters[key] = unquote(value, errors="replace")
    _parse(parameters)
    return parameters


def _parse(parameters: dict[str, str]) -> BucasUrl:
    if "board_edges" not in parameters:
        raise InputError("the URL has no board_edges. Maybe it is cut short, or not of the board viewer?")
    letters = parameters["board_edges"]
    if not _EDGES.fullmatch(letters):
        wrong = next(letter for letter in letters if not _EDGES.fullmatch(letter))
        raise InputError(f"board_edges has only the letters a to z ({shown(wrong)})")
    if len(letters) % 4 or not letters:
        raise InputError(f"board_edges must have four letters per cell (it has {len(letters)} letters)")
    letters = "".join(_cell(letters[start : start + 4]) for start in range(0, len(letters), 4))
    cells = len(letters) // 4
    if cells > CELLS_MAX:
        raise InputError(f"a board may have up to {CELLS_MAX} cells (board_edges has {cells})")
    rows, columns = _size(parameters, cells)
    order = parameters.get("motifs_order", "default")
    if order not in MOTIFS_ORDERS:
        raise InputError(f"unknown motifs_order {shown(order)}. {nearest(order[:80], MOTIFS_ORDERS)}")
    default_of = np.argsort(MOTIFS_ORDERS[order])
    codes = np.frombuffer(letters.encode("ascii"), dtype=np.uint8).astype(np.int64) - ord("a")
    edges = default_of[codes].reshape(cells, 4).astype(np.int16)
    types = parameters.get("board_types", "")
    if types and len(types) != cells:
        raise InputError(f"board_types must have one letter per cell, {cells} (it has {len(types)})")
    fixed = np.array([letter == "e" for letter in types] or [False] * cells, dtype=bool)
    name = parameters.get("puzzle", "")[:200]
    return BucasUrl(rows, columns, edges, _numbers(parameters.get("board_pieces", ""), edges), fixed, name)


def _cell(letters: str) -> str:
    if "0" in letters and letters != "0000":
        raise InputError(f"a cell of board_edges is four letters, or 0000 where empty ({shown(letters)})")
    return letters.replace("0", "a")


def _size(parameters: dict[str, str], cells: int) -> tuple[int, int]:
    values: dict[str, int] = {}
    for key in ("board_h", "board_w", "puzzle_size"):
        if key in parameters:
            if not _SIZE.fullmatch(parameters[key]) or int(parameters[key]) < 1:
                raise InputError(f"{key} must be a whole number from 1 ({shown(parameters[key])})")
            values[key] = int(parameters[key])
    square = values.get("puzzle_size", math.isqrt(cells))
    rows, columns = values.get("board_h"), values.get("board_w")
    if rows is None and columns is None:
        rows = columns = square
    elif rows is None or columns is None:
        known = rows or columns or 1
        rows, columns = rows or cells // known, columns or cells // known
    if rows * columns != cells:
        raise InputError(
            f"a board of width {columns} and height {rows} has {rows * columns} cells, board_edges is for {cells}"
        )
    return rows, columns


def _numbers(digits: str, edges: NDArray[np.int16]) -> NDArray[np.int32] | None:
    """Piece numbers from 0; boards that number from 000 are recognised by a coloured cell with that number."""
    if not digits:
        return None
    if not _DIGITS.fullmatch(digits):
        wrong = next(digit for digit in digits if not "0" <= digit <= "9")
        raise InputError(f"board_pieces has only digits ({shown(wrong)})")
    if len(digits) != 3 * len(edges):
        raise InputError(f"board_pieces must have three digits per cell, {3 * len(edges)} (it has {len(digits)})")
    numbers = np.array([int(digits[start : start + 3]) for start in range(0, len(digits), 3)], dtype=np.int32)
    coloured = (edges != 0).any(axis=1)
    if not (numbers == 0)[coloured].any():
        return numbers - 1
    return np.where(coloured | (numbers > 0), numbers, -1).astype(np.int32)
