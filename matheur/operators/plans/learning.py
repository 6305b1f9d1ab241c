"""The paper's two methods that learn plans, as constructions (Merleau, O'Malley, Roldán, Mukherjee 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome
from matheur.errors import ConfigurationError
from matheur.operators.plans.searching import AUTO, Plan, bytes_of, heuristic_of, outcome_of, run_search
from matheur.statespace.domains import domain_of

__all__ = ["Evolution", "QLearning"]


@dataclass(frozen=True, slots=True)
class Evolution:
    """A population of plans that grow by random moves (section 3.3, Algorithms 2 and 3). Work: moves tried.

    Attributes
    ----------
    variant
        `paper`, which ends with its first plan, or `improved`, whose plans share states and which goes on; see
        `matheur.statespace.planners.evolution`.
    population, generations
        N and T of the paper.
    exponent
        c of the Zipf distribution of the number of moves of a mutation.
    force
        Weight of the fitness against few moves in the selection of `paper` (alpha of equation 5; 0.7 in the authors'
        code).
    elite
        Part of the population that `paper` copies.
    ball
        States around the goal that `improved` knows beforehand.
    fitness
        Estimate of the distance to the goal, named as the heuristic of `astar`; `auto`: the number of components that
        differ from the goal (equation 3) in `paper`, the domain's own first heuristic in `improved`.
    memory
        MiB for the plans.
    """

    variant: Literal["improved", "paper"] = "improved"
    population: int = 1000
    generations: int = 1000
    exponent: float = 1.8
    force: float = 0.2
    elite: float = 0.1
    ball: int = 1000
    fitness: str = AUTO
    memory: int = 2048

    def __post_init__(self) -> None:
        bytes_of(self.memory)
        if self.population < 1 or self.generations < 1 or self.ball < 1:
            raise ConfigurationError(
                f"population, generations and ball must be at least 1 ({self.population}, {self.generations}, "
                f"{self.ball})"
            )
        if not (0 <= self.force <= 1 and 0 <= self.elite < 1):
            raise ConfigurationError(f"force and elite must be 0 to 1 ({self.force}, {self.elite})")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Evolve; every better plan is handed out."""
        from matheur.statespace.planners.evolution import evolution

        domain, memory = domain_of(problem), bytes_of(self.memory)
        fitness = None
        if self.variant == "improved" or self.fitness != AUTO:
            fitness = heuristic_of(domain, self.fitness, memory=memory, budget=budget)
        answer = run_search(
            lambda: evolution(
                domain, population=self.population, generations=self.generations, exponent=self.exponent,
                force=self.force, elite=self.elite, variant=self.variant, fitness=fitness, ball=self.ball, rng=rng,
                budget=budget, memory=memory, on_plan=budget.offer,
            )
        )  # fmt: skip
        return outcome_of(answer, "evolution", budget, fitness)


@dataclass(frozen=True, slots=True)
class QLearning:
    """Walks from the start that learn from their ends (section 3.2, Algorithm 4). Work: states expanded.

    Attributes
    ----------
    variant
        `paper` (as printed), `repository` (as in the authors' code), or `improved`, which learns lower and upper
        values and so may prove its plan to be optimal; see `matheur.statespace.planners.q_learning`.
    ball
        States around the goal that are known beforehand (P in the paper: 1000, for d = 5 100,000).
    learning_rate, discount
        Of `paper` and `repository`.
    walks
        Number of walks; None for 1000 of `paper` and `repository`, 100,000 of `improved`.
    curiosity
        Probability with which a walk of `improved` does not follow its values.
    heuristic
        Where the values of `improved` start; as for `astar`.
    memory
        MiB for the states.
    """

    variant: Literal["improved", "paper", "repository"] = "improved"
    ball: int = 1000
    learning_rate: float = 0.05
    discount: float = 0.95
    walks: int | None = None
    curiosity: float = 0.1
    heuristic: str = AUTO
    memory: int = 2048

    def __post_init__(self) -> None:
        bytes_of(self.memory)
        if self.ball < 1 or (self.walks is not None and self.walks < 1):
            raise ConfigurationError(f"ball and walks must be at least 1 ({self.ball}, {self.walks})")
        if not 0 <= self.curiosity <= 1 or not 0 <= self.discount <= 1:
            raise ConfigurationError(f"curiosity and discount must be 0 to 1 ({self.curiosity}, {self.discount})")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Walk and learn; every better plan is handed out."""
        from matheur.statespace.planners.q_learning import q_learning

        domain, memory = domain_of(problem), bytes_of(self.memory)
        heuristic = None
        if self.variant == "improved":
            heuristic = heuristic_of(domain, self.heuristic, memory=memory, budget=budget)
        answer = run_search(
            lambda: q_learning(
                domain, ball=self.ball, learning_rate=self.learning_rate, discount=self.discount,
                iterations=self.walks, variant=self.variant, heuristic=heuristic, curiosity=self.curiosity, rng=rng,
                budget=budget, memory=memory, on_plan=budget.offer,
            )
        )  # fmt: skip
        return outcome_of(answer, "q-learning", budget, heuristic)
