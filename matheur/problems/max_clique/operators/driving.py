"""Clique searches run in slices within a budget; shared by all operators of maximum clique."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError
from matheur.methods.clique.local_search import LocalSearch, Rule
from matheur.methods.clique.portfolio import Searching
from matheur.methods.clique.weighted_search import WeightedSearch

__all__ = ["EFFORT", "drive", "goal_of", "limit_of", "local_search", "outcome_of", "refuse_weights"]

EFFORT = 20_000_000
"""Number of selections of a construction if the budget sets no limit."""

_FIRST = 500
_SECONDS = 0.03


def goal_of(budget: Budget, problem: Any) -> int:
    """The size or weight at which a search may end."""
    most: int = problem.value_max
    return most if budget.target is None else max(0, min(most, -math.floor(budget.target)))


def limit_of(selections: int | None, budget: Budget, default: int | None = EFFORT) -> int | None:
    """Work limit of this call: the option, the rest of the budget, or `default` if nothing else ends the run."""
    limit = budget.affordable(selections)
    return default if limit is None and not budget.timed else limit


def drive(search: Searching, budget: Budget, limit: int | None, goal: int, best: int = 0) -> None:
    """Advance a search to its limit, the goal or the end of the budget, and offer every clique better than `best`.

    Work is booked as it is done, and always at least one unit.
    """
    # The first selections run regardless of the clock: kernels may have used up the time for compilation.
    if search.value < goal and limit != 0:
        search.advance(_FIRST if limit is None else min(_FIRST, limit), goal)
    booked = search.selections
    budget.spend(work=booked)
    if search.value > best:
        best = search.value
        budget.offer(search.vertices, -best)
    chunk = _FIRST
    while search.value < goal and not budget.exhausted:
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
        if search.value > best:
            best = search.value
            budget.offer(search.vertices, -best)
        if done == before:
            break
        chunk = max(100, int(min(4 * chunk, chunk * _SECONDS / max(took, 1e-6))))
    if booked == 0:
        budget.spend(work=1)


def outcome_of(
    problem: Any, vertices: NDArray[np.int32], incumbent: NDArray[np.int32] | None = None, *, finished: bool = True
) -> Outcome[NDArray[np.int32]]:
    """The outcome of a heuristic: its clique, if it is better than the incumbent."""
    value = problem.value(vertices)
    better = incumbent is None or value > problem.value(incumbent)
    missed = Status.NO_IMPROVEMENT if finished else Status.EXHAUSTED
    return Outcome(
        Status.IMPROVED if better else missed,
        vertices if better else None,
        -value if better else None,
    )


def local_search(
    problem: Any,
    rng: Generator,
    *,
    delta: int = 4,
    rule: Rule = "random",
    start: NDArray[np.int32] | None = None,
) -> LocalSearch | WeightedSearch:
    """The local search that precedes other methods: iterated local search, or tabu search if vertices have weights."""
    if problem.weights is not None:
        return WeightedSearch(problem.graph, problem.weights, rng, start=start)
    return LocalSearch(problem.graph, rng, delta=delta, rule=rule, start=start)


def refuse_weights(problem: Any, operator: str) -> None:
    """Reject a graph whose vertices have weights.

    Raises
    ------
    ConfigurationError
        If the graph has weights.
    """
    if problem.weights is not None:
        raise ConfigurationError(
            f"'{operator}' looks for many vertices, not for heavy ones. Maybe 'portfolio' or 'local-search', or "
            "instance.weights=none?"
        )
