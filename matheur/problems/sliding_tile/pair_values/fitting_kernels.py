"""Gradient steps for pair values, compiled."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["pass_over"]


@kernel(fastmath=True)
def pass_over(order, cells_of, error, own, shared, index, rate, share, decay):  # type: ignore[no-untyped-def]
    """One pass of gradient steps over samples; returns the mean squared error, measured before each step.

    Parameters
    ----------
    order
        int64[.]: indices of the samples.
    cells_of
        uint8[n, cells].
    error
        float32[n]: excess of the fixed part of the estimate over the target.
    own
        float32[cells, cells, cells, cells]: values of pairs `[i, a, j, b]`, j < i.
    shared
        float32[.]: values shared by pairs in similar positions, at `index[i, a, j, b]`; pairs with the blank (0) have
        none.
    index
        int32[cells, cells, cells, cells].
    rate
        Share of a sample's error that a step removes; 0: nothing is learnt.
    share
        Share of this correction that goes to the pair's own values.
    decay
        Decay of the values visited, per step of rate 1.
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
