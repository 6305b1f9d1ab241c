"""Tasks whose quota adapts to what earlier starts could meet."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.random import Generator

from matheur.problems.edge_matching.backtracking.plan import Plan
from matheur.problems.edge_matching.backtracking.quotas import Quota, rare_sets
from matheur.problems.edge_matching.backtracking.tasks import End, Outcome, Task
from matheur.problems.edge_matching.backtracking.walk import Walk
from matheur.problems.edge_matching.instance import Instance

__all__ = ["Adaptive"]

# The quota is lowered after a start that does not pass it and raised after one that does, so that five in six starts
# pass it: a quota this strict leaves the fewest colours for the rest.
_LOWER, _RAISE = 0.01, 0.002
_SHORTEST = 0.1  # shortest start as a share of the longest; within these limits, a start is as long as all earlier ones
_LEAST = 0.2  # strength below which there is no quota
_TRIAL = 20_000_000  # placements of a start without a limit of its own, before there is a board


class Adaptive:
    """Each task spends the colours of the set with the strictest quota, which its outcome makes stricter or weaker.

    Without a quota (`strength` 0), only the lengths and parts of the tasks are determined here.

    Attributes
    ----------
    parts
        Walk number and piece in the first cell of each task of this job; the tasks of all jobs together try all that a
        quota allows.
    strengths
        Current strength of the quota of each set of colours; see `exhaustion_curve`.
    ready, complete
        See `Source`.
    """

    def __init__(self, instance: Instance, plan: Plan, walks: list[Walk], rng: Generator) -> None:
        self._plan, self._rng, self.ready = plan, rng, True
        sets = rare_sets(instance, plan.sets) if plan.strength > 0 else []
        self.sets: list[tuple[int, ...]] = [tuple(colours.tolist()) for colours in sets] or [()]
        self.strengths = np.full(len(self.sets), plan.strength)
        self._ceilings = np.ones(len(self.sets))  # above these, everything was tried
        self.set = 0  # set of the last task
        every = _parts(plan, walks)
        job, jobs = plan.job[0], min(plan.job[1], len(every))
        self.parts = every[job % jobs :: jobs]
        self.portion = len(self.parts) / len(every)  # share of this job
        self.left: list[tuple[int, int | None]] = []  # parts still to be tried with this quota
        self._patience = plan.patience
        if len(self.parts) > 1:
            self._patience = -(-plan.patience // len(walks[0].beginnings))
        self.complete: bool = plan.job[1] == 1 or not walks[0].beginnings
        self.spent = self.begun = 0  # placements in total, and before this quota
        self._share = 0.0  # share of the strictest quota used by the last start

    def next(self) -> Task | None:
        """The next part with this quota, or the first part with the next quota."""
        self.set = int(self.strengths.argmax())
        if not self.left:
            self.begun = self.spent
            self.left = [self.parts[part] for part in self._rng.permutation(len(self.parts))]
        walk, first = self.left.pop()
        plan, strength = self._plan, float(self.strengths[self.set])
        longest, patience = plan.restart, self._patience
        if longest:
            part = min(1.0, max(_SHORTEST, self.spent / longest))
            longest, patience = ceil(part * longest), ceil(part * plan.patience)
        return Task(
            walk,
            first,
            Quota(self.sets[self.set], strength),
            spread=0.0 if self._share < 1 else plan.spread,  # every second start
            limit=longest or None,
            trial=_TRIAL if longest == 0 else None,
            patience=patience if patience > 0 and strength > 0 else None,
        )

    def tell(self, outcome: Outcome) -> bool:
        """Weaken or strengthen the quota; return True if everything was tried without a quota."""
        self.spent += outcome.placements
        self._share = outcome.share
        if outcome.end is End.TRIED:
            if self.left:
                return False
            if self.strengths[self.set] <= 0:
                return True
            self._tried(outcome.share)
        elif not outcome.beyond:
            if outcome.end is End.STUCK or not self.left:
                self._lower()
        elif outcome.end is End.STOPPED:
            raised = self.strengths[self.set] * (1 + _RAISE)
            self.strengths[self.set] = min(raised, self._ceilings[self.set])
        return False

    def renew(self) -> None:
        """Forget which quotas were tried completely."""
        self._ceilings[:] = 1.0

    def _lower(self) -> None:
        """Weaken the quota of the last start."""
        self.strengths[self.set] *= 1 - _LOWER

    def _tried(self, share: float) -> None:
        """Note that all that this share of the quota allows was tried, and never use as strict a quota again."""
        self.strengths[self.set] *= share
        self._lower()
        self._ceilings[self.set] = self.strengths[self.set]
        if self._plan.restart is None or self.strengths[self.set] < _LEAST:
            self.strengths[:] = 0.0


def _parts(plan: Plan, walks: list[Walk]) -> list[tuple[int, int | None]]:
    """Starts that together try all that a quota allows."""
    if plan.restart != 0 or not walks[0].beginnings:
        return [(0, None)]
    return [(number, first) for number, walk in enumerate(walks) for first in walk.beginnings]
