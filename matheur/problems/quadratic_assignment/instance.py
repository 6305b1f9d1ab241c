"""A quadratic assignment problem: facilities on locations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAGNITUDE_MAX", "Instance"]

MAGNITUDE_MAX = 1 << 60
"""Sum over all pairs of |flow| times the largest |distance| (or the other way round) must stay below this."""

_SAFE = MAGNITUDE_MAX / 2  # in floating point nothing from here on is taken on trust


@dataclass(frozen=True, eq=False)
class Instance:
    """Place n facilities on n locations so that the sum of flow times distance is least (Koopmans, Beckmann 1957).

    Attributes
    ----------
    flows
        First matrix of the file, a[i, j] from facility i to j; any integers, also asymmetric. Shape (n, n), int64.
    distances
        Second matrix, b[k, l] from location k to l. Shape (n, n), int64.
    name
        For people.
    decimals
        Decimals by which the flows and the distances of the file were scaled to become whole numbers: the
        objective counts in units of 1 / 10**(sum of both).

    Raises
    ------
    ValueError
        If the matrices are not square of one size, or so large that a sum could overflow.
    """

    flows: NDArray[np.int64]
    distances: NDArray[np.int64]
    name: str = ""
    decimals: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        shape = self.flows.shape
        if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0 or self.distances.shape != shape:
            raise ValueError(f"flows {shape} and distances {self.distances.shape} must be square and of one size")
        if _worst(self.flows, self.distances, float) >= _SAFE:
            worst = _worst(self.flows, self.distances, object)
            if worst >= MAGNITUDE_MAX:
                raise ValueError(f"the numbers are so large that a sum could overflow ({worst})")

    @property
    def n(self) -> int:
        """Number of facilities and of locations."""
        return len(self.flows)

    @cached_property
    def symmetric(self) -> bool:
        """Whether both matrices are symmetric."""
        return bool((self.flows == self.flows.T).all() and (self.distances == self.distances.T).all())

    @cached_property
    def grain(self) -> int:
        """Every objective is a multiple of this number (at least 1): symmetric instances have even ones, say."""
        common = int(np.gcd.reduce(self.flows, axis=None)) * int(np.gcd.reduce(self.distances, axis=None))
        pairs = not (np.diagonal(self.flows).any() and np.diagonal(self.distances).any())
        return max(1, 2 * common if self.symmetric and pairs else common)


def _worst(flows: NDArray[np.int64], distances: NDArray[np.int64], exact: type) -> float:
    """What no sum of products exceeds, in floating point or (with `object`) in exact integers."""
    a: NDArray[Any] = abs(flows.astype(exact))
    b: NDArray[Any] = abs(distances.astype(exact))
    return min(a.sum() * b.max(), b.sum() * a.max())
