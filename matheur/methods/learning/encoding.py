"""States as the input of a network: one unit for each value of each component."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.domain import Domain

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
        """From the domain's declaration: the width of each component in its packing, and the number of symbols.

        If all components are different (the domain has a ranking), there are as many values as symbols.
        """
        if domain.ranking is not None:
            return cls((domain.ranking.values,) * domain.packing.size)
        return cls(tuple(1 << width for width in domain.packing.widths))

    @property
    def units(self) -> int:
        """Number of inputs."""
        return sum(self.sizes)

    @property
    def offsets(self) -> NDArray[np.int32]:
        """int32[components]: unit of value 0 of each component."""
        return np.cumsum([0, *self.sizes[:-1]]).astype(np.int32)
