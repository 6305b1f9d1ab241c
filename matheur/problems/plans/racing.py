"""Exact searches that take turns.

The one goes on that is nearest to its end, and none that cannot come there in time.
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

_SLICES, _SECONDS = 64, 0.1  # the first slice is this part of a trial, and no longer than that
_STEADY = 2  # times what was spent
_STEP = 2  # moves between what is proved and what the searches are compared by
_LIKELY = 0.9  # an optimal plan costs about this part of one that a narrow beam finds


@dataclass(frozen=True, slots=True)
class Trial:
    """States and seconds for a search that need not promise an end; the fewer count."""

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
        Its state.
    heuristic
        If it has one.
    expanded, seconds
        What it has taken.
    """

    name: str
    search: PausedAStar | BothEnds
    heuristic: Heuristic | None = None
    expanded: int = 0
    seconds: float = 0.0

    def run(self, budget: Budget, trial: Trial) -> None:
        """The next slice: half as much as all before, or a small part of the trial at first."""
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
        """What it has proved."""
        return self.search.answer().bound

    def spent(self, timed: bool) -> float:
        """Seconds, or states if nobody looks at the clock."""
        return self.seconds if timed else float(self.expanded)

    def needs(self, moves: int, timed: bool) -> float:
        """The same for what is left up to a bound of `moves` moves; `inf` if that does not fit into the memory.

        As long as there is no telling, as much again as was spent for the next move, and `inf` for more.
        """
        states = self.search.forecast(moves)
        if states is None:
            return self.spent(timed) if moves <= self.bound + 1 else math.inf
        return states * self.seconds / max(1, self.expanded) if timed else states

    def turn(self, moves: int, timed: bool) -> tuple[bool, float]:
        """Sorts searches: each has a first slice, then those that need less; one that cannot tell is half way."""
        untold = self.search.forecast(moves) is None
        return self.expanded > 0, self.spent(timed) if untold else self.needs(moves, timed)


def racers_for(domain: Domain, heuristic: Heuristic, *, memory: int, best_first: bool) -> list[Racer]:
    """The exact searches that suit a domain.

    Parameters
    ----------
    memory
        Bytes of all together.
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

    A turn goes to the search that needs least to get ahead of all by some moves. Once that one has had its trial, it
    goes on as long as that takes not much more than all it has taken so far, or if by the growth of its layers it comes
    to its end in time.

    Parameters
    ----------
    cost
        Cost of the best plan known, which a bound may prove to be optimal.
    trial
        What a search may take before it has to promise something.
    most
        Seconds for all searches together, those of earlier calls included; states, if there is no clock.

    Returns
    -------
    bool
        Whether one has come to its end, or to the cost.
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
