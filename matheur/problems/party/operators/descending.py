"""Shared part of the two descents: a kernel is called in slices until it has proved a local optimum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.problems.party.operators.move_kernels import BEST
from matheur.problems.party.operators.move_state import Puzzle, State
from matheur.problems.party.operators.moving import begin, effort, puzzle_of, state_of
from matheur.problems.party.operators.tables import Tables

__all__ = ["JUDGED", "Descent", "descend"]

JUDGED = 5_000_000
"""Approximate number of items evaluated between two checks of the clock."""

Descent = Callable[[NDArray[np.int64], int, int, int, State, Puzzle], tuple[int, int, int]]
"""A kernel: order of the moves, first move, moves without gain, limit of moves, state, puzzle -> the next move, moves
without gain, moves tried."""


def descend(
    problem: Any, incumbent: NDArray[np.int32], budget: Budget, rng: Generator, moves: str, kernel: Descent
) -> Outcome[NDArray[np.int32]]:
    """Try the moves cyclically in a random order until none lowers the price of the party.

    Parameters
    ----------
    moves
        Kind of the moves: `slots`, or `pairs` of slots with three moves each.

    Returns
    -------
    Outcome
        The local optimum or the best party so far. A party that violates demands is not changed: the status is then
        `NO_IMPROVEMENT`, without a solution.
    """
    tables = Tables.of_any(problem.instance)
    state, puzzle = state_of(tables, rng), puzzle_of(tables)
    places = tables.to_places(incumbent)
    if (places < 0).any() or not begin(state, puzzle, places):
        return Outcome(Status.NO_IMPROVEMENT)
    start = price = int(state.sums[BEST])
    numbers = puzzle.free if moves == "slots" else np.arange(3 * len(puzzle.pairs))
    order = rng.permutation(numbers).astype(np.int64)
    size = max(1, JUDGED // (max(1, int(np.diff(tables.starts).max())) * effort(puzzle)))
    first = idle = 0
    while idle < len(order) and not budget.exhausted and not budget.reached(price):
        first, idle, tried = kernel(order, first, idle, budget.limit(size), state, puzzle)
        budget.spend(work=tried, iterations=tried)
        if state.sums[BEST] < price:
            price = int(state.sums[BEST])
            budget.offer(tables.from_places(state.best), price)
    unchanged = Status.LOCAL_OPTIMUM if idle >= len(order) else Status.EXHAUSTED
    status = Status.IMPROVED if price < start else unchanged
    return Outcome(status, tables.from_places(state.best), price)
