"""All parties up to a price, by branch and bound on the Lagrangian bound."""

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
    """A tree that hands every party out and goes on for the dearer ones."""

    on_party: Callable[[Rows, int], None]

    def _consider(self, party: Rows) -> None:
        price = self.evaluate(party)
        if price is not None and price <= self.price_max:
            self.on_party(party, price)


def enumerate_parties(
    problem: Party, cap: int, budget: Budget, on_party: Callable[[Rows, int], None], full: Callable[[], bool]
) -> int:
    """Hand out the parties of at most a price, the cheap ones about first, some of them more than once.

    Parameters
    ----------
    on_party
        Called with each party and its price.
    full
        Asked often; True ends the enumeration.

    Returns
    -------
    int
        All parties that cost less have been handed out: `cap` + 1 if the enumeration came to its end.
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
