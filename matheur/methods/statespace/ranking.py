"""Dense numbering of partial permutations: states whose components are different values."""

from __future__ import annotations

from dataclasses import dataclass
from math import perm

import numpy as np
from numpy.typing import NDArray

__all__ = ["PartialPermutationRanking"]


@dataclass(frozen=True)
class PartialPermutationRanking:
    """Numbers 0 .. values! / (values - positions)! - 1 for rows of `positions` different values below `values`.

    Mixed radix: digit i counts the unused values below component i; component 0 has the highest place. With the used
    values as bits of a word, a digit is one population count.

    Attributes
    ----------
    values
        Number of values, at most 64.
    positions
        Number of components of a state, at most `values`.
    """

    values: int
    positions: int

    def __post_init__(self) -> None:
        if not 1 <= self.positions <= self.values <= 64:
            raise ValueError(f"positions must be 1 to values, values at most 64 ({self.positions}, {self.values})")

    @property
    def states(self) -> int:
        """Number of partial permutations."""
        return perm(self.values, self.positions)

    def rank(self, states: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Numbers int64[n] of states [n, positions], whose components must differ."""
        rows = np.asarray(states, dtype=np.uint64).reshape(-1, self.positions)
        used = np.zeros(len(rows), dtype=np.uint64)
        ranks = np.zeros(len(rows), dtype=np.int64)
        one = np.uint64(1)
        for i in range(self.positions):
            value = rows[:, i]
            below = np.bitwise_count(used & ((one << value) - one)).astype(np.int64)
            ranks = ranks * (self.values - i) + value.astype(np.int64) - below
            used |= one << value
        return ranks

    def unrank(self, ranks: NDArray[np.int64]) -> NDArray[np.uint8]:
        """States uint8[n, positions] of numbers int64[n]."""
        left = np.asarray(ranks, dtype=np.int64).copy()
        digits = np.empty((len(left), self.positions), dtype=np.int64)
        for i in range(self.positions - 1, -1, -1):
            left, digits[:, i] = np.divmod(left, self.values - i)
        states = np.empty((len(left), self.positions), dtype=np.uint8)
        free = np.ones((len(left), self.values), dtype=np.bool_)
        for i in range(self.positions):
            # The first value with more than digit i unused values up to itself.
            states[:, i] = (np.cumsum(free, axis=1) > digits[:, i : i + 1]).argmax(axis=1)
            free[np.arange(len(left)), states[:, i]] = False
        return states
