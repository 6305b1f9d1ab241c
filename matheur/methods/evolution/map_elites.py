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
        For people.
    edges
        Ascending; bin b holds the values from edge b - 1 (inclusive) to edge b. There is one bin more than edges: the
        first and the last are open.
    values
        The descriptor of genomes, shape (individuals,), whole numbers or not.
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
        """Let individuals settle where the cell is empty or its elite less fit; the number of cells that changed."""
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
        """Numbers of the cells that have an elite, ascending."""
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
        """Sum over the elites of what they are better than a reference fitness (quality and diversity in one)."""
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
        Steps so far.
    best
        Fitness of the fittest elite, None without any.
    elites, coverage
        Cells that have one, and their share.
    changed
        Cells that this step filled or improved.
    evaluations
        Individuals made or healed so far.
    """

    number: int
    best: int | None
    elites: int
    coverage: float
    changed: int
    evaluations: int


class MapElites:
    """An archive that is lit up step by step.

    The first step creates `parameters.population` individuals; every other one draws `parameters.offspring` pairs of
    different elites at random, and lets their healed children settle.

    Parameters
    ----------
    species
        What evolves.
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
        """Let individuals settle that were made elsewhere, as a first step; the number of cells that changed."""
        self.steps += 1
        self.evaluations += len(population)
        return self.archive.insert(population)

    def step(self, rng: Generator) -> Illumination:
        """Make individuals and let them settle."""
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
        """Where the algorithm stands, as plain values."""
        return {"steps": self.steps, "evaluations": self.evaluations, **self.archive.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a `state`."""
        self.steps = int(state["steps"])
        self.evaluations = int(state["evaluations"])
        self.archive.restore(state)
