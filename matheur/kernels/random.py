"""Random numbers in kernels: two generators, each with a state of one uint64 in an array of length 1.

xorshift64* (Vigna 2016) must not start from 0; splitmix64 (Steele, Lea and Flood 2014) may start from any state. The
results for a seed depend on the generator, so a kernel must not switch to the other one.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["splitmix", "splitmix_below", "splitmix_uniform", "xorshift", "xorshift_below", "xorshift_uniform"]


@kernel
def xorshift(state):  # type: ignore[no-untyped-def]
    """Next 64 bits of xorshift64*."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return x * np.uint64(2685821657736338717)


@kernel
def xorshift_below(state, limit):  # type: ignore[no-untyped-def]
    """A random integer in [0, limit), limit < 2^31."""
    return (np.int64(xorshift(state) >> np.uint64(33)) * np.int64(limit)) >> np.int64(31)


@kernel
def xorshift_uniform(state):  # type: ignore[no-untyped-def]
    """A float64 in [0, 1)."""
    return np.float64(xorshift(state) >> np.uint64(11)) * 2.0**-53


@kernel(inline="always")
def splitmix(state):  # type: ignore[no-untyped-def]
    """Next 64 bits of splitmix64."""
    z = state[0] + np.uint64(0x9E3779B97F4A7C15)
    state[0] = z
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def splitmix_below(state, limit):  # type: ignore[no-untyped-def]
    """A random integer in [0, limit), limit < 2^31, from the high bits."""
    return np.int64(((splitmix(state) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@kernel(inline="always")
def splitmix_uniform(state):  # type: ignore[no-untyped-def]
    """A float64 in [0, 1)."""
    return np.float64(splitmix(state) >> np.uint64(11)) * 2.0**-53
