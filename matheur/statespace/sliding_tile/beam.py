"""Near-optimal plans for sliding tiles: beams guided by sums of additive pattern databases.

A layer holds boards after the same number of slides; kept are those with the lowest scores, the taxicab distance plus
the excesses of several partitions. The average of partitions tells more about the true distance than the largest of
them, which is only needed to drop boards that cannot be on a plan shorter than the best one known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.statespace.answer import SearchAnswer
from matheur.statespace.pace import limit_reached
from matheur.statespace.sliding_tile.beam_kernels import (
    CUTOFF,
    FOUND,
    GOAL,
    LIMIT,
    LOOKED,
    NUMBERS,
    UNDER,
    children,
    choose,
)
from matheur.statespace.sliding_tile.guide import Guide

__all__ = ["anytime_beam_tiles", "beam_tiles"]

_AT_ONCE = 1 << 15
_LONGEST = 1 << 12
_NONE = 4  # no move
_REMEMBERED = 32  # layers, more or less, whose boards are not taken again
_SHARE = 0.7  # of the time left, for one beam


def beam_tiles(
    guide: Guide,
    tiles: Sequence[int],
    *,
    width: int,
    most: int | None = None,
    excess: tuple[int, int] = (1, 1),
    seed: int = 0,
    budget: Budget | None = None,
    on_layer: Callable[[NDArray[np.uint8]], None] | None = None,
) -> SearchAnswer:
    """One beam.

    Parameters
    ----------
    tiles
        Row by row, 0 = blank; a board that can be solved.
    width
        Boards kept of each layer.
    most
        Longest plan looked for.
    excess
        Weights (taxicab distance, excess): the score is the first times the distance, plus the second times the mean
        excess of all partitions. A guide with learnt values has weights of its own.
    seed
        Of the lot between boards of equal score.
    budget
        A unit of work is a child looked at.
    on_layer
        Called with every layer, uint8[boards, cells], row by row; to look at, not to keep.

    Returns
    -------
    SearchAnswer
        A plan, or none; the bound is that of the tables. Boards are told apart by hashes of 64 bits, so that even a
        beam that leaves nothing out proves nothing.
    """
    return _Beam(guide, tiles, width, most, excess, seed, budget or Budget()).run(on_layer)


def anytime_beam_tiles(
    guide: Guide,
    tiles: Sequence[int],
    *,
    width: int = 1 << 10,
    width_max: int = 1 << 20,
    most: int | None = None,
    excess: tuple[int, int] = (1, 1),
    budget: Budget | None = None,
    on_plan: Callable[[NDArray[np.int32], int], None] | None = None,
) -> SearchAnswer:
    """Beams one after the other, each for a shorter plan than the best one so far.

    Parameters
    ----------
    width, width_max
        The first beam, and the widest. Without a deadline each beam is four times as wide as the one before; with a
        deadline the first is followed by beams that take a large part of the time that is left.
    most, excess
        As for `beam_tiles`.
    on_plan
        Called with every plan and its length.

    Returns
    -------
    SearchAnswer
        The best plan.
    """
    budget = budget or Budget()
    begun, looked, peak, bound, number = budget.clock(), 0, 0, 0, 0
    plan: NDArray[np.int32] | None = None
    next_width = min(width, width_max)
    while True:
        begin = budget.clock()
        answer = beam_tiles(guide, tiles, width=next_width, most=most, excess=excess, seed=number, budget=budget)
        looked, peak, bound = looked + answer.expanded, max(peak, answer.memory), max(bound, answer.bound)
        limit = answer.limit
        if answer.plan is not None:
            plan = answer.plan
            most = len(plan) - 2
            if on_plan is not None:
                on_plan(plan, len(plan))
            if budget.reached(len(plan)) and limit is None:
                limit = "target"
        if limit is not None or (most is not None and most < bound) or next_width == width_max:
            break
        number += 1
        if budget.timed:
            rate = next_width / max(1e-3, budget.clock() - begin)
            next_width = min(width_max, max(2 * next_width, int(_SHARE * budget.seconds_left * rate)))
        else:
            next_width = min(width_max, 4 * next_width)
    cost = None if plan is None else len(plan)
    return SearchAnswer(
        plan=plan, cost=cost, bound=bound if cost is None else min(bound, cost), limit=limit, expanded=looked,
        generated=looked, memory=peak, seconds=budget.clock() - begun,
    )  # fmt: skip


class _Beam:
    """A beam under way."""

    def __init__(
        self, guide: Guide, tiles: Sequence[int], width: int, most: int | None, excess: tuple[int, int], seed: int,
        budget: Budget,
    ) -> None:  # fmt: skip
        self.guide, self.width, self.budget = guide, width, budget
        self.most = _LONGEST if most is None else most
        board, partitions = guide.board, guide.partitions
        if guide.pairs is None:
            # Values are halves of excesses.
            self.weights = np.array([partitions * excess[0], *[2 * excess[1]] * partitions], dtype=np.int64)
            self.weights //= max(1, np.gcd.reduce(self.weights))
            self.changes = np.empty(0, dtype=np.int16)
        else:
            self.weights, self.changes = guide.pairs.weights, guide.pairs.changes
        self.words = _words(board.cells, seed)
        cells, lookups = board.cells, len(guide.lookups.offsets)
        stride = -(-(2 * cells + lookups) // 8) * 8
        first = np.zeros((1, stride), dtype=np.uint8)
        first[0, :cells] = tiles
        first[0, cells + first[0, :cells].astype(np.int64)] = np.arange(cells)
        cell_of = first[0, cells : 2 * cells].copy()
        first[0, 2 * cells : 2 * cells + lookups] = guide.values(cell_of)
        tile = np.arange(cells)
        self.learnt = np.zeros(1, dtype=np.int32)
        if guide.pairs is not None:
            self.learnt[0] = guide.pairs.total(cell_of, guide.unknown)
        self.away = np.array([guide.distance[tile, cell_of].sum()], dtype=np.int32)
        self.sums = guide.sums(first[0, 2 * cells : 2 * cells + lookups])[None]
        self.hashes = np.array([np.bitwise_xor.reduce(self.words[tile[1:], cell_of[1:]])], dtype=np.uint64)
        self.lasts = np.full(1, _NONE, dtype=np.uint8)
        self.boards = first
        self.room = int(4.2 * width) + 4096
        self.slots = np.zeros(1 << max(10, int(6 * width).bit_length()), dtype=np.uint64)
        self.seen = np.zeros(1 << max(12, int(_REMEMBERED * width).bit_length()), dtype=np.uint32)
        self.histogram, self.numbers = np.zeros(LIMIT, dtype=np.int64), np.zeros(NUMBERS, dtype=np.int64)
        self.found = (
            np.empty(self.room, dtype=np.uint32), np.empty(self.room, dtype=np.int32),
            np.empty(self.room, dtype=np.uint64), np.empty((self.room, partitions), dtype=np.uint8),
            np.empty(self.room, dtype=np.int32),
        )  # fmt: skip
        self.ways: list[NDArray[np.uint32]] = []

    def run(self, on_layer: Callable[[NDArray[np.uint8]], None] | None = None) -> SearchAnswer:
        """Layer after layer."""
        begun = self.budget.clock()
        if self.away[0] == 0:
            return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0)
        limit, plan = None, None
        bound = int(self.away[0] + 2 * self.sums[0].max())
        while plan is None and limit is None and len(self.ways) < self.most and len(self.boards):
            limit = self._expand()
            if self.numbers[GOAL] >= 0:
                plan = self._plan(int(self.numbers[GOAL]))
            elif limit is None:
                self._choose()
                if on_layer is not None and len(self.boards):
                    on_layer(self.boards[:, : self.guide.board.cells])
        looked = int(self.numbers[LOOKED])
        memory = self.slots.nbytes + self.seen.nbytes + sum(one.nbytes for one in self.found)
        return SearchAnswer(
            plan=plan, cost=None if plan is None else len(plan), bound=bound, limit=limit, expanded=looked,
            generated=looked, memory=memory + sum(one.nbytes for one in self.ways),
            seconds=self.budget.clock() - begun,
        )  # fmt: skip

    def _expand(self) -> str | None:
        """Score the children of the last layer."""
        one, board = self.guide.lookups, self.guide.board
        self.histogram[:] = 0
        self.slots[:] = 0
        self.numbers[[FOUND, CUTOFF, UNDER, GOAL]] = 0, LIMIT - 1, 0, -1
        begin, left = 0, self.most - len(self.ways) - 1
        while begin < len(self.boards) and self.numbers[GOAL] < 0:
            limit = limit_reached(self.budget)
            if limit is not None:
                return limit
            before, work = int(self.numbers[LOOKED]), self.budget.work_left
            some = _AT_ONCE if work is None else min(_AT_ONCE, work // 4)  # a board has four children at most
            if some == 0:
                self.budget.spend(work=work or 0)
                return "work"
            begin = int(
                children(
                    begin, min(begin + some, len(self.boards)), left, self.width, self.boards, self.hashes,
                    self.away, self.sums, self.lasts, board.adjacent, self.guide.distance, self.words, one.lookup_of,
                    one.begins, one.members, one.maps, one.offsets, one.packed, self.weights, self.changes,
                    self.guide.unknown, self.learnt, self.slots, self.seen, self.histogram, *self.found, self.numbers,
                )
            )  # fmt: skip
            self.budget.spend(work=int(self.numbers[LOOKED]) - before)
        return None

    def _choose(self) -> None:
        """The next layer."""
        board = self.guide.board
        size = min(int(self.numbers[FOUND]), self.width + self.width // 64 + 64)
        boards = np.empty((size, self.boards.shape[1]), dtype=np.uint8)
        hashes, away = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.int32)
        sums, lasts = np.empty((size, self.guide.partitions), dtype=np.int32), np.empty(size, dtype=np.uint8)
        learnt, ways = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.uint32)
        kept = choose(
            self.width, self.boards, self.away, self.sums, board.adjacent, self.guide.distance,
            self.guide.lookups.lookup_of, *self.found, self.histogram, self.numbers, self.seen, boards, hashes, away,
            sums, learnt, lasts, ways,
        )  # fmt: skip
        self.boards, self.hashes, self.away, self.sums, self.learnt, self.lasts = (
            boards[:kept], hashes[:kept], away[:kept], sums[:kept], learnt[:kept], lasts[:kept],
        )  # fmt: skip
        self.ways.append(ways[:kept].copy())

    def _plan(self, last: int) -> NDArray[np.int32]:
        """The way to a child, given by its parent and move."""
        moves, parent = [last & 3], last >> 2
        for layer in self.ways[::-1]:
            word = int(layer[parent])
            moves.append(word & 3)
            parent = word >> 2
        return np.array(moves[::-1], dtype=np.int32)


@lru_cache(maxsize=16)
def _words(cells: int, seed: int) -> NDArray[np.uint64]:
    """A random word for each tile and cell; a board's hash is their exclusive or."""
    return np.random.default_rng([48, cells, seed]).integers(1, 1 << 64, size=(cells, cells), dtype=np.uint64)
