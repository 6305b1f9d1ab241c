"""A hash table of packed states that numbers them in the order of insertion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.kernels.state_table import fill
from matheur.methods.statespace.reserving import reserve_addresses
from matheur.methods.statespace.table_kernels import insert, lookup

__all__ = ["OutOfMemoryBudgetError", "StateTable", "capacity_within", "filled_at_most", "slots_for"]

_SLOTS_MIN, _SLOTS_MAX = 1 << 6, 1 << 31
_SLOT_BYTES = 4


class OutOfMemoryBudgetError(MemoryError):
    """A table would have to grow beyond the bytes that it may use."""


def filled_at_most(slots: int) -> int:
    """Most keys in this many slots: 0.6 of them, so that probes stay short."""
    return slots * 3 // 5


def capacity_within(memory: int, entry_bytes: int) -> int:
    """Largest number of entries for which the entries and their slots fit into `memory` bytes."""
    best, slots = 0, _SLOTS_MIN
    while slots <= _SLOTS_MAX and slots * _SLOT_BYTES <= memory:
        best = max(best, min(filled_at_most(slots), (memory - slots * _SLOT_BYTES) // entry_bytes))
        slots *= 2
    return best


def slots_for(entries: int) -> int:
    """Number of slots for this many entries."""
    slots = _SLOTS_MIN
    while filled_at_most(slots) < entries:
        slots *= 2
    return slots


class StateTable:
    """A set of keys; the index of a key is its position in the order of first insertion.

    A key takes 8 bytes per word and 7 to 14 bytes of slots. Addresses for as many keys as `memory` allows are reserved
    at once, and the system backs them with memory as they are used, so nothing is copied when the table grows. Slots
    are rebuilt from the keys after the old ones have been released.

    Parameters
    ----------
    words
        Number of words of a key.
    memory
        Memory limit in bytes.
    capacity
        Expected number of keys; a good guess saves rebuilding.

    Raises
    ------
    OutOfMemoryBudgetError
        If `memory` does not even suffice for an empty table.
    """

    def __init__(self, words: int, memory: int, capacity: int = 1 << 16) -> None:
        self.words: int = words
        self.memory: int = memory
        self.capacity: int = capacity_within(memory, 8 * words)
        if self.capacity == 0:
            raise OutOfMemoryBudgetError(f"{memory} bytes are too few for a table of states. Maybe raise the limit.")
        self.count: int = 0
        self._keys, _ = reserve_addresses(8 * words * self.capacity, lambda size: np.empty(size // 8, dtype=np.uint64))
        self.capacity = min(self.capacity, len(self._keys) // words)
        self._slots = np.zeros(slots_for(min(capacity, self.capacity)), dtype=np.uint32)

    def __len__(self) -> int:
        return self.count

    @property
    def keys(self) -> NDArray[np.uint64]:
        """View [count, words] of the keys in the order of first insertion."""
        return self._keys[: self.count * self.words].reshape(-1, self.words)

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self.count * 8 * self.words + self._slots.nbytes

    def add(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Insert keys [n, words] in their order; returns their indices and a mask of the new ones.

        Raises
        ------
        OutOfMemoryBudgetError
            If they do not fit; the keys before the first that does not fit are then in the table.
        """
        batch = self._flat(keys)
        size, done = len(batch) // self.words, 0
        index, fresh = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.bool_)
        while True:
            room = min(self.capacity, filled_at_most(len(self._slots)))
            self.count, more = insert(
                self._slots,
                self._keys,
                self.words,
                self.count,
                room,
                batch[done * self.words :],
                index[done:],
                fresh[done:],
            )
            done += more
            if done == size:
                return index, fresh
            self._grow()

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Indices of keys [n, words], -1 for keys that are not in the table."""
        batch = self._flat(keys)
        index = np.empty(len(batch) // self.words, dtype=np.int64)
        lookup(self._slots, self._keys, self.words, batch, index)
        return index

    def _flat(self, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        flat = np.ascontiguousarray(keys, dtype=np.uint64).reshape(-1)
        if len(flat) % self.words:
            raise ValueError(f"keys must have {self.words} words each ({np.shape(keys)})")
        return flat

    def _grow(self) -> None:
        if self.count >= self.capacity:
            raise OutOfMemoryBudgetError(f"{self.count} states fill the {self.memory} bytes of their table")
        slots = min(2 * len(self._slots), slots_for(self.capacity))
        self._slots = np.empty(0, dtype=np.uint32)
        self._slots = np.zeros(slots, dtype=np.uint32)
        fill(self._slots, self._keys, self.words, self.words, self.count)
