"""Tie-breaking among equally good fillings: spend the pieces of a few colours first.

A greedy construction has many optimal fillings of its early regions. Pieces with one of a few chosen colours are placed
first, so that the remaining pieces have fewer colours and fit together more easily. This is the colour exhaustion of
the Eternity II community (J. Blackwood's solver, 2020), here as a small cost in the objective of a MILP.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.instance import Instance

__all__ = ["SHARE", "exhausted_colours", "steering_costs"]

SHARE = 0.49  # all costs of one region together stay below half a mismatch

_PARTS = 10**6  # costs are multiples of a millionth, for solvers that need integers


def exhausted_colours(instance: Instance, count: int | None) -> NDArray[np.int64]:
    """The inner colours to spend first: the `count` colours that together occur on the fewest pieces.

    None means one colour in six (2 of 10, 3 of 17), which performed best on META 2010 boards of 10 x 10 and 16 x 16.
    Only colours of inner pieces are chosen: those of the frame's own joints are needed until the end.
    """
    inner = np.setdiff1d(np.unique(instance.pieces[instance.piece_class == 0]), [0])
    count = min(-(-len(inner) // 6) if count is None else count, len(inner) - 1)
    if count <= 0:
        return np.zeros(0, dtype=np.int64)
    carries = {int(colour): (instance.pieces == colour).any(axis=1) for colour in inner}

    def carriers(chosen: tuple[int, ...]) -> int:
        return int(np.logical_or.reduce([carries[colour] for colour in chosen]).sum())

    return np.array(min(combinations(sorted(carries), count), key=carriers), dtype=np.int64)


def steering_costs(
    instance: Instance, colours: NDArray[np.int64], cells: int, noise: float, rng: Generator
) -> NDArray[np.float64]:
    """Cost of each placement, shape (4 * pieces,), too small for a region of `cells` cells to accept a mismatch.

    Parameters
    ----------
    colours
        Colours to use up first.
    noise
        Random part of a cost, relative to one side of a chosen colour; for diversity.
    """
    cost = -np.isin(instance.sides, colours).sum(axis=1).astype(float)
    if noise > 0:
        cost += noise * rng.random(cost.size)
    cost -= cost.min()
    top = cost.max()
    return np.floor(cost * (SHARE * _PARTS / (cells * top))) / _PARTS if top > 0 else cost
