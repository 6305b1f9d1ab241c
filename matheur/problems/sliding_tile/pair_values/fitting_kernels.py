"""Gradient steps for pair values, compiled."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["pass_over"]


@kernel(fastmath=True)
def pass_over(order, cells_of, error, own, shared, index, rate, share, decay):  # type: ignore[no-untyped-def]
    """One pass over samples, learning from each; returns the mean squared error, each taken before it is learnt from.

    Parameters
    ----------
    order
        int64[.]: numbers of the samples.
    cells_of
        uint8[n, cells].
    error
        float32[n]: what the part that is not learnt is above the target.
    own
        float32[cells, cells, cells, cells]: numbers of pairs `[i, a, j, b]`, j < i.
    shared
        float32[.]: numbers that pairs in like places have in common, at `index[i, a, j, b]`; those of the blank (0)
        have none.
    index
        int32[cells, cells, cells, cells].
    rate
        Part of a sample's error that a step takes away; 0: nothing is learnt.
    share
        Share of that part that the own numbers take.
    decay
        Decay of the numbers met, by a step of rate 1.
    """
    cells = cells_of.shape[1]
    part = np.float32(2.0 / (cells * (cells - 1)))
    total = 0.0
    keep_own, keep_shared = np.float32(1.0 - rate * share * decay), np.float32(1.0 - rate * (1.0 - share) * decay)
    for sample in order:
        at = cells_of[sample]
        value = error[sample]
        for i in range(1, cells):
            value += own[i, at[i], 0, at[0]]
            for j in range(1, i):
                value += own[i, at[i], j, at[j]] + shared[index[i, at[i], j, at[j]]]
        total += value * value
        if rate > 0:
            step = np.float32(rate * value * part)
            one, all_like = np.float32(share * step), np.float32((1.0 - share) * step)
            for i in range(1, cells):
                own[i, at[i], 0, at[0]] = keep_own * own[i, at[i], 0, at[0]] - one
                for j in range(1, i):
                    own[i, at[i], j, at[j]] = keep_own * own[i, at[i], j, at[j]] - one
                    place = index[i, at[i], j, at[j]]
                    shared[place] = keep_shared * shared[place] - all_like
    return total / max(1, order.size)
