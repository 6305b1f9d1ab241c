"""The frame of A* and its relatives: nodes, open list, slices, bounds."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.kernels.state_table import fill
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.best_first import astar_kernels as kernels
from matheur.methods.statespace.best_first.astar_kernels import Field, Status
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics.base import INFINITE, Heuristic
from matheur.methods.statespace.pace import Pace, limit_reached
from matheur.methods.statespace.packed_goal import packed_goal, packed_start, starts_at_goal
from matheur.methods.statespace.paths import plan_along
from matheur.methods.statespace.reserving import reserve_addresses

__all__ = ["BestFirst", "Ties", "TooCostlyError"]

Ties = Literal["large-g", "small-g", "fifo"]

_TIES: tuple[Ties, ...] = ("large-g", "small-g", "fifo")
_NO_COST = 1 << 40
_SLOTS_MIN, _SLOTS_MAX, _ROWS_MIN = 1 << 8, 1 << 31, 1 << 6
_CHUNK_BYTES, _ROW_BYTES = 64, 4 * kernels.COLUMNS + 16 + 8


class TooCostlyError(ValueError):
    """Plans cost more than the search can count."""


class BestFirst:
    """The nodes and the open list of a best-first search, and its slices.

    Parameters
    ----------
    domain, heuristic
        Both must be compiled.
    budget, memory
        Limits of the search.
    ties
        First of several states of equal f: the largest g and among these the latest (`large-g`), the smallest g
        (`small-g`), or the earliest (`fifo`). g is divided into up to 128 classes.
    weight
        Factor of h, at least 1, rounded to a fraction with a denominator of at most 20.
    block
        Number of states that are expanded together, 1 to 8.

    Raises
    ------
    ValueError
        If the domain or the heuristic is not compiled, or an argument is out of range.
    """

    def __init__(
        self,
        domain: Domain,
        heuristic: Heuristic,
        budget: Budget,
        memory: int,
        *,
        ties: Ties = "large-g",
        weight: float | Fraction = 1,
        block: int = kernels.BLOCK,
    ) -> None:
        if domain.expander is None:
            raise ValueError(f"A* needs a compiled expander, domain '{domain.name}' has none. Maybe use batch_astar.")
        if heuristic.estimator is None:
            raise ValueError(
                f"A* needs a compiled estimator, '{heuristic.name}' has none. Maybe use batch_astar, or for a network "
                "engine=compiled."
            )
        if not 1 <= block <= kernels.BLOCK:
            raise ValueError(f"a block has 1 to {kernels.BLOCK} states ({block})")
        if ties not in _TIES:
            raise ValueError(f"ties are one of {', '.join(_TIES)} ({ties!r})")
        self.domain: Domain = domain
        self.heuristic: Heuristic = heuristic
        self.budget: Budget = budget
        self.memory: int = memory
        self.plan: NDArray[np.int32] | None = None
        self.cost: int | None = None
        self.bound = 0
        self.limit: str | None = None
        self.peak = 0
        self._expander, self._estimator = domain.expander, heuristic.estimator
        self._words = domain.packing.words
        self._started, self._pace = budget.clock(), Pace(budget)
        self._goal, self._mask = packed_goal(domain)
        self._field = np.zeros(Field.SIZE, dtype=np.int64)
        self._field[Field.BEST], self._field[Field.GOAL] = _NO_COST, -1
        self._setup = np.zeros(8, dtype=np.int64)
        self._setup[2:] = self._words, heuristic.admissible, _TIES.index(ties), 0, domain.branching, block
        self._weigh(weight)
        if starts_at_goal(domain):
            self.plan, self.cost = np.empty(0, dtype=np.int32), 0
        self._slots = np.empty(0, dtype=np.uint32)
        self._new_rows(0)
        if self.used + _ROWS_MIN * _ROW_BYTES + 4 * _SLOTS_MIN > memory:
            self.limit = "memory"
            return
        self._slots = np.zeros(_SLOTS_MIN, dtype=np.uint32)
        self._new_rows(_ROWS_MIN)
        self._due = np.empty(kernels.BLOCK * domain.branching, dtype=np.int64)
        # Addresses for the largest possible number of nodes and of chunks; memory is used only as they fill up.
        (self._nodes, self._chunks), free = reserve_addresses(memory - self._fixed, self._arrays)
        self.memory = self._fixed + free
        self._begin()
        self.peak = self.used

    def _arrays(self, size: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Room for nodes and for chunks, each of `size` bytes."""
        nodes = np.empty(max(size // 8, self._words + 1), dtype=np.uint64)
        return nodes, np.empty(max(size // 4, 32), dtype=np.uint32)

    @property
    def _fixed(self) -> int:
        """Bytes of everything except nodes and chunks, including scratch memory of a slice."""
        scratch = kernels.BLOCK * self.domain.branching * (8 * self._words + 36)
        return self._slots.nbytes + _ROW_BYTES * self._rows + scratch

    @property
    def used(self) -> int:
        """Bytes in use."""
        nodes, chunks = int(self._field[Field.COUNT]), int(self._field[Field.CHUNKS])
        return self._fixed + max(nodes, 1) * 8 * (self._words + 1) + (chunks + 1) * _CHUNK_BYTES

    def resume(self, budget: Budget) -> None:
        """Continue with another budget, unless the memory is exhausted."""
        self.budget, self._pace = budget, Pace(budget)
        if self.limit != "memory":
            self.limit = None

    def reweigh(self, weight: float | Fraction) -> None:
        """Reorder the open states by another weight."""
        self._weigh(weight)
        self._new_rows(self._rows)
        for field in (Field.CHUNKS, Field.FREE, Field.LOWEST):
            self._field[field] = 0
        done = 0
        while self.limit is None and done < self._field[Field.COUNT]:
            # Partly filled stacks may take more chunks than before.
            room = self._field[Field.CHUNKS] + (self.memory - self.used) // _CHUNK_BYTES
            done = kernels.refill(
                self._words, self._setup, self._nodes, self._heads, self._filled, self._open_at, self._chunks,
                self._field, room, done,
            )  # fmt: skip
            if self._field[Field.CHUNKS] >= room:
                self.limit = "memory"
            elif done < self._field[Field.COUNT]:
                self._more_rows()
        self.peak = max(self.peak, self.used)

    def run(self) -> bool:
        """Search until a better plan is found (True), or the search ends for this weight or completely (False)."""
        while self.limit is None and not self.proved:
            status = self._one_slice()
            if self._field[Field.BEST] < _NO_COST and self._field[Field.BEST] != self.cost:
                self._take_plan()
                self._raise_bound()
                return True
            self._raise_bound()
            if status == Status.FINISHED:
                return False
        return False

    @property
    def expanded(self) -> int:
        """Number of expanded states."""
        return int(self._field[Field.EXPANDED])

    @property
    def proved(self) -> bool:
        """Whether the best plan is proved optimal."""
        return self.cost is not None and self.cost <= self.bound

    def answer(self) -> SearchAnswer:
        """The result so far."""
        field = self._field
        exhausted = self.limit is None and not self._waiting and not self._open_at.any()
        return SearchAnswer(
            plan=self.plan,
            cost=self.cost,
            bound=self.bound,
            unreachable=exhausted and self.cost is None and self._nothing_lost,
            limit=self.limit,
            expanded=self.expanded,
            generated=int(field[Field.GENERATED]),
            stored=int(field[Field.COUNT]),
            memory=self.peak,
            seconds=self.budget.clock() - self._started,
        )

    @property
    def _nothing_lost(self) -> bool:
        """Whether all states dropped as dead ends are proved dead ends."""
        return self.heuristic.admissible or self._field[Field.DEAD] == 0

    @property
    def _waiting(self) -> bool:
        """Whether there are nodes that are not yet in the open list."""
        return bool(self._field[Field.DONE] < self._field[Field.DUE])

    def _weigh(self, weight: float | Fraction) -> None:
        if not 1 <= weight <= 1000:
            raise ValueError(f"the weight of a heuristic is 1 to 1000 ({weight})")
        share = Fraction(weight).limit_denominator(20)
        self._setup[:2] = share.numerator, share.denominator

    def _begin(self) -> None:
        """Enter the start."""
        start = packed_start(self.domain)
        guess = int(self.heuristic.estimate(start)[0])
        h = max(0, min(guess, kernels.H_LIMIT))
        if guess >= INFINITE:
            h, self._field[Field.DEAD] = kernels.H_DEAD, 1
        elif self.heuristic.admissible:
            self.bound = h
        # A column for each h up to twice the h of the start; if these are too many, adjacent values share one.
        self._setup[5] = max(0, h.bit_length() - 6)
        self._nodes[: self._words] = start[0]
        self._nodes[self._words] = h << 48
        self._field[Field.COUNT] = 1
        fill(self._slots, self._nodes, self._words + 1, self._words, 1)
        self._due[0], self._field[Field.DUE] = 0, 1

    def _one_slice(self) -> int:
        """Run the kernel once and handle its status."""
        if self.budget.reached(self.cost):
            self.limit = "target"
        else:
            self.limit = limit_reached(self.budget)
        if self.limit is not None:
            return Status.SLICE
        before, left, more = int(self._field[Field.EXPANDED]), self.budget.work_left, self._pace.next()
        status = kernels.run(
            self._expander.address, self._expander.data, self._estimator.address, self._estimator.data, self._setup,
            self._goal, self._mask, self._slots, self._nodes, self._heads, self._filled, self._open_at, self._chunks,
            self._field, self._due, self._room_nodes(), self.memory - self._fixed - _CHUNK_BYTES,
            before + more, _NO_COST if left is None else before + left,
        )  # fmt: skip
        self._pace.done(int(self._field[Field.EXPANDED]) - before)
        self.peak = max(self.peak, self.used)
        if status == Status.COSTLY:
            raise TooCostlyError(
                "A* counts costs up to 65535. Maybe divide the costs of the domain by a common factor, or batch_astar."
            )
        if status == Status.ROWS:
            self._more_rows()
        if status == Status.ROOM and not self._more_slots():
            self.limit = "memory"
        return int(status)

    def _raise_bound(self) -> None:
        """Raise the bound to the least cost through an open state, unless nodes are still to be opened."""
        if not self._nothing_lost or self._waiting:
            return
        open_costs = np.flatnonzero(self._open_at)
        if open_costs.size:
            self.bound = max(self.bound, int(open_costs[0]))
        if self.cost is not None and (not open_costs.size or self.bound > self.cost):
            self.bound = self.cost

    def _take_plan(self) -> None:
        record = self._words + 1
        path = [int(self._field[Field.GOAL])]
        while path[-1] != 0:
            path.append(int(self._nodes[path[-1] * record + self._words] & np.uint64(0xFFFFFFFF)))
        rows = np.array(path[::-1], dtype=np.int64)
        keys = self._nodes[: int(self._field[Field.COUNT]) * record].reshape(-1, record)[rows, : self._words]
        # Parents may have become cheaper since: the path may cost less than g.
        self.plan, self.cost = plan_along(self.domain, keys)
        self._field[Field.BEST] = self.cost

    def _room_nodes(self) -> int:
        """Most nodes for the slots: 0.6 of them, or 0.75 if more slots would not allow more nodes."""
        slots = len(self._slots)
        return slots * 3 // 5 if self._slots_may_grow() else slots * 3 // 4

    def _slots_may_grow(self) -> bool:
        slots = len(self._slots)
        nodes = slots * 3 // 4
        return 2 * slots <= _SLOTS_MAX and self._fixed + 4 * slots + nodes * (8 * (self._words + 1) + 5) <= self.memory

    def _more_slots(self) -> bool:
        count = int(self._field[Field.COUNT])
        if not self._slots_may_grow() or count + self.domain.branching <= len(self._slots) * 3 // 5:
            return False
        slots = 2 * len(self._slots)
        self._slots = np.empty(0, dtype=np.uint32)
        self._slots = np.zeros(slots, dtype=np.uint32)
        fill(self._slots, self._nodes, self._words + 1, self._words, count)
        self.peak = max(self.peak, self.used)
        return True

    def _new_rows(self, rows: int) -> None:
        """An empty open list."""
        self._rows = rows
        self._heads = np.zeros(rows * kernels.COLUMNS, dtype=np.uint32)
        self._filled = np.zeros(rows * 2, dtype=np.uint64)
        self._open_at = np.zeros(rows, dtype=np.int64)

    def _more_rows(self) -> None:
        rows = self._rows
        if 2 * rows > kernels.F_LIMIT:
            raise TooCostlyError(f"A* counts weighted f up to {kernels.F_LIMIT}. Maybe divide the costs of the domain.")
        most = self.used + 2 * rows * _ROW_BYTES
        if most > self.memory:
            self.limit = "memory"
            return
        self.peak = max(self.peak, most)
        heads, filled, open_at = self._heads, self._filled, self._open_at
        self._new_rows(2 * rows)
        self._heads[: len(heads)], self._filled[: len(filled)], self._open_at[:rows] = heads, filled, open_at
