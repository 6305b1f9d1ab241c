"""Boards with the lengths of plans that beams found for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.crew import run_tasks
from matheur.problems.sliding_tile.search.beam import beam_tiles
from matheur.problems.sliding_tile.search.geometry import Geometry, boards_along
from matheur.problems.sliding_tile.search.guide import Guide

__all__ = ["EXCESS", "Samples", "collect", "joined", "walk"]

EXCESS = (100, 150)
"""Weights of the taxicab distance and of the excess as long as nothing is learnt."""

_LONGEST = 2.0, 40  # longest plan used: a factor of the taxicab distance, and a constant


@dataclass(frozen=True, eq=False)
class Samples:
    """Boards along plans.

    Attributes
    ----------
    cells_of
        uint8[n, cells]: the cell of each tile.
    left
        int16[n]: remaining slides of the plan.
    source
        int32[n]: number of the board at the start of the plan; boards with the same number are similar.
    lengths
        Length of the plan of each start board.
    """

    cells_of: NDArray[np.uint8]
    left: NDArray[np.int16]
    source: NDArray[np.int32]
    lengths: tuple[int, ...]


def joined(one: Samples, other: Samples) -> Samples:
    """Both sets of samples, with distinct numbers of start boards."""
    after = int(one.source.max(initial=-1)) + 1
    return Samples(
        np.concatenate([one.cells_of, other.cells_of]), np.concatenate([one.left, other.left]),
        np.concatenate([one.source, other.source + after]).astype(np.int32), one.lengths + other.lengths,
    )  # fmt: skip


def walk(board: Geometry, steps: int, rng: Generator) -> list[int]:
    """The board, row by row, after a number of attempts to move the blank at random from the goal."""
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
    *,
    threads: int = 1,
) -> Samples:
    """Solve boards by beams, and some of the boards that these beams passed, so that detours are learnt from as well.

    Parameters
    ----------
    boards
        Number of boards to solve, unless the budget ends first.
    steps
        Shortest and longest random walk that makes a board; lengths are log-uniform.
    width
        Width of the beams.
    share
        Probability, for each layer of the first beam, that one of its boards is solved as well.
    rng
        Random generator; each board has its own stream, so that the samples do not depend on the threads.
    on_board
        Called after boards with the number solved and the lengths of all plans so far.
    threads
        Threads that solve boards in parallel.
    """
    left = budget.iterations_left
    boards = boards if left is None else min(boards, left)
    streams = rng.spawn(boards)
    plans: list[list[_Labels] | None] = [None] * boards
    ended: list[int] = []  # in order of completion
    lengths: list[int] = []
    told = 0

    def solve(_thread: int, number: int, stopped: Callable[[], bool]) -> None:
        inner = Budget(interrupt=stopped)
        begin = walk(guide.board, int(np.exp(streams[number].uniform(*np.log(steps)))), streams[number])
        found = _plans(guide, begin, width, share, streams[number], inner)
        if not stopped():
            plans[number] = found
            ended.append(number)

    def enough() -> bool:
        nonlocal told
        news = ended[told:]
        told += len(news)
        if news:
            budget.spend(iterations=len(news))
            lengths.extend(_lengths([plans[number] for number in news]))
            if on_board is not None:
                on_board(told, lengths)
        return budget.exhausted

    run_tasks(boards, threads, solve, enough)
    rows = [(number, one) for number, found in enumerate(plans) if found is not None for one in found]
    empty = np.empty((0, guide.board.cells), dtype=np.uint8)
    return Samples(
        np.concatenate([empty, *(one.cells_of for _, one in rows)]),
        np.concatenate(
            [np.empty(0, dtype=np.int16), *(np.arange(one.length, 0, -1, dtype=np.int16) for _, one in rows)]
        ),
        np.concatenate([np.empty(0, np.int32), *(np.full(one.length, number, dtype=np.int32) for number, one in rows)]),
        _lengths(plans),
    )


@dataclass(frozen=True, eq=False)
class _Labels:
    """Boards along one plan: uint8[slides, cells], the cell of each tile."""

    cells_of: NDArray[np.uint8]
    begin: bool

    @property
    def length(self) -> int:
        return len(self.cells_of)


def _lengths(plans: Sequence[Sequence[_Labels] | None]) -> tuple[int, ...]:
    """Lengths of the plans of the boards themselves, without the boards passed."""
    return tuple(one.length for found in plans if found is not None for one in found if one.begin)


def _plans(guide: Guide, tiles: list[int], width: int, share: float, rng: Generator, budget: Budget) -> list[_Labels]:
    """Plans that beams find for a board, and for some boards that the first beam passed."""
    board = guide.board
    passed: list[list[int]] = []

    def pick(layer: NDArray[np.uint8]) -> None:
        if rng.random() < share:
            passed.append(layer[rng.integers(len(layer))].tolist())

    labels: list[_Labels] = []
    waiting, first = [tiles], True
    while waiting:
        own = waiting.pop()
        away = int(guide.distance[own, np.arange(board.cells)].sum())
        answer = beam_tiles(
            guide, own, width=width, most=int(_LONGEST[0] * away) + _LONGEST[1], excess=EXCESS,
            seed=int(rng.integers(1 << 16)), budget=budget, on_layer=pick if first else None,
        )  # fmt: skip
        if answer.plan is not None and len(answer.plan):
            # The cells of the tiles are the inverse permutation of the tiles of the cells.
            along = np.argsort(boards_along(board, own, answer.plan)[:-1], axis=1).astype(np.uint8)
            labels.append(_Labels(along, first))
            waiting += passed if first else []
        first = False
    return labels
