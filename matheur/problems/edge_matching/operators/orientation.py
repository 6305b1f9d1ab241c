"""Boards and puzzles turned by quarter-turns, for constructions that begin in another corner."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from matheur.errors import ConfigurationError
from matheur.problems.edge_matching.instance import EMPTY, Board, Hint, Instance

__all__ = ["CORNERS", "nearest_corner", "quarters_to", "turned", "turned_board"]

CORNERS = ("top-left", "bottom-left", "bottom-right", "top-right")
"""The corner that lies at the top left after 0, 1, 2, 3 clockwise quarter-turns."""


def turned(instance: Instance, quarters: int) -> Instance:
    """The same puzzle on a board turned clockwise: the pieces stay as they are, the hints move along."""
    if quarters % 4 == 0:
        return instance
    cells = np.rot90(np.arange(instance.cells).reshape(instance.rows, instance.columns), -quarters)
    place = np.empty(instance.cells, dtype=np.int64)
    place[cells.ravel()] = np.arange(instance.cells)
    hints = tuple(
        Hint(int(place[hint.cell]), hint.piece, None if hint.rotation is None else (hint.rotation + quarters) % 4)
        for hint in instance.hints
    )
    rows, columns = cells.shape
    return replace(instance, rows=rows, columns=columns, hints=hints)


def turned_board(board: Board, rows: int, columns: int, quarters: int) -> Board:
    """A board of rows x columns, turned clockwise with its pieces."""
    moved = np.rot90(board.reshape(rows, columns), -quarters).ravel()
    return np.where(moved == EMPTY, EMPTY, (moved & ~3) | ((moved + quarters) & 3)).astype(np.int32)


def quarters_to(instance: Instance, corner: str) -> int:
    """Quarter-turns that bring a corner to the top left; `nearest` is the corner of `nearest_corner`.

    Raises
    ------
    ConfigurationError
        If pieces, and therefore boards, may not be turned, and another corner than the first is requested.
    """
    if not instance.rules.rotation:
        if corner not in ("nearest", CORNERS[0]):
            raise ConfigurationError(f"a board whose pieces may not be turned is filled from {CORNERS[0]} ({corner!r})")
        return 0
    return nearest_corner(instance) if corner == "nearest" else CORNERS.index(corner)


def nearest_corner(instance: Instance) -> int:
    """Quarter-turns after which a scan by rows reaches the hints soonest; 0 without hints."""
    cells = [hint.cell for hint in instance.hints]
    grid = np.arange(instance.cells).reshape(instance.rows, instance.columns)
    met = [np.isin(np.rot90(grid, -quarters).ravel(), cells).nonzero()[0].sum() for quarters in range(4)]
    return int(np.argmin(met))
