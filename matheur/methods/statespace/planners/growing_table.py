"""Arrays with an entry per state, and the hash table that finds it, for kernels that enter states themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["GrowingTable"]

_ENTRIES = 1 << 12
_SLOTS_PER_ENTRY = 2

Enter = Callable[[NDArray[np.uint32], NDArray[np.uint64], int, int, NDArray[np.uint64]], int]


class GrowingTable:
    """Keys, columns and slots within a memory limit; a kernel fills them and Python enlarges them.

    Parameters
    ----------
    words
        Number of words of a key.
    columns
        Type of each column.
    enter
        Kernel `enter(slots, keys, words, count, batch)` of the module that uses the table; it defines the hash.
    memory
        Memory limit in bytes, which also applies while the table grows.

    Attributes
    ----------
    keys
        uint64[room * words].
    columns
        One array of length `room` each.
    slots
        uint32, a power of two of them, at least two for each entry; 0 or the number of an entry plus 1.
    peak
        Largest number of bytes used so far.
    """

    def __init__(self, words: int, columns: Sequence[Any], enter: Enter, memory: int) -> None:
        self.words: int = words
        self.memory: int = memory
        self._enter = enter
        self.keys = np.empty(0, dtype=np.uint64)
        self.columns: list[NDArray[Any]] = [np.empty(0, dtype=kind) for kind in columns]
        self.slots = np.zeros(1, dtype=np.uint32)
        self.peak = 0

    @property
    def room(self) -> int:
        """Number of entries that fit."""
        return len(self.keys) // self.words

    def _bytes(self, entries: int) -> int:
        """Bytes of a table of this size, with the largest column that is copied while it grows."""
        widest = max([8 * self.words, *(column.itemsize for column in self.columns)])
        entry = 8 * self.words + sum(column.itemsize for column in self.columns)
        return entries * entry + 4 * _slots(entries) + self.room * widest

    def grow(self, count: int, entries: int = 0) -> bool:
        """Make room for `entries` states, or for twice as many as before, or for as many as memory allows.

        Parameters
        ----------
        count
            Entries in use.

        Returns
        -------
        bool
            False, and nothing has changed, if there is no memory for more than there is now (or for `entries`).
        """
        wanted = max(entries, 2 * self.room, _ENTRIES)
        least = max(entries, self.room + self.room // 8 + 1)
        while wanted > least and self._bytes(wanted) > self.memory:
            wanted = max(least, wanted - max(1, wanted // 8))
        if self._bytes(wanted) > self.memory:
            return False
        self.peak = max(self.peak, self._bytes(wanted))
        self.slots = np.zeros(0, dtype=np.uint32)
        self.keys = _longer(self.keys, wanted * self.words)
        self.columns = [_longer(column, wanted) for column in self.columns]
        self.slots = np.zeros(_slots(wanted), dtype=np.uint32)
        self._enter(self.slots, self.keys, self.words, 0, self.keys[: count * self.words].copy())
        return True

    def add(self, count: int, keys: NDArray[np.uint64]) -> int:
        """Enter distinct new keys [n, words] after the first `count` entries; returns the new count."""
        return self._enter(self.slots, self.keys, self.words, count, np.ascontiguousarray(keys).reshape(-1))


def _slots(entries: int) -> int:
    return 1 << (_SLOTS_PER_ENTRY * entries - 1).bit_length()


def _longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    longer = np.empty(length, dtype=array.dtype)
    longer[: len(array)] = array
    return longer
