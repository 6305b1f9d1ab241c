"""Two-phase search for the cube (Kociemba): a first plan within milliseconds, then shorter plans.

Phase 1 brings the cube into the subgroup that the moves U, D, R2, L2, F2 and B2 can solve; phase 2 uses only these
moves. Solutions of phase 1 that are longer than necessary are tried as well. The search covers the cube and its inverse
along each of the three axes; all six views take turns, shortest phase 1 first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.pace import Pace, limit_reached
from matheur.problems.rubik.instance import Metric
from matheur.problems.rubik.search import two_phase_kernels as kernels
from matheur.problems.rubik.search.automaton import automaton
from matheur.problems.rubik.search.coordinates import coordinates, corner_moves
from matheur.problems.rubik.search.deepening import CubeTables, odd, sums_of
from matheur.problems.rubik.search.pieces import SOLVED_STATE, inverse, replay, symmetries, turns_of
from matheur.problems.rubik.search.small import SmallTables, distances_of_pairs
from matheur.problems.rubik.search.tables import moves_of
from matheur.problems.rubik.stickers import MOVES, QUARTER_TURNS

__all__ = ["GroupTables", "group_tables", "two_phase"]

_GROUP = [MOVES.index(name) for name in ("U", "U'", "U2", "D", "D'", "D2", "R2", "L2", "F2", "B2")]
_DEPTH = 40
_ORDERS = 24
_CAP = {"quarter": 12, "half": 11}  # limit on phase 2 with the shortest phase 1; one more move for each longer phase 1


@dataclass(frozen=True, eq=False)
class GroupTables:
    """Moves and distances within the subgroup of phase 2.

    Attributes
    ----------
    corner_moves, edge_moves, order_moves
        uint16[40320, 10], uint16[40320, 10], uint8[24, 10]: permutations of the corners, of the edges of U and D, and
        of the slice edges after each move.
    corner_table, edge_table
        uint8[40320 * 24]: distances of corners with slice, and of edges with slice.
    corner_least
        uint8[40320]: the smallest distance for each permutation of the corners.
    costs
        int64[10]: costs of the moves in the metric.
    follows
        bool[11, 10]: whether a move may follow another one (row 10 is the start).
    """

    corner_moves: NDArray[np.uint16]
    edge_moves: NDArray[np.uint16]
    order_moves: NDArray[np.uint8]
    corner_table: NDArray[np.uint8]
    edge_table: NDArray[np.uint8]
    corner_least: NDArray[np.uint8]
    costs: NDArray[np.int64]
    follows: NDArray[np.bool_]


@lru_cache(maxsize=2)
def group_tables(metric: Metric) -> GroupTables:
    """Build the tables, which takes a tenth of a second regardless of the budget."""
    known, one = turns_of(), coordinates()
    costs = np.array([1 if move < QUARTER_TURNS or metric == "half" else 2 for move in _GROUP], dtype=np.int64)
    corners = corner_moves()[:, _GROUP].astype(np.uint16)
    all_of = np.array(list(permutations(range(8))), dtype=np.int64)
    weights = np.array([1, 8, 64, 512])
    rank = one.heads[all_of[:, :4] @ weights] + one.tails[all_of[:, 4:] @ weights]
    edges, orders = np.empty((40320, len(_GROUP)), dtype=np.uint16), np.empty((_ORDERS, len(_GROUP)), dtype=np.uint8)
    slices = np.array(list(permutations(range(4))), dtype=np.int64)
    for number, move in enumerate(_GROUP):
        after = all_of[:, known.source[move, 8:16] - 8]
        edges[rank, number] = one.heads[after[:, :4] @ weights] + one.tails[after[:, 4:] @ weights]
        after = slices[:, known.source[move, 16:] - 16]
        orders[one.tails[slices @ weights], number] = one.tails[after @ weights]
    faces = "UDLRFB"
    turned = [faces.index(MOVES[move][0]) for move in _GROUP]
    follows = np.ones((len(_GROUP) + 1, len(_GROUP)), dtype=np.bool_)
    for i, before in enumerate(turned):
        for j, face in enumerate(turned):
            follows[i, j] = face != before and (face // 2 != before // 2 or face > before)
    tables = [distances_of_pairs(first, orders.astype(np.uint16), costs) for first in (corners, edges)]
    least = tables[0].reshape(-1, _ORDERS).min(axis=1)
    return GroupTables(corners, edges, orders, tables[0], tables[1], least, costs, follows)


@lru_cache(maxsize=1)
def _changes() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Changes of the sums of the cube without its inverse, small enough for the innermost cache."""
    one = coordinates()
    return np.ascontiguousarray(one.corner_change[..., 0]), np.ascontiguousarray(one.edge_change[..., 0])


