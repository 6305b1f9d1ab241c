"""An evolution towards a Pareto front by non-dominated sorting (NSGA-II: Deb, Pratap, Agarwal, Meyarivan 2002)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.methods.evolution.genetic import GeneticParameters, breed
from matheur.methods.evolution.pareto import ParetoArchive, crowding_distance, fronts
from matheur.methods.evolution.population import first_occurrences
from matheur.methods.evolution.species import Genomes, ManyObjectives

__all__ = ["NondominatedSorting", "best_of"]


def best_of(objectives: NDArray[np.int64], size: int) -> NDArray[np.intp]:
    """Rows that survive, best first: front by front, the last front by crowding distance."""
    rank = fronts(objectives)
    distance = np.empty(len(rank))
    for number in range(int(rank.max(initial=-1)) + 1):
        front = np.flatnonzero(rank == number)
        distance[front] = crowding_distance(objectives[front])
    return np.lexsort((-distance, rank))[:size]


class NondominatedSorting:
    """A population with several objectives; parents by tournaments of two, survivors by front and crowding distance.

    Parameters
    ----------
    species
        The species; its `fitness` is not used.
    parameters
        Parameters; only population, offspring, crossover, mutation and bar_dropped are used.
    archive
        Archive that receives all individuals.
    """

    def __init__(self, species: ManyObjectives, parameters: GeneticParameters, archive: ParetoArchive) -> None:
        self.species: ManyObjectives = species
        self.parameters: GeneticParameters = parameters
        self.archive: ParetoArchive = archive
        self.genomes: Genomes = np.empty((0, species.genes), dtype=np.int32)
        self.objectives = np.empty((0, archive.objectives.shape[1]), dtype=np.int64)
        self.generation = self.evaluations = 0

    def step(self, rng: Generator) -> int:
        """Make one generation, the first from scratch; returns how many of its individuals are new in the archive."""
        if len(self.genomes) < 2:
            self.evaluations += self.parameters.population
            return self._select(self.species.create(self.parameters.population, rng))
        first, second = (self._tournaments(rng) for _ in range(2))
        children, evaluations = breed(self.species, self.genomes[first], self.genomes[second], self.parameters, rng)
        self.evaluations += evaluations
        self.generation += 1
        return self._select(children)

    def _tournaments(self, rng: Generator) -> NDArray[np.intp]:
        """Winners of binary tournaments. Individuals are sorted best first, so the lower number wins."""
        drawn = rng.integers(len(self.genomes), size=(2, self.parameters.offspring))
        return drawn.min(axis=0).astype(np.intp)

    def _select(self, made: Genomes) -> int:
        objectives = self.species.objectives(made)
        new = self.archive.insert(made, objectives)
        genomes = np.concatenate([self.genomes, made])
        objectives = np.concatenate([self.objectives, objectives])
        different = first_occurrences(genomes)
        kept = best_of(objectives[different], self.parameters.population)
        self.genomes = genomes[different][kept]
        self.objectives = objectives[different][kept]
        return new
