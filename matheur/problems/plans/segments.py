"""Replanning of windows: the part shared by neighbourhoods that use a search and those that use a MILP.

A window is a segment s_i .. s_j of the plan's states. A cheaper plan from s_i to s_j improves the whole plan. The
lengths of windows form a ladder: `length`, then half as long again and so on, up to the whole plan. Windows of the same
length overlap by half. The shortest unsettled windows come first; a window is settled if

- it is proved that no plan is cheaper, for itself or for a window around it (a part of an optimal plan is optimal),
- it exceeded its limits, or a shorter window inside it did,
- its search finished without a cheaper plan but proves nothing, since its heuristic is not admissible.

The lengths thus adapt to the plan: they grow where windows are easy and stop growing where windows are hard. Settled
windows are remembered by content; see `ProofMemory`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.engine.proofs import proof_key
from matheur.methods.statespace.domain import Domain
from matheur.problems.plans.searching import Plan
from matheur.problems.plans.trajectory import Trajectory

__all__ = ["Replanned", "Replanner", "Segment", "improve_windows", "ladder"]

_GROWTH = 1.5


@dataclass(frozen=True, eq=False)
class Segment:
    """A window of a plan as a problem of its own.

    Attributes
    ----------
    domain
        Domain from the window's first state to its last state; for the whole plan, the problem's domain with its goal.
    plan, cost
        Current moves of the window, and their cost.
    """

    domain: Domain
    plan: Plan
    cost: int


@dataclass(frozen=True, eq=False)
class Replanned:
    """Result of replanning a window.

    Attributes
    ----------
    plan
        A cheaper plan, or None.
    bound
        Proved lower bound on the cost of every plan of this window.
    hard
        Whether the window's own limits (not those of the run) ended the attempt.
    certificate
        Certificate for `bound`, as plain values.
    searched
        Whether the search finished, so that another attempt would give the same result.
    """

    plan: Plan | None
    bound: int
    hard: bool
    certificate: dict[str, Any]
    searched: bool = False


class Replanner(Protocol):
    """Replans a window."""

    @property
    def limits(self) -> str:
        """Name of its method and limits; a window that is hard for one method may be easy for another."""

    def replan(self, segment: Segment, budget: Budget, rng: Generator) -> Replanned:
        """Look for a cheaper plan and book the work."""


def ladder(length: int, longest: int) -> list[int]:
    """Lengths of windows in ascending order: from `length`, growing by half, to `longest`."""
    lengths = []
    while length < longest:
        lengths.append(length)
        length = max(length + 1, int(length * _GROWTH))
    return [*lengths, longest]


class _Windows:
    """The windows of one plan, and which of them are settled."""

    def __init__(self, problem: Any, path: Trajectory, lengths: list[int], limits: str, budget: Budget) -> None:
        self.path, self.budget, self.limits = path, budget, limits
        self.fingerprint: str = problem.fingerprint
        self.levels = [_positions(len(path), length) for length in lengths]
        known = [window for level in self.levels for window in level]
        self.proved = [window for window in known if self.key(window) in budget.proofs]
        self.hard = [window for window in known if self.hard_key(window) in budget.proofs]
        self.searched = {window for window in known if self.searched_key(window) in budget.proofs}

    def key(self, window: tuple[int, int]) -> str:
        """Key of the proof that no plan is cheaper, whichever operator found it."""
        return proof_key("plan-window", *self._content(window))

    def hard_key(self, window: tuple[int, int]) -> str:
        """Key of the fact that the window exceeds the limits."""
        return proof_key("plan-window-limit", self.limits, *self._content(window))

    def searched_key(self, window: tuple[int, int]) -> str:
        """Key of the fact that the search of the window found no cheaper plan, which is not a proof."""
        return proof_key("plan-window-searched", self.limits, *self._content(window))

    def _content(self, window: tuple[int, int]) -> tuple[Any, ...]:
        first, last = window
        path = self.path
        return self.fingerprint, path.states[first], path.states[last], int(path.spent[last] - path.spent[first])

    def open(self) -> list[tuple[int, int]]:
        """The shortest windows that are not settled."""
        for level in self.levels:
            found = [window for window in level if not self._settled(window)]
            if found:
                return found
        return []

    def _settled(self, window: tuple[int, int]) -> bool:
        first, last = window
        return (
            window in self.searched
            or any(i <= first and last <= j for i, j in self.proved)
            or any(first <= i and j <= last for i, j in self.hard)
        )

    def settle(self, window: tuple[int, int], found: Replanned) -> None:
        """Record the result of replanning a window."""
        first, last = window
        if found.bound >= self.path.spent[last] - self.path.spent[first]:
            self.proved.append(window)
            self.budget.proofs.remember(self.key(window))
        elif found.plan is None and found.hard:
            self.hard.append(window)
            self.budget.proofs.remember(self.hard_key(window))
        elif found.plan is None and found.searched:
            self.searched.add(window)
            self.budget.proofs.remember(self.searched_key(window))


def _positions(steps: int, length: int) -> list[tuple[int, int]]:
    """Windows of one length over a plan, overlapping by half; the last window ends with the plan."""
    if length >= steps:
        return [(0, steps)]
    starts = range(0, steps - length, max(1, length // 2))
    return [(start, start + length) for start in (*starts, steps - length)]


def improve_windows(
    problem: Any,
    incumbent: Plan,
    replanner: Replanner,
    budget: Budget,
    rng: Generator,
    *,
    length: int,
    longest: int | None,
    iterations: int,
    sweep: bool,
) -> Outcome[Plan]:
    """Replan windows one after the other and keep every improvement.

    Parameters
    ----------
    length, longest
        Length of the shortest and the longest windows in moves; None for the whole plan.
    iterations
        Number of windows per call.
    sweep
        True to go from the first window to the last instead of in random order.
    """
    path = Trajectory.through(problem, incumbent)
    before, bound, certificate = path.cost, None, None
    windows = _windows(problem, path, replanner, budget, length, longest)
    for _ in range(iterations):
        candidates = windows.open()
        if not candidates or budget.exhausted:
            break
        first, last = candidates[0 if sweep else int(rng.integers(len(candidates)))]
        whole = (first, last) == (0, len(path))
        found = replanner.replan(_segment(path, first, last, whole), budget, rng)
        if whole:
            bound, certificate = found.bound, found.certificate
        if found.plan is not None:
            path, last = path.replaced(first, last, found.plan), first + len(found.plan)
            windows = _windows(problem, path, replanner, budget, length, longest)
            budget.offer(path.plan.copy(), path.cost)
        windows.settle((first, last), found)
    return _outcome(path, before, bound, certificate, not windows.open(), budget)


def _windows(
    problem: Any, path: Trajectory, replanner: Replanner, budget: Budget, length: int, longest: int | None
) -> _Windows:
    top = len(path) if longest is None else min(longest, len(path))
    return _Windows(problem, path, ladder(min(length, top), top), replanner.limits, budget)


def _segment(path: Trajectory, first: int, last: int, whole: bool) -> Segment:
    domain = path.domain if whole else path.domain.between(path.states[first], path.states[last])
    return Segment(domain, path.plan[first:last], int(path.spent[last] - path.spent[first]))


def _outcome(
    path: Trajectory,
    before: int,
    bound: int | None,
    certificate: dict[str, Any] | None,
    finished: bool,
    budget: Budget,
) -> Outcome[Plan]:
    improved = path.cost < before
    if finished:
        status = Status.LOCAL_OPTIMUM
    elif improved:
        status = Status.IMPROVED
    else:
        status = Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT
    return Outcome(
        status,
        path.plan if improved else None,
        path.cost if improved else None,
        bound=bound,
        certificate=certificate,
    )
