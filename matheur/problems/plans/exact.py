"""Exact searches as constructions: their plans are optimal, and they detect that there is no plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import DeepeningDomain
from matheur.methods.statespace.domains import domain_of
from matheur.problems.plans.searching import (
    AUTO,
    THREADS_MAX,
    Plan,
    bytes_of,
    heuristic_of,
    order_of,
    outcome_of,
    run_search,
)

__all__ = ["AStar", "Bidirectional", "BreadthFirst", "IdaStar"]


@dataclass(frozen=True, slots=True)
class BreadthFirst:
    """Breadth-first search. Needs moves of equal cost. Work: states expanded.

    Attributes
    ----------
    memory
        Memory for the states in MiB.
    quotient
        Whether to keep only one state of each class of symmetric states.
    """

    memory: int = option(4096, minimum=1)
    quotient: bool = False

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Search level by level until the goal is reached."""
        from matheur.methods.statespace.breadth_first import bfs

        del rng
        domain, memory = domain_of(problem), bytes_of(self.memory)
        answer = run_search(lambda: bfs(domain, budget=budget, memory=memory, quotient=self.quotient))
        return outcome_of(answer, "bfs")


@dataclass(frozen=True, slots=True)
class Bidirectional:
    """Breadth-first search from both ends. Needs moves of equal cost that can be taken back. Work: states expanded.

    Attributes
    ----------
    memory
        Memory for the states of both sides in MiB.
    quotient
        Whether to keep only one state of each class of symmetric states.
    """

    memory: int = option(4096, minimum=1)
    quotient: bool = False

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Search until both sides meet."""
        from matheur.methods.statespace.breadth_first import bidirectional

        del rng
        domain, memory = domain_of(problem), bytes_of(self.memory)
        answer = run_search(lambda: bidirectional(domain, budget=budget, memory=memory, quotient=self.quotient))
        return outcome_of(answer, "bidirectional")


@dataclass(frozen=True, slots=True)
class AStar:
    """A* search, optimal with an admissible heuristic. Work: states expanded.

    Attributes
    ----------
    heuristic
        Name of the heuristic, such as `hamming`, `pattern-database(bits=20)` or `max(a,b)`; `auto` for the domain's
        first heuristic; `FILE.npz` or `learnt` for a trained network of any size, with which nothing is proved.
    memory
        Memory for the states in MiB; the heuristic's tables may use the same amount again.
    ties
        Tie-breaking among states of equal cost plus estimate: `large-g` (largest cost so far, nearest to the goal),
        `small-g`, or `fifo`.
    order
        `FILE.npz` of a network trained by the method `pairs`. It orders the open states by pairwise comparisons; there
        are no estimates and no proofs. Options in brackets as for a heuristic. Empty for no such network.
    """

    heuristic: str = AUTO
    memory: int = option(4096, minimum=1)
    ties: Literal["large-g", "small-g", "fifo"] = "large-g"
    order: str = ""

    def __post_init__(self) -> None:
        check_options(self)
        if self.order and self.heuristic != AUTO:
            raise ConfigurationError("A* takes a heuristic or an order by comparisons, not both")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Search in the order of cost plus estimate."""
        from matheur.methods.statespace.best_first.astar import astar

        del rng
        domain, memory = domain_of(problem), bytes_of(self.memory)
        if self.order:
            from matheur.methods.statespace.best_first.relative import relative_astar

            return outcome_of(
                relative_astar(domain, order_of(domain, self.order), budget=budget, memory=memory), "relative-astar"
            )
        heuristic = heuristic_of(domain, self.heuristic, memory=memory, budget=budget, compiled=True)
        answer = run_search(lambda: astar(domain, heuristic, budget=budget, memory=memory, ties=self.ties))
        return outcome_of(answer, "astar", heuristic)


@dataclass(frozen=True, slots=True)
class IdaStar:
    """Iterative-deepening A*: little memory, states may be expanded many times. Work: states expanded.

    Attributes
    ----------
    heuristic
        Name of the heuristic, such as `hamming`, `pattern-database(bits=20)` or `max(a,b)`; `auto` for the domain's
        first heuristic; `FILE.npz` or `learnt` for a trained network of any size.
    memory
        Memory for the heuristic's tables in MiB; the stack and its table may use the same amount again.
    threads
        Number of threads, if the domain has its own search that can use several. The plan does not depend on it.
    """

    heuristic: str = AUTO
    memory: int = option(1024, minimum=1)
    threads: int = option(1, minimum=1, maximum=THREADS_MAX)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Search with increasing thresholds."""
        from matheur.methods.statespace.best_first.ida_star import ida_star

        del rng
        domain, memory = domain_of(problem), bytes_of(self.memory)
        if isinstance(domain, DeepeningDomain):
            own = domain.ida_star(self.heuristic, budget=budget, memory=memory, threads=self.threads)
            if own is not None:
                return outcome_of(own, "ida-star")
        heuristic = heuristic_of(domain, self.heuristic, memory=memory, budget=budget, compiled=True)
        answer = run_search(lambda: ida_star(domain, heuristic, budget=budget, memory=memory))
        return outcome_of(answer, "ida-star", heuristic)
