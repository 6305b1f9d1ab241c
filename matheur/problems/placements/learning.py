"""Construction `q-learning`: walks through partial assignments that learn what assigning a value is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.errors import ConfigurationError
from matheur.problems.placements.searching import Solution, Subject, placed
from matheur.problems.plans.searching import AUTO, Plan, bytes_of, heuristic_of, outcome_of, run_search

__all__ = ["QLearning"]


@dataclass(frozen=True, slots=True)
class QLearning:
    """Reinforcement learning: each walk assigns slot after slot and learns from its end. Work: slots assigned.

    The planner of the puzzles with moves (Merleau et al. 2024, section 3.2), applied to partial assignments. Its
    `improved` variant keeps a lower and an upper value for every partial assignment that a walk has visited, follows
    the lower values, and proves an optimum when the two values meet.

    Attributes
    ----------
    variant
        `improved`, `paper` (as printed: weights of states, learning rate and discount), or `repository` (as in the
        authors' code); see `matheur.methods.statespace.planners.q_learning`.
    learning_rate, discount
        Parameters of `paper` and `repository`.
    walks
        Number of walks; None for 1,000 with `paper` and `repository`, and 100,000 with `improved`.
    curiosity
        Probability that a walk of `improved` does not follow its values.
    heuristic
        Bound of the problem that initialises the values of `improved`; `auto` for the first bound, `zero` for none.
    memory
        Memory limit for the states, in MiB.
    """

    variant: Literal["improved", "paper", "repository"] = "improved"
    learning_rate: float = option(0.05, minimum=0, maximum=1)
    discount: float = option(0.95, minimum=0, maximum=1)
    walks: int | None = option(None, minimum=1)
    curiosity: float = option(0.1, minimum=0, maximum=1)
    heuristic: str = AUTO
    memory: int = option(1024, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Solution]:
        """Walk and learn; offer every better assignment."""
        from matheur.methods.statespace.calling_back import called_back
        from matheur.methods.statespace.planners.q_learning import COST_MAX, q_learning

        subject = Subject(problem)
        domain = subject.domain()
        if self.variant == "improved" and domain.placing.cost_max > COST_MAX:
            raise ConfigurationError(
                f"q-learning counts costs up to {COST_MAX}, those of this instance reach {domain.placing.cost_max}. "
                "Maybe beam or astar?"
            )

        def search(inner: Budget) -> Outcome[Plan]:
            name = self.heuristic if self.variant == "improved" else "zero"
            known = heuristic_of(domain, name, memory=bytes_of(self.memory), budget=inner)
            with called_back(domain, known) as (compiled, heuristic):
                answer = run_search(
                    lambda: q_learning(
                        compiled, learning_rate=self.learning_rate, discount=self.discount, iterations=self.walks,
                        variant=self.variant, heuristic=heuristic if self.variant == "improved" else None,
                        curiosity=self.curiosity, rng=rng, budget=inner, memory=bytes_of(self.memory),
                        on_plan=inner.offer,
                    )
                )  # fmt: skip
            return outcome_of(answer, "q-learning", known)

        return placed(subject, budget, search)
