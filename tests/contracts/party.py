"""Tiny party puzzles for the contract of operators, with best prices found by enumeration."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from problems.party.brute_force import all_parties, best_price, tiny_instance

from matheur.problems.party import Party


@cache
def _found() -> dict[str, tuple[Party, int, NDArray[np.int32]]]:
    """Find puzzles with at least two prices; return problem, best price and a party that costs more."""
    found = {}
    for seed in range(200):
        problem = Party(tiny_instance(seed))
        best = best_price(problem)
        dearer = None
        for party in all_parties(problem):
            if best is not None and problem.evaluate(party).objective > best:
                dearer = np.array(party, dtype=np.int32)
                break
        if dearer is not None and best is not None:
            dearer.setflags(write=False)
            found[f"tiny{seed}"] = (problem, best, dearer)
        if len(found) == 3:
            break
    return found


PUZZLES = tuple(_found())


def puzzle(name: str) -> Party:
    """Return the puzzle with a name of `PUZZLES`."""
    return _found()[name][0]


def _row(problem: Party) -> tuple[Party, int, NDArray[np.int32]]:
    return next(row for row in _found().values() if row[0] is problem)


def optimum(problem: Party) -> int:
    """Return the least price of a puzzle."""
    return _row(problem)[1]


def some_party(problem: Party) -> NDArray[np.int32]:
    """Return a party that is not the cheapest, as a read-only array."""
    return _row(problem)[2]
