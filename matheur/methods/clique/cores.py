"""Core numbers of a sparse graph, and the order in which they are found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cores", "cores_of"]


@dataclass(frozen=True, eq=False, slots=True)
class Cores:
    """The order of least degree: each vertex has the fewest neighbours among the remaining vertices.

    A place is a position in this order. The vertices of a clique of size k have core number k - 1 or more, and all of
    them but the first are later neighbours of the first.

    Attributes
    ----------
    order
        The vertex at each place.
    core
        The core number at each place, ascending: the largest d for which the vertex lies in a subgraph of minimum
        degree d.
    begins, later
        The neighbours of place i that come after it, ascending: `later[begins[i]:begins[i + 1]]`.
    colour
        A greedy colouring from the last place to the first, from 0.
    colours
        Number of colours: no clique is larger.
    """

    order: NDArray[np.int32]
    core: NDArray[np.int32]
    begins: NDArray[np.int64]
    later: NDArray[np.int32]
    colour: NDArray[np.int32]
    colours: int

    @property
    def degeneracy(self) -> int:
        """The largest core number."""
        return int(self.core[-1]) if len(self.core) else 0

    def first_of(self, core: int) -> int:
        """The first place whose core number is at least `core`."""
        return int(np.searchsorted(self.core, core))


def cores_of(ptr: NDArray[np.int64], idx: NDArray[np.int32]) -> Cores:
    """The cores of a graph given by its neighbours in compressed rows; takes time and memory linear in the edges."""
    # Numba is imported where it is used: importing the package must stay cheap.
    from matheur.methods.clique import sparse_kernels as kernels

    n = len(ptr) - 1
    order, core, colour = (np.zeros(n, dtype=np.int32) for _ in range(3))
    begins, later = np.zeros(n + 1, dtype=np.int64), np.zeros(len(idx) // 2, dtype=np.int32)
    kernels.cores(ptr, idx, order, core)
    kernels.orient(ptr, idx, order, begins, later)
    return Cores(order, core, begins, later, colour, int(kernels.colours(begins, later, colour)))
