"""The press matrix over the integers modulo k, for boards whose lights have more than two states.

By the Chinese remainder theorem, a system modulo k splits into one system for each prime power q = p^e of k. For each
of these, columns are eliminated with the pivot of least p-adic valuation, which divides all remaining entries. The
matrix becomes A V = H with an invertible V and pivots 1, p, p^2, ... in different rows. A column of V whose pivot is
p^v, multiplied by p^(e-v), is therefore a set of presses that changes nothing. These sets are independent: together
with the zero columns, they represent each element of the kernel as a unique sum with coefficients below their orders.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from matheur.problems.lights_out.instance import Instance

__all__ = ["ModularElimination", "Vector", "eliminate_modular"]

Vector = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Pivot:
    """Column `image` of H, with `value` in row `row` and 0 in the rows of earlier pivots, produced by `presses`."""

    row: int
    value: int
    image: Vector
    presses: Vector


@dataclass(frozen=True, eq=False)
class _PrimePower:
    """The elimination modulo one prime power: its pivots, and the kernel as pairs of a vector and its order."""

    modulus: int
    presses: int
    pivots: tuple[_Pivot, ...]
    kernel: tuple[tuple[Vector, int], ...]

    def solve(self, needed: Vector) -> Vector | None:
        left, found = needed % self.modulus, np.zeros(self.presses, dtype=np.int64)
        for pivot in self.pivots:
            times, rest = divmod(int(left[pivot.row]), pivot.value)
            if rest:
                return None
            if times:
                left = (left - times * pivot.image) % self.modulus
                found = (found + times * pivot.presses) % self.modulus
        return None if left.any() else found


@dataclass(frozen=True, eq=False)
class ModularElimination:
    """The elimination modulo all prime powers of the number of states.

    Attributes
    ----------
    states
        The modulus.
    kernel
        Independent sets of presses that change nothing, each with its order, that is, the number of times that it is
        added to give 0.
    """

    states: int
    parts: tuple[_PrimePower, ...]
    left: tuple[_PrimePower, ...]
    kernel: tuple[tuple[Vector, int], ...]

    @property
    def solutions(self) -> int:
        """Number of solutions of a solvable board."""
        return prod(order for _, order in self.kernel)

    def solve(self, needed: Vector) -> Vector | None:
        """Number of times, 0 to `states` - 1, that each press is made to add `needed`; None if that is impossible."""
        total = None
        for part in self.parts:
            found = part.solve(needed)
            if found is None:
                return None
            shared = _idempotent(self.states, part.modulus) * found
            total = (shared if total is None else total + shared) % self.states
        return total

    def witness(self, needed: Vector) -> tuple[Vector, int] | None:
        """Weights of lights and a divisor q of `states`: no press changes the weighted sum modulo q, but `needed` does.

        Returns None if there is a solution.
        """
        for part in self.left:
            for weights, _ in part.kernel:
                if int(weights @ needed) % part.modulus:
                    return weights, part.modulus
        return None


def _idempotent(states: int, modulus: int) -> int:
    """The number that is 1 modulo the prime power and 0 modulo the remaining factor of the number of states."""
    rest = states // modulus
    return rest * pow(rest, -1, modulus) if modulus > 1 else 0


def _prime_powers(number: int) -> list[tuple[int, int]]:
    """Prime factors of a number with their exponents."""
    found, prime = [], 2
    while number > 1:
        exponent = 0
        while number % prime == 0:
            number, exponent = number // prime, exponent + 1
        if exponent:
            found.append((prime, exponent))
        prime += 1
    return found


def _eliminated(matrix: Vector, prime: int, exponent: int) -> _PrimePower:
    """Eliminate the columns of a matrix [rows, columns]."""
    modulus = prime**exponent
    rows, columns = matrix.shape
    # Row j of `work` is column j of the matrix, followed by the presses that produce it.
    work = np.hstack([matrix.T % modulus, np.eye(columns, dtype=np.int64)])
    left, free = list(range(columns)), np.ones(rows, dtype=np.bool_)
    pivots: list[_Pivot] = []
    kernel: list[tuple[Vector, int]] = []
    for valuation in range(exponent):
        value, later = prime**valuation, []
        for place, column in enumerate(left):
            fits = np.flatnonzero((work[column, :rows] % (value * prime) != 0) & free)
            if not fits.size:
                later.append(column)
                continue
            row = int(fits[0])
            unit = pow(int(work[column, row]) // value, -1, modulus)
            work[column] = work[column] * unit % modulus
            others = np.array([*later, *left[place + 1 :]], dtype=np.int64)
            others = others[work[others, row] != 0]
            times = work[others, row] // value
            used = np.flatnonzero(work[column])
            changed = work[np.ix_(others, used)] - times[:, None] * work[column, used]
            work[np.ix_(others, used)] = changed % modulus
            free[row] = False
            pivots.append(_Pivot(row, value, work[column, :rows].copy(), work[column, rows:].copy()))
            if valuation:
                kernel.append((work[column, rows:] * prime ** (exponent - valuation) % modulus, value))
        left = later
    kernel.extend((work[column, rows:].copy(), modulus) for column in left)
    return _PrimePower(modulus, columns, tuple(pivots), tuple(kernel))


@lru_cache(maxsize=8)
def _all_eliminated(effects: tuple[tuple[tuple[int, int], ...], ...], cells: int, states: int) -> ModularElimination:
    matrix = np.zeros((cells, len(effects)), dtype=np.int64)
    for press, effect in enumerate(effects):
        for cell, amount in effect:
            matrix[cell, press] = amount
    powers = _prime_powers(states)
    parts = tuple(_eliminated(matrix, *power) for power in powers)
    symmetric = matrix.shape[0] == matrix.shape[1] and bool((matrix == matrix.T).all())
    left = parts if symmetric else tuple(_eliminated(np.ascontiguousarray(matrix.T), *power) for power in powers)
    kernel = [
        (_idempotent(states, part.modulus) * vector % states, order) for part in parts for vector, order in part.kernel
    ]
    return ModularElimination(states, parts, left, tuple(kernel))


def eliminate_modular(instance: Instance) -> ModularElimination:
    """The elimination of the press matrix of a board; boards with the same presses share it."""
    return _all_eliminated(instance.effects, instance.cells, instance.states)