def two_phase(
    tables: CubeTables | SmallTables,
    state: NDArray[np.uint8],
    *,
    most: int | None = None,
    budget: Budget | None = None,
    on_plan: Callable[[NDArray[np.int32], int], None] | None = None,
    until: str = "exhausted",
) -> SearchAnswer:
    """Find successively shorter plans for a solvable cube.

    Parameters
    ----------
    state
        State of the cube, see `matheur.problems.rubik.search.pieces`.
    most
        Length of the longest plan to look for.
    budget
        Budget, whose unit of work is a visited state.
    on_plan
        Called with every plan and its length.
    until
        When to stop: `first` at the first plan, `exhausted` when the budget ends or no shorter plan is proved to exist.

    Returns
    -------
    SearchAnswer
        The best plan.
    """
    return _TwoPhase(tables, state, most, budget or Budget(), on_plan, until).run()


class _View:
    """The cube or its inverse viewed along an axis, and the state of its phase 1."""

    def __init__(self, state: NDArray[np.uint8], symmetry: int, turned: bool) -> None:
        known = symmetries()
        self.symmetry, self.turned = symmetry, turned
        cube = inverse(state) if turned else state
        self.states = np.zeros((_DEPTH, 20), dtype=np.uint8)
        self.states[0][known.place[symmetry]] = known.value[symmetry, np.arange(20), cube]
        self.words = np.zeros((_DEPTH, 2), dtype=np.uint64)
        self.words[0] = sums_of(self.states[0])[:2]
        self.lasts = np.zeros(_DEPTH, dtype=np.int64)
        self.child_moves = np.zeros((_DEPTH, 18), dtype=np.int64)
        self.child_words = np.zeros((_DEPTH, 18, 2), dtype=np.uint64)
        self.counts = np.zeros((_DEPTH, 2), dtype=np.int64)
        self.numbers = np.zeros(kernels.NUMBERS, dtype=np.int64)

    def plan(self, tail: NDArray[np.int64], metric: str) -> NDArray[np.int32]:
        """The moves on the stack and of phase 2, converted to moves of the cube itself."""
        length = int(self.numbers[kernels.LENGTH])
        moves = [int(self.child_moves[i, self.counts[i, 1] - 1]) for i in range(length)]
        for number in tail[: int(self.numbers[kernels.SECOND])].tolist():
            move = _GROUP[number]
            moves += [move] if move < QUARTER_TURNS or metric == "half" else [MOVES.index(MOVES[move][0])] * 2
        image = symmetries().move[self.symmetry]
        own = [int(np.flatnonzero(image == move)[0]) for move in moves]
        if self.turned:
            own = [move ^ 1 if move < QUARTER_TURNS else move for move in own[::-1]]
        return np.array(own, dtype=np.int32)


