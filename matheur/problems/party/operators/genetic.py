"""Construction `genetic`: one population of parties (hybrid graph-based genetic algorithm)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome
from matheur.methods.evolution.genetic import GeneticAlgorithm
from matheur.problems.party.operators.evolving import Breeding, Champion, Solution, hopeless
from matheur.problems.party.operators.species import PartySpecies

__all__ = ["Genetic"]


@dataclass(frozen=True, slots=True)
class Genetic(Breeding):
    """A population of feasible parties: crossover slot by slot, mutation, healing (section V-A of the paper).

    Work: runs of Algorithm 1, descents, and annealing steps. Iterations: generations.

    Attributes
    ----------
    population, offspring
        Number of parties kept, and number of children per generation.
    crossover
        Probability that a slot inherits its item from the first parent.
    mutation
        Probability that the item of a slot is dropped.
    mutation_growth, mutation_max
        Adaptive mutation: factor by which `mutation` grows with each consecutive generation that begins with a
        coefficient of variation below `refresh_below`, and largest probability. A factor of 1 keeps it constant.
    random_filling
        Whether to fill the gaps of a child with random items first and heal it only if it is then infeasible, as in the
        paper. Otherwise Algorithm 1 fills the gaps.
    bar_dropped
        Whether a dropped item is barred from that child.
    pressure
        Selection pressure of the rank selection of parents: 1 selects uniformly, 2 is the rule of Tate and Smith.
    distinct
        Whether duplicates survive only if there are too few different parties.
    refresh_below, refresh_share
        Coefficient of variation of the prices below which part of the population is replaced by new parties, and the
        share that is replaced.
    generations
        Maximum number of generations; None to continue until the budget ends.
    patience
        Number of generations without a better party after which a new population starts; None for never.
    guide
        Guidance of the constructions: `mixed` (matches, slack and price), `match` (as in the paper) or `unguided`.
    attempts
        Maximum number of runs of Algorithm 1 per party; the first feasible result is taken.
    improve
        Improvement of each party after that: a short `annealing`, which may start from an infeasible party, a `descent`
        by replacements of one item, or `none` (as in the paper).
    steps, hot
        Number of annealing steps, and initial temperature as a multiple of the mean item price.
    """

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Solution]:
        """Evolve; each new best party is offered to the budget."""
        impossible = hopeless(problem)
        if impossible is not None:
            return impossible
        inner, champion = self.inner(budget), Champion()
        species = PartySpecies(problem.instance, self.healing, inner)
        algorithm = GeneticAlgorithm(species, self.genetic)
        while not inner.exhausted and not inner.reached(champion.price):
            if self.stale(algorithm.idle):
                algorithm = GeneticAlgorithm(species, self.genetic)
            algorithm.step(rng)
            inner.spend(iterations=1)
            champion.meet(algorithm.population)
        return champion.outcome()
