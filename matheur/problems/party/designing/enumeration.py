"""Enumeration of all parties up to a price by branch and bound with the Lagrangian bound."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.problems.party import Party
from matheur.problems.party.operators.branching import Tree
from matheur.problems.party.operators.lagrangian import Lagrangian

__all__ = ["enumerate_parties"]

Rows = NDArray[np.int32]


class _All(Tree):
    """A tree that passes on every party and does not lower the price limit."""

    on_party: Callable[[Rows, int], None]

    def _consider(self, party: Rows) -> None:
        price = self.evaluate(party)
        if price is not None and price <= self.price_max:
            self.on_party(party, price)


def enumerate_parties(
    problem: Party, cap: int, budget: Budget, on_party: Callable[[Rows, int], None], full: Callable[[], bool]
) -> int:
    """Enumerate the parties that cost at most `cap`, roughly by ascending price, some of them more than once.

    Parameters
    ----------
    on_party
        Function that is called with each party and its price.
    full
        Function that is called often; True ends the enumeration.

    Returns
    -------
    int
        Price below which all parties have been found: `cap` + 1 if the enumeration is complete.
    """

    def price_of(party: Rows) -> int | None:
        evaluation = problem.evaluate(party)
        return int(evaluation.objective) if evaluation.feasible else None

    tree = _All(Lagrangian.of(problem.instance), price_of, cap)
    tree.on_party = on_party
    tree.begin(lambda: budget.exhausted)
    booked = 0
    while not (tree.closed or full() or budget.exhausted):
        tree.expand()
        budget.spend(work=tree.work - booked)
        booked = tree.work
    return cap + 1 if tree.closed else min(cap, tree.bound)
