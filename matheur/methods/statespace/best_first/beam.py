"""Beam search: breadth-first search that keeps only the most promising states of each layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.kernels.state_table import fill
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.best_first import beam_kernels as kernels
from matheur.methods.statespace.domain import Domain, Successors
from matheur.methods.statespace.heuristics.base import INFINITE, Heuristic
from matheur.methods.statespace.pace import limit_reached
from matheur.methods.statespace.packed_goal import packed_goal, packed_start, starts_at_goal
from matheur.methods.statespace.table import OutOfMemoryBudgetError, StateTable, filled_at_most, slots_for

__all__ = ["Seen", "anytime_beam", "beam"]

Seen = Literal["last-two", "all"]
"""States that are dropped when they recur: those of the last two layers, or all kept states."""

_AT_ONCE = 1 << 15
_SLOTS = 1 << 10


def beam(
    domain: Domain,
    heuristic: Heuristic,
    *,
    width: int,
    rng: np.random.Generator,
    budget: Budget | None = None,
    memory: int = 2 << 30,
    depth_max: int | None = None,
    cost_max: int | None = None,
    seen: Seen = "all",
) -> SearchAnswer:
    """Expand a whole layer, keep the `width` best successors, and repeat until a layer contains a goal state.

    The best successors have the smallest estimate, or, with uneven costs, the smallest cost plus estimate; ties are
    broken at random.

    Parameters
    ----------
    domain, heuristic
        Domain and heuristic, compiled or not. The heuristic is called on up to about 32768 states at a time, and once
        per layer for each state.
    width
        Number of states kept per layer.
    rng
        Random generator; one number is drawn.
    budget
        Limits; a unit of work is a state expanded.
    memory
        Memory limit in bytes, half of it for the states seen. A kept state takes 8 for the plan and as much as in a
        `StateTable`; a candidate takes 16 for each word of its key and 43 to 50. There are up to 2 `width` candidates.
    depth_max
        Number of moves after which the search gives up.
    cost_max
        Highest cost of plans to search for.
    seen
        States that are dropped when they recur. With `last-two` a beam that finds no goal may cycle forever; give it a
        budget or a `depth_max`.

    Returns
    -------
    SearchAnswer
        A beam proves only the heuristic's bound, except while no layer had to be cut: the layers are then those of a
        breadth-first search, so their number is a bound if every move costs 1, and an empty layer proves that there is
        no plan (of cost up to `cost_max`). `stored` counts the kept states.

    Raises
    ------
    ValueError
        If the width is not positive.
    """
    return _Beam(domain, heuristic, width, rng, budget or Budget(), memory, depth_max, cost_max, seen).run()


def anytime_beam(
    domain: Domain,
    heuristic: Heuristic,
    *,
    rng: np.random.Generator,
    width: int = 64,
    width_max: int | None = None,
    budget: Budget | None = None,
    memory: int = 2 << 30,
    depth_max: int | None = None,
    cost_max: int | None = None,
    seen: Seen = "all",
    guide: Domain | None = None,
    on_plan: Callable[[NDArray[np.int32], int], None] | None = None,
) -> SearchAnswer:
    """Beams of doubling width, each of which searches for a cheaper plan than the previous one.

    The search ends when a beam was never cut or its plan is proved optimal, after the width `width_max` (the limit
    `width`), or with the budget.

    Parameters
    ----------
    width, width_max
        First and largest width.
    cost_max
        Highest cost of plans to search for.
    guide
        The same states and moves with other costs: the states kept of a layer are those with the smallest sum of these
        costs (plus the estimate), instead of those with the smallest estimate. The domain's own costs must be even.
    on_plan
        Called with every plan and its cost; each plan is cheaper than the previous one.

    Returns
    -------
    SearchAnswer
        The best plan; `expanded`, `generated` and `seconds` are totals of all beams.

    Raises
    ------
    ValueError
        If the width is not positive, or there is a guide and costs are uneven.
    """
    if guide is not None and not domain.unit_costs:
        raise ValueError("a guided beam counts moves, which must all cost 1")
    budget = budget or Budget()
    begun = budget.clock()
    plan: NDArray[np.int32] | None = None
    cost: int | None = None
    bound = expanded = generated = stored = peak = 0
    while True:
        most = cost_max if cost is None else cost - 1
        if guide is None:
            search = _Beam(domain, heuristic, width, rng, budget, memory, depth_max, most, seen)
        else:
            deepest = depth_max if most is None else most if depth_max is None else min(depth_max, most)
            search = _Beam(guide, heuristic, width, rng, budget, memory, deepest, None, seen)
        answer = search.run()
        bound = max(bound, answer.bound)
        expanded, generated = expanded + answer.expanded, generated + answer.generated
        stored, peak = max(stored, answer.stored), max(peak, answer.memory)
        limit = answer.limit
        if answer.plan is not None and answer.cost is not None:
            plan, cost = answer.plan, answer.cost if guide is None else len(answer.plan)
            if on_plan is not None:
                on_plan(plan, cost)
            if budget.reached(cost) and limit is None:
                limit = "target"
        proved = cost is not None and bound >= cost
        if width == width_max and search.cut and limit is None:
            limit = "width"
        if proved or limit is not None or (answer.plan is None and not search.cut) or width == width_max:
            break
        width = 2 * width if width_max is None else min(2 * width, width_max)
    return SearchAnswer(
        plan, cost, bound if cost is None else min(bound, cost), answer.unreachable and plan is None,
        None if proved else limit, expanded, generated, stored, peak, budget.clock() - begun,
    )  # fmt: skip


class _Pool:
    """The candidates of the next layer."""

    def __init__(self, words: int, size: int) -> None:
        self.words, self.size = words, size
        self.keys = np.empty(size * words, dtype=np.uint64)
        self.costs, self.estimates = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int32)
        self.parents, self.moves = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
        self.slots = np.zeros(_SLOTS, dtype=np.uint32)
        self.numbers = np.zeros(kernels.NUMBERS, dtype=np.int64)

    @staticmethod
    def bytes_each(words: int) -> int:
        """Bytes of a candidate: its key and four arrays, and its place in the next layer (before that, its rank)."""
        return 8 * words + 20 + 8 * words + 16

    @property
    def count(self) -> int:
        return int(self.numbers[kernels.COUNT])

    def nbytes_with(self, more: int) -> int:
        """Bytes in use with this many more candidates."""
        slots = max(len(self.slots), slots_for(self.count + more))
        return (self.count + more) * self.bytes_each(self.words) + slots * self.slots.itemsize

    def rows(self, start: int = 0) -> NDArray[np.uint64]:
        """Keys [n, words] of the candidates from place `start` on."""
        return self.keys[start * self.words : self.count * self.words].reshape(-1, self.words)

    def clear(self) -> None:
        self.numbers[kernels.COUNT], self.numbers[kernels.COST] = 0, -1
        self.slots[:] = 0

    def make_room(self, more: int) -> None:
        """Provide slots for this many more candidates."""
        if self.count + more > filled_at_most(len(self.slots)):
            self.slots = np.empty(0, dtype=np.uint32)
            self.slots = np.empty(slots_for(self.count + more), dtype=np.uint32)
            self.rebuild()

    def rebuild(self) -> None:
        self.slots[:] = 0
        fill(self.slots, self.keys, self.words, self.words, self.count)


class _Beam:
    """A running beam search; `cut` once a layer was cut, `complete` while no state that may lead to a goal is lost."""

    def __init__(
        self, domain: Domain, heuristic: Heuristic, width: int, rng: np.random.Generator, budget: Budget,
        memory: int, depth_max: int | None, cost_max: int | None, seen: Seen,
    ) -> None:  # fmt: skip
        if width < 1:
            raise ValueError(f"a beam is at least one state wide ({width})")
        self.domain, self.heuristic, self.width, self.budget, self.memory = domain, heuristic, width, budget, memory
        self.depth_max, self.cost_max, self.seen = depth_max, cost_max, seen
        self.words = domain.packing.words
        self.salt = rng.integers(0, 2**64, dtype=np.uint64)
        self.goal, self.mask = packed_goal(domain)
        self.at_once = max(1, min(width, _AT_ONCE // domain.branching))
        most = self.at_once * domain.branching
        self.pool = _Pool(self.words, min(2 * width + most, memory // _Pool.bytes_each(self.words) + 1))
        # The successors of a part of a layer, and copies of their keys for the heuristic.
        self.fixed = most * (16 * self.words + 32)
        self.layer, self.costs = packed_start(domain), np.zeros(1, dtype=np.int64)
        self.history: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
        self.complete, self.cut, self.expanded, self.generated, self.stored, self.peak = True, False, 0, 0, 1, 0
        estimate = int(heuristic.estimate(self.layer)[0])
        self.bound = estimate if heuristic.admissible and estimate < INFINITE else 0
        if estimate >= INFINITE:
            self.layer, self.complete = self.layer[:0], heuristic.admissible

    def run(self) -> SearchAnswer:
        """Expand layers until a goal, a limit or an empty layer."""
        begun = self.budget.clock()
        if starts_at_goal(self.domain):
            return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0)
        self._raise_bound(1)
        try:
            limit = self._search()
        except OutOfMemoryBudgetError:
            limit = "memory"
        found = self._reached
        exhausted = len(self.layer) == 0 and self.complete
        if exhausted and self.cost_max is not None:
            self._raise_bound(self.cost_max + 1)
        return SearchAnswer(
            plan=self._plan() if found else None,
            cost=int(self.pool.numbers[kernels.COST]) if found else None,
            bound=self.bound,
            unreachable=exhausted and self.cost_max is None,
            limit=None if found else limit,
            expanded=self.expanded,
            generated=self.generated,
            stored=self.stored,
            memory=self.peak,
            seconds=self.budget.clock() - begun,
        )

    @property
    def _reached(self) -> bool:
        """Whether the current layer contains a goal state that is cheap enough."""
        cost = int(self.pool.numbers[kernels.COST])
        return cost >= 0 and (self.cost_max is None or cost <= self.cost_max)

    def _raise_bound(self, moves: int) -> None:
        """Raise the bound to this number of moves, but not beyond `cost_max`."""
        if self.domain.unit_costs:
            self.bound = max(self.bound, moves if self.cost_max is None else min(moves, self.cost_max + 1))

    def _search(self) -> str | None:
        """Expand layer after layer; returns the limit that ended the search."""
        self.pool.clear()
        self.known = StateTable(self.words, self.memory // 2, 1)
        self.known.add(self.layer)
        while len(self.layer) and (self.depth_max is None or len(self.history) < self.depth_max):
            whole = self.complete
            limit = self._expand_layer()
            if limit is not None or self._reached:
                return limit
            if whole:
                self._raise_bound(len(self.history) + 2)
            self._next_layer()
        return None

    def _expand_layer(self) -> str | None:
        """Collect the candidates of the next layer; returns the limit that ended it."""
        self.pool.clear()
        first = 0
        while first < len(self.layer):
            limit = limit_reached(self.budget)
            if limit is not None:
                return limit
            rows = self.layer[first : first + self.budget.affordable(self.at_once)]
            found = self.domain.expand(rows)
            if self.pool.count + len(found.moves) > self.pool.size:
                self._cut()
                self.pool.rebuild()
            self._check_memory(len(found.moves))
            self.pool.make_room(len(found.moves))
            self._offer(found, first)
            self.budget.spend(work=len(rows))
            self.expanded, self.generated = self.expanded + len(rows), self.generated + len(found.moves)
            if self._reached and self.domain.unit_costs:
                return None
            first += len(rows)
        return None

    def _offer(self, found: Successors, first: int) -> None:
        """Enter successors; new ones that have not been seen are estimated."""
        pool, before = self.pool, self.pool.count
        keys = np.ascontiguousarray(found.keys, dtype=np.uint64).reshape(-1)
        kernels.offer(
            pool.keys, pool.slots, self.words, self.goal, self.mask, keys, found.parents, found.moves, found.costs,
            first, self.costs, (pool.costs, pool.parents, pool.moves), pool.numbers,
        )  # fmt: skip
        fresh = pool.rows(before)
        if len(fresh):
            new = self.known.find(fresh) < 0
            estimates = np.full(len(fresh), INFINITE, dtype=np.int32)
            if new.any():
                estimates[new] = self.heuristic.estimate(fresh[new])
                if not self.heuristic.admissible and (estimates[new] >= INFINITE).any():
                    self.complete = False
            pool.estimates[before : before + len(fresh)] = estimates

    def _cut(self) -> None:
        """Keep the `width` best candidates."""
        pool, count = self.pool, self.pool.count
        costs, estimates = pool.costs[:count], pool.estimates[:count]
        kept = estimates < INFINITE
        if self.cost_max is not None:
            kept &= costs + (estimates if self.heuristic.admissible else 0) <= self.cost_max
        if np.count_nonzero(kept) > self.width:
            self.complete, self.cut = False, True
            by_cost = int(not self.domain.unit_costs)
            ranks = kernels.rank(pool.keys, count, self.words, costs, estimates, by_cost, self.salt)
            last = np.partition(ranks[kept], self.width - 1)[self.width - 1]
            kept &= ranks <= last
            kept[np.flatnonzero(kept)[self.width :]] = False
        pool.numbers[kernels.COUNT] = kernels.keep(
            pool.keys, self.words, (pool.costs, pool.parents, pool.moves), pool.estimates, kept
        )  # fmt: skip

    def _next_layer(self) -> None:
        """Make the kept candidates the next layer."""
        self._cut()
        pool, before, count = self.pool, self.layer, self.pool.count
        self.layer, self.costs = pool.rows().copy(), pool.costs[:count].copy()
        self.history.append((pool.parents[:count].copy(), pool.moves[:count].copy()))
        self.stored += count
        if self.seen == "last-two":
            self.known = StateTable(self.words, self.memory // 2, len(before) + count)
            self.known.add(before)
        self.known.add(self.layer)
        self._check_memory(0)

    def _check_memory(self, more: int) -> None:
        """Raise `OutOfMemoryBudgetError` if this many more candidates do not fit."""
        used = self.fixed + self.pool.nbytes_with(more) + 8 * self.stored + self.layer.nbytes + self.costs.nbytes
        if used > self.memory - self.memory // 2 or self.pool.count + more > self.pool.size:
            raise OutOfMemoryBudgetError(f"the beam does not fit into {self.memory} bytes")
        self.peak = max(self.peak, used + self.known.nbytes)

    def _plan(self) -> NDArray[np.int32]:
        """The moves to the goal state that was found."""
        moves = [int(self.pool.numbers[kernels.GOAL_MOVE])]
        at = int(self.pool.numbers[kernels.GOAL_PARENT])
        for parents, made in reversed(self.history):
            moves.append(int(made[at]))
            at = int(parents[at])
        return np.array(moves[::-1], dtype=np.int32)
