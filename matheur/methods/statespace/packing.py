"""States as rows of small integers, and the same states packed into 64-bit words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Packing"]

_WORD = 64


@dataclass(frozen=True)
class Packing:
    """The position of each component of a state in its key.

    Components are laid out one after the other from the lowest bit; none is split between two words. Keys of one word
    are therefore also small numbers: with widths that add up to b bits, every key is below 2**b.

    Attributes
    ----------
    widths
        Number of bits of each component, from 1 to 8.
    words
        Number of 64-bit words of a key.
    word, shift
        int64[size]: word and lowest bit of each component.
    """

    widths: tuple[int, ...]
    words: int = field(init=False)
    word: NDArray[np.int64] = field(init=False, repr=False, compare=False)
    shift: NDArray[np.int64] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.widths or not all(1 <= width <= 8 for width in self.widths):
            raise ValueError(f"widths must be 1 to 8 bits each, at least one ({self.widths})")
        place, word, shift = 0, [], []
        for width in self.widths:
            if place % _WORD + width > _WORD:
                place += _WORD - place % _WORD
            word.append(place // _WORD)
            shift.append(place % _WORD)
            place += width
        object.__setattr__(self, "words", word[-1] + 1)
        object.__setattr__(self, "word", np.array(word, dtype=np.int64))
        object.__setattr__(self, "shift", np.array(shift, dtype=np.int64))

    @property
    def size(self) -> int:
        """Number of components of a state."""
        return len(self.widths)

    @property
    def bits(self) -> int:
        """Number of low bits that a key of one word uses; for several words, the bits of all words including gaps."""
        return int(self.word[-1]) * _WORD + int(self.shift[-1]) + self.widths[-1]

    def pack(self, states: NDArray[np.uint8] | Sequence[Sequence[int]]) -> NDArray[np.uint64]:
        """Keys [n, words] of states [n, size].

        Raises
        ------
        ValueError
            If a component does not fit its width.
        """
        rows = np.ascontiguousarray(states, dtype=np.uint8).reshape(-1, self.size)
        if (rows >> np.array([min(width, 7) for width in self.widths], dtype=np.uint8)).any() and any(
            (rows[:, i] >= 1 << width).any() for i, width in enumerate(self.widths)
        ):
            raise ValueError("a component of a state does not fit its width")
        keys = np.zeros((len(rows), self.words), dtype=np.uint64)
        for i in range(self.size):
            keys[:, self.word[i]] |= rows[:, i].astype(np.uint64) << np.uint64(self.shift[i])
        return keys

    def unpack(self, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """States [n, size] of keys [n, words]."""
        table = np.asarray(keys, dtype=np.uint64).reshape(-1, self.words)
        states = np.empty((len(table), self.size), dtype=np.uint8)
        for i, width in enumerate(self.widths):
            states[:, i] = (table[:, self.word[i]] >> np.uint64(self.shift[i])) & np.uint64((1 << width) - 1)
        return states
