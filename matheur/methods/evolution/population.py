"""Populations as arrays, and how different their individuals are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.methods.evolution.species import Fitness, Genomes

__all__ = [
    "Population",
    "coefficient_of_variation",
    "distinct_count",
    "first_occurrences",
    "hamming_diversity",
    "pooled",
]


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Feasible individuals.

    Attributes
    ----------
    genomes
        Shape (individuals, genes), int32.
    fitness
        Shape (individuals,), int64, minimised.
    """

    genomes: Genomes
    fitness: Fitness

    def __len__(self) -> int:
        return len(self.fitness)

    @classmethod
    def empty(cls, genes: int) -> Population:
        """A population without individuals."""
        return cls(np.empty((0, genes), dtype=np.int32), np.empty(0, dtype=np.int64))

    @property
    def best(self) -> int:
        """Number of the fittest individual; of several, the first."""
        return int(np.argmin(self.fitness))

    def take(self, chosen: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Population:
        """The chosen individuals."""
        return Population(self.genomes[chosen], self.fitness[chosen])

    def ranked(self) -> Population:
        """The same individuals, fittest first; equally fit ones keep their order."""
        return self.take(np.argsort(self.fitness, kind="stable"))


def pooled(populations: Sequence[Population]) -> Population:
    """All individuals of several populations (at least one), in order."""
    return Population(
        np.concatenate([one.genomes for one in populations]), np.concatenate([one.fitness for one in populations])
    )


def first_occurrences(genomes: Genomes) -> NDArray[np.bool_]:
    """Mask of the genomes that equal no earlier genome. Shape (individuals,)."""
    first = np.zeros(len(genomes), dtype=bool)
    first[list({genome.tobytes(): place for place, genome in reversed(list(enumerate(genomes)))}.values())] = True
    return first


def distinct_count(genomes: Genomes) -> int:
    """Number of different genomes."""
    return int(np.count_nonzero(first_occurrences(genomes)))


def coefficient_of_variation(fitness: Fitness) -> float:
    """Standard deviation of the fitness divided by its mean (phenotypic diversity); 0 if empty or if the mean is 0."""
    if not len(fitness):
        return 0.0
    mean = float(fitness.mean())
    return float(fitness.std()) / abs(mean) if mean else 0.0


def hamming_diversity(genomes: Genomes) -> float:
    """Mean share of genes in which two different individuals differ, over all pairs (genotypic diversity, 0 to 1).

    Computed gene by gene from the counts of its values, without a loop over pairs.
    """
    count, genes = genomes.shape
    if count < 2 or not genes:
        return 0.0
    columns = np.sort(genomes, axis=0).T.ravel()
    begins = np.empty(columns.size + 1, dtype=bool)
    begins[:-1] = np.arange(columns.size) % count == 0
    begins[1:-1] |= columns[1:] != columns[:-1]
    begins[-1] = True
    runs = np.diff(np.flatnonzero(begins))
    equal_pairs = int((runs * (runs - 1)).sum())
    return 1.0 - equal_pairs / (genes * count * (count - 1))
