"""Constructions that find a first plan soon and better plans later."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, check_order, option
from matheur.engine.outcome import Outcome
from matheur.errors import ConfigurationError
from matheur.methods.statespace.domains import domain_of
from matheur.problems.plans.searching import (
    AUTO,
    Plan,
    bytes_of,
    deferred_of,
    heuristic_of,
    outcome_of,
    policy_of,
    run_search,
)

__all__ = ["BatchAStar", "Beam"]


@dataclass(frozen=True, slots=True)
class BatchAStar:
    """Weighted A* that expands many states at once (Agostinelli et al. 2019). Work: states expanded.

    Attributes
    ----------
    heuristic
        Name of the heuristic, such as `hamming`, `pattern-database(bits=20)` or `max(a,b)`; `auto` for the domain's
        first heuristic; `FILE.npz` or `learnt` for a trained network. With a network trained by the method `actions`, a
        state is generated only when the move to it is the best open one.
    memory
        Memory for the states in MiB; the heuristic's tables may use the same amount again.
    weight
        Weight of the cost so far, 0 to 1; smaller values are greedier.
    batch
        Number of states expanded at once.
    until
        When to stop: `first` at the first plan, `proved` when the best plan is proved to be optimal.
    rounded
        Whether estimates of a trained network are rounded to whole numbers of at least 1. Otherwise they are
        non-negative real numbers, as in the paper.
    """

    heuristic: str = AUTO
    memory: int = option(4096, minimum=1)
    weight: float = option(0.6, minimum=0, maximum=1)
    batch: int = option(1000, minimum=1)
    until: Literal["first", "proved"] = "first"
    rounded: bool = True

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Search by weight * cost + estimate."""
        from matheur.methods.statespace.best_first.batch_astar import batch_astar

        del rng
        domain, memory = domain_of(problem), bytes_of(self.memory)
        moves = deferred_of(domain, self.heuristic, rounded=self.rounded)
        if moves is None:
            heuristic = heuristic_of(domain, self.heuristic, memory=memory, budget=budget, rounded=self.rounded)
        else:
            domain, heuristic = moves

        def offer(plan: Plan, cost: int) -> None:
            budget.offer(plan if moves is None else plan[:-1], cost)  # the last move is not made

        answer = run_search(
            lambda: batch_astar(
                domain, heuristic, weight=self.weight, batch=self.batch, budget=budget, memory=memory,
                until=self.until, on_plan=offer,
            )
        )  # fmt: skip
        if moves is not None and answer.plan is not None:
            answer = replace(answer, plan=answer.plan[:-1])
        return outcome_of(answer, "batch-astar", heuristic)


@dataclass(frozen=True, slots=True)
class Beam:
    """Beam searches of doubling width, each for a cheaper plan than the one before. Work: states expanded.

    Narrow beams find plans for puzzles on which other searches fail; wide beams find good plans.

    Attributes
    ----------
    heuristic
        Name of the heuristic, such as `hamming`, `pattern-database(bits=20)` or `max(a,b)`; `auto` for the domain's
        first heuristic; `FILE.npz` or `learnt` for a trained network. Ignored if a policy is given.
    policy
        `FILE.npz` of a trained policy, or `learnt` for the policy that comes with matheur. The beam then keeps the
        states with the largest product of the probabilities of the moves that led to them (Takano 2023). Options in
        brackets as for a heuristic. Empty for no policy.
    memory
        Memory for the states in MiB; the heuristic's tables may use the same amount again.
    width
        Number of states that the first beam keeps of each layer.
    width_max
        Number of states that the last beam keeps of each layer. If no plan has been found by then, wider beams follow
        until one finds a plan. None to stop only at a proof or at the end of the budget.
    """

    heuristic: str = AUTO
    policy: str = ""
    memory: int = option(4096, minimum=1)
    width: int = option(16, minimum=1)
    width_max: int | None = 1 << 16

    def __post_init__(self) -> None:
        check_options(self)
        check_order(self, "width", "width_max")
        if self.policy and self.heuristic != AUTO:
            raise ConfigurationError("a beam takes a heuristic or a policy, not both")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Run one beam after the other."""
        from matheur.methods.statespace.best_first.beam import anytime_beam

        domain, memory = domain_of(problem), bytes_of(self.memory)
        guide = policy_of(domain, self.policy) if self.policy else None
        heuristic = heuristic_of(domain, self.heuristic if guide is None else "zero", memory=memory, budget=budget)
        width, width_max = self.width, self.width_max
        while True:
            search = partial(anytime_beam, domain, heuristic, rng=rng, width=width, width_max=width_max, guide=guide)
            answer = run_search(partial(search, budget=budget, memory=memory, on_plan=budget.offer))
            if answer.plan is not None or answer.limit != "width" or width_max is None:
                return outcome_of(answer, "beam", heuristic)
            width = width_max = 2 * width_max
