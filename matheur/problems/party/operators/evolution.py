"""Neighbourhood `evolution`: a few generations around the incumbent and the elites of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.engine.protocols import solution_key
from matheur.methods.evolution.around import AroundOptions, evolved_around, others
from matheur.problems.party.operators.evolving import Solution
from matheur.problems.party.operators.species import Guide, Healing, Improvement, PartySpecies

__all__ = ["Evolution"]


@dataclass(frozen=True, slots=True)
class Evolution(AroundOptions):
    """A short evolution of parties: crossover slot by slot and mutation, healed by Algorithm 1.

    Work: runs of Algorithm 1, descents, and annealing steps. Iterations: generations. The options of the population are
    described in `matheur.methods.evolution.around.AroundOptions`.

    Attributes
    ----------
    guide
        Guidance of the constructions: `mixed` (matches, slack and price), `match` (as in the paper) or `unguided`.
    attempts
        Maximum number of runs of Algorithm 1 per party; the first feasible result is taken.
    improve
        Improvement of each child: a short `annealing`, a `descent` by replacements of one item, or `none`.
    steps, hot
        Number of annealing steps, and initial temperature as a multiple of the mean item price.
    """

    guide: Guide = "mixed"
    attempts: int = option(3, minimum=1)
    improve: Improvement = "descent"
    steps: int = option(500, minimum=1)
    hot: float = option(0.1, above=0)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(self, problem: Any, incumbent: Solution, budget: Budget, rng: Generator) -> Outcome[Solution]:
        """Evolve; each new best party is offered to the budget."""
        elites = others(budget, solution_key(problem, incumbent), self.elites, rng)
        seeds = np.array([incumbent, *(elite.solution for elite in elites)], dtype=np.int32)
        healing = Healing(self.guide, self.attempts, self.improve, self.steps, self.hot)
        species = PartySpecies(problem.instance, healing, budget)
        found = evolved_around(species, seeds, self, budget, rng)
        before, best = int(species.fitness(seeds[:1])[0]), found.best
        if found.fitness[best] < before:
            return Outcome(Status.IMPROVED, found.genomes[best].copy(), int(found.fitness[best]))
        return Outcome(Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT)
