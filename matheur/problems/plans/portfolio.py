"""Construction `portfolio`: narrow beams, exact searches if they can finish in time, and wide beams."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.heuristics import Heuristic
from matheur.problems.plans.anytime import Beam
from matheur.problems.plans.exact import IdaStar
from matheur.problems.plans.racing import Racer, Trial, race, racers_for
from matheur.problems.plans.searching import AUTO, Plan, bytes_of, heuristic_of, outcome_of, run_search

__all__ = ["Portfolio"]

_NARROW = 1 << 8  # states per layer of the last beam before the exact searches
_WIDENING = 4  # factor by which beams widen between two turns of the exact searches
_OPENING = 0.1  # largest part of the time for the beams before the exact searches


@dataclass(frozen=True, slots=True)
class Portfolio:
    """A plan by narrow beams, then exact searches as far as they promise an end, then beams of doubling width.

    The exact searches are A* (or iterative deepening) and, if all moves cost 1 and are reversible and there is a single
    goal, breadth-first search from both ends. They take turns: each has a trial, and continues if the growth of its
    layers predicts that it will finish in time. The best of all bounds is kept. Work: states expanded.

    Attributes
    ----------
    heuristic
        Name of the heuristic, such as `hamming`, `pattern-database(bits=20)` or `max(a,b)`; `auto` for the domain's
        first heuristic; `FILE.npz` or `learnt` for a trained network, with which nothing is proved.
    memory
        Memory for the states in MiB; the heuristic's tables may use the same amount again.
    exact
        The guided exact search: `astar`, or `ida-star` if memory is short or the puzzle has a fast implementation of
        its own.
    nodes
        Number of states that each exact search may expand in its trial.
    seconds
        Time limit of a trial in a timed run; None for no limit.
    exact_share
        Fraction of the remaining time (of the remaining work in a run without a time limit) for exact searches that are
        predicted to finish.
    width
        Number of states that the first beam keeps of each layer.
    width_max
        Number of states that the last beam keeps of each layer. If no plan has been found by then, wider beams follow
        until one finds a plan. None to stop only at a proof or at the end of the budget.
    share
        Fraction of the time remaining after the first turn of the exact searches. The beams end after it if there is a
        plan.
    """

    heuristic: str = AUTO
    memory: int = option(4096, minimum=1)
    exact: Literal["astar", "ida-star"] = "astar"
    nodes: int = option(300_000, minimum=1)
    seconds: float | None = option(2.0, above=0)
    exact_share: float = option(0.7, above=0, maximum=1)
    width: int = option(16, minimum=1)
    width_max: int | None = 1 << 16
    share: float = option(0.6, above=0, maximum=1)

    def __post_init__(self) -> None:
        check_options(self)
        Beam(width=self.width, width_max=self.width_max)  # checks that the two are compatible

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Run beams and exact searches in turn, until there is a proof or the budget ends."""
        domain = domain_of(problem)
        heuristic = heuristic_of(domain, self.heuristic, memory=bytes_of(self.memory), budget=budget)
        timed, width_max = budget.timed, self.width_max
        narrow = max(self.width, _NARROW) if width_max is None else min(width_max, max(self.width, _NARROW))
        inner = budget.child(work=max(1, self.nodes // 10), seconds=_OPENING * budget.seconds_left if timed else None)
        best = self._beams(domain, heuristic, rng, inner, (self.width, narrow))
        if self.exact == "ida-star" and not _done(best, budget):
            share = budget.child(work=self.nodes, seconds=self.seconds if timed else None)
            best = _better(best, _within(IdaStar(heuristic=self.heuristic, memory=self.memory), problem, share, rng))
        racers = racers_for(domain, heuristic, memory=bytes_of(self.memory), best_first=self.exact == "astar")
        most = self.exact_share * (budget.seconds_left if timed else budget.work_left or 0)
        if racers and not _done(best, budget):
            best = self._prove(racers, best, budget, self.nodes, most)
        inner, width = budget.child(seconds=self.share * budget.seconds_left if timed else None), narrow
        before = budget.spent_work
        while not _done(best, budget) and (width_max is None or width < width_max or best.solution is None):
            if inner.exhausted and best.solution is not None:
                break
            inner = budget if inner.exhausted else inner
            most_wide = width_max if best.solution is not None else None
            wider = _WIDENING * width if most_wide is None else min(most_wide, _WIDENING * width)
            widths = min(2 * width, wider), wider
            best = _better(best, self._beams(domain, heuristic, rng, inner, widths, best.objective))
            width = wider
            if racers and not _done(best, budget):
                best = self._prove(racers, best, budget, max(self.nodes, budget.spent_work - before), most)
        return best

    def _prove(
        self, racers: Sequence[Racer], best: Outcome[Plan], budget: Budget, nodes: int, most: float
    ) -> Outcome[Plan]:
        """Run the exact searches as long as they are predicted to finish."""
        seconds = math.inf if self.seconds is None else min(self.seconds, most)
        trial = Trial(nodes, seconds if budget.timed else math.inf)
        race(racers, budget, cost=None if best.objective is None else int(best.objective), trial=trial, most=most)
        known = best.objective
        for racer in racers:
            best = _better(best, outcome_of(racer.search.answer(), racer.name, racer.heuristic))
        if best.objective is not None and best.objective != known:
            budget.offer(best.solution, best.objective)
        return best

    def _beams(
        self, domain: Domain, heuristic: Heuristic, rng: Generator, budget: Budget, widths: tuple[int, int],
        cost: int | float | None = None,
    ) -> Outcome[Plan]:  # fmt: skip
        """Run beams that look for plans that cost less than `cost`."""
        from matheur.methods.statespace.best_first.beam import anytime_beam

        answer = run_search(
            lambda: anytime_beam(
                domain, heuristic, rng=rng, width=widths[0], width_max=widths[1], budget=budget,
                memory=bytes_of(self.memory), cost_max=None if cost is None else int(cost) - 1, on_plan=budget.offer,
            )
        )  # fmt: skip
        return outcome_of(answer, "beam", heuristic)


def _done(best: Outcome[Plan], budget: Budget) -> bool:
    """Whether the search is complete or the budget is used up."""
    proved = best.solution is not None and best.bound == best.objective
    return best.status is Status.INFEASIBLE or proved or budget.exhausted or budget.reached(best.objective)


def _better(first: Outcome[Plan], second: Outcome[Plan]) -> Outcome[Plan]:
    """The cheaper plan (the first if both cost the same) with the better bound."""
    if Status.INFEASIBLE in (first.status, second.status):
        return first if first.status is Status.INFEASIBLE else second
    costs = [math.inf if one.objective is None else one.objective for one in (first, second)]
    found = second if costs[1] < costs[0] else first
    bounded = second if (second.bound or 0) > (first.bound or 0) else first
    return replace(found, bound=bounded.bound, certificate=bounded.certificate)


def _within(search: IdaStar, problem: Any, share: Budget, rng: Generator) -> Outcome[Plan]:
    """Outcome of a search within its share of the budget; no plan if the share ended while tables were built."""
    try:
        return search.build(problem, share, rng)
    except OutOfBudgetError:
        return Outcome(Status.EXHAUSTED)
