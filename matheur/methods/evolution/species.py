"""What a population is made of: the port between evolution and a problem."""

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
    """Genomes of whole numbers, all genes of a genome different, and how to make feasible ones.

    A species may be under a budget of its own: then `create` returns fewer genomes and `heal` leaves some unhealed.
    """

    @property
    def genes(self) -> int:
        """Length of a genome."""

    def create(self, count: int, rng: Generator) -> Genomes:
        """At most `count` new feasible genomes, made from nothing."""

    def heal(
        self, partial: Genomes, rng: Generator, barred: Genomes | None = None
    ) -> tuple[Genomes, NDArray[np.bool_]]:
        """Fill the `EMPTY` genes.

        Parameters
        ----------
        partial
            Genomes with gaps, shape (k, genes). Not changed.
        barred
            Genes that the healed genome must not have, in the place of each gap, `EMPTY` for none. Shape (k, genes).

        Returns
        -------
        healed
            Shape (k, genes); rows that are not healed mean nothing.
        feasible
            Which rows are feasible genomes. Shape (k,).
        """

    def fitness(self, genomes: Genomes) -> Fitness:
        """What is minimised, for feasible genomes."""


@runtime_checkable
class FillingSpecies(Species, Protocol):
    """A species that can fill gaps by chance."""

    def fill(
        self, partial: Genomes, rng: Generator, barred: Genomes | None = None
    ) -> tuple[Genomes, NDArray[np.bool_]]:
        """Fill the `EMPTY` genes at random, whatever comes of it; parameters and answer as for `heal`."""


class ManyObjectives(Species, Protocol):
    """A species with more than one thing to minimise."""

    def objectives(self, genomes: Genomes) -> NDArray[np.int64]:
        """Shape (individuals, objectives), all minimised."""
