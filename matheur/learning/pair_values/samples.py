"""Boards with the lengths of plans that beams found for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.statespace.sliding_tile.beam import beam_tiles
from matheur.statespace.sliding_tile.geometry import Geometry, boards_along
from matheur.statespace.sliding_tile.guide import Guide

__all__ = ["EXCESS", "Samples", "collect", "joined", "walk"]

EXCESS = (100, 150)
"""Weights of the taxicab distance and of the excess as long as nothing is learnt."""

_LONGEST = 2.0, 40  # slides of a plan: for each of the taxicab distance, and besides; beams that stray are no example


@dataclass(frozen=True, eq=False)
class Samples:
    """Boards on the way of plans.

    Attributes
    ----------
    cells_of
        uint8[n, cells]: the cell of each tile.
    left
        int16[n]: slides of the plan that are left.
    source
        int32[n]: number of the board that the plan began with; boards of one number are alike.
    lengths
        Slides of the plan of each of these.
    """

    cells_of: NDArray[np.uint8]
    left: NDArray[np.int16]
    source: NDArray[np.int32]
    lengths: tuple[int, ...]


def joined(one: Samples, other: Samples) -> Samples:
    """Both; the numbers of boards stay apart."""
    after = int(one.source.max(initial=-1)) + 1
    return Samples(
        np.concatenate([one.cells_of, other.cells_of]), np.concatenate([one.left, other.left]),
        np.concatenate([one.source, other.source + after]).astype(np.int32), one.lengths + other.lengths,
    )  # fmt: skip


def walk(board: Geometry, steps: int, rng: Generator) -> list[int]:
    """The board after so many tries to move the blank from the goal somewhere, row by row."""
    tiles = np.zeros(board.cells, dtype=np.int64)
    tiles[board.home] = np.arange(board.cells)
    blank = int(board.home[0])
    for move in rng.integers(0, 4, steps).tolist():
        origin = int(board.adjacent[blank, move])
        if origin >= 0:
            tiles[blank], tiles[origin], blank = tiles[origin], 0, origin
    return [int(tile) for tile in tiles]


def collect(
    guide: Guide,
    boards: int,
    steps: tuple[int, int],
    width: int,
    share: float,
    rng: Generator,
    budget: Budget,
    on_board: Callable[[int, Sequence[int]], None] | None = None,
) -> Samples:
    """Solve boards by beams; and some of the boards that these beams passed by, as wrong ways are learnt from, too.

    Parameters
    ----------
    boards
        How many are solved, unless the budget ends before.
    steps
        Shortest and longest random walk that makes one; lengths are drawn evenly by their logarithms.
    width
        Of the beams.
    share
        Chance that a board of a layer is solved, too.
    on_board
        Called after each board with its number and the lengths of all plans so far.
    """
    board = guide.board
    cells_of: list[NDArray[np.uint8]] = []
    left: list[NDArray[np.int16]] = []
    source: list[NDArray[np.int32]] = []
    lengths: list[int] = []
    for number in range(boards):
        if budget.exhausted:
            break
        passed: list[list[int]] = []

        def pick(layer: NDArray[np.uint8], passed: list[list[int]] = passed) -> None:
            if rng.random() < share:
                passed.append(layer[rng.integers(len(layer))].tolist())

        waiting = [walk(board, int(np.exp(rng.uniform(*np.log(steps)))), rng)]
        first = True
        while waiting:
            tiles = waiting.pop()
            away = int(guide.distance[tiles, np.arange(board.cells)].sum())
            most = int(_LONGEST[0] * away) + _LONGEST[1]
            answer = beam_tiles(
                guide, tiles, width=width, most=most, excess=EXCESS, seed=int(rng.integers(1 << 16)), budget=budget,
                on_layer=pick if first else None,
            )  # fmt: skip
            if answer.plan is not None and len(answer.plan):
                # Where the tiles are is the inverse of what the cells hold.
                along = np.argsort(boards_along(board, tiles, answer.plan)[:-1], axis=1).astype(np.uint8)
                cells_of.append(along)
                left.append(np.arange(len(along), 0, -1, dtype=np.int16))
                source.append(np.full(len(along), number, dtype=np.int32))
                if first:
                    lengths.append(len(along))
                    waiting = passed
            first = False
        budget.spend(iterations=1)
        if on_board is not None:
            on_board(number + 1, lengths)
    empty = np.empty((0, board.cells), dtype=np.uint8)
    return Samples(
        np.concatenate([empty, *cells_of]), np.concatenate([np.empty(0, dtype=np.int16), *left]),
        np.concatenate([np.empty(0, dtype=np.int32), *source]), tuple(lengths),
    )  # fmt: skip
