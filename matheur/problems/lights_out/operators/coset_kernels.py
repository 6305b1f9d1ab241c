"""Kernels over GF(2) on 64-bit words, and over Z_k: lightest vector of a coset, and many boards by one inverse."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import popcount, trailing_zeros

__all__ = ["lightest", "lightest_modular", "press_all"]


@kernel
def lightest(begin, steps, vector, basis, best, weight):  # type: ignore[no-untyped-def]
    """Enumerate a coset in the order of a Gray code: one exclusive-or per step.

    Parameters
    ----------
    begin, steps
        Number of the vector to begin after (0 for the first), and number of vectors to visit.
    vector
        uint64[words]: vector number `begin`; overwritten by the last one visited.
    basis
        uint64[k, words]: step i flips basis vector `trailing_zeros(i)`.
    best
        uint64[words]: the lightest vector so far; overwritten.
    weight
        Number of ones in `best`.

    Returns
    -------
    int64
        Number of ones in the lightest vector.
    """
    words = vector.size
    for number in range(begin + 1, begin + steps + 1):
        row = trailing_zeros(np.uint64(number))
        ones = np.int64(0)
        for word in range(words):
            vector[word] ^= basis[row, word]
            ones += popcount(vector[word])
        if ones < weight:
            weight = ones
            best[:] = vector
    return weight


@kernel
def lightest_modular(begin, steps, vector, basis, orders, states, best, weight):  # type: ignore[no-untyped-def]
    """Enumerate a coset over Z_k in the order of a modular Gray code: one addition per step.

    Parameters
    ----------
    begin, steps, best
        See `lightest`.
    vector
        int16[n]: vector number `begin`; overwritten by the last one visited.
    basis, orders
        int16[m, n] and int64[m]: step i adds the vector with the largest number j such that the product of the orders
        before j divides i. Adding a vector as often as its order gives 0.
    states
        The modulus k.
    weight
        Sum of the entries of the lightest vector so far.

    Returns
    -------
    int64
        Sum of the entries of the lightest vector.
    """
    for number in range(begin + 1, begin + steps + 1):
        row, rest = 0, number
        while rest % orders[row] == 0 and row + 1 < orders.size:
            rest //= orders[row]
            row += 1
        total = np.int64(0)
        for entry in range(vector.size):
            value = vector[entry] + basis[row, entry]
            if value >= states:
                value -= states
            vector[entry] = value
            total += value
        if total < weight:
            weight = total
            best[:] = vector
    return weight


@kernel
def press_all(boards, inverse, presses):  # type: ignore[no-untyped-def]
    """Presses of many boards of at most 64 cells whose press matrix is invertible.

    Parameters
    ----------
    boards
        uint64[n]: lights, bit i = cell i.
    inverse
        uint64[cells]: row i of the inverse matrix.
    presses
        uint64[n]: output.
    """
    for number in range(boards.size):
        found = np.uint64(0)
        for cell in range(inverse.size):
            odd = np.uint64(popcount(boards[number] & inverse[cell]) & 1)
            found |= odd << np.uint64(cell)
        presses[number] = found
