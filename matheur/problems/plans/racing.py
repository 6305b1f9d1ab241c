"""Exact searches that take turns.

The search that is nearest to its end continues. Searches that cannot finish in time stop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matheur.engine.budget import Budget
from matheur.methods.statespace.best_first.astar import PausedAStar
from matheur.methods.statespace.breadth_first import BothEnds
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics import Heuristic

__all__ = ["Racer", "Trial", "race", "racers_for"]

_SLICES, _SECONDS = 64, 0.1  # the first slice is 1 / _SLICES of the nodes of a trial, and at most _SECONDS long
_STEADY = 2  # a search continues if it needs at most this many times what it has spent
_STEP = 2  # searches are compared by what they need to raise the best bound by this many moves
_LIKELY = 0.9  # typical ratio of the optimal cost to the cost of a plan found by a narrow beam


@dataclass(frozen=True, slots=True)
class Trial:
    """Limits, in states and seconds, up to which a search may run without a prediction; whichever comes first."""

    nodes: int
    seconds: float = math.inf


@dataclass(slots=True)
class Racer:
    """A search that can be continued.

    Attributes
    ----------
    name
        Name of the search, for its certificate.
    search
        The search, which can be paused.
    heuristic
        Its heuristic, or None.
    expanded, seconds
        States expanded and seconds spent so far.
    """

    name: str
    search: PausedAStar | BothEnds
    heuristic: Heuristic | None = None
    expanded: int = 0
    seconds: float = 0.0

    def run(self, budget: Budget, trial: Trial) -> None:
        """Run the next slice: half as long as all slices before, or at first a small part of the trial."""
        seconds = max(_SECONDS, self.seconds / 2) if budget.timed else None
        inner = budget.child(work=max(1, trial.nodes // _SLICES, self.expanded // 2), seconds=seconds)
        self.search.run(inner)
        self.expanded += inner.spent_work
        self.seconds += inner.elapsed

    @property
    def solved(self) -> bool:
        """Whether it has proved a plan, or that there is none."""
        answer = self.search.answer()
        return answer.proved or answer.unreachable

    @property
    def bound(self) -> int:
        """Lower bound that it has proved."""
        return self.search.answer().bound

    def spent(self, timed: bool) -> float:
        """Seconds spent, or states expanded in a run without a time limit."""
        return self.seconds if timed else float(self.expanded)

    def needs(self, moves: int, timed: bool) -> float:
        """Predicted effort to reach a bound of `moves` moves, in the unit of `spent`; `inf` if memory does not suffice.

        While there is no forecast, it equals the effort spent so far for the next move, and is `inf` for more.
        """
        states = self.search.forecast(moves)
        if states is None:
            return self.spent(timed) if moves <= self.bound + 1 else math.inf
        return states * self.seconds / max(1, self.expanded) if timed else states

    def turn(self, moves: int, timed: bool) -> tuple[bool, float]:
        """Sort key of searches: those that have not run come first, then those that need less.

        A search without a forecast counts as half way.
        """
        untold = self.search.forecast(moves) is None
        return self.expanded > 0, self.spent(timed) if untold else self.needs(moves, timed)


def racers_for(domain: Domain, heuristic: Heuristic, *, memory: int, best_first: bool) -> list[Racer]:
    """The exact searches that suit a domain.

    Parameters
    ----------
    memory
        Memory in bytes for all searches together.
    best_first
        Whether A* takes part, if domain and heuristic are compiled.
    """
    both_ways = domain.unit_costs and domain.reversible and bool(domain.goal_mask.all())
    guided = best_first and domain.expander is not None and heuristic.estimator is not None
    share = memory // max(1, both_ways + guided)
    found = []
    if guided:
        found.append(Racer("astar", PausedAStar(domain, heuristic, memory=share), heuristic))
    if both_ways:
        found.append(Racer("bidirectional", BothEnds(domain, memory=share)))
    return found


def race(racers: Sequence[Racer], budget: Budget, *, cost: int | None, trial: Trial, most: float) -> bool:
    """Run searches in slices until one has ended with a plan or with the proof that there is none.

    The next turn goes to the search that needs least to exceed all bounds by some moves. Once a search has used its
    trial, it continues only while this takes not much more than all it has spent so far, or if the growth of its layers
    predicts that it will finish in time.

    Parameters
    ----------
    cost
        Cost of the best plan known, which a bound may prove to be optimal.
    trial
        Limits up to which a search may run without a prediction.
    most
        Seconds for all searches together, including those of earlier calls; number of states in a run without a time
        limit.

    Returns
    -------
    bool
        True if a search has finished or has proved a bound of `cost`.
    """
    timed = budget.timed
    while not budget.exhausted:
        bounds = [racer.bound for racer in racers]
        if any(racer.solved for racer in racers) or (cost is not None and max(bounds) >= cost):
            return True
        open_ = [racer for racer in racers if not racer.search.ended]
        if not open_:
            return False
        ahead = max(bounds) + _STEP
        chosen = min(open_, key=lambda racer: racer.turn(ahead, timed))
        left = most - sum(racer.spent(timed) for racer in racers)
        on_trial = chosen.expanded < trial.nodes and chosen.seconds < trial.seconds
        steady = chosen.needs(ahead, timed) <= _STEADY * chosen.spent(timed) and chosen.needs(ahead - 1, timed) <= left
        if not on_trial and not steady:
            if cost is None:
                return False
            end = min(cost, max([*bounds, math.ceil(_LIKELY * cost) - 1]) + 1)
            chosen = min(open_, key=lambda racer: racer.needs(end, timed))
            if chosen.needs(end, timed) > left:
                return False
        chosen.run(budget, trial)
    return False
