"""Tasks whose quotas are chosen by samples of the search tree, once those that adapt themselves have taken long."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import replace

import numpy as np
from numpy.random import Generator as Random
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.plan import Plan, Sampling
from matheur.problems.edge_matching.backtracking.quotas import Curve, Quota, rare_sets, stretched
from matheur.problems.edge_matching.backtracking.sources.adaptive import Adaptive
from matheur.problems.edge_matching.backtracking.sources.tree_sampler import DRAWN, TreeSample, TreeSampler
from matheur.problems.edge_matching.backtracking.tasks import Outcome, Task
from matheur.problems.edge_matching.backtracking.walk import Walk
from matheur.problems.edge_matching.instance import Instance

__all__ = ["Candidate", "QuotaRounds", "Sampled"]

_LARGER = 4.0  # how many times as large trees are in each further round
_SEED = 0  # all jobs of a run must choose alike

_SMALL, _LARGE = 300_000, 3_000_000  # placements between two samples: to find a strength, and to compare
_STRENGTH, _STRONGEST = 0.9, 2.0  # to begin with, and more than any
_GROWTH = 100.0  # of the logarithm of placements, for all of the strength
_STEP_DOWN = 0.03  # how much weaker a quota is that follows one without a board, at first
_FITS = 7  # strengths that are tried
_NEAR = 0.4  # of the logarithm of placements
_WEAKER = 0.01  # strength of the first sample of a set, below that of the first set of its family
_FALLS = 0.22  # how much less a quota promises for its placements with the logarithm of these


class Sampled(Adaptive):
    """Adapts its quotas until they have taken long; then those to follow come from `QuotaRounds`.

    Where starts end only when all was tried, that is once a quota has taken long, and each chosen quota is tried to its
    end. Elsewhere, after some time, all starts have one that is chosen so.

    Attributes
    ----------
    rounds
        What chooses, None before it is time for that.
    chosen
        The quota of the last task, None if it was not chosen so.
    """

    def __init__(self, instance: Instance, plan: Plan, walks: list[Walk], rng: Random, sampling: Sampling) -> None:
        super().__init__(instance, plan, walks, rng)
        self._instance, self._sampling = instance, sampling
        self.rounds: QuotaRounds | None = None
        self.chosen: Quota | None = None

    def next(self) -> Task | None:
        """The next part with this quota or, after a sample, the first with the next one."""
        if self.rounds is not None and not self.ready:
            self.chosen = self.rounds.look()
            if self.chosen is None and not self.rounds.ended:
                return None
            self.ready = True
        task = super().next()
        if task is None or self.chosen is None:
            return task
        return replace(task, quota=self.chosen, firm=True, patience=None)

    def tell(self, outcome: Outcome) -> bool:
        """Choose by samples from now on, if all starts have taken long."""
        whole = super().tell(outcome)
        if self._plan.restart:
            self._choose_after(self.spent)
        return whole

    def _tried(self, share: float) -> None:
        if self._plan.restart == 0:
            self._choose_after(self.spent - self.begun)
        if self.rounds is None or self.rounds.ended:
            super()._tried(share)
        else:
            self.ready = False

    def _choose_after(self, placements: int) -> None:
        """Begin to choose if there were enough placements."""
        if self.rounds is None and placements >= self._sampling.after * self.portion:
            self.rounds = QuotaRounds(self._instance, self._plan.order, self._sampling)
            self.ready = False


class QuotaRounds:
    """Quotas of many sets of colours, one after the other: those that promise most for their placements.

    In each round all have trees of about one size, some times as large as in the round before. How many boards a tree
    has for its placements falls as it grows, and differs among sets by a factor of ten, which the number of pieces that
    carry a set does not tell well enough (decision 70).

    Parameters
    ----------
    order
        Cells, each after those above and on its left: one for all, as what a set is worth hardly depends on it.
    search
        Quotas to choose from.

    Attributes
    ----------
    ended
        Whether there is no other quota.
    """

    def __init__(self, instance: Instance, order: NDArray[np.int64], search: Sampling) -> None:
        sampler, self._search = TreeSampler(instance, order), search
        families, rng = [], np.random.default_rng(_SEED)
        for frame, inside, later in search.families:
            curve = stretched(later)
            sets = rare_sets(instance, search.sets, frame, inside)
            families.append([Candidate(tuple(colours.tolist()), curve, sampler, rng) for colours in sets])
        self._tried: list[Quota] = []
        self._looks = self._rounds(families)
        self.ended = False

    def look(self) -> Quota | None:
        """Take a sample, some tenths of a second; the quota to be tried next, None as long as that is not known."""
        try:
            return next(self._looks)
        except StopIteration:
            self.ended = True
            return None

    def _rounds(self, families: list[list[Candidate]]) -> Iterator[Quota | None]:
        placements = self._search.placements
        candidates = yield from _seeming_best(families, placements, self._search.fitted)
        del families
        while True:
            for candidate in candidates:
                yield from candidate.fit(placements)
            candidates = sorted(filter(Candidate.known, candidates), key=Candidate.worth)[-self._search.compared :]
            for candidate in candidates:
                candidate.compare(self._tried)
                yield None
            least = max(map(Candidate.worth, candidates), default=-math.inf) - self._search.worse
            if least == -math.inf:
                return  # nothing that was not tried
            for _ in range(self._search.most):
                best = max(candidates, key=Candidate.worth)
                if best.worth() < least:
                    break
                yield best.quota
                self._tried.append(best.quota)
                for candidate in candidates:
                    candidate.leave_out(best.quota)
            placements *= _LARGER


class Candidate:
    """A set of colours, and the quota of it with a tree of the size that was asked for last.

    Attributes
    ----------
    quota
        The quota.
    sample
        Sample of its tree, None if there is none.
    """

    def __init__(self, colours: tuple[int, ...], curve: Curve, sampler: TreeSampler, rng: Random) -> None:
        self.quota = Quota(colours, _STRENGTH, curve)
        self._sampler, self._rng = sampler, rng
        self.sample: TreeSample | None = None
        self._fresh = np.ones(DRAWN, dtype=np.bool_)  # which boards drawn meet no quota that was tried

    def known(self) -> bool:
        """Whether there is such a quota."""
        return self.sample is not None

    def worth(self) -> float:
        """Logarithm of the boards promised for each placement that no quota had that was tried."""
        if self.sample is None or not self._fresh.any():
            return -math.inf
        return self.sample.worth + math.log(self._fresh.mean())

    def worth_at(self, placements: float) -> float:
        """The same of another quota of these colours, with a tree of such a size, as a rule."""
        if self.sample is None:
            return -math.inf
        return self.worth() + _FALLS * math.log(self.sample.placements / placements)

    def begin(self, strength: float) -> None:
        """Take the sample of a quota that is about as large as others."""
        self.quota = replace(self.quota, strength=strength)
        self.sample = self._sampler.sample(self.quota, _SMALL, self._rng)

    def compare(self, tried: list[Quota]) -> None:
        """Take a larger sample."""
        self.sample = self._sampler.sample(self.quota, _LARGE, self._rng)
        self._fresh[:] = True
        for quota in tried:
            self.leave_out(quota)

    def leave_out(self, quota: Quota) -> None:
        """Count boards no longer that meet a quota."""
        if self.sample is not None:
            self._fresh &= ~self._sampler.meeting(self.sample.boards, quota)

    def fit(self, placements: float) -> Iterator[None]:
        """Look for the quota that takes about `placements` placements, one sample after the other."""
        self._fresh[:] = True
        least, most, strength, step, best = 0.0, _STRONGEST, self.quota.strength, _STEP_DOWN, math.inf
        sample, self.sample = self.sample, None
        for number in range(_FITS):
            if number or sample is None:
                sample = self._sampler.sample(replace(self.quota, strength=strength), _SMALL, self._rng)
                yield None
            off = math.log(sample.placements / placements) if sample else -math.inf
            if sample and abs(off) < best:
                best, self.quota, self.sample = abs(off), replace(self.quota, strength=strength), sample
            if abs(off) < _NEAR:
                return
            least, most = (strength, most) if off > 0 else (least, strength)
            if sample:
                strength += off / _GROWTH
            else:
                strength, step = strength - step, 2 * step
            if not least < strength < most:
                strength = (least + most) / 2


def _seeming_best(
    families: list[list[Candidate]], placements: float, number: int
) -> Generator[None, None, list[Candidate]]:
    """Sets that seem to promise most by one sample each, about as strict as the first of their family."""
    for first, *others in filter(None, families):
        yield from first.fit(placements)
        for candidate in others:
            candidate.begin(first.quota.strength - _WEAKER)
            yield None
    every = [candidate for family in families for candidate in family if candidate.known()]
    return sorted(every, key=lambda candidate: candidate.worth_at(placements))[-number:]
