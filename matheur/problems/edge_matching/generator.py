"""Random solvable puzzles in the manner of Brendan Owen's sets.

A joint is an inner edge of the board. Every joint gets a colour, and the pieces are read off the cells. The joints
along the frame use colours of their own, as in Eternity II, so that the border ring is a puzzle in itself; the colours
of each kind are as balanced as possible (the framed puzzles with separate colours of Ansotegui et al., "How hard is a
commercial puzzle: the Eternity II challenge", CCIA 2008). Equal and symmetric pieces are removed by exchanging the
colours of two joints of a kind, which keeps the balance.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.random import Generator, SeedSequence

from matheur.errors import ConfigurationError
from matheur.problems.edge_matching.instance import CELLS_MAX, DOWN, LEFT, RIGHT, UP, Board, Instance

__all__ = ["default_colours", "generate"]

# Frame and inner colours of Brendan Owen's sets, sizes 3 to 20.
_FRAME = (2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 6)
_INNER = (2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 20, 21, 22)
_ROUNDS = 6  # restarts of the repair
_TRIES_PER_JOINT = 80  # exchanges tried per joint in a round
_COLOURS_MAX = 999  # largest colour that the file formats read

Piece = tuple[int, int, int, int]


def default_colours(rows: int, columns: int) -> tuple[int, int]:
    """Numbers of frame and inner colours that make a board of this size hard, from Brendan Owen's square sets.

    Other sizes are interpolated by the side of a square with the same number of cells.
    """
    side = (rows * columns) ** 0.5
    index = min(max(round(side) - 3, 0), len(_FRAME) - 1)
    extra = max(0, round(side) - 20)
    frame, inner = _FRAME[index] + extra // 8, _INNER[index] + extra // 2
    if min(rows, columns) <= 2:  # nearly all joints lie along the frame, and equal border pieces are hard to avoid
        frame = max(frame, min(400, max(rows, columns) // (4 if min(rows, columns) == 2 else 2) + 2))
    return frame, inner


def generate(
    rows: int,
    columns: int,
    *,
    frame_colours: int | None = None,
    inner_colours: int | None = None,
    seed: int | SeedSequence = 0,
    unique: bool = True,
    name: str = "",
) -> tuple[Instance, Board]:
    """A random puzzle with one of its solutions.

    Parameters
    ----------
    rows, columns
        Size of the board.
    frame_colours, inner_colours
        Numbers of colours of the joints along the frame (colours 1, 2, ...) and of the others (the next numbers); None
        for `default_colours`.
    seed
        Seed of the random numbers; the same arguments and seed give the same puzzle.
    unique
        Whether to avoid equal pieces and pieces that a half-turn does not change.
    name
        Name of the instance.

    Returns
    -------
    Instance
        The puzzle. Each piece is in its lexicographically first rotation, and the pieces are sorted in this order
        (corners, border, inner), so that the order reveals nothing about the solution.
    Board
        The hidden solution, without mismatches.

    Raises
    ------
    ConfigurationError
        If the sizes or colours are invalid, or no unique pieces were found.

    Examples
    --------
    >>> instance, board = generate(3, 3, seed=1)
    >>> instance.pieces[0, :2].tolist(), len(board)
    ([0, 0], 9)
    """
    if rows < 1 or columns < 1 or rows * columns > CELLS_MAX:
        raise ConfigurationError(f"a board has 1 to {CELLS_MAX} cells (asked for {rows} x {columns})")
    defaults = default_colours(rows, columns)
    frame = defaults[0] if frame_colours is None else frame_colours
    inner = defaults[1] if inner_colours is None else inner_colours
    if frame < 1 or inner < 1 or frame + inner > _COLOURS_MAX:
        raise ConfigurationError(
            f"a puzzle needs at least one frame and one inner colour, {_COLOURS_MAX} in all "
            f"(asked for {frame} and {inner})"
        )
    rng = np.random.default_rng(seed)
    joints = _joints(rows, columns)
    repair = unique and rows * columns > 2  # boards of one or two cells have no choice
    for _round in range(_ROUNDS if not repair or _enough(rows, columns, frame, inner) else 0):
        colours = _balanced(joints, frame, inner, rng)
        grid = _Grid(rows * columns, joints, colours)
        if not repair or _repair(grid, rng):
            return _read_off(rows, columns, grid, name)
    raise ConfigurationError(
        f"no {rows} x {columns} puzzle without equal or symmetric pieces was found "
        f"for {frame} frame and {inner} inner colours. Maybe more colours, or unique = false?"
    )


@dataclass(frozen=True, slots=True)
class _Joint:
    """Two sides that meet, (cell, side) twice, and whether the joint lies along the frame."""

    first: tuple[int, int]
    second: tuple[int, int]
    along_frame: bool


class _Grid:
    """Colours by joint, the resulting pieces, and the number of occurrences of each piece up to rotation."""

    def __init__(self, cells: int, joints: list[_Joint], colours: list[int]) -> None:
        self.joints, self.colours = joints, colours
        self.pieces = [[0, 0, 0, 0] for _ in range(cells)]
        for joint, colour in zip(joints, colours, strict=True):
            for cell, side in (joint.first, joint.second):
                self.pieces[cell][side] = colour
        self.keys = [_canonical(piece) for piece in self.pieces]
        self.counts = Counter(self.keys)

    def bad(self, cell: int) -> bool:
        """Whether the piece in a cell equals another one or is symmetric."""
        key = self.keys[cell]
        return self.counts[key] > 1 or key[:2] == key[2:]

    def exchange(self, one: int, other: int) -> int:
        """Exchange the colours of two joints; return the change in the number of faults."""
        joints = (self.joints[one], self.joints[other])
        touched = {cell for joint in joints for cell, _ in (joint.first, joint.second)}
        change = 0
        for cell in touched:
            change -= self._remove(self.keys[cell])
        self.colours[one], self.colours[other] = self.colours[other], self.colours[one]
        for index, joint in zip((one, other), joints, strict=True):
            for cell, side in (joint.first, joint.second):
                self.pieces[cell][side] = self.colours[index]
        for cell in touched:
            key = self.keys[cell] = _canonical(self.pieces[cell])
            change += (self.counts[key] > 0) + (key[:2] == key[2:])
            self.counts[key] += 1
        return change

    def _remove(self, key: Piece) -> int:
        self.counts[key] -= 1
        return (self.counts[key] > 0) + (key[:2] == key[2:])


def _enough(rows: int, columns: int, frame: int, inner: int) -> bool:
    """Whether there are enough different corners, border and inner pieces for the cells (a necessary condition)."""
    if min(rows, columns) < 2:
        return frame * (frame - 1) // 2 >= rows * columns - 2
    border, centre = 2 * (rows + columns - 4), (rows - 2) * (columns - 2)
    return frame**2 >= 4 and frame**2 * inner >= border and (inner**4 - inner**2) // 4 >= centre


def _joints(rows: int, columns: int) -> list[_Joint]:
    across = (
        _Joint((cell, RIGHT), (cell + 1, LEFT), row in (0, rows - 1))
        for row in range(rows)
        for cell in range(row * columns, row * columns + columns - 1)
    )
    down = (
        _Joint((row * columns + column, DOWN), (row * columns + columns + column, UP), column in (0, columns - 1))
        for row in range(rows - 1)
        for column in range(columns)
    )
    return list(chain(across, down))


def _balanced(joints: list[_Joint], frame: int, inner: int, rng: Generator) -> list[int]:
    """Colours by joint: the frequencies of the colours of a kind differ by at most one."""
    along = np.array([joint.along_frame for joint in joints], dtype=bool)
    colours = np.zeros(len(joints), dtype=np.int64)
    for mask, first, number in ((along, 1, frame), (~along, 1 + frame, inner)):
        names = first + rng.permutation(number)  # which colours get the remainder is random
        colours[mask] = rng.permutation(np.resize(names, int(mask.sum())))
    return [int(colour) for colour in colours]


def _repair(grid: _Grid, rng: Generator) -> bool:
    """Exchange colours at faulty pieces until there is no fault; False if that takes too long."""
    by_kind = {kind: [i for i, joint in enumerate(grid.joints) if joint.along_frame is kind] for kind in (True, False)}
    joints_of: list[list[int]] = [[] for _ in grid.pieces]
    for index, joint in enumerate(grid.joints):
        joints_of[joint.first[0]].append(index)
        joints_of[joint.second[0]].append(index)
    faulty = [cell for cell in range(len(grid.pieces)) if grid.bad(cell)]
    for _ in range(_TRIES_PER_JOINT * len(grid.joints)):
        while faulty and not grid.bad(faulty[-1]):
            faulty.pop()
        if not faulty:
            return True
        around = joints_of[faulty[-1]]
        one = around[int(rng.integers(len(around)))]
        same = by_kind[grid.joints[one].along_frame]
        other = same[int(rng.integers(len(same)))]
        if grid.colours[one] == grid.colours[other]:
            continue
        if grid.exchange(one, other) > 0:
            grid.exchange(one, other)
            continue
        touched = {cell for i in (one, other) for cell, _ in (grid.joints[i].first, grid.joints[i].second)}
        faulty += [cell for cell in sorted(touched) if grid.bad(cell)]
    return not any(grid.bad(cell) for cell in range(len(grid.pieces)))


def _read_off(rows: int, columns: int, grid: _Grid, name: str) -> tuple[Instance, Board]:
    order = sorted(range(rows * columns), key=lambda cell: grid.keys[cell])
    board = np.zeros(rows * columns, dtype=np.int32)
    for piece, cell in enumerate(order):
        key, shown = grid.keys[cell], grid.pieces[cell]
        board[cell] = 4 * piece + next(turn for turn in range(4) if all(key[i - turn] == shown[i] for i in range(4)))
    pieces = np.array([grid.keys[cell] for cell in order], dtype=np.int16)
    return Instance(rows, columns, pieces, name=name), board


def _canonical(piece: list[int]) -> Piece:
    """The lexicographically first rotation of a piece."""
    up, right, down, left = piece
    return min((up, right, down, left), (right, down, left, up), (down, left, up, right), (left, up, right, down))
