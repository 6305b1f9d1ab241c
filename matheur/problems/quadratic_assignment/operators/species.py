"""Permutations as a species of `matheur.methods.evolution`: gaps are filled at random, then exchanges go downhill."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.evolution.species import EMPTY, Fitness, Genomes
from matheur.problems.quadratic_assignment.operators.exchange_state import objective
from matheur.problems.quadratic_assignment.operators.swap import Swap

__all__ = ["PermutationSpecies"]

_TRIES = 10  # attempts to assign locations to the gaps without a barred one


class PermutationSpecies:
    """Locations by facility, under a budget. Work: the work of `swap`, plus one for each permutation.

    Parameters
    ----------
    problem
        A `QuadraticAssignment`.
    budget
        Budget of the work. When it ends, `create` returns fewer permutations and `heal` leaves some incomplete.
    descent
        Whether exchanges of two facilities improve every permutation.
    """

    def __init__(self, problem: Any, budget: Budget, *, descent: bool = True) -> None:
        self.problem: Any = problem
        self.budget: Budget = budget
        self.descent: bool = descent
        self._best: int | None = None

    @property
    def genes(self) -> int:
        """Facilities."""
        return int(self.problem.instance.n)

    def create(self, count: int, rng: Generator) -> Genomes:
        """Random permutations, improved by exchanges."""
        healed, feasible = self.heal(np.full((count, self.genes), EMPTY, dtype=np.int32), rng)
        return healed[feasible]

    def heal(
        self, partial: Genomes, rng: Generator, barred: Genomes | None = None
    ) -> tuple[Genomes, NDArray[np.bool_]]:
        """Fill the gaps with the free locations; an exchange may restore a barred one."""
        healed, feasible = partial.copy(), np.zeros(len(partial), dtype=np.bool_)
        for row, genome in enumerate(healed):
            if self.budget.exhausted:
                break
            self.budget.spend(work=1)
            gaps = np.flatnonzero(genome == EMPTY)
            free = np.setdiff1d(np.arange(self.genes), genome)
            for _ in range(_TRIES):
                genome[gaps] = rng.permutation(free)
                if barred is None or not (genome[gaps] == barred[row, gaps]).any():
                    feasible[row] = True
                    break
            if feasible[row]:
                healed[row] = self._improved(genome, rng)
        return healed, feasible

    def _improved(self, genome: NDArray[np.int32], rng: Generator) -> NDArray[np.int32]:
        """The permutation after exchanges; offered if it is the best so far."""
        if self.descent:
            found = Swap().explore(self.problem, genome, self.budget.child(), rng).solution
            genome = genome if found is None else found
        cost = objective(self.problem.instance, genome)
        if self._best is None or cost < self._best:
            self._best = cost
            self.budget.offer(genome.copy(), cost)
        return genome

    def fitness(self, genomes: Genomes) -> Fitness:
        """Costs. Shape (permutations,)."""
        return np.array([objective(self.problem.instance, genome) for genome in genomes], dtype=np.int64)
