"""Random solvable puzzles without a frame: Tetravex, signed sides, and boards whose border is free.

Every side gets a colour, including those on the edge of the board, and the pieces are read off the cells. Faulty
pieces, which equal another piece or look the same when turned, are recoloured one side at a time, together with the
side of the neighbour.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

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

_STEPS = {UP: (-1, 0), RIGHT: (0, 1), DOWN: (1, 0), LEFT: (0, -1)}  # to the row and column beyond a side

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
        Rules of the puzzle; no side is frame.
    colours
        Number of colours. By default 10 without rotation, otherwise the number of inner colours of a framed board of
        this size, but at least 4.
    unique
        Whether to avoid equal pieces and pieces that look the same when turned.

    Raises
    ------
    ConfigurationError
        If the size or the number of colours is invalid, or no unique pieces were found.

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
    cells = rows * columns
    if unique and cells > 1 and not (_enough(cells, rules, count) and _repaired(grid, rules, count, rng)):
        raise ConfigurationError(
            f"no {rows} x {columns} puzzle without equal or symmetric pieces was found for {count} colours. "
            "Maybe more inner_colours, or unique = false?"
        )
    shown = [tuple(piece) for piece in grid.reshape(-1, 4).tolist()]
    turns = range(4) if rules.rotation else range(1)
    ways = [min((piece[turn:] + piece[:turn], turn) for turn in turns) for piece in shown]
    order = sorted(range(len(ways)), key=lambda cell: ways[cell][0])
    board = np.zeros(cells, dtype=np.int32)
    for piece, cell in enumerate(order):
        board[cell] = 4 * piece + ways[cell][1]
    pieces = np.array([ways[cell][0] for cell in order], dtype=np.int16)
    return Instance(rows, columns, pieces, name=name, rules=rules), board


def _paint(grid: Grid, row: int, column: int, side: int, rules: Rules, count: int, rng: Generator) -> None:
    """Give a side a new colour, and the side that it meets the matching one."""
    colour = int(rng.integers(1, count + 1))
    code = 2 * colour - int(rng.integers(2)) if rules.signed else colour
    grid[row, column, side] = code
    down, right = _STEPS[side]
    if 0 <= row + down < grid.shape[0] and 0 <= column + right < grid.shape[1]:
        partner = int(rules.partners(np.array([code]))[0])
        grid[row + down, column + right, (side + 2) % 4] = partner


def _enough(cells: int, rules: Rules, count: int) -> bool:
    """Whether there are enough different pieces, none of which looks the same when turned."""
    codes = 2 * count if rules.signed else count
    return cells <= ((codes**4 - codes**2) // 4 if rules.rotation else codes**4)


def _repaired(grid: Grid, rules: Rules, count: int, rng: Generator) -> bool:
    """Repaint sides of faulty pieces until there are none left; False if that takes too long."""
    rows, columns = grid.shape[:2]
    pieces = _Pieces(grid, rules)
    for _ in range(_TRIES * 4 * rows * columns):
        if not pieces.faulty:
            return True
        row, column = divmod(pieces.faulty[int(rng.integers(len(pieces.faulty)))], columns)
        side = int(rng.integers(4))
        _paint(grid, row, column, side, rules, count, rng)
        down, right = _STEPS[side]
        pieces.see(row, column)
        if 0 <= row + down < rows and 0 <= column + right < columns:
            pieces.see(row + down, column + right)
    return not pieces.faulty


class _Pieces:
    """The pieces of a grid, each in its lexicographically first rotation.

    Attributes
    ----------
    faulty
        Cells, ascending, whose piece equals another piece or its own half-turn.
    """

    def __init__(self, grid: Grid, rules: Rules) -> None:
        self._grid, self._turns = grid, range(4 if rules.rotation else 1)
        self._keys: list[tuple[int, ...]] = []
        self._cells: defaultdict[tuple[int, ...], set[int]] = defaultdict(set)
        for cell, piece in enumerate(grid.reshape(-1, 4).tolist()):
            self._keys.append(self._key(piece))
            self._cells[self._keys[cell]].add(cell)
        self.faulty: list[int] = [cell for cell, key in enumerate(self._keys) if self._is_faulty(key)]

    def see(self, row: int, column: int) -> None:
        """Update the records after the piece of a cell was painted."""
        cell = row * self._grid.shape[1] + column
        old, new = self._keys[cell], self._key(self._grid[row, column].tolist())
        if new == old:
            return
        self._keys[cell] = new
        self._cells[old].remove(cell)
        self._cells[new].add(cell)
        for one in (cell, *self._alone_or_two(old), *self._alone_or_two(new)):
            at = bisect_left(self.faulty, one)
            there = at < len(self.faulty) and self.faulty[at] == one
            if self._is_faulty(self._keys[one]) and not there:
                self.faulty.insert(at, one)
            elif not self._is_faulty(self._keys[one]) and there:
                self.faulty.pop(at)

    def _alone_or_two(self, key: tuple[int, ...]) -> set[int]:
        """The cells of a key whose state may have changed: with more than two cells, none has."""
        return self._cells[key] if len(self._cells[key]) <= 2 else set()

    def _key(self, piece: list[int]) -> tuple[int, ...]:
        return min(tuple(piece[turn:] + piece[:turn]) for turn in self._turns)

    def _is_faulty(self, key: tuple[int, ...]) -> bool:
        return len(self._cells[key]) > 1 or (len(self._turns) > 1 and key[:2] == key[2:])
