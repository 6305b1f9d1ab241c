"""Construction `portfolio` whose tables take longer than a share of its time."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.loading import load_instance
from matheur.operators.plans import exact
from matheur.operators.plans.portfolio import Portfolio


def test_tables_may_take_longer_than_the_share_of_the_exact_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first search has no time left for its heuristic, the beams still get a plan."""
    now, calls = [0.0], count()
    real = exact.heuristic_of

    def slow(domain: Any, name: str, *, memory: int, budget: Budget) -> Any:
        next(calls)
        now[0] += 3.0
        budget.check()
        return real(domain, name, memory=memory, budget=budget)

    monkeypatch.setattr(exact, "heuristic_of", slow)
    _, problem = load_instance("cubical/demo")
    budget = Budget(seconds=1000, clock=lambda: now[0])
    outcome = Portfolio(seconds=2.0, width_max=64).build(problem, budget, np.random.default_rng(0))
    assert next(calls) == 1
    assert outcome.solution is not None
    assert problem.evaluate(outcome.solution).objective == outcome.objective
