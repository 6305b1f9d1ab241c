"""A short evolution around known solutions, for use as a neighbourhood."""

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
        Number of individuals: the incumbent, elites of the run, and mutants of both.
    offspring
        Children per generation.
    generations
        Generations per call.
    elites
        Most elites in the first population; with 0 it consists of the incumbent and its mutants.
    crossover
        Probability of taking a gene from the first parent.
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
        """Parameters of the population; it is too short-lived to be refreshed."""
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
    """Evolve a population that starts from some individuals and their mutants. Iterations: generations.

    Parameters
    ----------
    species
        The species, under its own budget or this one.
    seeds
        Feasible genomes, at least one; if there are too many, the first ones are used.

    Returns
    -------
    Population
        The last population; its fittest individual is at least as fit as the fittest seed used.
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
