"""The tables of the batch searches: states with their costs and parents, and the priority queue."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matheur.kernels.state_table import fill
from matheur.methods.statespace.best_first import open_list_kernels as kernels
from matheur.methods.statespace.best_first.open_list_kernels import FIELDS, Block, Order, Store
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.packed_goal import packed_goal, packed_start
from matheur.methods.statespace.reserving import reserve_addresses
from matheur.methods.statespace.table import OutOfMemoryBudgetError, capacity_within, filled_at_most, slots_for

__all__ = ["NO_PLAN", "OpenList", "Path", "new_block", "record_bytes"]

NO_PLAN = 2**62
"""Cost of the best plan while there is none."""

_BUCKETS = 1 << 10
_SLOTS = 1 << 10


def record_bytes(words: int) -> int:
    """Bytes of a state with a key of this many words, without its slots (7 to 14 bytes more)."""
    return 8 * (words + FIELDS)


class Path(NamedTuple):
    """A plan, int32[n], and its cost."""

    plan: NDArray[np.int32]
    cost: int


def new_block(size: int, words: int) -> Block:
    """Room for this many successors."""
    small = [np.empty(size, dtype=np.int32) for _ in range(5)]
    return Block(np.empty(size * words, dtype=np.uint64), *small)


class OpenList:
    """All states seen, and a priority queue of the open ones, by `numerator * cost + denominator * estimate`.

    Ties: smaller estimate, then the most recent state. A state that is found at a lower cost becomes open again, even
    if it has been expanded. See `open_list_kernels` for the layout. As in `StateTable`, addresses for all states that
    `memory` allows are reserved at once and filled as needed, so that growing copies only slots and buckets.

    Parameters
    ----------
    domain
        Domain whose start is the first state, already taken from the queue.
    order
        The priority.
    batch
        Largest number of states that are taken at once.
    memory
        Memory limit in bytes, including `reserved`.
    reserved
        Bytes that the search needs in addition.

    Raises
    ------
    OutOfMemoryBudgetError
        If there is no room even for a few states.
    """

    def __init__(self, domain: Domain, order: Order, batch: int, memory: int, reserved: int) -> None:
        self.domain: Domain = domain
        self.order: Order = order
        self.memory: int = memory
        self.words: int = domain.packing.words
        self.goal: NDArray[np.uint64]
        self.mask: NDArray[np.uint64]
        self.goal, self.mask = packed_goal(domain)
        self.fixed: int = reserved + 4 * batch + 8 * kernels.NUMBERS
        buckets = _bucket_bytes(_BUCKETS)
        self.capacity: int = capacity_within(memory - self.fixed - buckets, record_bytes(self.words))
        if self.capacity == 0:
            raise OutOfMemoryBudgetError(f"{memory} bytes are too few for this search. Maybe raise the limit.")
        record = record_bytes(self.words)
        records, _ = reserve_addresses(
            record * self.capacity, lambda size: np.empty(size // record * (record // 8), np.uint64)
        )
        self.capacity = min(self.capacity, len(records) // (self.words + FIELDS))
        slots = np.zeros(min(_SLOTS, slots_for(self.capacity)), dtype=np.uint32)
        self.numbers: NDArray[np.int64] = np.zeros(kernels.NUMBERS, dtype=np.int64)
        self.numbers[[kernels.BEST, kernels.HOPELESS]], self.numbers[kernels.GOAL] = NO_PLAN, -1
        popped = np.zeros(batch, dtype=np.int32)
        self.store = Store(records, records.view(np.int32), slots, *_empty_buckets(_BUCKETS), popped, self.numbers)
        self.peak = self.nbytes
        start = packed_start(domain).reshape(-1)
        none = np.array([-1], dtype=np.int32)
        kernels.insert(self.store, self.words, start, none, np.zeros(1, np.int32), none, 1, np.empty(1, np.int32), 0)

    @property
    def count(self) -> int:
        """Number of states."""
        return int(self.numbers[kernels.COUNT])

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        store = self.store
        used = self.count * record_bytes(self.words) + store.slots.nbytes
        return self.fixed + used + store.buckets.nbytes + store.places.nbytes + store.heap.nbytes

    @property
    def room(self) -> int:
        """Number of states that fit before a table has to grow."""
        left = self.memory - (self.nbytes - self.count * record_bytes(self.words))
        return min(self.capacity, filled_at_most(len(self.store.slots)), left // record_bytes(self.words))

    def reserve(self, more: int, unfiled: int = 0) -> None:
        """Make room for more states, and for the buckets of these and of unfiled states.

        Raises
        ------
        OutOfMemoryBudgetError
            If the memory does not suffice.
        """
        while self.numbers[kernels.BUCKETS] + more + unfiled > len(self.store.buckets):
            self._grow_buckets()
        while self.count + more > self.room:
            self._grow_slots(more)
        self.peak = max(self.peak, self.nbytes)

    def _grow_buckets(self) -> None:
        old = self.store
        size = 2 * len(old.buckets)
        peak = self.nbytes + _bucket_bytes(size)
        if peak > self.memory:
            raise OutOfMemoryBudgetError(f"the buckets of the search do not fit into {self.memory} bytes")
        self.peak = max(self.peak, peak)
        buckets, places, heap = _empty_buckets(size)
        buckets[: len(old.buckets)], heap[: len(old.heap)] = old.buckets, old.heap
        kernels.rebuild_places(places, buckets, int(self.numbers[kernels.BUCKETS]))
        self.store = old._replace(buckets=buckets, places=places, heap=heap)

    def _grow_slots(self, more: int) -> None:
        size = 2 * len(self.store.slots)
        after = self.nbytes + self.store.slots.nbytes + more * record_bytes(self.words)
        too_many = filled_at_most(len(self.store.slots)) >= min(self.count + more, self.capacity)
        if too_many or after > self.memory or self.count + more > self.capacity:
            raise OutOfMemoryBudgetError(f"{self.count} states fill the {self.memory} bytes of the search")
        # The old slots are released first: the new ones are made from the records.
        self.store = self.store._replace(slots=np.empty(0, dtype=np.uint32))
        slots = np.zeros(size, dtype=np.uint32)
        fill(slots, self.store.records, self.words + FIELDS, self.words, self.count)
        self.store = self.store._replace(slots=slots)

    def keys(self, positions: NDArray[np.int32]) -> NDArray[np.uint64]:
        """Keys [n, words] of some states."""
        table = self.store.records.reshape(-1, self.words + FIELDS)
        return table[positions, : self.words]

    def bound(self) -> int:
        """Smallest cost plus trusted estimate of a waiting state, or the cost of the best goal state if that is less.

        `NO_PLAN` if nothing waits and there is no plan.

        A lower bound of every plan, provided that no batch is being worked on.
        """
        rows = self.store.buckets[: self.numbers[kernels.BUCKETS]]
        waiting = rows[(rows[:, 2] >= 0) & (rows[:, 3] == 1)].astype(np.int64)
        values = waiting[:, 0] + self.order.trusted * waiting[:, 1]
        given_up = NO_PLAN if self.order.trusted else int(self.numbers[kernels.HOPELESS])
        return min(int(values.min(initial=NO_PLAN)), int(self.numbers[kernels.BEST]), given_up)

    def path(self, record: int) -> Path:
        """The plan to a state; its cost may be lower than the recorded cost if parents were improved later."""
        fields = self.store.notes.reshape(-1, 2 * (self.words + FIELDS))[:, 2 * self.words :]
        chain, moves = [record], list[int]()
        while fields[chain[-1], kernels.PARENT] >= 0:
            moves.append(int(fields[chain[-1], kernels.MOVE]))
            chain.append(int(fields[chain[-1], kernels.PARENT]))
        plan = np.array(moves[::-1], dtype=np.int32)
        if not moves:
            return Path(plan, 0)
        keys = self.keys(np.array(chain[::-1], dtype=np.int32))
        found = self.domain.expand(keys[:-1])
        taken = (found.moves == plan[found.parents]) & (found.keys == keys[1:][found.parents]).all(axis=1)
        costs = np.full(len(plan), NO_PLAN, dtype=np.int64)
        np.minimum.at(costs, found.parents[taken], found.costs[taken])
        return Path(plan, int(costs.sum()))


def _bucket_bytes(size: int) -> int:
    return 4 * (4 + 2 + 1) * size


def _empty_buckets(size: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Empty buckets, places and heap for this many buckets."""
    return (
        np.empty((size, 4), dtype=np.int32),
        np.zeros(2 * size, dtype=np.int32),
        np.empty(size, dtype=np.int32),
    )
