"""Neighbourhood `evolution`: a few generations around the incumbent and the elites of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options
from matheur.engine.outcome import Outcome, Status
from matheur.engine.protocols import solution_key
from matheur.methods.evolution.around import AroundOptions, evolved_around, others
from matheur.problems.quadratic_assignment.operators.species import PermutationSpecies

__all__ = ["Evolution"]

Permutation = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Evolution(AroundOptions):
    """A short evolution of permutations: uniform crossover, facilities set free and placed again, then exchanges.

    Work: permutations made, plus the work of `swap`. Iterations: generations. The options of the population are in
    `matheur.methods.evolution.around.AroundOptions`.

    Attributes
    ----------
    descent
        Whether exchanges of two facilities improve every child.
    """

    descent: bool = True

    def __post_init__(self) -> None:
        check_options(self)

    def explore(self, problem: Any, incumbent: Permutation, budget: Budget, rng: Generator) -> Outcome[Permutation]:
        """Evolve; every permutation that is better than all previous ones is offered."""
        elites = others(budget, solution_key(problem, incumbent), self.elites, rng)
        seeds = np.array([incumbent, *(elite.solution for elite in elites)], dtype=np.int32)
        species = PermutationSpecies(problem, budget, descent=self.descent)
        found = evolved_around(species, seeds, self, budget, rng)
        before, best = int(species.fitness(seeds[:1])[0]), found.best
        if found.fitness[best] < before:
            return Outcome(Status.IMPROVED, found.genomes[best].copy(), int(found.fitness[best]))
        return Outcome(Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT)
