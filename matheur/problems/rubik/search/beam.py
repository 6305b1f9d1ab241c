"""Near-optimal plans for the cube: a beam search guided by seven distances, which ends at a perimeter.

A layer contains the states after the same number of moves. It keeps those with the smallest sum of seven exact
distances: of the corners, and of the first phase along three axes of the cube and of its inverse. The difference of
this sum from that of a random cube is a good indicator of the true distance if that is below about 15. The first layers
are complete, and a perimeter contains all cubes within eight moves, so states are selected in a few layers only. Once
there is a plan, states from which the admissible bounds exclude a shorter plan are dropped.

A learnt estimate may refine the selection: the sums select several times as many states as a layer keeps, and of these,
the states with the least sum of both are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.crew import run_tasks
from matheur.methods.statespace.pace import limit_reached
from matheur.problems.rubik.search.automaton import automaton
from matheur.problems.rubik.search.beam_kernels import LIMIT, children, choose, copy_hashes
from matheur.problems.rubik.search.deepening import CubeTables, odd
from matheur.problems.rubik.search.perimeter import Perimeter
from matheur.problems.rubik.search.pieces import SOLVED_STATE, inverse, replay, turns_of
from matheur.problems.rubik.search.tables import moves_of
from matheur.problems.rubik.stickers import QUARTER_TURNS

__all__ = ["Guide", "anytime_beam_cube", "beam_cube"]

_LAYERS = 30
_AT_ONCE = 1 << 11
_ESTIMATED = 1 << 15  # states between two checks of the limits
_NEAR = 1 << 15
_NARROWEST, _GUESS = 256, 30_000  # smallest width; approximate width of a beam that takes a second
_SHARES = 0.9, 0.55  # fractions of the remaining time for a beam from the cube and for one from its inverse


@dataclass(frozen=True, slots=True)
class Guide:
    """Ranking of states.

    Attributes
    ----------
    corners
        Weight of the distance of the corners; each of the other six distances has weight 1.
    estimate
        Function that gives learnt distances float32[n] of states uint8[n, 20] (see
        `matheur.problems.rubik.search.pieces`), or None.
    tables
        Weight of the sum of the exact distances relative to the estimate.
    shortlist
        Number of states that are estimated, as a multiple of the number kept.
    """

    corners: int = 1
    estimate: Callable[[NDArray[np.uint8]], NDArray[np.float32]] | None = None
    tables: float = 0.5
    shortlist: int = 4


@dataclass(eq=False)
class _Layer:
    states: NDArray[np.uint8]
    lasts: NDArray[np.uint8]
    hashes: NDArray[np.uint64]
    parents: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    moves: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, dtype=np.uint8))

    def take(self, rows: slice | NDArray[np.int64]) -> _Layer:
        """The layer restricted to some of its states."""
        return _Layer(self.states[rows], self.lasts[rows], self.hashes[rows], self.parents[rows], self.moves[rows])


def beam_cube(
    tables: CubeTables,
    ends: Perimeter,
    state: NDArray[np.uint8],
    *,
    width: int,
    most: int | None = None,
    budget: Budget | None = None,
    guide: Guide | None = None,
) -> SearchAnswer:
    """Run one beam.

    Parameters
    ----------
    tables, ends
        Tables and perimeter of the same metric.
    state
        State of the cube, see `matheur.problems.rubik.search.pieces`.
    width
        Number of states kept of each layer.
    most
        Length of the longest plan to look for.
    budget
        Budget, whose unit of work is a scored child.

    Returns
    -------
    SearchAnswer
        The answer, with a plan confirmed by replay or without a plan. Nothing is proved.
    """
    return _Beam(tables, ends, state, width, most, budget or Budget(), guide or Guide()).run()


def anytime_beam_cube(
    tables: CubeTables,
    ends: Perimeter,
    state: NDArray[np.uint8],
    *,
    width: int = 1 << 12,
    width_max: int = 1 << 21,
    most: int | None = None,
    budget: Budget | None = None,
    guide: Guide | None = None,
    on_plan: Callable[[NDArray[np.int32], int], None] | None = None,
    threads: int = 1,
) -> SearchAnswer:
    """Run beams from the cube and from its inverse in turn, each for a shorter plan than the best one so far.

    Parameters
    ----------
    width, width_max
        Width of the first and of the widest beam. Without a deadline, each pair of beams is four times as wide as the
        pair before; with a deadline, every beam takes a fraction of the remaining time. The search ends when the widest
        beams, one from the cube and one from its inverse, find no better plan.
    most
        Length of the longest plan to look for.
    budget
        Budget, whose unit of work is a scored child.
    on_plan
        Called with every plan and its length.
    threads
        Number of threads. With two, both beams of a pair run at the same time; with a work limit, they run one after
        the other.

    Returns
    -------
    SearchAnswer
        The best plan, with the bound given by the tables.
    """
    budget = budget or Budget()
    both = threads > 1 and budget.work_left is None
    begun, expanded, peak = budget.clock(), 0, 0
    plan: NDArray[np.int32] | None = None
    step = 2 if tables.metric == "quarter" else 1
    bound = max(tables.distances(state))
    if tables.metric == "quarter" and bound % 2 != odd(state):
        bound += 1
    limit: str | None = None
    number, next_width, in_vain = 0, min(width, width_max), 0
    if budget.timed:
        next_width = max(_NARROWEST, min(next_width, int(budget.seconds_left * _GUESS)))
    while True:
        sides, begin = (False, True) if both else (number % 2 == 1,), budget.clock()

        def beam(turned: bool, inner: Budget, width: int = next_width, most: int | None = most) -> SearchAnswer:
            cube = inverse(state) if turned else state
            return beam_cube(tables, ends, cube, width=width, most=most, budget=inner, guide=guide)

        answers = _at_once(beam, budget) if both else [beam(sides[0], budget)]
        expanded += sum(answer.expanded for answer in answers)
        peak, limit = max(peak, sum(answer.memory for answer in answers)), answers[0].limit
        in_vain = in_vain + len(sides) if next_width == width_max else 0
        for turned, answer in zip(sides, answers, strict=True):
            if answer.plan is None or (plan is not None and len(answer.plan) >= len(plan)):
                continue
            plan = _inverse_plan(answer.plan) if turned else answer.plan
            most, in_vain = len(plan) - step, 0
            if on_plan is not None:
                on_plan(plan, len(plan))
            if budget.reached(len(plan)) and limit is None:
                limit = "target"
        if limit is not None or (most is not None and most < bound) or in_vain > 1:
            break
        number += len(sides)
        if budget.timed:
            rate = next_width / max(1e-3, budget.clock() - begin)
            next_width = min(
                width_max, max(width, int(_SHARES[0 if both else number % 2] * budget.seconds_left * rate))
            )
        elif number % 2 == 0:
            next_width = min(width_max, 4 * next_width)
    cost = None if plan is None else len(plan)
    return SearchAnswer(
        plan=plan, cost=cost, bound=bound if cost is None else min(bound, cost), limit=limit, expanded=expanded,
        generated=expanded, memory=peak, seconds=budget.clock() - begun,
    )  # fmt: skip


def _at_once(beam: Callable[[bool, Budget], SearchAnswer], budget: Budget) -> list[SearchAnswer]:
    """Run a beam from the cube and one from its inverse, each in its own thread."""
    answers = [SearchAnswer(), SearchAnswer()]

    def call(_thread: int, number: int, stopped: Callable[[], bool]) -> None:
        answers[number] = beam(number == 1, Budget(interrupt=stopped))

    run_tasks(2, 2, call, lambda: budget.exhausted)
    budget.spend(work=sum(answer.expanded for answer in answers))
    return [replace(answer, limit=limit_reached(budget)) for answer in answers]


def _inverse_plan(plan: NDArray[np.int32]) -> NDArray[np.int32]:
    """The plan of the inverse cube."""
    back = plan[::-1]
    return np.where(back < QUARTER_TURNS, back ^ 1, back).astype(np.int32)


class _Beam:
    """State of a beam search."""

    def __init__(
        self, tables: CubeTables, ends: Perimeter, state: NDArray[np.uint8], width: int, most: int | None,
        budget: Budget, guide: Guide,
    ) -> None:  # fmt: skip
        self.tables, self.ends, self.state, self.width, self.budget = tables, ends, state, width, budget
        self.guide = guide
        self.most = _LAYERS if most is None else most
        self.room = (moves_of(tables.metric) + 1) * max(width, 64) + 18 * 32
        self.listed = width if guide.estimate is None else guide.shortlist * width
        self.slots = np.zeros(1 << max(10, int(2 * 14 * self.listed).bit_length()), dtype=np.uint64)
        self.filled = 0  # hashes in `slots`
        self.histogram, self.counts = np.zeros(LIMIT, dtype=np.int64), np.zeros(3, dtype=np.int64)
        self.found = (
            np.empty(self.room, dtype=np.uint64), np.empty(self.room, dtype=np.int32),
            np.empty(self.room, dtype=np.uint8), np.empty(self.room, dtype=np.uint8),
        )  # fmt: skip
        self.order = np.empty(self.room, dtype=np.int32)
        self.near = (np.empty(_NEAR, dtype=np.int32), np.empty(_NEAR, dtype=np.uint8))
        self.layers: list[_Layer] = []
        self.best: tuple[int, int, int, NDArray[np.uint8]] | None = None  # length, parent, move, state

    def run(self) -> SearchAnswer:
        begun = self.budget.clock()
        if (self.state == SOLVED_STATE).all():
            return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0)
        lasts, hashes = np.zeros(1, dtype=np.uint8), np.array([_hash(self.state)], dtype=np.uint64)
        self.layers = [_Layer(self.state[None].copy(), lasts, hashes)]
        limit, plan = None, None
        start = int(self.ends.distances(self.state[None])[0])
        if 0 <= start <= self.most:
            plan = np.array(self.ends.plan(self.state), dtype=np.int32)
        while plan is None and limit is None and len(self.layers) < self.most and len(self.layers[-1].states):
            limit = self._expand()
            if self.best is not None:
                plan = self._plan()
            elif limit is None:
                limit = self._choose()
        looked = int(self.counts[2])
        memory = self.slots.nbytes + self.order.nbytes + sum(one.nbytes for one in self.found)
        return SearchAnswer(
            plan=plan, cost=None if plan is None else len(plan), limit=limit, expanded=looked, generated=looked,
            memory=memory + sum(one.parents.nbytes + one.moves.nbytes for one in self.layers),
            seconds=self.budget.clock() - begun,
        )  # fmt: skip

    def _expand(self) -> str | None:
        """Score the children of the last layer, and look up those near the goal."""
        tables, layer, depth = self.tables, self.layers[-1], len(self.layers)
        one, known = tables.coordinates, tables.classes
        self.histogram[:] = 0
        self.counts[0] = 0
        begin = 0
        while begin < len(layer.states):
            limit = limit_reached(self.budget)
            if limit is not None:
                return limit
            self.counts[1] = 0
            before = int(self.counts[2])
            left = self.most - depth
            begin = int(
                children(
                    begin, min(begin + _AT_ONCE, len(layer.states)), left, min(left, self.ends.depth),
                    self.guide.corners, layer.states, layer.lasts, layer.hashes, automaton(tables.metric),
                    moves_of(tables.metric), one.corner, one.edge, one.corner_change, one.edge_change, _hash_changes(),
                    one.source, one.placing, one.heads, one.tails, known.class_of, known.twist_image,
                    tables.corners.packed, tables.phase1.packed, self.histogram, *self.found, *self.near, self.counts,
                )
            )  # fmt: skip
            self.budget.spend(work=int(self.counts[2]) - before)
            self._look_up(layer, depth)
        return None

    def _look_up(self, layer: _Layer, depth: int) -> None:
        """Look up the distances of the children near the goal."""
        many = int(self.counts[1])
        if not many:
            return
        parents, moves, turns = self.near[0][:many].astype(np.int64), self.near[1][:many], turns_of()
        before = np.take_along_axis(layer.states[parents], turns.source[moves], axis=1)
        states = turns.value[moves[:, None], np.arange(20), before]
        away = self.ends.distances(states)
        lengths = np.where(away < 0, self.most + 1, depth + away)
        first = int(np.argmin(lengths))
        if lengths[first] <= self.most and (self.best is None or lengths[first] < self.best[0]):
            self.best = (int(lengths[first]), int(parents[first]), int(moves[first]), states[first])
            self.most = self.best[0] - 1

    def _choose(self) -> str | None:
        """Make the next layer; returns the limit that ended this, if any."""
        layer, turns = self.layers[-1], turns_of()
        count = int(self.counts[0])
        size = min(count, self.listed)
        fresh = _Layer(
            np.empty((size, 20), dtype=np.uint8), np.empty(size, dtype=np.uint8), np.empty(size, dtype=np.uint64),
            np.empty(size, dtype=np.int32), np.empty(size, dtype=np.uint8),
        )  # fmt: skip
        scores = np.empty(size, dtype=np.uint8)
        self._make_room(size)
        kept = choose(
            count, size, self.histogram, *self.found, self.order, self.slots, turns.source, turns.value,
            automaton(self.tables.metric), layer.states, layer.lasts, fresh.states, fresh.lasts, fresh.hashes,
            fresh.parents, fresh.moves, scores,
        )  # fmt: skip
        self.filled += kept
        rows: slice | NDArray[np.int64] = slice(kept)
        if kept > self.width:
            ranked = self._ranked(fresh.states[:kept], scores[:kept])
            if ranked is None:
                return limit_reached(self.budget)
            rows = ranked
        self.layers.append(fresh.take(rows))
        layer.states, layer.hashes = layer.states[:0], layer.hashes[:0]  # only parents and moves are needed
        return None

    def _make_room(self, more: int) -> None:
        """Enlarge the table of hashes unless it stays at most seven eighths full with this many more."""
        size = self.slots.size
        while 8 * (self.filled + more) > 7 * size:
            size *= 2
        if size > self.slots.size:
            larger = np.zeros(size, dtype=np.uint64)
            copy_hashes(self.slots, larger)
            self.slots = larger

    def _ranked(self, states: NDArray[np.uint8], scores: NDArray[np.uint8]) -> NDArray[np.int64] | None:
        """Rows of the states with the least sum of estimate and exact distances; None if the budget ended first."""
        assert self.guide.estimate is not None
        values = np.empty(len(states), dtype=np.float32)
        for begin in range(0, len(states), _ESTIMATED):
            if limit_reached(self.budget) is not None:
                return None
            some = slice(begin, begin + _ESTIMATED)
            values[some] = self.guide.estimate(states[some])
        values += np.float32(self.guide.tables) * scores
        return np.sort(np.argpartition(values, self.width)[: self.width])

    def _plan(self) -> NDArray[np.int32]:
        """The path to the perimeter, and from there to the goal."""
        assert self.best is not None
        _, parent, move, state = self.best
        moves = [move]
        for layer in self.layers[:0:-1]:
            moves.append(int(layer.moves[parent]))
            parent = int(layer.parents[parent])
        plan = np.array([*moves[::-1], *self.ends.plan(state)], dtype=np.int32)
        if not (replay(self.state, plan) == SOLVED_STATE).all():
            raise AssertionError("the plan of a beam does not solve the cube")
        return plan


@lru_cache(maxsize=1)
def _hash_words() -> NDArray[np.uint64]:
    """A random word for each place and component; a state's hash is their sum."""
    return np.random.default_rng(20).integers(0, 1 << 64, size=(20, 24), dtype=np.uint64)


def _hash(state: NDArray[np.uint8]) -> np.uint64:
    return np.uint64(_hash_words()[np.arange(20), state].sum())


@lru_cache(maxsize=1)
def _hash_changes() -> NDArray[np.uint64]:
    """uint64[18, 8, 24]: change of the hash by a move, arranged as the changes in `Coordinates`."""
    words, turns = _hash_words(), turns_of()
    table = np.empty((18, 8, 24), dtype=np.uint64)
    for move in range(18):
        for number, target in enumerate(turns.moved[move].tolist()):
            origin = int(turns.source[move, target])
            table[move, number] = words[target][turns.value[move, target]] - words[origin]
    return table
