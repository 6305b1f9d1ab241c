"""Shared parts of the population-based constructions: options, stopping rules and outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.evolution.genetic import GeneticParameters
from matheur.methods.evolution.population import Population
from matheur.problems.party.operators.species import Guide, Healing, Improvement
from matheur.problems.party.operators.tables import Tables

__all__ = ["Breeding", "Champion", "Solution", "hopeless"]

Solution = NDArray[np.int32]

_ENDLESS = 100


@dataclass(frozen=True, slots=True)
class Breeding:
    """Options of the evolutionary constructions, which describe them."""

    population: int = 10
    offspring: int = 10
    crossover: float = 0.5
    mutation: float = 0.2
    mutation_growth: float = 1.0
    mutation_max: float = 0.8
    random_filling: bool = False
    bar_dropped: bool = True
    pressure: float = 2.0
    distinct: bool = True
    refresh_below: float = 0.001
    refresh_share: float = 1 / 3
    generations: int | None = option(None, minimum=1)
    patience: int | None = option(20, minimum=1)
    guide: Guide = "mixed"
    attempts: int = 3
    improve: Improvement = "annealing"
    steps: int = 2000
    hot: float = 0.3

    def __post_init__(self) -> None:
        check_options(self)
        self.genetic, self.healing  # noqa: B018 - they check the values

    @property
    def genetic(self) -> GeneticParameters:
        """Parameters of a population."""
        return GeneticParameters(
            population=self.population, offspring=self.offspring, crossover=self.crossover, mutation=self.mutation,
            mutation_growth=self.mutation_growth, mutation_max=self.mutation_max, random_filling=self.random_filling,
            bar_dropped=self.bar_dropped, pressure=self.pressure, distinct=self.distinct,
            refresh_below=self.refresh_below, refresh_share=self.refresh_share,
        )  # fmt: skip

    @property
    def healing(self) -> Healing:
        """Options for completing and improving parties."""
        return Healing(self.guide, self.attempts, self.improve, self.steps, self.hot)

    def inner(self, budget: Budget) -> Budget:
        """Return a child budget whose iterations are generations; without any limit, it has 100 of them."""
        generations = self.generations
        if generations is None and not budget.timed and budget.work is None and budget.iterations is None:
            generations = _ENDLESS
        limits = (limit for limit in (generations, budget.iterations_left) if limit is not None)
        return budget.child(iterations=min(limits, default=None))

    def stale(self, idle: int) -> bool:
        """Whether to restart with a new population after `idle` generations without a better party."""
        return self.patience is not None and idle >= self.patience


class Champion:
    """Best party found so far, across restarts."""

    def __init__(self) -> None:
        self.solution: Solution | None = None
        self.price: int | None = None

    def meet(self, population: Population) -> None:
        """Record the best party of a population if it is cheaper."""
        if len(population) and (self.price is None or population.fitness[population.best] < self.price):
            self.solution = population.genomes[population.best].copy()
            self.price = int(population.fitness[population.best])

    def outcome(self) -> Outcome[Solution]:
        """Outcome of a construction."""
        status = Status.EXHAUSTED if self.solution is None else Status.IMPROVED
        return Outcome(status, self.solution, self.price)


def hopeless(problem: Any) -> Outcome[Solution] | None:
    """Outcome if a slot has no candidates or demands contradict each other trivially, else None."""
    if not Tables.of(problem.instance).impossible:
        return None
    reason = problem.infeasible_reason() or "no item fits some slot, or two demands contradict each other"
    return Outcome(Status.INFEASIBLE, reason=reason)
