"""States as the input of a network: one unit for each value of each component."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.statespace.domain import Domain

__all__ = ["Encoding"]


@dataclass(frozen=True, slots=True)
class Encoding:
    """One-hot inputs of a domain's states.

    Attributes
    ----------
    sizes
        Number of values of each component.
    """

    sizes: tuple[int, ...]

    @classmethod
    def of(cls, domain: Domain) -> Encoding:
        """From the domain's declaration: components are as wide as in its packing, and no value is above the symbols.

        Where all components are different (the domain has a ranking), there are as many values as symbols.
        """
        if domain.ranking is not None:
            return cls((domain.ranking.values,) * domain.packing.size)
        return cls(tuple(1 << width for width in domain.packing.widths))

    @property
    def units(self) -> int:
        """Length of the input."""
        return sum(self.sizes)

    @property
    def offsets(self) -> NDArray[np.int32]:
        """int32[components]: unit of value 0 of each component."""
        return np.cumsum([0, *self.sizes[:-1]]).astype(np.int32)

    def one_hot(self, states: NDArray[np.uint8]) -> NDArray[np.float32]:
        """float32[n, units] of states uint8[n, components].

        Raises
        ------
        ValueError
            If a state has another number of components, or a value that the encoding does not know.
        """
        rows = np.asarray(states)
        if rows.ndim != 2 or rows.shape[1] != len(self.sizes):
            raise ValueError(f"states have {len(self.sizes)} components each ({rows.shape})")
        if (rows >= np.array(self.sizes)).any():
            raise ValueError("a component of a state has a value that the encoding does not know")
        units = np.zeros((len(rows), self.units), dtype=np.float32)
        np.put_along_axis(units, rows + self.offsets.astype(np.int64), 1.0, axis=1)
        return units
