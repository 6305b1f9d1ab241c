"""A hybrid genetic algorithm, step by step: infeasible children are healed, a uniform population is refreshed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.evolution.population import (
    Population,
    coefficient_of_variation,
    distinct_count,
    hamming_diversity,
    pooled,
)
from matheur.methods.evolution.selection import parent_pairs, survivors
from matheur.methods.evolution.species import FillingSpecies, Genomes, Species
from matheur.methods.evolution.variation import drop_genes, uniform_crossover

__all__ = ["Generation", "GeneticAlgorithm", "GeneticParameters", "breed", "population_of", "summary"]


@dataclass(frozen=True, slots=True)
class GeneticParameters:
    """Parameters of a genetic algorithm. The defaults are those of the paper's single population (Table I).

    Attributes
    ----------
    population, offspring
        Individuals kept, and children made in a generation.
    crossover
        Probability of taking a gene from the first parent.
    mutation
        Probability that a gene is dropped.
    mutation_growth
        Adaptive mutation: factor by which the rate grows with each consecutive generation that begins below
        `refresh_below`; the rate returns to `mutation` when the population is diverse again. 1 for a constant rate.
    mutation_max
        Upper limit of the growth, if it is above `mutation`.
    random_filling
        Fill the gaps of a child at random first, and heal only children that are then infeasible (from the same gaps).
        Else all children with gaps are healed.
    bar_dropped
        Bar a dropped gene from returning to the same child.
    pressure
        Selection pressure, see `rank_selection`.
    distinct
        Let equal genomes survive only if there are too few different ones.
    refresh_below
        Coefficient of variation of the fitness below which a part of the population is replaced by new individuals.
    refresh_share
        Share of the population that is replaced.
    """

    population: int = 50
    offspring: int = 100
    crossover: float = 0.5
    mutation: float = 0.2
    mutation_growth: float = 1.0
    mutation_max: float = 0.8
    random_filling: bool = False
    bar_dropped: bool = True
    pressure: float = 2.0
    distinct: bool = True
    refresh_below: float = 0.02
    refresh_share: float = 1 / 3

    def __post_init__(self) -> None:
        if self.population < 1 or self.offspring < 1:
            raise ConfigurationError(
                f"population and offspring must be at least 1 ({self.population}, {self.offspring})"
            )
        if not (0 <= self.crossover <= 1 and 0 <= self.mutation <= 1 and 0 <= self.refresh_share <= 1):
            raise ConfigurationError(
                f"crossover, mutation and refresh_share must be 0 to 1 "
                f"({self.crossover}, {self.mutation}, {self.refresh_share})"
            )
        if not (self.mutation_growth >= 1 and 0 <= self.mutation_max <= 1):
            raise ConfigurationError(
                f"mutation_growth must be at least 1, mutation_max 0 to 1 ({self.mutation_growth}, {self.mutation_max})"
            )
        if not self.pressure >= 1 or not self.refresh_below >= 0:
            raise ConfigurationError(
                f"pressure must be at least 1, refresh_below at least 0 ({self.pressure}, {self.refresh_below})"
            )


@dataclass(frozen=True, slots=True)
class Generation:
    """Statistics of a generation.

    Attributes
    ----------
    number
        Number of generations so far; 0 is the first population.
    best, mean
        Best and mean fitness; None for an empty population.
    variation
        Coefficient of variation of the fitness.
    hamming
        Mean share of genes in which two individuals differ.
    distinct
        Number of different genomes.
    evaluations
        Individuals made or healed so far.
    refreshed
        Individuals that were replaced by new ones before this generation's children were made.
    """

    number: int
    best: int | None
    mean: float | None
    variation: float
    hamming: float
    distinct: int
    evaluations: int
    refreshed: int = 0


def summary(population: Population, number: int, evaluations: int, refreshed: int = 0) -> Generation:
    """The statistics of a population."""
    anybody = len(population) > 0
    return Generation(
        number=number,
        best=int(population.fitness.min()) if anybody else None,
        mean=float(population.fitness.mean()) if anybody else None,
        variation=coefficient_of_variation(population.fitness),
        hamming=hamming_diversity(population.genomes),
        distinct=distinct_count(population.genomes),
        evaluations=evaluations,
        refreshed=refreshed,
    )


def breed(
    species: Species,
    first: Genomes,
    second: Genomes,
    parameters: GeneticParameters,
    rng: Generator,
    *,
    mutation: float | None = None,
) -> tuple[Genomes, int]:
    """Children of pairs of parents: crossover, mutation, healing; new individuals replace children that do not heal.

    Parameters
    ----------
    mutation
        Mutation rate that overrides the rate of the parameters.

    Returns
    -------
    children
        Feasible genomes, at most one for each pair.
    evaluations
        Number of individuals made or healed.

    Raises
    ------
    ConfigurationError
        If gaps are to be filled at random and the species has no `fill`.
    """
    rate = parameters.mutation if mutation is None else mutation
    partial, dropped = drop_genes(uniform_crossover(first, second, parameters.crossover, rng), rate, rng)
    barred = dropped if parameters.bar_dropped else None
    if parameters.random_filling:
        healed, feasible = _filled_or_healed(species, partial, rng, barred)
    else:
        healed, feasible = species.heal(partial, rng, barred)
    rejected = len(partial) - int(np.count_nonzero(feasible))
    if not rejected:
        return healed, len(partial)
    return np.concatenate([healed[feasible], species.create(rejected, rng)]), len(partial) + rejected


def _filled_or_healed(
    species: Species, partial: Genomes, rng: Generator, barred: Genomes | None
) -> tuple[Genomes, NDArray[np.bool_]]:
    """Fill the gaps at random, then heal infeasible genomes from their original gaps."""
    if not isinstance(species, FillingSpecies):
        raise ConfigurationError(f"{type(species).__name__} cannot fill gaps at random (random_filling)")
    genomes, feasible = species.fill(partial, rng, barred)
    sick = ~feasible
    if sick.any():
        genomes[sick], feasible[sick] = species.heal(partial[sick], rng, None if barred is None else barred[sick])
    return genomes, feasible


def population_of(state: Mapping[str, Any]) -> Population:
    """The population in the `state` of a genetic algorithm."""
    genomes = np.array(state["genomes"], dtype=np.int32).reshape(-1, state["genes"])
    return Population(genomes, np.array(state["fitness"], dtype=np.int64))


class GeneticAlgorithm:
    """A population that evolves (hybrid graph-based genetic algorithm, section V-A of the paper).

    In each generation, if the coefficient of variation is too low, new individuals replace a random part of the
    population, but never the fittest individual. Parents are then selected by rank. Children result from node-wise
    uniform crossover and mutation, and are healed. The fittest of parents and children survive.

    Parameters
    ----------
    species
        The species.
    parameters
        Parameters of the algorithm.
    population, generation, evaluations, idle, uniform
        State to continue from; see `state`.
    """

    def __init__(
        self,
        species: Species,
        parameters: GeneticParameters,
        population: Population | None = None,
        *,
        generation: int = 0,
        evaluations: int = 0,
        idle: int = 0,
        uniform: int = 0,
    ) -> None:
        self.species: Species = species
        self.parameters: GeneticParameters = parameters
        self.population = Population.empty(species.genes) if population is None else population
        self.generation, self.evaluations, self.idle = generation, evaluations, idle
        self.uniform = uniform

    def fill(self, rng: Generator) -> Generation:
        """Create the missing individuals; the species may return fewer."""
        missing = self.parameters.population - len(self.population)
        if missing > 0:
            self.population = pooled([self.population, self._create(missing, rng)]).ranked()
        return summary(self.population, self.generation, self.evaluations)

    def step(self, rng: Generator) -> Generation:
        """Make one generation; the first call fills the population before."""
        if len(self.population) < self.parameters.population:
            self.fill(rng)
        before = self.best
        uniform = self._is_uniform
        refreshed = self._refresh(rng) if uniform else 0
        self.uniform = self.uniform + 1 if uniform else 0
        if len(self.population):
            self.population = survivors(
                self.population, self._offspring(rng), self.parameters.population, distinct=self.parameters.distinct
            )
        self.generation += 1
        self.idle = self.idle + 1 if self.best == before else 0
        return summary(self.population, self.generation, self.evaluations, refreshed)

    @property
    def best(self) -> int | None:
        """Fitness of the fittest individual; None for an empty population."""
        return int(self.population.fitness.min()) if len(self.population) else None

    @property
    def mutation(self) -> float:
        """Mutation rate of the current generation."""
        one = self.parameters
        if one.mutation_growth == 1 or not self.uniform:
            return one.mutation
        return max(one.mutation, min(one.mutation * one.mutation_growth ** min(self.uniform, 100), one.mutation_max))

    @property
    def _is_uniform(self) -> bool:
        """Whether the individuals are too similar."""
        return (
            len(self.population) > 1
            and coefficient_of_variation(self.population.fitness) < self.parameters.refresh_below
        )

    def _create(self, count: int, rng: Generator) -> Population:
        made = self.species.create(count, rng)
        self.evaluations += count
        return Population(made, self.species.fitness(made))

    def _offspring(self, rng: Generator) -> Population:
        ranked = self.population.ranked().genomes
        first, second = parent_pairs(self.parameters.offspring, len(ranked), rng, self.parameters.pressure)
        children, evaluations = breed(
            self.species, ranked[first], ranked[second], self.parameters, rng, mutation=self.mutation
        )
        self.evaluations += evaluations
        return Population(children, self.species.fitness(children))

    def _refresh(self, rng: Generator) -> int:
        """Replace a part of a population that has become too uniform; returns the number of replaced individuals."""
        size = len(self.population)
        share = round(self.parameters.refresh_share * size)
        if not share:
            return 0
        fresh = self._create(min(share, size - 1), rng)
        others = np.delete(np.arange(size), self.population.best)
        kept = np.ones(size, dtype=bool)
        kept[rng.choice(others, len(fresh), replace=False)] = False
        self.population = pooled([self.population.take(kept), fresh]).ranked()
        return len(fresh)

    def state(self) -> dict[str, Any]:
        """State of the algorithm, as plain values."""
        return {
            "generation": self.generation,
            "evaluations": self.evaluations,
            "idle": self.idle,
            "uniform": self.uniform,
            "genes": self.species.genes,
            "genomes": self.population.genomes.tolist(),
            "fitness": self.population.fitness.tolist(),
        }

    @classmethod
    def restore(cls, species: Species, parameters: GeneticParameters, state: Mapping[str, Any]) -> GeneticAlgorithm:
        """Continue from a `state`."""
        counts = {name: int(state[name]) for name in ("generation", "evaluations", "idle", "uniform")}
        return cls(species, parameters, population_of(state), **counts)
