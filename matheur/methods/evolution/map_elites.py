"""MAP-Elites: a grid of descriptors with the fittest individual of every cell (Mouret and Clune 2015)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.evolution.genetic import GeneticParameters, breed
from matheur.methods.evolution.population import Population
from matheur.methods.evolution.species import Fitness, Genomes, Species

__all__ = ["Archive", "Axis", "Illumination", "MapElites"]


@dataclass(frozen=True, slots=True)
class Axis:
    """A descriptor and its bins.

    Attributes
    ----------
    name
        Name for display.
    edges
        Bin edges, ascending; bin b holds the values from edge b - 1 (inclusive) to edge b (exclusive). There is one
        more bin than edges: the first and the last bin are unbounded.
    values
        Function that returns the descriptor of genomes, integer or real. Shape (individuals,).
    """

    name: str
    edges: tuple[float, ...]
    values: Callable[[Genomes], NDArray[Any]]

    def __post_init__(self) -> None:
        if any(two <= one for one, two in pairwise(self.edges)):
            raise ConfigurationError(f"the edges of {self.name} must ascend ({', '.join(map(str, self.edges))})")

    @property
    def bins(self) -> int:
        """Number of bins."""
        return len(self.edges) + 1

    def bin(self, genomes: Genomes) -> NDArray[np.intp]:
        """The bin of each genome. Shape (individuals,)."""
        return np.searchsorted(np.array(self.edges, dtype=np.float64), self.values(genomes), side="right")


class Archive:
    """The fittest individual of every cell.

    Parameters
    ----------
    axes
        At least one axis. Cells are numbered row-major, the last axis fastest.
    genes
        Length of a genome.
    """

    def __init__(self, axes: Sequence[Axis], genes: int) -> None:
        if not axes:
            raise ConfigurationError("an archive needs at least one axis")
        self.axes: tuple[Axis, ...] = tuple(axes)
        self.shape: tuple[int, ...] = tuple(axis.bins for axis in self.axes)
        cells = int(np.prod(self.shape))
        self.genomes: Genomes = np.full((cells, genes), -1, dtype=np.int32)
        self.fitness: Fitness = np.full(cells, np.iinfo(np.int64).max, dtype=np.int64)

    def cells(self, genomes: Genomes) -> NDArray[np.intp]:
        """The cell of each genome. Shape (individuals,)."""
        bins = [axis.bin(genomes) for axis in self.axes]
        return np.ravel_multi_index(tuple(bins), self.shape).astype(np.intp)

    def insert(self, population: Population) -> int:
        """Store individuals whose cell is empty or has a less fit elite; returns the number of changed cells."""
        ranked = population.ranked()
        if not len(ranked):
            return 0
        cells, first = np.unique(self.cells(ranked.genomes), return_index=True)
        better = ranked.fitness[first] < self.fitness[cells]
        self.genomes[cells[better]] = ranked.genomes[first[better]]
        self.fitness[cells[better]] = ranked.fitness[first[better]]
        return int(np.count_nonzero(better))

    @property
    def filled(self) -> NDArray[np.intp]:
        """Numbers of the cells with an elite, ascending."""
        return np.flatnonzero(self.fitness != np.iinfo(np.int64).max)

    @property
    def elites(self) -> Population:
        """The elites in the order of their cells."""
        return Population(self.genomes[self.filled], self.fitness[self.filled])

    @property
    def coverage(self) -> float:
        """Share of the cells that have an elite."""
        return len(self.filled) / len(self.fitness)

    def qd_score(self, reference: int) -> int:
        """Sum over the elites of their improvement on a reference fitness (measures quality and diversity)."""
        return int(np.maximum(0, reference - self.elites.fitness).sum())

    def grid(self) -> NDArray[np.float64]:
        """Fitness by bins, NaN for an empty cell. Shape: the bins of each axis."""
        shown = np.full(len(self.fitness), np.nan)
        shown[self.filled] = self.fitness[self.filled]
        return shown.reshape(self.shape)

    def state(self) -> dict[str, Any]:
        """The elites, as plain values."""
        elites = self.elites
        return {"genomes": elites.genomes.tolist(), "fitness": elites.fitness.tolist()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Put the elites of a `state` in."""
        genomes = np.array(state["genomes"], dtype=np.int32).reshape(-1, self.genomes.shape[1])
        self.insert(Population(genomes, np.array(state["fitness"], dtype=np.int64)))


@dataclass(frozen=True, slots=True)
class Illumination:
    """What a step of MAP-Elites has come to.

    Attributes
    ----------
    number
        Number of steps so far.
    best
        Fitness of the fittest elite; None if there are no elites.
    elites, coverage
        Number of cells with an elite, and their share.
    changed
        Number of cells that this step filled or improved.
    evaluations
        Number of individuals made or healed so far.
    """

    number: int
    best: int | None
    elites: int
    coverage: float
    changed: int
    evaluations: int


class MapElites:
    """The MAP-Elites algorithm, step by step.

    The first step creates `parameters.population` individuals. Every other step draws `parameters.offspring` pairs of
    different elites at random, and inserts their healed children into the archive.

    Parameters
    ----------
    species
        The species.
    axes
        Axes of the archive.
    parameters
        Parameters; only population, offspring, crossover, mutation and bar_dropped are used.
    """

    def __init__(self, species: Species, axes: Sequence[Axis], parameters: GeneticParameters) -> None:
        self.species: Species = species
        self.parameters: GeneticParameters = parameters
        self.archive: Archive = Archive(axes, species.genes)
        self.steps = self.evaluations = 0

    def admit(self, population: Population) -> int:
        """Insert individuals made elsewhere, in place of the first step; returns the number of changed cells."""
        self.steps += 1
        self.evaluations += len(population)
        return self.archive.insert(population)

    def step(self, rng: Generator) -> Illumination:
        """Make individuals and insert them into the archive."""
        elites = self.archive.elites
        if not self.steps or len(elites) < 2:
            made = self.species.create(self.parameters.population, rng)
            self.evaluations += self.parameters.population
        else:
            first = rng.integers(len(elites), size=self.parameters.offspring)
            second = (first + rng.integers(1, len(elites), size=len(first))) % len(elites)
            made, evaluations = breed(self.species, elites.genomes[first], elites.genomes[second], self.parameters, rng)
            self.evaluations += evaluations
        changed = self.archive.insert(Population(made, self.species.fitness(made)))
        self.steps += 1
        lit = self.archive.elites
        best = int(lit.fitness.min()) if len(lit) else None
        return Illumination(self.steps, best, len(lit), self.archive.coverage, changed, self.evaluations)

    def state(self) -> dict[str, Any]:
        """State of the algorithm, as plain values."""
        return {"steps": self.steps, "evaluations": self.evaluations, **self.archive.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state`."""
        self.steps = int(state["steps"])
        self.evaluations = int(state["evaluations"])
        self.archive.restore(state)
