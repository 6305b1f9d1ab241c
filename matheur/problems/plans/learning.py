"""The paper's two methods that learn plans, as constructions (Merleau, O'Malley, Roldán, Mukherjee 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.problems.plans.searching import AUTO, Plan, bytes_of, heuristic_of, outcome_of, run_search

__all__ = ["Evolution", "QLearning"]


@dataclass(frozen=True, slots=True)
class Evolution:
    """A population of plans that grow by random moves (section 3.3, Algorithms 2 and 3). Work: moves tried.

    Attributes
    ----------
    variant
        `paper`, which ends with its first plan, or `improved`, which continues after it and whose plans share states;
        see `matheur.methods.statespace.planners.evolution`.
    population, generations
        Number of plans, and number of generations (N and T of the paper).
    exponent
        Exponent c of the Zipf distribution of the number of moves of a mutation.
    force
        Weight of the fitness relative to the number of moves in the selection of `paper` (alpha of equation 5; 0.7 in
        the authors' code).
    elite
        Fraction of the population that `paper` copies unchanged.
    ball
        Number of states around the goal that `improved` knows in advance; None for the number that the puzzle
        recommends, or 1000.
    fitness
        Estimate e of the distance to the goal, named as the heuristic of `astar`. With `auto`, it is the number of
        components that differ from the goal in `paper`, and the domain's first heuristic in `improved`. The fitness is
        1 / (1 + e). This corrects equation 3 of the paper, which would reward components that differ.
    by_face
        Whether to draw a free face of the piece first and then a place on it (Algorithm 3 in the published code). Near
        places lie on more faces and are therefore more likely. Only for puzzles whose pieces move over faces.
    memory
        Memory for the plans in MiB.
    """

    variant: Literal["improved", "paper"] = "improved"
    population: int = option(1000, minimum=1)
    generations: int = option(1000, minimum=1)
    exponent: float = 1.8
    force: float = option(0.2, minimum=0, maximum=1)
    elite: float = option(0.1, minimum=0, below=1)
    ball: int | None = option(None, minimum=1)
    fitness: str = AUTO
    by_face: bool = False
    memory: int = option(2048, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Evolve the population and report every better plan."""
        from matheur.methods.statespace.planners.evolution import evolution

        domain, memory = domain_of(problem), bytes_of(self.memory)
        if self.by_face:
            domain = _by_face(domain)
        fitness = None
        if self.variant == "improved" or self.fitness != AUTO:
            fitness = heuristic_of(domain, self.fitness, memory=memory, budget=budget, compiled=True)
        answer = run_search(
            lambda: evolution(
                domain, population=self.population, generations=self.generations, exponent=self.exponent,
                force=self.force, elite=self.elite, variant=self.variant, fitness=fitness, ball=self.ball, rng=rng,
                budget=budget, memory=memory, on_plan=budget.offer,
            )
        )  # fmt: skip
        return outcome_of(answer, "evolution", fitness)


@dataclass(frozen=True, slots=True)
class QLearning:
    """Walks from the start that learn from their ends (section 3.2, Algorithm 4). Work: states expanded.

    Attributes
    ----------
    variant
        `paper` (Algorithm 4 as printed), `text` (the reward in the paper's text), `repository` (the authors' code), or
        `improved`, which learns lower and upper bounds on the values and can therefore prove its plan optimal; see
        `matheur.methods.statespace.planners.q_learning`.
    ball
        Number of states around the goal that are known in advance (P of the paper); None for the number that the puzzle
        recommends, or 1000.
    learning_rate, discount
        Learning rate and discount factor of all variants but `improved`; the rate is also r of `text`.
    growth
        Parameter lambda of `text`: the reward grows by the factor 1 + lambda from one step of a walk to the next.
    walks
        Number of walks; None for 100,000 with `improved` and 1000 with the other variants.
    curiosity
        Probability with which a walk of `improved` does not follow its values.
    heuristic
        Name of the heuristic that initialises the values of `improved`, as for `astar`.
    memory
        Memory for the states in MiB.
    """

    variant: Literal["improved", "paper", "text", "repository"] = "improved"
    ball: int | None = option(None, minimum=1)
    learning_rate: float = 0.05
    discount: float = option(0.95, minimum=0, maximum=1)
    growth: float = option(0.05, minimum=0)
    walks: int | None = option(None, minimum=1)
    curiosity: float = option(0.1, minimum=0, maximum=1)
    heuristic: str = AUTO
    memory: int = option(2048, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Walk, learn and report every better plan."""
        from matheur.methods.statespace.planners.q_learning import q_learning

        domain, memory = domain_of(problem), bytes_of(self.memory)
        heuristic = None
        if self.variant == "improved":
            heuristic = heuristic_of(domain, self.heuristic, memory=memory, budget=budget)
        answer = run_search(
            lambda: q_learning(
                domain, ball=self.ball, learning_rate=self.learning_rate, discount=self.discount,
                growth=self.growth, iterations=self.walks, variant=self.variant, heuristic=heuristic,
                curiosity=self.curiosity, rng=rng, budget=budget, memory=memory, on_plan=budget.offer,
            )
        )  # fmt: skip
        return outcome_of(answer, "q-learning", heuristic)


def _by_face(domain: Domain) -> Domain:
    """The domain with its moves listed by face.

    Raises
    ------
    ConfigurationError
        If the domain has no faces, or the puzzle is too large for such a list.
    """
    listed = getattr(domain, "by_face", None)
    if listed is None:
        raise ConfigurationError(f"by_face: pieces of '{domain.name}' do not move over faces. Maybe leave it out?")
    try:
        found: Domain = listed()
    except ValueError as error:
        raise ConfigurationError(str(error)) from None
    return found
