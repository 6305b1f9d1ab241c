"""Runs a clique search in slices within a budget: what all operators of maximum clique share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.methods.clique.portfolio import Searching

__all__ = ["EFFORT", "drive", "goal_of", "limit_of", "outcome_of"]

EFFORT = 20_000_000
"""Selections of a construction where the budget has no end of its own."""

_FIRST = 500
_SECONDS = 0.03


def goal_of(budget: Budget, n: int) -> int:
    """The size at which a search may end."""
    return n if budget.target is None else max(0, min(n, -int(budget.target)))


def limit_of(selections: int | None, budget: Budget, default: int | None = EFFORT) -> int | None:
    """Work of this call: the option, what is left of the budget, or `default` where nothing else ends the run."""
    limit = budget.affordable(selections)
    return default if limit is None and not budget.timed else limit


def drive(search: Searching, budget: Budget, limit: int | None, goal: int, best: int = 0) -> None:
    """Advance a search to its limit, the goal or the end of the budget; offer every clique larger than `best`.

    Work is booked as it is done; at least one unit, whatever happens.
    """
    # The first selections follow whatever the clock says: kernels may have taken its time to compile.
    if search.size < goal and limit != 0:
        search.advance(_FIRST if limit is None else min(_FIRST, limit), goal)
    booked = search.selections
    budget.spend(work=booked)
    if search.size > best:
        best = search.size
        budget.offer(search.vertices, -best)
    chunk = _FIRST
    while search.size < goal and not budget.exhausted:
        before = search.selections
        room = chunk if limit is None else min(chunk, limit - before)
        if room <= 0:
            break
        began = budget.clock()
        search.advance(room, goal)
        took = budget.clock() - began
        done = search.selections
        budget.spend(work=done - before)
        booked += done - before
        if search.size > best:
            best = search.size
            budget.offer(search.vertices, -best)
        if done == before:
            break
        chunk = max(100, int(min(4 * chunk, chunk * _SECONDS / max(took, 1e-6))))
    if booked == 0:
        budget.spend(work=1)


def outcome_of(
    vertices: NDArray[np.int32], incumbent: NDArray[np.int32] | None = None, *, finished: bool = True
) -> Outcome[NDArray[np.int32]]:
    """The outcome of a heuristic: its clique, if there is no larger incumbent."""
    better = incumbent is None or len(vertices) > len(incumbent)
    missed = Status.NO_IMPROVEMENT if finished else Status.EXHAUSTED
    return Outcome(
        Status.IMPROVED if better else missed,
        vertices if better else None,
        -len(vertices) if better else None,
    )
