"""Which quotas to try: how many placements they take and what their boards promise, told by samples."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator as Random
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.plan import Sampling
from matheur.problems.edge_matching.backtracking.slip_schedule import Curve, exhaustion_curve, rare_sets, stretched
from matheur.problems.edge_matching.backtracking.slip_tables import SlipTables
from matheur.problems.edge_matching.instance import DOWN, RIGHT, Instance

__all__ = [
    "Candidate",
    "Quota",
    "QuotaRounds",
    "TreeSample",
    "TreeSampler",
]

_LARGER = 4.0  # how many times as large trees are in each further round
_SEED = 0  # all jobs of a run must choose alike

_STEP = 5  # cells between two samples
_DEPTH = 0.73  # of the board: how far boards are sampled
_KEPT = 300_000  # boards of a sample
_DRAWN = 5_000  # of these, to see which quotas they meet
_SMALL, _LARGE = 300_000, 3_000_000  # placements between two samples: to find a strength, and to compare

_STRENGTH, _STRONGEST = 0.9, 2.0  # to begin with, and more than any
_GROWTH = 100.0  # of the logarithm of placements, for all of the strength
_STEP_DOWN = 0.03  # how much weaker a quota is that follows one without a board, at first
_FITS = 7  # strengths that are tried
_NEAR = 0.4  # of the logarithm of placements
_WEAKER = 0.01  # strength of the first sample of a set, below that of the first set of its family
_FALLS = 0.22  # how much less a quota promises for its placements with the logarithm of these


@dataclass(frozen=True, slots=True)
class Quota:
    """Colours to be spent first, and how soon.

    Attributes
    ----------
    colours
        That are spent.
    strength, curve
        See `exhaustion_curve`.
    """

    colours: tuple[int, ...]
    strength: float
    curve: Curve | None = None

    def asked(self, instance: Instance) -> NDArray[np.int64]:
        """Sides that must have been laid once a cell is filled, shape (cells + 1,)."""
        return exhaustion_curve(instance, np.array(self.colours), instance.cells, self.strength, self.curve)


@dataclass(frozen=True, slots=True, eq=False)
class TreeSample:
    """What a sample tells of all partial boards that a quota allows.

    Attributes
    ----------
    placements
        Without a mismatch, up to where boards are sampled.
    promise
        Logarithm of how many boards there would be in the end if all ways to join the sides that are left were equally
        likely, but for a constant of the puzzle.
    boards
        Some of the partial boards, drawn in proportion to what they promise: pieces by depth, shape (any, cells).
    """

    placements: float
    promise: float
    boards: NDArray[np.uint16]

    @property
    def worth(self) -> float:
        """Logarithm of the boards promised for each placement."""
        return self.promise - math.log(self.placements)


class TreeSampler:
    """Samples the partial boards that a quota allows, some cells at a time.

    From a random sample of the boards with so many cells all that have some cells more are made, and a sample of these
    goes on: stratified sampling of a search tree (Knuth 1975, Estimating the efficiency of backtrack programs; Chen
    1992, Heuristic sampling). Trees of 10^12 placements take a second, and come out within a fifth as a rule.

    Parameters
    ----------
    order
        Cells, each after those above and on its left.
    """

    def __init__(self, instance: Instance, order: NDArray[np.int64]) -> None:
        self._instance = instance
        self._tables = tables = SlipTables(instance, order, 0)
        entries = np.array(sorted(tables.candidates()), dtype=np.int64).reshape(-1, 4)
        self._start = np.searchsorted(entries[:, 0], np.arange(int(tables.base[-1]) + 2))
        self._rights, self._downs = entries[:, 1].copy(), entries[:, 2].copy()
        self._pieces = entries[:, 3] >> 2
        names = np.union1d(instance.sides, 0)
        self._sides = (instance.pieces[:, :, None] == names).sum(axis=1)  # of pieces, by colour
        hinted = np.flatnonzero(tables.fixed >= 0)
        self._free = self._sides.sum(axis=0) - self._sides[tables.fixed[hinted] >> 2].sum(axis=0)
        self._names, self._hinted = names, hinted
        self._used = np.zeros(instance.cells, dtype=np.bool_)
        most = max(self._free.max(), 1) + 1
        self._logarithms = np.array([math.lgamma(number + 1) for number in range(most)])
        cells = len(tables.order)
        self._depths = [*range(_STEP, int(_DEPTH * cells), _STEP), int(_DEPTH * cells)]

    def sample(self, quota: Quota, effort: int, rng: Random) -> TreeSample | None:
        """The tree of a quota, by so many placements or some more between two samples; None if no board is left."""
        # Numba is imported where it is used: importing the package must stay cheap.
        from matheur.problems.edge_matching.backtracking import quota_kernels as kernels

        tables = self._tables
        spent, asked = self._spent(quota)
        spent = spent[self._pieces]
        right, down = tables.right.copy(), tables.down.copy()
        rows, random = (
            np.zeros((3, len(tables.order) + 1), dtype=np.int64),
            rng.integers(1 << 63, size=1, dtype=np.uint64),
        )
        sample, begin, weight, placements = np.zeros((1, 0), dtype=np.uint16), 0, 1.0, 0.0
        for end in self._depths:
            grown = np.empty((_KEPT, end), dtype=np.uint16)
            taken, ways, made = kernels.grow(
                sample, rng.permutation(len(sample)), effort, begin, end, tables.base, tables.above, tables.left,
                self._start, self._rights, self._downs, self._pieces, spent, asked, right, down, self._used, rows,
                random, grown,
            )  # fmt: skip
            if not ways:
                return None
            weight *= len(sample) / taken
            placements += weight * made
            sample, begin = grown[: min(ways, _KEPT)], end
            weight *= ways / len(sample)
        promises = self._promises(sample, begin)
        best = promises.max()
        if best == -np.inf:
            return None
        shares = np.cumsum(np.exp(promises - best))
        drawn = np.searchsorted(shares, (np.arange(_DRAWN) + rng.random()) * shares[-1] / _DRAWN)
        boards = self._pieces[sample[np.minimum(drawn, len(sample) - 1)]].astype(np.uint16)
        return TreeSample(placements, float(best + math.log(shares[-1] * weight)), boards)

    def meeting(self, boards: NDArray[np.uint16], quota: Quota) -> NDArray[np.bool_]:
        """Which partial boards, as in a `TreeSample`, meet a quota."""
        spent, asked = self._spent(quota)
        met: NDArray[np.bool_] = np.cumsum(spent[boards], axis=1) >= asked[: boards.shape[1]]
        return np.asarray(met.all(axis=1))

    def _spent(self, quota: Quota) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Sides of each piece that a quota counts, and how many it asks for behind those of fixed pieces, by depth."""
        tables = self._tables
        spent = np.isin(self._instance.pieces, quota.colours).sum(axis=1)
        fixed = int(spent[tables.fixed[self._hinted] >> 2].sum())
        return spent, quota.asked(self._instance)[self._instance.cells - len(tables.order) :] - fixed

    def _promises(self, sample: NDArray[np.uint16], filled: int) -> NDArray[np.float64]:
        from matheur.problems.edge_matching.backtracking import quota_kernels as kernels

        instance, tables = self._instance, self._tables
        laid = np.isin(np.arange(instance.cells), tables.order[:filled])
        laid[self._hinted] = True
        empty = (instance.neighbours >= 0) & ~laid[instance.neighbours]  # by side
        wanted = np.zeros(len(self._names), dtype=np.int64)
        shown = instance.sides[tables.fixed[self._hinted]]
        np.add.at(wanted, np.searchsorted(self._names, shown[empty[self._hinted]]), 1)
        promises = np.zeros(len(sample))
        kernels.expected(
            sample, filled, self._free, wanted, self._sides[self._pieces], self._rights,
            self._downs // tables.colours, empty[tables.order][:, [RIGHT, DOWN]].T.copy(), self._logarithms, promises,
        )  # fmt: skip
        return promises


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
        Among which quotas.

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
        That quota.
    sample
        Of its tree, None if there is none.
    """

    def __init__(self, colours: tuple[int, ...], curve: Curve, sampler: TreeSampler, rng: Random) -> None:
        self.quota = Quota(colours, _STRENGTH, curve)
        self._sampler, self._rng = sampler, rng
        self.sample: TreeSample | None = None
        self._fresh = np.ones(_DRAWN, dtype=np.bool_)  # which boards drawn meet no quota that was tried

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
        """Look for the quota that takes about so many placements, one sample after the other."""
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
    """So many sets that seem to promise most by one sample each, about as strict as the first of their family."""
    for first, *others in filter(None, families):
        yield from first.fit(placements)
        for candidate in others:
            candidate.begin(first.quota.strength - _WEAKER)
            yield None
    every = [candidate for family in families for candidate in family if candidate.known()]
    return sorted(every, key=lambda candidate: candidate.worth_at(placements))[-number:]
