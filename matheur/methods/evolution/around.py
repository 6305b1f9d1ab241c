"""A short evolution around solutions that are known: the form in which a population is a neighbourhood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.elites import Elite
from matheur.engine.limits import option
from matheur.methods.evolution.genetic import GeneticAlgorithm, GeneticParameters, breed
from matheur.methods.evolution.population import Population, first_occurrences, pooled
from matheur.methods.evolution.species import Genomes, Species

__all__ = ["AroundOptions", "evolved_around", "others"]


@dataclass(frozen=True, slots=True)
class AroundOptions:
    """Options of a short evolution.

    Attributes
    ----------
    population
        Individuals: the incumbent, elites of the run, and mutants of them.
    offspring
        Children of a generation.
    generations
        Generations of a call.
    elites
        Elites that join the population, at most; with 0 only mutants of the incumbent do.
    crossover
        Probability of a gene of the first parent.
    mutation
        Probability that a gene is dropped and chosen again.
    """

    population: int = option(16, minimum=2, maximum=100_000)
    offspring: int = option(16, minimum=1, maximum=100_000)
    generations: int = option(5, minimum=1)
    elites: int = option(8, minimum=0)
    crossover: float = option(0.5, minimum=0, maximum=1)
    mutation: float = option(0.1, minimum=0, maximum=1)

    @property
    def genetic(self) -> GeneticParameters:
        """Parameters of the population; it lives too short to be refreshed."""
        return GeneticParameters(
            population=self.population, offspring=self.offspring, crossover=self.crossover, mutation=self.mutation,
            bar_dropped=False, refresh_below=0.0,
        )  # fmt: skip


def others(budget: Budget, own: bytes, most: int, rng: Generator) -> Sequence[Elite]:
    """Some elites of the run other than the solution with this key, drawn at random."""
    found = [elite for elite in budget.elites.entries() if elite.key != own]
    return [found[place] for place in rng.permutation(len(found))[:most]]


def evolved_around(
    species: Species, seeds: Genomes, options: AroundOptions, budget: Budget, rng: Generator
) -> Population:
    """Evolve a population that begins with some individuals and their mutants. Iterations: generations.

    Parameters
    ----------
    species
        What evolves, under a budget of its own or this one.
    seeds
        At least one feasible genome; the first ones are taken if there are too many.

    Returns
    -------
    Population
        The last one; its fittest is at least as fit as the fittest seed that was taken.
    """
    parameters = options.genetic
    seeds = seeds[first_occurrences(seeds)][: options.population]
    population = Population(seeds, species.fitness(seeds))
    missing = options.population - len(seeds)
    if missing > 0 and not budget.exhausted:
        of = seeds[np.arange(missing) % len(seeds)]
        mutants, _ = breed(species, of, of, parameters, rng)
        population = pooled([population, Population(mutants, species.fitness(mutants))])
    algorithm = GeneticAlgorithm(species, parameters, population.ranked())
    while algorithm.generation < options.generations and not budget.exhausted and not budget.reached(algorithm.best):
        algorithm.step(rng)
        budget.spend(iterations=1)
    return algorithm.population
