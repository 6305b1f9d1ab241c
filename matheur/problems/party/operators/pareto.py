"""Construction `pareto`: the cheapest party of a front of price and demands that evolves as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome
from matheur.errors import ConfigurationError
from matheur.methods.evolution.nondominated_sorting import NondominatedSorting
from matheur.methods.evolution.pareto import ParetoArchive
from matheur.methods.evolution.population import Population
from matheur.problems.party.operators.evolving import Breeding, Champion, Solution, hopeless
from matheur.problems.party.operators.front import FrontSpecies

__all__ = ["Pareto"]


@dataclass(frozen=True, slots=True)
class Pareto(Breeding):
    """Demands as objectives: a front of price and synergy evolves by non-dominated sorting (section VI of the paper).

    The result is the cheapest party of the front that meets all demands of the puzzle; `matheur front` prints a whole
    front. Work: runs of Algorithm 1, descents, and annealing steps. Iterations: generations.

    Attributes
    ----------
    against
        Objectives in addition to the price: `synergy`, or numeric columns whose sums are maximised.
    levels
        Number of levels of these objectives for which parties are built, at least 2, in addition to the puzzle's own
        demands.
    capacity
        Maximum number of parties on the front.
    population, offspring
        Number of parties kept, and number of children per generation.
    crossover
        Probability that a slot inherits its item from the first parent.
    mutation
        Probability that the item of a slot is dropped.
    bar_dropped
        Whether a dropped item is barred from that child.
    generations
        Maximum number of generations; None to continue until the budget ends.
    guide
        Guidance of the constructions: `mixed` (matches, slack and price), `match` (as in the paper) or `unguided`.
    attempts
        Maximum number of runs of Algorithm 1 per party; the first feasible result is taken.
    improve
        Improvement of each party after that: a short `annealing`, which may start from an infeasible party, a `descent`
        by replacements of one item, or `none`.
    steps, hot
        Number of annealing steps, and initial temperature as a multiple of the mean item price.
    mutation_growth, mutation_max, random_filling, pressure, distinct, refresh_below, refresh_share, patience
        Options of the other evolutionary operators; without effect here.
    """

    against: tuple[str, ...] = ("synergy",)
    levels: int = option(24, minimum=2)
    capacity: int = option(200, minimum=2)
    population: int = 50
    offspring: int = 20
    steps: int = 500

    def __post_init__(self) -> None:
        Breeding.__post_init__(self)
        if not self.against:
            raise ConfigurationError("a front needs an objective next to the price (against). Maybe 'synergy'?")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Solution]:
        """Evolve; each new best party that meets all demands is offered to the budget."""
        if problem.instance.objective != "price":
            raise ConfigurationError("pareto needs the price as the objective. Maybe `matheur front`, which has both?")
        impossible = hopeless(problem)
        if impossible is not None:
            return impossible
        inner, champion = self.inner(budget), Champion()
        # The species has its own budget, so that parties without the demands are not offered to the caller.
        private = Budget(work=inner.work_left, interrupt=lambda: inner.exhausted)
        species = FrontSpecies(problem.instance, self.against, self.levels, self.healing, private, own=True)
        archive = ParetoArchive(species.genes, 1 + len(self.against), self.capacity)
        evolution = NondominatedSorting(species, self.genetic, archive)
        while not inner.exhausted and not inner.reached(champion.price):
            before = private.spent_work
            evolution.step(rng)
            inner.spend(work=private.spent_work - before, iterations=1)
            known = champion.price
            champion.meet(self._feasible(problem, archive, known))
            if champion.price != known and champion.solution is not None and champion.price is not None:
                budget.offer(champion.solution, champion.price)
        return champion.outcome()

    @staticmethod
    def _feasible(problem: Any, archive: ParetoArchive, below: int | None) -> Population:
        """Return the cheapest party of the front that meets all demands and costs less than `below`, if any."""
        for party, (price, *_) in zip(*archive.sorted(), strict=True):
            if below is not None and price >= below:
                break
            if problem.evaluate(party).feasible:
                return Population(party[None], np.array([price], dtype=np.int64))
        return Population.empty(archive.genomes.shape[1])
