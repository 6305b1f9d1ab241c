"""Sources of further parties: replacements, annealing away from others, enumeration, and a MILP with exclusions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.options import configure
from matheur.errors import ConfigurationError
from matheur.methods.milp import SolverOptions
from matheur.problems.party import Party
from matheur.problems.party.designing.enumeration import enumerate_parties
from matheur.problems.party.designing.exclusion import PartyExclusion
from matheur.problems.party.designing.variants import away_from, replacements
from matheur.problems.party.operators.tables import Tables
from matheur.running.diversity.collection import Collection
from matheur.running.diversity.differences import Differences

__all__ = ["LIMIT", "MOST", "PartyFinder", "party_differences"]

LIMIT = 5000
"""Sufficient number of known parties to choose from; there may be millions within a few per cent."""
MOST = 20_000
"""Maximum number of parties of an enumeration, which finds cheap ones first."""
_TRIES = 3  # consecutive annealing runs without a party far enough from the others
_SHARE_OF_ALL = 0.5  # share of the remaining budget for the enumeration, before a MILP searches for distant parties
_SHARE = 0.2  # share of the remaining budget for one annealing run

Rows = NDArray[np.int32]


class PartyFinder:
    """Fills a collection with parties and proves, if time allows, that there are no more.

    Parties are collected in three ways: by one replacement in known parties, by annealing away from chosen parties,
    and, if these do not suffice, by complete enumeration with branch and bound. If there are too many parties, a MILP
    with a row for each chosen party searches for further parties far from them, or proves that there are none.

    Parameters
    ----------
    problem
        The puzzle.
    solver
        Options of the MILP solver.
    collection
        Collection of parties, which already contains the best one. It also receives the offers to the budget.
    exhaustive
        Whether to continue until all parties up to the cap are known.
    """

    def __init__(
        self,
        problem: Party,
        solver: Mapping[str, Any],
        collection: Collection,
        budget: Budget,
        rng: Generator,
        *,
        exhaustive: bool = False,
    ) -> None:
        if problem.instance.objective != "price":
            wanted = problem.instance.objective
            raise ConfigurationError(f"different parties are found by their price, not by their {wanted} (objective)")
        Tables.of(problem.instance)  # rejects demands that the searches for different parties do not support
        self.problem: Party = problem
        self.collection: Collection = collection
        self.budget: Budget = budget
        self.rng: Generator = rng
        self.exhaustive = exhaustive
        self.exclusion: PartyExclusion = PartyExclusion(
            problem, configure(SolverOptions, solver, "solver"), collection.differences
        )
        self.maximal = False
        self.all_below: int | float | None = None
        self._open: list[tuple[int | float, Rows]] = []
        self._seen: set[bytes] = set()

    def run(self, count: int, distance: int) -> Sequence[tuple[int | float, Rows]]:
        """Collect parties and return those that are chosen in the end."""
        self._replace()
        chosen = self._anneal(count, distance)
        self._replace()
        if len(chosen) < count or self.exhaustive:
            self._enumerate(1.0 if distance == 1 else _SHARE_OF_ALL)
            chosen = self.collection.spread(count, distance)
            self.maximal = self.all_below is not None and self.all_below > self.collection.cap
        if len(chosen) < count and distance > 1 and not self.maximal:
            chosen = self._complete(count, distance)
        if any(price > self.collection.cap for price, _ in chosen):  # a better party has been found since
            chosen, self.maximal = self.collection.spread(count, distance), False
        return chosen

    def _enumerate(self, share: float) -> None:
        """Enumerate all parties within a share of the budget."""
        cap = int(self.collection.cap)
        self.all_below = enumerate_parties(
            self.problem, cap, self._part(share), self.collection.meet, lambda: len(self.collection) >= MOST
        )

    def _anneal(self, count: int, distance: int) -> list[tuple[int | float, Rows]]:
        """Anneal away from the chosen parties until enough are chosen or no more are found."""
        chosen, idle = self.collection.spread(count, distance), 0
        while len(chosen) < count and idle < _TRIES and not self.budget.exhausted:
            call = self._part(_SHARE)
            found = away_from(self.problem, [row for _, row in chosen], distance, call, self.rng)
            self.budget.spend(work=1)
            if found is not None:
                self.collection.add(*found)
            before, chosen = len(chosen), self.collection.spread(count, distance)
            idle = 0 if len(chosen) > before else idle + 1
        return chosen

    def _part(self, share: float) -> Budget:
        left, work = self.budget.seconds_left, self.budget.work_left
        return self.budget.child(
            seconds=None if left == math.inf else share * left,
            work=None if work is None else max(1, int(share * work)),
        )

    def _replace(self) -> None:
        """Replace one item of every known party, repeatedly, cheapest party first."""
        while len(self.collection) < LIMIT and not self.budget.exhausted:
            if not self._open:
                self._open = [
                    (objective, row) for objective, row in self.collection.solutions if row.tobytes() not in self._seen
                ][::-1]
                if not self._open:
                    return
            _, party = self._open.pop()
            self._seen.add(party.tobytes())
            rows, looked = replacements(self.problem, party, self.collection.cap)
            self.budget.spend(work=1 + looked)
            prices = self.problem.instance.catalogue.prices[rows].sum(axis=1)
            for row, price in zip(rows, prices.tolist(), strict=True):
                self.collection.add(row, price)

    def _complete(self, count: int, distance: int) -> list[tuple[int | float, Rows]]:
        """Find parties far enough from all chosen ones by MILP until there are enough, or provably no more."""
        chosen = self.collection.spread(count, distance)
        while len(chosen) < count and not self.budget.exhausted:
            cap = int(self.collection.cap)
            answer = self.exclusion.search([row for _, row in chosen], distance, cap, self.budget, self.rng)
            if answer.party is None:
                self.maximal = answer.none
                break
            self.collection.add(answer.party, answer.price)
            longer = self.collection.spread(count, distance)
            # Choosing the farthest first does not always give the most parties: then keep the set of the MILP.
            chosen = longer if len(longer) > len(chosen) else [*chosen, (answer.price, answer.party)]
        return chosen


def party_differences(problem: Party, by_slot: bool) -> Differences:
    """Return the comparison of parties: by their items, or slot by slot."""
    return Differences(len(problem.instance.slots), by_slot)
