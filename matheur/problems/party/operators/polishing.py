"""A quick descent for many parties: each slot in turn gets its cheapest item."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.party.operators import move_kernels as kernels
from matheur.problems.party.operators.moving import puzzle_of, state_of, weights
from matheur.problems.party.operators.tables import Tables

__all__ = ["polish"]

ROUNDS, FACTOR = 5, 8.0  # number of times that the prices of violations rise, and the factor
COINS = 0.25  # initial price of a violation, as a multiple of the mean item price


def polish(
    tables: Tables, genomes: NDArray[np.int32], rng: Generator
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
    """Descend from each party by replacements of single items until no replacement is better.

    A feasible party stays feasible. For an infeasible party, the cost is its price plus the weighted violations; the
    weights rise until the party is feasible or the number of rounds is reached.

    Parameters
    ----------
    genomes
        Complete parties of different items as catalogue numbers, shape (k, slots), int32; not modified.

    Returns
    -------
    genomes, prices, feasible
        Improved parties, shape (k, slots), int32; their prices, shape (k,), int64, exact also for infeasible parties;
        and whether each is feasible, shape (k,), bool.

    Raises
    ------
    ValueError
        If an item does not fit its slot or occurs twice.
    """
    places = tables.to_places(np.asarray(genomes, dtype=np.int32).reshape(-1, tables.slots))
    if (places < 0).any() or (np.diff(np.sort(tables.candidates[places], axis=1), axis=1) == 0).any():
        raise ValueError("a party to polish has a different, fitting item in each slot")
    prices = np.zeros(len(places), dtype=np.int64)
    feasible = np.zeros(len(places), dtype=np.bool_)
    state, puzzle = state_of(tables, rng), puzzle_of(tables)
    if len(places):
        mean = max(1.0, float(puzzle.prices[places].mean()))
        state.middle[:] = weights(tables, COINS * mean)
        kernels.polish(places, prices, feasible, ROUNDS, FACTOR, kernels.NONE, state, puzzle)
    return tables.from_places(places), prices, feasible
