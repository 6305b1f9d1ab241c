"""A toy species: different numbers below `alphabet` whose sum is even; the fitness is a table's sum by place."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine import Budget
from matheur.methods.evolution import EMPTY, Genomes

__all__ = ["Letters", "LettersHabitat"]


@dataclass(frozen=True)
class Letters:
    """Work: one for each genome made or healed."""

    genes: int = 6
    alphabet: int = 20
    budget: Budget = field(default_factory=Budget)

    def create(self, count: int, rng: Generator) -> Genomes:
        """Random genomes."""
        healed, feasible = self.heal(np.full((count, self.genes), EMPTY, dtype=np.int32), rng)
        return healed[feasible]

    def heal(
        self, partial: Genomes, rng: Generator, barred: Genomes | None = None
    ) -> tuple[Genomes, NDArray[np.bool_]]:
        """Random letters in the gaps, thirty attempts."""
        healed, feasible = partial.copy(), np.zeros(len(partial), dtype=bool)
        for row, genome in enumerate(partial):
            if self.budget.exhausted:
                break
            self.budget.spend(work=1)
            gaps = genome == EMPTY
            taken = genome[~gaps] if barred is None else np.concatenate([genome[~gaps], barred[row]])
            free = np.setdiff1d(np.arange(self.alphabet), taken)
            for _ in range(30):
                healed[row, gaps] = rng.choice(free, gaps.sum(), replace=False)
                feasible[row] = healed[row].sum() % 2 == 0
                if feasible[row]:
                    break
            if feasible[row]:
                self.budget.offer(healed[row], int(self.fitness(healed[row : row + 1])[0]))
        return healed, feasible

    def fill(
        self, partial: Genomes, rng: Generator, barred: Genomes | None = None
    ) -> tuple[Genomes, NDArray[np.bool_]]:
        """Random letters in the gaps, once."""
        filled = partial.copy()
        for row, genome in enumerate(partial):
            gaps = genome == EMPTY
            taken = genome[~gaps] if barred is None else np.concatenate([genome[~gaps], barred[row]])
            filled[row, gaps] = rng.choice(np.setdiff1d(np.arange(self.alphabet), taken), gaps.sum(), replace=False)
        return filled, filled.sum(axis=1) % 2 == 0

    def fitness(self, genomes: Genomes) -> NDArray[np.int64]:
        """A letter costs its number times its place, in a way that has local optima."""
        places = np.arange(1, self.genes + 1)
        return ((genomes * places * 7) % 23 + genomes).sum(axis=1).astype(np.int64)

    def objectives(self, genomes: Genomes) -> NDArray[np.int64]:
        """The fitness against the sum of the first three letters, which should be high."""
        return np.stack([self.fitness(genomes), -genomes[:, :3].sum(axis=1)], axis=1).astype(np.int64)


@dataclass(frozen=True)
class LettersHabitat:
    """Letters under a budget."""

    genes: int = 6
    alphabet: int = 20

    def __call__(self, budget: Budget) -> Letters:
        return Letters(self.genes, self.alphabet, budget)
