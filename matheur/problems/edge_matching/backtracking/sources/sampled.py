"""Tasks whose quotas are chosen by samples of the search tree, once adaptive quotas have taken long."""

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

_LARGER = 4.0  # growth factor of the trees from round to round
_SEED = 0  # fixed, because all jobs of a run must make the same choices

_SMALL, _LARGE = 300_000, 3_000_000  # placements between two samples: to find a strength, and to compare
_STRENGTH, _STRONGEST = 0.9, 2.0  # initial strength, and an upper bound
_GROWTH = 100.0  # change of the logarithm of placements per unit of strength
_STEP_DOWN = 0.03  # initial decrease of the strength after a quota without a board
_FITS = 7  # number of strengths that are tried
_NEAR = 0.4  # tolerance of the logarithm of placements
_WEAKER = 0.01  # decrease of the strength for the first sample of a set, from the first set of its family
_FALLS = 0.22  # decrease of the logarithm of promise per placement with the logarithm of placements


class Sampled(Adaptive):
    """Adapts its quotas until they have taken long; further quotas then come from `QuotaRounds`.

    If each start tries all that its quota allows, the change happens once a quota has taken long, and each chosen quota
    is tried completely. Otherwise, all starts use chosen quotas after some time.

    Attributes
    ----------
    rounds
        Source of the chosen quotas; None before the change.
    chosen
        Quota of the last task; None if it was not chosen by samples.
    """

    def __init__(self, instance: Instance, plan: Plan, walks: list[Walk], rng: Random, sampling: Sampling) -> None:
        super().__init__(instance, plan, walks, rng)
        self._instance, self._sampling = instance, sampling
        self.rounds: QuotaRounds | None = None
        self.chosen: Quota | None = None

    def next(self) -> Task | None:
        """The next part with this quota or, after a sample, the first part with the next quota."""
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
        """Adapt the quota; change to quotas chosen by samples if the starts have taken long."""
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
        """Start choosing quotas by samples after enough placements."""
        if self.rounds is None and placements >= self._sampling.after * self.portion:
            self.rounds = QuotaRounds(self._instance, self._plan.order, self._sampling)
            self.ready = False


class QuotaRounds:
    """Quotas of many sets of colours, one after another: those that promise the most boards per placement.

    In each round, all trees have about the same size, several times that of the previous round. The number of boards
    per placement falls as a tree grows, and differs among sets by a factor of ten. The number of pieces that carry a
    set does not predict this well enough (decision 70).

    Parameters
    ----------
    order
        Cells, each after the cells above it and on its left. One order is enough, because the worth of a set hardly
        depends on it.
    search
        Quotas to choose from.

    Attributes
    ----------
    ended
        Whether there are no more quotas.
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
        """Take a sample for some tenths of a second; return the quota to try next, or None if it is not known yet."""
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
                return  # everything was tried
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
    """A set of colours, and its quota with a tree of the size requested last.

    Attributes
    ----------
    quota
        Quota of the set.
    sample
        Sample of the quota's tree; None if there is none.
    """

    def __init__(self, colours: tuple[int, ...], curve: Curve, sampler: TreeSampler, rng: Random) -> None:
        self.quota = Quota(colours, _STRENGTH, curve)
        self._sampler, self._rng = sampler, rng
        self.sample: TreeSample | None = None
        self._fresh = np.ones(DRAWN, dtype=np.bool_)  # drawn boards that meet no quota already tried

    def known(self) -> bool:
        """Whether the quota has a sample."""
        return self.sample is not None

    def worth(self) -> float:
        """Logarithm of the promised boards per placement that no quota already tried allows."""
        if self.sample is None or not self._fresh.any():
            return -math.inf
        return self.sample.worth + math.log(self._fresh.mean())

    def worth_at(self, placements: float) -> float:
        """Estimate of `worth` for a quota of these colours whose tree has the given size."""
        if self.sample is None:
            return -math.inf
        return self.worth() + _FALLS * math.log(self.sample.placements / placements)

    def begin(self, strength: float) -> None:
        """Take a first sample, of a quota with this strength."""
        self.quota = replace(self.quota, strength=strength)
        self.sample = self._sampler.sample(self.quota, _SMALL, self._rng)

    def compare(self, tried: list[Quota]) -> None:
        """Take a larger sample."""
        self.sample = self._sampler.sample(self.quota, _LARGE, self._rng)
        self._fresh[:] = True
        for quota in tried:
            self.leave_out(quota)

    def leave_out(self, quota: Quota) -> None:
        """Stop counting boards that meet a quota."""
        if self.sample is not None:
            self._fresh &= ~self._sampler.meeting(self.sample.boards, quota)

    def fit(self, placements: float) -> Iterator[None]:
        """Search for the quota that takes about `placements` placements, one sample per step."""
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
    """Sets that promise most by one sample each, with about the strength of the first set of their family."""
    for first, *others in filter(None, families):
        yield from first.fit(placements)
        for candidate in others:
            candidate.begin(first.quota.strength - _WEAKER)
            yield None
    every = [candidate for family in families for candidate in family if candidate.known()]
    return sorted(every, key=lambda candidate: candidate.worth_at(placements))[-number:]