class _TwoPhase:
    """State of a two-phase search."""

    def __init__(
        self, tables: CubeTables | SmallTables, state: NDArray[np.uint8], most: int | None, budget: Budget,
        on_plan: Callable[[NDArray[np.int32], int], None] | None, until: str,
    ) -> None:  # fmt: skip
        self.group = group_tables(tables.metric)
        self.tables, self.state = tables, np.asarray(state, dtype=np.uint8)
        self.step = 2 if tables.metric == "quarter" else 1
        self.most = 2 * _DEPTH if most is None else most
        self.cap = _CAP[tables.metric]
        self.budget, self.pace, self.on_plan, self.until = budget, Pace(budget), on_plan, until
        self.leaves = np.array([move not in _GROUP for move in range(18)], dtype=np.bool_)
        self.stack, self.tail = np.zeros((64, 6), dtype=np.int64), np.zeros(64, dtype=np.int64)
        self.plan: NDArray[np.int32] | None = None
        self.nodes = 0

    def run(self) -> SearchAnswer:
        begun = self.budget.clock()
        distances = self.tables.distances(self.state)
        bound = max(distances)
        views = [_View(self.state, axis, turned) for turned in (False, True) for axis in symmetries().axes]
        limit: str | None = None
        finished = bound == 0 and bool((self.state == SOLVED_STATE).all())
        if finished:
            self.plan = np.empty(0, dtype=np.int32)
        shortest = length = min(distances[1:])
        while not finished and limit is None and length <= self.most:
            for view, distance in zip(views, distances[1:], strict=True):
                if distance <= length:
                    limit = self._search(view, length, self.cap + length - shortest)
                    if limit is not None:
                        break
            length += 1
        cost = None if self.plan is None else len(self.plan)
        if limit is None and self.most - shortest <= self.cap:  # no solution of phase 1 was cut short
            bound = max(bound, self.most + 1) if cost is None else cost
            if self.tables.metric == "quarter" and bound % 2 != odd(self.state):
                bound += 1
        return SearchAnswer(
            plan=self.plan, cost=cost, bound=bound, limit=limit if limit != "first" else None, expanded=self.nodes,
            generated=self.nodes, memory=self.tables.nbytes, seconds=self.budget.clock() - begun,
        )  # fmt: skip

    def _search(self, view: _View, length: int, cap: int) -> str | None:
        """Try all solutions of phase 1 of this length, each with at most `cap` moves of phase 2.

        Returns the limit that ended the search, or `first`.
        """
        tables, group, turns = self.tables, self.group, turns_of()
        one = tables.coordinates
        corner_change, edge_change = _changes()
        view.numbers[:] = (0, length, 0, 0, 0, self.step)
        view.counts[0, 0] = -1
        while length <= self.most:
            limit = limit_reached(self.budget)
            if limit is not None:
                return limit
            view.numbers[kernels.MOST] = min(self.most, length + cap)
            before = int(view.numbers[kernels.NODES])
            answer = kernels.search(
                self.pace.next(), automaton(tables.metric), moves_of(tables.metric), self.leaves, turns.source,
                turns.value, corner_change, edge_change, one.source, one.placing, one.heads, one.tails,
                *tables.phase1_arrays, group.costs, group.follows, group.corner_moves, group.edge_moves,
                group.order_moves, group.corner_table, group.edge_table, group.corner_least, view.states, view.words,
                view.lasts, view.child_moves, view.child_words, view.counts, self.stack, self.tail, view.numbers,
            )  # fmt: skip
            done = int(view.numbers[kernels.NODES]) - before
            self.nodes += done
            self.pace.done(done)
            if answer == kernels.FOUND:
                self._keep(view.plan(self.tail, tables.metric))
                if self.until == "first":
                    return "first"
                if self.plan is not None and self.budget.reached(len(self.plan)):
                    return "target"
            if answer == kernels.DONE or length == 0:
                break
        return None

    def _keep(self, plan: NDArray[np.int32]) -> None:
        if not (replay(self.state, plan) == SOLVED_STATE).all() or len(plan) > self.most:
            raise AssertionError("a plan of two phases does not solve the cube")
        self.plan, self.most = plan, len(plan) - self.step
        if self.on_plan is not None:
            self.on_plan(plan, len(plan))
