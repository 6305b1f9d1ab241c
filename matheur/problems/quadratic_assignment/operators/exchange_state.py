"""A permutation with tables of the cost change of every exchange of two facilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.operators.tabu_kernels import prepare, renew

__all__ = ["ExchangeState", "Matrices", "kernel_state", "objective"]

LINE = 64  # bytes of a cache line, to which rows are aligned
NARROW = 1 << 30  # magnitude up to which 32-bit numbers compare safely
WIDE = 1 << 62
_PIECE = 1 << 26  # steps of a kernel


def kernel_state(rng: Generator) -> NDArray[np.uint64]:
    """The random state of a kernel: one odd 64-bit word drawn from `rng`."""
    return rng.integers(1 << 63, size=1, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def objective(instance: Instance, permutation: NDArray[np.int32]) -> int:
    """Cost of a permutation, as computed by operators."""
    return instance.cost(permutation)


def _zeros(shape: tuple[int, ...], dtype: np.dtype[np.signedinteger]) -> NDArray[np.signedinteger]:
    """Zeros aligned to a cache line, which saves a quarter of the time of an exchange."""
    size = int(np.prod(shape)) * dtype.itemsize
    room = np.zeros(size + LINE, dtype=np.uint8)
    begin = -room.ctypes.data % LINE
    return room[begin : begin + size].view(dtype).reshape(shape)


@dataclass(frozen=True, slots=True)
class Matrices:
    """Flows and distances as the kernels read them, see `tabu_kernels`.

    Attributes
    ----------
    flows, distances
        Shape (1 or 2, n, width), with zero diagonals. If neither matrix is symmetric, there are two entries, the second
        one transposed. Otherwise there is one entry, and the transpose is added to the matrix that is not symmetric (if
        both are symmetric, to the distances). Padded with zeros; int32 if no cost change of an exchange can come near
        its limit.
    linear
        Shape (n, width): cost of facility i in location l from the two diagonals and the linear costs.
    largest
        The number that marks tabu entries, larger than every change.
    """

    flows: NDArray[np.signedinteger]
    distances: NDArray[np.signedinteger]
    linear: NDArray[np.signedinteger]
    largest: int

    @classmethod
    def of(cls, instance: Instance, *, wide: bool = False) -> Matrices:
        """Copy the matrices of an instance; always as 64-bit numbers if `wide`."""
        n = instance.n
        flows, distances = instance.flows.copy(), instance.distances.copy()
        linear = instance.assignments
        np.fill_diagonal(flows, 0)
        np.fill_diagonal(distances, 0)
        if (flows == flows.T).all():
            terms = [(flows, distances + distances.T)]
        elif (distances == distances.T).all():
            terms = [(flows + flows.T, distances)]
        else:
            terms = [(flows, distances), (flows.T, distances.T)]
        narrow = not wide and sum(_bound(*term) for term in terms) + 4 * int(abs(linear).max()) < NARROW
        dtype: np.dtype[np.signedinteger] = np.dtype(np.int32) if narrow else np.dtype(np.int64)
        width = -(-n * dtype.itemsize // LINE) * LINE // dtype.itemsize
        padded = [_zeros((len(terms), n, width), dtype) for _ in range(2)]
        for index, term in enumerate(terms):
            for side in range(2):
                padded[side][index, :, :n] = term[side]
        own = _zeros((n, width), dtype)
        own[:, :n] = linear
        return cls(padded[0], padded[1], own, NARROW if narrow else WIDE)


def _bound(first: NDArray[np.int64], second: NDArray[np.int64]) -> int:
    """Upper bound on the change of one term by an exchange: four times the heaviest column times the other's range."""
    return 4 * min(int(abs(a).sum(axis=0).max()) * int(np.ptp(b)) for a, b in ((first, second), (second, first)))


class ExchangeState:
    """A permutation, and the tables of the kernels for it.

    Attributes
    ----------
    p, q
        int32: the location of each facility, and the facility in each location.
    potential, change
        C and D of `tabu_kernels`, shape (n, width).
    floor, typed, work
        Workspace and constants of the kernels.
    """

    __slots__ = ("change", "floor", "matrices", "p", "potential", "q", "typed", "work")

    def __init__(self, matrices: Matrices, permutation: NDArray[np.int32]) -> None:
        n, width = matrices.linear.shape
        dtype = matrices.linear.dtype
        self.matrices: Matrices = matrices
        self.p: NDArray[np.int32] = np.empty(n, dtype=np.int32)
        self.q: NDArray[np.int32] = np.empty(n, dtype=np.int32)
        self.potential: NDArray[np.signedinteger] = _zeros((n, width), dtype)
        self.change: NDArray[np.signedinteger] = _zeros((n, width), dtype)
        self.work: NDArray[np.signedinteger] = _zeros((6, width), dtype)
        self.floor: NDArray[np.signedinteger] = _zeros((width,), dtype)
        self.floor[:n], self.floor[n:] = -matrices.largest, matrices.largest
        self.typed: NDArray[np.signedinteger] = np.array([matrices.largest, 0, 0], dtype=dtype)
        self.place(permutation)

    def place(self, permutation: NDArray[np.int32]) -> None:
        """Start from another permutation."""
        m = self.matrices
        self.p[:] = permutation
        self.q[self.p] = np.arange(self.p.size, dtype=np.int32)
        n = self.p.size
        step = max(1, _PIECE // (n * n))  # so that a request to stop takes effect between two pieces
        for begin in range(0, n, step):
            prepare(begin, min(n, begin + step), m.flows, m.distances, m.linear, self.p, self.potential)
        renew(0, n, m.flows, m.distances, self.p, self.q, self.potential, self.change)
