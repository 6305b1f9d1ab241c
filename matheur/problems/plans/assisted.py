"""The hybrid of evolution and Q-learning as a construction (the outlook of Merleau et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.methods.statespace.domains import domain_of
from matheur.problems.plans.searching import AUTO, Plan, bytes_of, heuristic_of, outcome_of, run_search

__all__ = ["AssistedEvolution"]


@dataclass(frozen=True, slots=True)
class AssistedEvolution:
    """Walks of Q-learning, then a population of plans that draws moves by the weights learnt. Work: states expanded.

    See `matheur.methods.statespace.planners.assisted_evolution`.

    Attributes
    ----------
    walks
        Number of Q-learning walks before the first generation.
    population, generations
        Number of plans, and number of generations.
    exponent
        Exponent of the Zipf distribution of the number of moves of a mutation.
    force
        Weight of the fitness relative to the number of moves in the selection.
    elite
        Fraction of the population that is copied unchanged.
    learning_rate, discount
        Learning rate and discount factor of the weights of states.
    ball
        Number of states around the goal that have weights from the beginning; None for the number that the puzzle
        recommends, or 1000.
    longest
        Largest number of moves of a plan in the population.
    fitness
        Estimate of the distance to the goal, named as the heuristic of `astar`. With `auto`, it is the number of
        components that differ from the goal.
    memory
        Memory for plans and states in MiB.
    """

    walks: int = option(1000, minimum=0)
    population: int = option(1000, minimum=1)
    generations: int = option(1000, minimum=1)
    exponent: float = 1.8
    force: float = option(0.7, minimum=0, maximum=1)
    elite: float = option(0.1, minimum=0, below=1)
    learning_rate: float = option(0.05, minimum=0, maximum=1)
    discount: float = option(0.95, minimum=0, maximum=1)
    ball: int | None = option(None, minimum=1)
    longest: int = option(1000, minimum=1)
    fitness: str = AUTO
    memory: int = option(2048, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Walk, evolve, learn and report every better plan."""
        from matheur.methods.statespace.planners.assisted_evolution import assisted_evolution

        domain, memory = domain_of(problem), bytes_of(self.memory)
        fitness = None
        if self.fitness != AUTO:
            fitness = heuristic_of(domain, self.fitness, memory=memory, budget=budget)
        answer = run_search(
            lambda: assisted_evolution(
                domain, walks=self.walks, population=self.population, generations=self.generations,
                exponent=self.exponent, force=self.force, elite=self.elite, learning_rate=self.learning_rate,
                discount=self.discount, ball=self.ball, longest=self.longest, fitness=fitness, rng=rng, budget=budget,
                memory=memory, on_plan=budget.offer,
            )
        )  # fmt: skip
        return outcome_of(answer, "assisted-evolution", fitness)
