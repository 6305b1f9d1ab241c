"""Construction `portfolio`: a narrow beam, exact searches where they come to an end, wide beams."""

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

_NARROW = 1 << 8  # states of a layer of the last beam before the exact searches
_WIDENING = 4  # between two turns of the exact searches
_OPENING = 0.1  # of the time, at most, for these beams


@dataclass(frozen=True, slots=True)
class Portfolio:
    """A plan by narrow beams, then exact searches as far as they promise an end, then beams of doubling width.

    The exact searches are A* (or iterative deepening) and, where moves of cost 1 can be taken back and there is one
    goal, breadth-first search from both ends. They take turns: each is tried for a while, and goes on if the growth of
    its layers says that it will end in time. The best of all bounds is kept. Work: states expanded.

    Attributes
    ----------
    heuristic
        Its name, such as `hamming`, `pattern-database(bits=20)` or `max(a,b)`; `auto` for the domain's own first one;
        `FILE.npz` or `learnt` for a trained network, which proves nothing.
    memory
        MiB for the states, and as many for the heuristic's tables.
    exact
        The guided exact search: `astar`, or `ida-star` where memory is short or the puzzle brings a fast one of its
        own.
    nodes
        States that each exact search may expand on trial.
    seconds
        Limit of a trial in a timed run, None for none.
    exact_share
        Part of the time that is left, or of the work if there is no clock, for exact searches that promise an end.
    width
        States kept of each layer by the first beam.
    width_max
        States kept by the last beam, or the first one that finds a plan if that is wider; None for no end but a proof
        or the budget.
    share
        Part of the time that is left then, after which the beams end if they have found a plan.
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
        Beam(width=self.width, width_max=self.width_max)  # which knows what goes together

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """One after the other, until there is a proof or the budget ends."""
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
        """Exact searches, as far as they seem to come to an end."""
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
        """Beams for plans that cost less than this."""
        from matheur.methods.statespace.best_first.beam import anytime_beam

        answer = run_search(
            lambda: anytime_beam(
                domain, heuristic, rng=rng, width=widths[0], width_max=widths[1], budget=budget,
                memory=bytes_of(self.memory), cost_max=None if cost is None else int(cost) - 1, on_plan=budget.offer,
            )
        )  # fmt: skip
        return outcome_of(answer, "beam", heuristic)


def _done(best: Outcome[Plan], budget: Budget) -> bool:
    """Whether nothing is left to do, or nothing to do it with."""
    proved = best.solution is not None and best.bound == best.objective
    return best.status is Status.INFEASIBLE or proved or budget.exhausted or budget.reached(best.objective)


def _better(first: Outcome[Plan], second: Outcome[Plan]) -> Outcome[Plan]:
    """The cheaper plan, the first one of equals, with the better bound."""
    if Status.INFEASIBLE in (first.status, second.status):
        return first if first.status is Status.INFEASIBLE else second
    costs = [math.inf if one.objective is None else one.objective for one in (first, second)]
    found = second if costs[1] < costs[0] else first
    bounded = second if (second.bound or 0) > (first.bound or 0) else first
    return replace(found, bound=bounded.bound, certificate=bounded.certificate)


def _within(search: IdaStar, problem: Any, share: Budget, rng: Generator) -> Outcome[Plan]:
    """What a search finds in its share, nothing if that ended while tables were built."""
    try:
        return search.build(problem, share, rng)
    except OutOfBudgetError:
        return Outcome(Status.EXHAUSTED)
