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

    Work: runs of Algorithm 1, descents, and steps of annealing. Iterations: generations.

    Attributes
    ----------
    population, offspring
        Parties kept, and children made in a generation.
    crossover
        Probability of an item of the first parent.
    mutation
        Probability that an item is dropped.
    mutation_growth, mutation_max
        Adaptive mutation: factor of `mutation` for each generation in a row that begins with prices as much alike as
        `refresh_below` says, and where that ends. 1 for a constant probability.
    random_filling
        Fill the gaps of a child with random items first, and heal it only if it is infeasible then, as in the paper.
        Else Algorithm 1 fills them at once.
    bar_dropped
        Whether a dropped item must not come back in that child.
    pressure
        Pressure of the rank selection of parents: 1 is a uniform choice, 2 is the rule of Tate and Smith.
    distinct
        Whether equal parties survive only where there are too few different ones.
    refresh_below, refresh_share
        When the coefficient of variation of the prices is less, this share of the population is replaced by new
        parties.
    generations
        End after this many; None to go on until the budget ends.
    patience
        Start with a new population after this many generations without a better party; None for never.
    guide
        What a construction looks for: `mixed` (matches, slack and price), `match` (the paper), `unguided`.
    attempts
        Runs of Algorithm 1 for each party, until one is feasible.
    improve
        What is done with every party then: a short `annealing`, for which it need not be feasible, a `descent` by
        replacements of one item, or `none` (the paper).
    steps, hot
        Annealing: its length, and its first temperature in mean prices of an item.
    """

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Solution]:
        """Evolve; every better party is handed out."""
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
