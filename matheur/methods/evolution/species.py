"""The interface between evolution and a problem."""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

__all__ = ["EMPTY", "FillingSpecies", "Fitness", "Genomes", "ManyObjectives", "Species"]

EMPTY = -1
"""A gene that has been dropped and waits for healing."""

Genomes: TypeAlias = NDArray[np.int32]
"""Shape (individuals, genes)."""

Fitness: TypeAlias = NDArray[np.int64]
"""Shape (individuals,); minimised."""


class Species(Protocol):
    """A kind of genome, with the operations that make feasible ones. The genes are different whole numbers.

    A species may have its own budget: then `create` may return fewer genomes, and `heal` may leave some unhealed.
    """

    @property
    def genes(self) -> int:
        """Length of a genome."""

    def create(self, count: int, rng: Generator) -> Genomes:
        """Create at most `count` feasible genomes from scratch."""

    def heal(
        self, partial: Genomes, rng: Generator, barred: Genomes | None = None
    ) -> tuple[Genomes, NDArray[np.bool_]]:
        """Fill the `EMPTY` genes.

        Parameters
        ----------
        partial
            Genomes with gaps, shape (k, genes). Not modified.
        barred
            Genes that a healed genome must not have, stored at the places of its gaps; `EMPTY` for none. Shape
            (k, genes).

        Returns
        -------
        healed
            Shape (k, genes); rows that are not feasible have no meaning.
        feasible
            Mask of the rows that are feasible genomes. Shape (k,).
        """

    def fitness(self, genomes: Genomes) -> Fitness:
        """Fitness of feasible genomes, minimised."""


@runtime_checkable
class FillingSpecies(Species, Protocol):
    """A species that can fill gaps at random."""

    def fill(
        self, partial: Genomes, rng: Generator, barred: Genomes | None = None
    ) -> tuple[Genomes, NDArray[np.bool_]]:
        """Fill the `EMPTY` genes at random, without repair; parameters and results as in `heal`."""


class ManyObjectives(Species, Protocol):
    """A species with several objectives."""

    def objectives(self, genomes: Genomes) -> NDArray[np.int64]:
        """Objectives of genomes, all minimised. Shape (individuals, objectives)."""
