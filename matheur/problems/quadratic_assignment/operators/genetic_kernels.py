"""Kernels of the memetic algorithm: crossover and mutation of permutations.

A crossover costs O(n) (uniform) or O(n^2) (block): microseconds, while the tabu search of the child takes milliseconds.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import xorshift_below, xorshift_uniform

__all__ = ["cross_block", "cross_uniform", "scramble"]


@kernel
def cross_uniform(first, second, state, child):  # type: ignore[no-untyped-def]
    """Uniform crossover: write a permutation to `child` whose genes come from the parents as far as possible.

    In random order, each gene takes the value of a random parent, or the other parent's value if that is already taken;
    genes for which both values are taken receive the remaining values. Common genes of the parents are kept.
    """
    n = first.size
    free = np.ones(n, dtype=np.bool_)
    order = np.arange(n)
    for i in range(n):
        child[i] = -1
    for k in range(n):
        other = k + xorshift_below(state, n - k)
        order[k], order[other] = order[other], order[k]
        i = order[k]
        one, two = first[i], second[i]
        if xorshift_below(state, 2) == 1:
            one, two = two, one
        if free[one]:
            child[i] = one
            free[one] = False
        elif free[two]:
            child[i] = two
            free[two] = False
    rest = 0
    for value in range(n):
        if free[value]:
            order[rest] = value
            rest += 1
    for i in range(n):
        if child[i] < 0:
            k = xorshift_below(state, rest)
            child[i] = order[k]
            rest -= 1
            order[k] = order[rest]


@kernel
def cross_block(first, second, ties, state, child):  # type: ignore[no-untyped-def]
    """Block crossover: a block of connected genes from the first parent, the others from the second.

    The block has a quarter to three quarters of the genes. It grows from a random gene; each further gene is drawn with
    probability proportional to its ties to the block, or uniformly if there are none. A gene outside the block whose
    value is used in the block takes the value of the second parent at that place of the block, and so on (partially
    mapped crossover). Common genes of the parents are kept.

    Parameters
    ----------
    ties
        float64, shape (n, n), symmetric, non-negative: strength of the connection of two genes.
    """
    n = first.size
    size = n // 4 + xorshift_below(state, max(n - 2 * (n // 4), 1)) + 1
    weights = np.zeros(n, dtype=np.float64)
    outside = np.arange(n)
    place = np.full(n, -1, dtype=np.int64)  # gene of the block with this value
    for step in range(min(size, n)):
        left = n - step
        total = 0.0
        for k in range(left):
            total += weights[outside[k]]
        chosen = left - 1
        if total > 0.0:
            mark = total * xorshift_uniform(state)
            for k in range(left):
                mark -= weights[outside[k]]
                if mark < 0.0:
                    chosen = k
                    break
        else:
            chosen = xorshift_below(state, left)
        i = outside[chosen]
        outside[chosen] = outside[left - 1]
        child[i] = first[i]
        place[first[i]] = i
        for j in range(n):
            weights[j] += ties[i, j]
    for k in range(n - min(size, n)):
        value = second[outside[k]]
        while place[value] >= 0:
            value = second[place[value]]
        child[outside[k]] = value


@kernel
def scramble(permutation, count, state):  # type: ignore[no-untyped-def]
    """Move `count` random genes, each to the value of the next one: a random cycle."""
    n = permutation.size
    order = np.arange(n)
    for k in range(count):
        other = k + xorshift_below(state, n - k)
        order[k], order[other] = order[other], order[k]
    if count > 1:
        kept = permutation[order[0]]
        for k in range(count - 1):
            permutation[order[k]] = permutation[order[k + 1]]
        permutation[order[count - 1]] = kept
