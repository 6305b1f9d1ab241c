"""Constructions that search over partial assignments: the searches that find plans, over a `PlacingDomain`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, check_order, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.placements.searching import Solution, Subject, dive, placed
from matheur.problems.plans import anytime
from matheur.problems.plans.searching import AUTO, Plan, bytes_of, heuristic_of, outcome_of, run_search

__all__ = ["AStar", "BatchAStar", "Beam"]


@dataclass(frozen=True, slots=True)
class AStar:
    """A*: partial assignments in the order of cost so far plus a bound on the rest. Work: states expanded.

    A narrow beam runs first, so that a solution is available if time or memory ends before the optimum is found.

    Attributes
    ----------
    heuristic
        Name of a bound of the problem, or `max(a,b)` of several; `auto` for the first bound; `zero` for none;
        `FILE.npz` for a trained network, which proves nothing.
    memory
        Memory limit for the states, in MiB.
    batch
        States expanded at once: a larger batch is faster per state, but expands some states unnecessarily.
    dive
        Width of the initial beam, widened up to 32 times while it finds nothing; 0 for no beam.
    """

    heuristic: str = AUTO
    memory: int = option(4096, minimum=1)
    batch: int = option(32, minimum=1)
    dive: int = option(8, minimum=0, maximum=1 << 16)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Solution]:
        """Search until the optimum is proved, or the budget or the memory ends."""
        from matheur.methods.statespace.best_first.batch_astar import batch_astar

        subject = Subject(problem)

        def search(inner: Budget) -> Outcome[Plan]:
            memory = bytes_of(self.memory)
            if dive(subject, self.heuristic, self.dive, inner, rng):
                return Outcome(Status.EXHAUSTED)
            heuristic = heuristic_of(subject.domain(), self.heuristic, memory=memory, budget=inner)
            answer = run_search(
                lambda: batch_astar(
                    subject.domain(), heuristic, weight=1.0, batch=self.batch, budget=inner, memory=memory,
                    until="proved", on_plan=inner.offer,
                )
            )  # fmt: skip
            return outcome_of(answer, "astar", heuristic)

        return placed(subject, budget, search)


@dataclass(frozen=True, slots=True)
class BatchAStar:
    """Weighted A* that expands many partial assignments at once (Agostinelli et al. 2019). Work: states expanded.

    Attributes
    ----------
    heuristic
        Name of a bound of the problem, or `max(a,b)` of several; `auto` for the first bound; `FILE.npz` for a trained
        network.
    memory
        Memory limit for the states, in MiB.
    weight
        Weight of the cost so far, 0 to 1; smaller values are greedier.
    batch
        States expanded at once.
    until
        When to stop: `first` at the first assignment, `proved` once the best assignment is proved optimal.
    dive
        Width of the initial beam, widened up to 32 times while it finds nothing; 0 for no beam.
    """

    heuristic: str = AUTO
    memory: int = option(4096, minimum=1)
    weight: float = option(0.6, minimum=0, maximum=1)
    batch: int = option(100, minimum=1)
    until: Literal["first", "proved"] = "proved"
    dive: int = option(8, minimum=0, maximum=1 << 16)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Solution]:
        """Search in the order of weight * cost + estimate."""
        weighted = anytime.BatchAStar(self.heuristic, self.memory, self.weight, self.batch, self.until)
        subject = Subject(problem)

        def search(inner: Budget) -> Outcome[Plan]:
            if dive(subject, self.heuristic, self.dive, inner, rng):
                return Outcome(Status.EXHAUSTED)
            return weighted.build(subject, inner, rng)

        return placed(subject, budget, search)


@dataclass(frozen=True, slots=True)
class Beam:
    """Beam searches of doubling width, each for a better assignment than the one before. Work: states expanded.

    Attributes
    ----------
    heuristic
        Name of a bound of the problem, or `max(a,b)` of several; `auto` for the first bound; `FILE.npz` for a trained
        network. States are kept by cost so far plus this estimate.
    memory
        Memory limit for the states, in MiB.
    width
        States kept per layer by the first beam.
    width_max
        States kept per layer by the last beam, or by the first beam that finds an assignment if that is wider; None
        continues until a proof or the end of the budget.
    """

    heuristic: str = AUTO
    memory: int = option(4096, minimum=1)
    width: int = option(16, minimum=1)
    width_max: int | None = option(1 << 12, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)
        check_order(self, "width", "width_max")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Solution]:
        """Run one beam after another."""
        search = anytime.Beam(self.heuristic, "", self.memory, self.width, self.width_max)
        subject = Subject(problem)
        return placed(subject, budget, lambda inner: search.build(subject, inner, rng))
