"""Random solvable puzzles without a frame: Tetravex, signed sides, and boards whose border is free.

Every side gets a colour, also those on the edge of the board; the pieces are read off the cells. Faulty pieces, which
equal another one, or look the same when turned, get other colours, side by side with the neighbour's.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.problems.edge_matching.generator import default_colours
from matheur.problems.edge_matching.instance import CELLS_MAX, DOWN, LEFT, RIGHT, UP, Board, Instance
from matheur.problems.edge_matching.rules import Rules

__all__ = ["generate_variant"]

_DIGITS = 10  # colours of Tetravex
_FEWEST = 4  # pictures of scramble squares
_COLOURS_MAX = 499  # with signs two codes each
_TRIES = 200  # of new colours for each side of a board

Grid = NDArray[np.int64]


def generate_variant(
    rows: int,
    columns: int,
    rules: Rules,
    *,
    colours: int | None = None,
    seed: int | SeedSequence = 0,
    unique: bool = True,
    name: str = "",
) -> tuple[Instance, Board]:
    """A random puzzle with one of its solutions.

    Parameters
    ----------
    rules
        What it allows; no side is frame.
    colours
        How many there are; 10 without rotation, else as many as inner colours of a framed board of the size, but 4 at
        least.
    unique
        Whether to avoid equal pieces, and pieces that look the same when turned.

    Raises
    ------
    ConfigurationError
        If the size or the number of colours makes no sense, or no unique pieces were found.

    Examples
    --------
    >>> instance, board = generate_variant(3, 3, Rules(rotation=False, zero=True), seed=1)
    >>> instance.framed, sorted(set((board % 4).tolist()))
    (False, [0])
    """
    if rows < 1 or columns < 1 or rows * columns > CELLS_MAX:
        raise ConfigurationError(f"a board has 1 to {CELLS_MAX} cells (asked for {rows} x {columns})")
    most = max(_FEWEST, default_colours(rows, columns)[1]) if rules.rotation else _DIGITS
    count = most if colours is None else colours
    if not 1 <= count <= _COLOURS_MAX:
        raise ConfigurationError(f"a puzzle has 1 to {_COLOURS_MAX} colours (asked for {count})")
    rng = np.random.default_rng(seed)
    grid = np.zeros((rows, columns, 4), dtype=np.int64)
    for row in range(rows):
        for column in range(columns):
            for side in range(4):
                _paint(grid, row, column, side, rules, count, rng)
    if unique and rows * columns > 1 and not _repaired(grid, rules, count, rng):
        raise ConfigurationError(
            f"no {rows} x {columns} puzzle without equal or symmetric pieces was found for {count} colours. "
            "Maybe more inner_colours, or unique = false?"
        )
    shown = [tuple(piece) for piece in grid.reshape(-1, 4).tolist()]
    turns = range(4) if rules.rotation else range(1)
    ways = [min((piece[turn:] + piece[:turn], turn) for turn in turns) for piece in shown]
    order = sorted(range(len(ways)), key=lambda cell: ways[cell][0])
    board = np.zeros(rows * columns, dtype=np.int32)
    for piece, cell in enumerate(order):
        board[cell] = 4 * piece + ways[cell][1]
    pieces = np.array([ways[cell][0] for cell in order], dtype=np.int16)
    return Instance(rows, columns, pieces, name=name, rules=rules), board


def _paint(grid: Grid, row: int, column: int, side: int, rules: Rules, count: int, rng: Generator) -> None:
    """A new colour for a side, and what matches it for the one that it meets."""
    colour = int(rng.integers(1, count + 1))
    code = 2 * colour - int(rng.integers(2)) if rules.signed else colour
    grid[row, column, side] = code
    down, right = {UP: (-1, 0), RIGHT: (0, 1), DOWN: (1, 0), LEFT: (0, -1)}[side]
    if 0 <= row + down < grid.shape[0] and 0 <= column + right < grid.shape[1]:
        partner = int(rules.partners(np.array([code]))[0])
        grid[row + down, column + right, (side + 2) % 4] = partner


def _repaired(grid: Grid, rules: Rules, count: int, rng: Generator) -> bool:
    """Paint sides of faulty pieces again until there are none; False if that takes too long."""
    rows, columns = grid.shape[:2]
    for _ in range(_TRIES * 4 * rows * columns):
        faulty = _faulty(grid, rules)
        if not faulty:
            return True
        row, column = divmod(faulty[int(rng.integers(len(faulty)))], columns)
        _paint(grid, row, column, int(rng.integers(4)), rules, count, rng)
    return False


def _faulty(grid: Grid, rules: Rules) -> list[int]:
    """Cells whose piece equals another one, or itself when turned by half."""
    pieces = [tuple(piece) for piece in grid.reshape(-1, 4).tolist()]
    turns = range(4) if rules.rotation else range(1)
    keys = [min(piece[turn:] + piece[:turn] for turn in turns) for piece in pieces]
    counts = Counter(keys)
    return [cell for cell, key in enumerate(keys) if counts[key] > 1 or (rules.rotation and key[:2] == key[2:])]
