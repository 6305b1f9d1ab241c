"""The items of a party puzzle: prices, traits (text) and measures (numbers), as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNBUYABLE", "Catalogue", "Measure", "Trait"]

UNBUYABLE = -1
"""Price of an item that cannot be bought."""


@dataclass(frozen=True, slots=True, eq=False)
class Trait:
    """A column of text.

    Attributes
    ----------
    values
        Distinct non-empty values, sorted.
    codes
        Index of the value of each item in `values`, -1 for an empty cell. Shape (items,), int32.
    """

    values: tuple[str, ...]
    codes: NDArray[np.int32]

    def value(self, item: int) -> str | None:
        """Return the cell of an item; None if it is empty."""
        code = int(self.codes[item])
        return None if code < 0 else self.values[code]

    def among(self, values: Iterable[str]) -> NDArray[np.bool_]:
        """Whether each item has one of these values. Shape (items,)."""
        wanted = frozenset(values)
        # The code -1 of an empty cell selects the last entry.
        found: NDArray[np.bool_] = np.array([*(value in wanted for value in self.values), False])[self.codes]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """A column of numbers, exact: number = amount / scale.

    Attributes
    ----------
    amounts
        Scaled numbers; 0 if the cell is empty. Shape (items,), int64.
    missing
        Whether the cell is empty. Shape (items,), bool.
    scale
        Scale of the amounts, a power of ten.
    """

    amounts: NDArray[np.int64]
    missing: NDArray[np.bool_]
    scale: int = 1

    def number(self, item: int) -> Fraction:
        """Return the number of an item."""
        return Fraction(int(self.amounts[item]), self.scale)


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """All items, in the order of their file, with the columns that the puzzle uses.

    Attributes
    ----------
    ids
        Unique ids of the items.
    prices
        Prices, non-negative whole numbers; `UNBUYABLE` for an item without a price. Shape (items,), int64.
    traits, measures
        Columns of text and of numbers by name; a column may be both.
    """

    ids: Sequence[str]
    prices: NDArray[np.int64]
    traits: Mapping[str, Trait] = field(default_factory=dict)
    measures: Mapping[str, Measure] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)
