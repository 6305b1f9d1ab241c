"""Several searches side by side in processes, independent or sharing their elite.

The portfolio works in rounds: every member continues its own state for a slice of the budget and comes back at the
next end of an operator call; laggards may take over a better member's solution (`migration`), and the next round
begins. With limits of work or iterations instead of seconds a portfolio is reproducible.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from matheur.engine.interface import Pause
from matheur.errors import ConfigurationError

__all__ = ["Member", "Portfolio", "Slice"]


@dataclass(frozen=True, slots=True)
class Slice:
    """One member's task for one round, plain values only.

    Attributes
    ----------
    seconds
        Seconds that are left of the whole run, counted from `submitted` (seconds since the epoch).
    pause
        Totals at which this round ends.
    state
        Where the member stands, None at the beginning.
    """

    member: int
    seed: int
    seconds: float | None
    submitted: float
    pause: Pause
    state: dict[str, Any] | None


class Task(Protocol):
    """Runs a slice in a worker process and returns the member's new state and what the result needs."""

    def __call__(self, slice_: Slice) -> Member: ...


@dataclass(slots=True)
class Member:
    """One search of the portfolio: where it stands, and why it stopped (`pause` if it has more to do)."""

    index: int
    objective: int | float | None
    stopped: str
    state: dict[str, Any]
    facts: dict[str, Any] = field(default_factory=dict)


class Portfolio:
    """Rounds of slices over an executor.

    Parameters
    ----------
    executor
        Any `concurrent.futures.Executor` of processes (solvers must not run in threads).
    task
        Picklable callable, see `Task`.
    jobs
        Number of members.
    share
        `elite`: at the end of a round the members of the worse half continue from the best member's solution, or from
        a better one that comes from outside; `independent`: nobody takes over anything.
    round_seconds, round_work, round_iterations
        Length of a round, in the units in which the run is limited.
    """

    def __init__(
        self,
        executor: Executor,
        task: Callable[[Slice], Member],
        jobs: int,
        *,
        share: Literal["elite", "independent"] = "elite",
        round_seconds: float = 5.0,
        round_work: int = 1_000_000,
        round_iterations: int = 100,
    ) -> None:
        if jobs < 1:
            raise ConfigurationError(f"a portfolio needs at least one job ({jobs})")
        self.executor: Executor = executor
        self.task: Callable[[Slice], Member] = task
        self.jobs: int = jobs
        self.share = share
        self.round_seconds: float = round_seconds
        self.round_work: int = round_work
        self.round_iterations = round_iterations

    def run(
        self,
        seeds: Sequence[int],
        *,
        seconds: float | None,
        work: int | None,
        iterations: int | None,
        states: Sequence[dict[str, Any] | None],
        elapsed: Callable[[], float],
        poll: Callable[[], None],
        finish: Callable[[Member], bool],
        migrated: Callable[[int | None, int, int | float], None],
        round_done: Callable[[list[Member]], None],
        outside: Callable[[], Mapping[str, Any] | None] = lambda: None,
    ) -> list[Member]:
        """Run rounds until no member has more to do, or `finish` says so, and return the members.

        Parameters
        ----------
        seeds
            One per member.
        seconds
            Limit of the whole run.
        work, iterations
            Limits of each member, from the beginning.
        states
            Stored states to continue from, or Nones.
        elapsed
            Seconds of the whole run so far.
        poll
            Called several times a second while a round runs.
        finish
            Asked with every member that comes back: True ends the whole portfolio after this round.
        migrated
            Called with (from, to, objective) for each migration; from None if the solution comes from outside.
        round_done
            Called with all members after each round (for checkpoints).
        outside
            Asked at the end of a round for a solution of other runs, as the entries `best`, `best_objective` and
            `best_operator` of a state; None if there is none.
        """
        current = list(states)
        while True:
            left = None if seconds is None else max(0.0, seconds - elapsed())
            untimed = seconds is None and (work is not None or iterations is not None)
            slices = [
                Slice(i, seeds[i], left, time.time(), self._pause(state, untimed, work is not None), state)
                for i, state in enumerate(current)
            ]
            members, stop = self._round(slices, poll, finish)
            if self.share == "elite" and not stop:
                self._migrate(members, migrated, outside())
            round_done(members)
            current = [member.state for member in members]
            if stop or all(member.stopped != "pause" for member in members):
                return members

    def _pause(self, state: dict[str, Any] | None, untimed: bool, by_work: bool) -> Pause:
        """The end of a member's next round."""
        before = state or {"seconds": 0.0, "work": 0, "iteration": 0}
        if not untimed:
            return Pause(seconds=before["seconds"] + self.round_seconds)
        if by_work:
            return Pause(work=before["work"] + self.round_work)
        return Pause(iterations=before["iteration"] + self.round_iterations)

    def _round(
        self, slices: list[Slice], poll: Callable[[], None], finish: Callable[[Member], bool]
    ) -> tuple[list[Member], bool]:
        pending: set[Future[Member]] = {self.executor.submit(self.task, slice_) for slice_ in slices}
        members: dict[int, Member] = {}
        stop = False
        while pending:
            done, pending = wait(pending, timeout=0.1, return_when=FIRST_COMPLETED)
            for future in done:
                member = future.result()
                members[member.index] = member
                stop = finish(member) or stop
            poll()
        return [members[slice_.member] for slice_ in slices], stop

    @staticmethod
    def _migrate(
        members: list[Member],
        migrated: Callable[[int | None, int, int | float], None],
        outside: Mapping[str, Any] | None,
    ) -> None:
        placed = sorted((m for m in members if m.objective is not None), key=lambda m: (m.objective, m.index))
        if not placed:
            return
        source: int | None = placed[0].index
        best: Mapping[str, Any] = placed[0].state
        if outside is not None and outside["best_objective"] < placed[0].objective:
            source, best = None, outside
        for member in placed[(len(placed) + 1) // 2 :]:
            if member.objective is not None and member.objective > best["best_objective"]:
                for key in ("best", "best_objective", "best_operator"):
                    member.state[key] = best[key]
                member.state["current"], member.state["proved"] = best["best"], []
                member.objective = best["best_objective"]
                migrated(source, member.index, best["best_objective"])
