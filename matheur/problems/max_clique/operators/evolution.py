"""Construction and neighbourhood `evolution`: a population of cliques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.engine.protocols import solution_key
from matheur.methods.evolution.around import AroundOptions, evolved_around, others
from matheur.methods.evolution.genetic import GeneticAlgorithm
from matheur.problems.max_clique.operators.driving import goal_of, outcome_of
from matheur.problems.max_clique.operators.on_core import builds_on_core, explores_on_core
from matheur.problems.max_clique.operators.species import CliqueSpecies

__all__ = ["Around", "Evolution"]

Clique = NDArray[np.int32]

_ENDLESS = 100


@dataclass(frozen=True, slots=True)
class Around(AroundOptions):
    """A short evolution of cliques around the incumbent and the elites of the run. Work: as in the construction.

    The options of the population are in `matheur.methods.evolution.around.AroundOptions`.

    Attributes
    ----------
    selections
        Number of selections of the local search from every child; 0 for no local search.
    """

    selections: int = option(200, minimum=0)

    def __post_init__(self) -> None:
        check_options(self)

    @explores_on_core
    def explore(self, problem: Any, incumbent: Clique, budget: Budget, rng: Generator) -> Outcome[Clique]:
        """Evolve the population and report every new best clique."""
        species = CliqueSpecies(problem, budget, selections=self.selections, goal=goal_of(budget, problem))
        elites = others(budget, solution_key(problem, incumbent), self.elites, rng)
        seeds = np.array([species.genome(one) for one in (incumbent, *(elite.solution for elite in elites))])
        evolved_around(species, seeds, self, budget, rng)
        return outcome_of(problem, species.best, incumbent, finished=not budget.exhausted)


@dataclass(frozen=True, slots=True)
class Evolution:
    """A population of maximal cliques: crossover colour by colour, mutation, repair (in the way of Marchiori 1998).

    Non-adjacent vertices of a child are dropped at random, vertices adjacent to all others are added, and a short local
    search follows. Work: cliques made, and selections of the local search. Iterations: generations.

    Attributes
    ----------
    population, offspring
        Number of cliques kept, and number of children per generation.
    crossover
        Probability that a gene comes from the first parent.
    mutation
        Probability that a gene is dropped.
    selections
        Number of selections of the local search from every child; 0 for no local search.
    generations
        Number of generations; None to continue until the budget ends (100 if the budget has no limit).
    patience
        Number of generations without a larger clique after which a new population starts; None for never.
    """

    population: int = option(20, minimum=2, maximum=100_000)
    offspring: int = option(20, minimum=1, maximum=100_000)
    crossover: float = option(0.5, minimum=0, maximum=1)
    mutation: float = option(0.1, minimum=0, maximum=1)
    selections: int = option(200, minimum=0)
    generations: int | None = option(None, minimum=1)
    patience: int | None = option(20, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    @builds_on_core
    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Clique]:
        """Evolve one population after the other and report every larger clique."""
        goal = goal_of(budget, problem)
        species = CliqueSpecies(problem, budget, selections=self.selections, goal=goal)
        parameters = AroundOptions(
            self.population, self.offspring, crossover=self.crossover, mutation=self.mutation
        ).genetic
        generations = self.generations
        if generations is None and not budget.timed and budget.work is None and budget.iterations is None:
            generations = _ENDLESS
        algorithm, done = GeneticAlgorithm(species, parameters), 0
        while problem.value(species.best) < goal and not budget.exhausted:
            if generations is not None and done >= generations:
                break
            if self.patience is not None and algorithm.idle >= self.patience:
                algorithm = GeneticAlgorithm(species, parameters)
            algorithm.step(rng)
            budget.spend(iterations=1)
            done += 1
        if not len(species.best) and problem.value_max:
            return Outcome(Status.EXHAUSTED)
        return outcome_of(problem, species.best)
