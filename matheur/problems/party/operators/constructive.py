"""Construction `constructive`: parties made slot by slot, the best of some feasible ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, check_order, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.party.operators.constructing import MATCH, MIXED, UNGUIDED, construct
from matheur.problems.party.operators.describing import costs
from matheur.problems.party.operators.tables import Tables

__all__ = ["Constructive"]

GUIDANCES = {"mixed": MIXED, "match": MATCH, "unguided": UNGUIDED}
CHUNK = 32  # constructions between two checks of the clock


@dataclass(frozen=True, slots=True)
class Constructive:
    """Algorithm 1 of the paper on the Party Building Puzzle (section IV-B), repeated many times.

    Slots are filled one by one with items that pass the forward checks of all constraints. A party that gets stuck or
    fails the synergy demand is abandoned.

    Work: constructions, abandoned or not.

    Attributes
    ----------
    tries
        Number of constructions, of which the cheapest feasible party is returned.
    attempts
        Number of constructions after which to give up if none is feasible.
    guide
        Criterion for choosing items: `mixed` (matches, slack and price), `match` (matches only, as in the paper) or
        `unguided` (random).
    lookahead
        Whether to check sums by the best amounts still available in each empty slot. Otherwise the best amount of all
        items is used.
    """

    tries: int = option(100, minimum=1)
    attempts: int = 20_000
    guide: Literal["mixed", "match", "unguided"] = "mixed"
    lookahead: bool = True

    def __post_init__(self) -> None:
        check_options(self)
        check_order(self, "tries", "attempts")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Return the cheapest feasible party of the constructions; no solution if none is feasible."""
        tables = Tables.of(problem.instance)
        guidance = replace(GUIDANCES[self.guide], lookahead=self.lookahead)
        best: NDArray[np.int32] | None = None
        price: int | None = None
        made = 0
        while made < (self.attempts if best is None else self.tries):
            if budget.exhausted or budget.reached(price):
                break
            size = budget.limit(min(CHUNK, self.tries - made % self.tries))
            empty = np.full((size, tables.slots), -1, dtype=np.int32)
            parties, feasible = construct(tables, empty, rng, attempts=1, guidance=guidance)
            budget.spend(work=size, iterations=size)
            made += size
            for party in parties[feasible]:
                cost = int(costs(problem.instance, party[None])[0])
                if price is None or cost < price:
                    best, price = party.copy(), cost
                    budget.offer(best, price)
        status = Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT
        status = status if best is None else Status.IMPROVED
        return Outcome(status, best, price)
