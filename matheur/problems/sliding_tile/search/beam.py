"""Near-optimal plans for sliding tiles: beams guided by sums of additive pattern databases.

A layer holds boards after the same number of slides; those with the lowest scores are kept. The score is the taxicab
distance plus the excesses of several partitions. The mean over partitions predicts the true distance better than their
maximum, which is only used to drop boards that cannot be on a plan shorter than the best one known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.crew import run_tasks
from matheur.methods.statespace.pace import limit_reached
from matheur.problems.sliding_tile.search.beam_kernels import (
    CUTOFF,
    FOUND,
    GOAL,
    LIMIT,
    LOOKED,
    NUMBERS,
    UNDER,
    children,
    choose,
    common_cutoff,
    make,
)
from matheur.problems.sliding_tile.search.guide import Guide

__all__ = ["anytime_beam_tiles", "beam_from_goal", "beam_tiles"]

_AT_ONCE = 1 << 15
_LONGEST = 1 << 12
_NONE = 4  # no move
_REMEMBERED = 32  # approximate number of layers whose boards are not visited again
_SHARED = 8192  # smallest number of boards of a layer that is shared by several threads
_SHARES = 0.55, 0.9  # of the remaining time, for a beam from the board and for one from the goal


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
    threads: int = 1,
) -> SearchAnswer:
    """Run one beam.

    Parameters
    ----------
    tiles
        Tiles of a solvable board, row by row, 0 = blank.
    width
        Number of boards kept in each layer.
    most
        Length of the longest plan to search for.
    excess
        Weights (taxicab distance, excess): the score is the first times the distance, plus the second times the mean
        excess of all partitions. A guide with learnt values has its own weights.
    seed
        Seed of the random order of boards of equal score.
    budget
        Budget of the search; a unit of work is a child examined.
    on_layer
        Called with every layer, uint8[boards, cells], row by row; the array must not be kept or changed.
    threads
        Threads that share a layer; narrow beams, and beams with a work limit, use one. The same number finds the same
        plan.

    Returns
    -------
    SearchAnswer
        A plan, or none; the bound comes from the tables. Boards are identified by 64-bit hashes, so that even a beam
        that drops no board proves nothing.
    """
    return _Beam(guide, tiles, width, most, excess, seed, budget or Budget(), threads).run(on_layer)


def beam_from_goal(
    guide: Guide,
    tiles: Sequence[int],
    target: Sequence[int] | None = None,
    *,
    threads: int = 1,
    budget: Budget | None = None,
    **options: Any,
) -> SearchAnswer:
    """Like `beam_tiles`, but from the goal (of the guide, or `target`) to the board; the plan is reversed.

    Tiles are renumbered by their cells on the board. Unless the blank is at its goal cell, one tile is estimated by its
    taxicab distance alone, so these plans are slightly longer on average.
    """
    toward, labels = guide.toward(tiles)
    start = labels[guide.board.target if target is None else np.asarray(target)]
    answer = beam_tiles(toward, start.tolist(), threads=threads, budget=budget, **options)
    # The numbers of opposite moves differ in the last bit.
    return answer if answer.plan is None else replace(answer, plan=(answer.plan[::-1] ^ 1).astype(np.int32))


def anytime_beam_tiles(
    guide: Guide,
    tiles: Sequence[int],
    target: Sequence[int] | None = None,
    *,
    width: int = 1 << 10,
    width_max: int = 1 << 21,
    most: int | None = None,
    excess: tuple[int, int] = (1, 1),
    budget: Budget | None = None,
    on_plan: Callable[[NDArray[np.int32], int], None] | None = None,
    threads: int = 1,
) -> SearchAnswer:
    """Run beams one after the other, each for a shorter plan than the best one so far.

    Parameters
    ----------
    target
        Final tiles row by row, if different from the goal of the guide.
    width, width_max
        Width of the first and of the widest beam. Without a deadline, each beam is four times as wide as the previous
        one. With a deadline, the beams after the first use a large part of the remaining time; every second one runs
        from the goal to the board, since it makes different errors, while another one from the board would repeat them.
        The search ends after the widest beam or, with a deadline, after the widest beam in each direction has found
        nothing better.
    most, excess, threads
        As in `beam_tiles`.
    on_plan
        Called with every plan and its length.

    Returns
    -------
    SearchAnswer
        The best plan.
    """
    budget = budget or Budget()
    begun, looked, peak, bound, number, in_vain = budget.clock(), 0, 0, 0, 0, 0
    plan: NDArray[np.int32] | None = None
    next_width = min(width, width_max)
    toward, labels = guide.toward(guide.board.target.tolist() if target is None else target)
    while True:
        begin, from_goal = budget.clock(), budget.timed and number > 0 and number % 2 == 0
        options: dict[str, Any] = {"width": next_width, "most": most, "excess": excess, "seed": number}
        if from_goal:
            answer = beam_from_goal(guide, tiles, target, budget=budget, threads=threads, **options)
        else:
            answer = beam_tiles(toward, labels[np.asarray(tiles)].tolist(), budget=budget, threads=threads, **options)
        looked, peak, bound = looked + answer.expanded, max(peak, answer.memory), max(bound, answer.bound)
        limit = answer.limit
        in_vain = in_vain + 1 if answer.plan is None and next_width == width_max else 0
        if answer.plan is not None:
            plan = answer.plan
            most = len(plan) - 2
            if on_plan is not None:
                on_plan(plan, len(plan))
            if budget.reached(len(plan)) and limit is None:
                limit = "target"
        if limit is not None or (most is not None and most < bound):
            break
        if in_vain > 1 or (next_width == width_max and not budget.timed):
            break
        number += 1
        if budget.timed:
            rate = next_width / max(1e-3, budget.clock() - begin)
            share = _SHARES[number % 2 == 0]
            next_width = min(width_max, max(2 * width, int(share * budget.seconds_left * rate)))
        else:
            next_width = min(width_max, 4 * next_width)
    cost = None if plan is None else len(plan)
    return SearchAnswer(
        plan=plan, cost=cost, bound=bound if cost is None else min(bound, cost), limit=limit, expanded=looked,
        generated=looked, memory=peak, seconds=budget.clock() - begun,
    )  # fmt: skip


@dataclass(slots=True)
class _List:
    """Children of a part of a layer, filled by `beam_kernels.children`."""

    slots: NDArray[np.uint64]
    found: tuple[NDArray[Any], ...]

    @classmethod
    def of(cls, width: int, partitions: int) -> _List:
        """An empty list for the children of this many boards."""
        room = int(4.2 * width) + 4096
        return cls(
            np.zeros(1 << max(10, int(6 * width).bit_length()), dtype=np.uint64),
            (
                np.empty(room, dtype=np.uint32), np.empty(room, dtype=np.int32), np.empty(room, dtype=np.uint64),
                np.empty((room, partitions), dtype=np.uint8), np.empty(room, dtype=np.int32),
            ),
        )  # fmt: skip

    @property
    def bytes(self) -> int:
        return self.slots.nbytes + sum(one.nbytes for one in self.found)


def _layer(width: int, stride: int, partitions: int) -> tuple[NDArray[Any], ...]:
    """Arrays for this many boards: rows, hashes, taxicab distances, sums, learnt parts, last moves."""
    return (
        np.empty((width, stride), dtype=np.uint8), np.empty(width, dtype=np.uint64), np.empty(width, dtype=np.int32),
        np.empty((width, partitions), dtype=np.int32), np.empty(width, dtype=np.int32), np.empty(width, dtype=np.uint8),
    )  # fmt: skip


class _Beam:
    """A running beam. Each thread has a part of the layer and a list of its children."""

    def __init__(
        self, guide: Guide, tiles: Sequence[int], width: int, most: int | None, excess: tuple[int, int], seed: int,
        budget: Budget, threads: int = 1,
    ) -> None:  # fmt: skip
        self.guide, self.width, self.budget = guide, width, budget
        self.threads = 1 if width < _SHARED or budget.work_left is not None else threads
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
        self.seen = np.zeros(1 << max(12, int(_REMEMBERED * width).bit_length()), dtype=np.uint32)
        self.histograms = np.zeros((self.threads, LIMIT), dtype=np.int64)
        self.numbers = np.zeros((self.threads, NUMBERS), dtype=np.int64)
        self.lists = [_List.of(-(-width // self.threads), partitions) for _ in range(self.threads)]
        self.ways: list[NDArray[np.uint32]] = []
        self.layers = [_layer(0, stride, partitions), _layer(0, stride, partitions)]

    def run(self, on_layer: Callable[[NDArray[np.uint8]], None] | None = None) -> SearchAnswer:
        """Run the beam layer by layer."""
        begun = self.budget.clock()
        if self.away[0] == 0:
            return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0)
        limit, plan = None, None
        bound = int(self.away[0] + 2 * self.sums[0].max())
        while plan is None and limit is None and len(self.ways) < self.most and len(self.boards):
            limit = self._expand()
            goals = self.numbers[self.numbers[:, GOAL] >= 0, GOAL]
            if len(goals):
                plan, limit = self._plan(int(goals[0])), None
            elif limit is None:
                self._choose()
                if on_layer is not None and len(self.boards):
                    on_layer(self.boards[:, : self.guide.board.cells])
        looked = int(self.numbers[:, LOOKED].sum())
        memory = self.seen.nbytes + sum(one.bytes for one in self.lists) + sum(one.nbytes for one in self.ways)
        memory += sum(one.nbytes for layer in self.layers for one in layer)
        return SearchAnswer(
            plan=plan, cost=None if plan is None else len(plan), bound=bound, limit=limit, expanded=looked,
            generated=looked, memory=memory, seconds=self.budget.clock() - begun,
        )  # fmt: skip

    def _expand(self) -> str | None:
        """Score the children of the last layer; returns the limit that ended this, if any."""
        self.histograms[:] = 0
        self.numbers[:, [FOUND, CUTOFF, UNDER, GOAL]] = 0, LIMIT - 1, 0, -1
        ends = [len(self.boards) * (part + 1) // self.threads for part in range(self.threads)]
        booked, limit = int(self.numbers[:, LOOKED].sum()), None

        def enough() -> bool:
            nonlocal booked, limit
            looked = int(self.numbers[:, LOOKED].sum())
            self.budget.spend(work=looked - booked)
            booked = looked
            limit = limit_reached(self.budget)
            return limit is not None

        def expand(_thread: int, part: int, stopped: Callable[[], bool]) -> None:
            self.lists[part].slots[:] = 0
            begin, end = ends[part - 1] if part else 0, ends[part]
            while begin < end and self.numbers[part, GOAL] < 0 and not stopped():
                work = self.budget.work_left  # None with more than one thread
                some = _AT_ONCE if work is None else min(_AT_ONCE, work // 4)  # a board has at most four children
                if some == 0:
                    self.budget.spend(work=work or 0)
                    return
                begin = self._children(part, begin, min(begin + some, end))

        run_tasks(self.threads, self.threads, expand, enough)
        return limit

    def _children(self, part: int, begin: int, end: int) -> int:
        """Score the children of some boards; returns the number of the first board that is not expanded."""
        one, board = self.guide.lookups, self.guide.board
        own = self.lists[part]
        return int(
            children(
                begin, end, self.most - len(self.ways) - 1, self.width, self.boards,
                self.hashes, self.away, self.sums, self.lasts, board.adjacent, self.guide.distance, self.words,
                one.lookup_of, one.begins, one.members, one.maps, one.offsets, one.packed, self.weights, self.changes,
                self.guide.unknown, self.learnt, own.slots, self.seen, self.histograms[part], *own.found,
                self.numbers[part],
            )
        )  # fmt: skip

    def _choose(self) -> None:
        """Choose the next layer."""
        board = self.guide.board
        cutoff, under = common_cutoff(self.width, self.histograms, self.numbers)
        level = int(self.histograms[:, cutoff].sum())
        share = (self.width - (int(under) - level)) / max(1, level)
        chance = np.uint64(1024 * min(1.0, max(0.0, share)) + 0.999)
        counts = self.numbers[:, FOUND].tolist()
        most = self.width + self.width // 64 + 64
        room = min(sum(counts), most)
        blanks = np.zeros((self.threads, board.cells), dtype=np.int64)
        kept = 0
        for own, count, here in zip(self.lists, counts, blanks, strict=True):
            kept += int(
                choose(cutoff, chance, room - kept, self.boards, board.adjacent, *own.found[:3], count, self.seen, here)
            )
        # Boards with the blank in the same cell are adjacent, those of the first list before those of the next one.
        places = np.cumsum(blanks.T.ravel()).reshape(blanks.T.shape).T - blanks
        # Two layers alternate: reusing memory costs nothing.
        turn = len(self.ways) % 2
        if len(self.layers[turn][0]) < kept:
            some = min(2 * kept, most)
            self.layers[turn] = _layer(some, self.boards.shape[1], self.guide.partitions)
        layer = [one[:kept] for one in self.layers[turn]]
        ways = np.empty(kept, dtype=np.uint32)

        def fill(_thread: int, part: int, _stopped: Callable[[], bool]) -> None:
            make(
                places[part].copy(), self.boards, self.away, self.sums, board.adjacent, self.guide.distance,
                self.guide.lookups.lookup_of, *self.lists[part].found, counts[part], *layer, ways,
            )  # fmt: skip

        run_tasks(self.threads, self.threads, fill, lambda: False)
        self.boards, self.hashes, self.away, self.sums, self.learnt, self.lasts = layer
        self.ways.append(ways)

    def _plan(self, last: int) -> NDArray[np.int32]:
        """The plan to a child, given by its parent and move."""
        moves, parent = [last & 3], last >> 2
        for layer in self.ways[::-1]:
            word = int(layer[parent])
            moves.append(word & 3)
            parent = word >> 2
        return np.array(moves[::-1], dtype=np.int32)


@lru_cache(maxsize=16)
def _words(cells: int, seed: int) -> NDArray[np.uint64]:
    """A random word for each tile and cell; the hash of a board is the exclusive or of its words."""
    return np.random.default_rng([48, cells, seed]).integers(1, 1 << 64, size=(cells, cells), dtype=np.uint64)
