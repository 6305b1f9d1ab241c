"""Several searches in parallel processes, independent or sharing their best solution.

Every member continues its own state for a slice of the budget and returns at the next end of an operator call. Weak
members may take over a better member's solution (`migration`), and the next slice begins. With limits of work or
iterations a portfolio is reproducible: it works in rounds, and the next round begins when all members have returned.
With a limit of seconds no member waits, since one may be in a call that takes half of the run.
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
    member
        Index of the member.
    seed
        Seed of the member.
    seconds
        Remaining seconds of the whole run, counted from `submitted` (seconds since the epoch).
    pause
        Totals at which this round ends.
    state
        State of the member; None at the beginning.
    """

    member: int
    seed: int
    seconds: float | None
    submitted: float
    pause: Pause
    state: dict[str, Any] | None


class Task(Protocol):
    """Runs a slice in a worker process and returns the member's new state and the values for the result."""

    def __call__(self, slice_: Slice) -> Member: ...


@dataclass(slots=True)
class Member:
    """One search of the portfolio: its state, and why it stopped (`pause` if it is unfinished)."""

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
        `elite`: members of the worse half continue, after their slice, from the best member's solution, or from a
        better one from outside; `independent`: no exchange.
    round_seconds, round_work, round_iterations
        Length of a slice, in the units of the run's limit.
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
        """Run slices until all members have ended or `finish` returns True, and return the members.

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
            Called with every member that returns: True ends the whole portfolio after this round.
        migrated
            Called with (from, to, objective) for each migration; from None if the solution comes from outside.
        round_done
            Called with all members after each round; without rounds, for each return once all have returned once (for
            checkpoints).
        outside
            Called when members return; returns a solution from elsewhere as the entries `best`, `best_objective` and
            `best_operator` of a state, and `job` if a running member found it; None if there is none.
        """
        current = list(states)
        untimed = seconds is None and (work is not None or iterations is not None)

        def slice_of(member: int, state: dict[str, Any] | None) -> Slice:
            left = None if seconds is None else max(0.0, seconds - elapsed())
            pause = self._pause(state, untimed, work is not None)
            return Slice(member, seeds[member], left, time.time(), pause, state)

        if not untimed:
            return self._flow(slice_of, current, poll, finish, migrated, round_done, outside)
        while True:
            slices = [slice_of(member, state) for member, state in enumerate(current)]
            members, stop = self._round(slices, poll, finish)
            if self.share == "elite" and not stop:
                best = self._best(members, outside())
                for member in self._laggards(members):
                    self._take_over(member, best, migrated)
            round_done(members)
            current = [member.state for member in members]
            if stop or all(member.stopped != "pause" for member in members):
                return members

    def _flow(
        self,
        slice_of: Callable[[int, dict[str, Any] | None], Slice],
        states: list[dict[str, Any] | None],
        poll: Callable[[], None],
        finish: Callable[[Member], bool],
        migrated: Callable[[int | None, int, int | float], None],
        round_done: Callable[[list[Member]], None],
        outside: Callable[[], Mapping[str, Any] | None],
    ) -> list[Member]:
        """Slices without rounds: a member that returns continues at once."""
        running = {self.executor.submit(self.task, slice_of(i, state)): i for i, state in enumerate(states)}
        members: dict[int, Member] = {}
        stop = False
        while running:
            done, _ = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
            for future in done:
                member = members[running.pop(future)] = future.result()
                stop = finish(member) or stop
            poll()
            if stop or not done:
                continue
            known = [members[index] for index in sorted(members)]
            if len(known) == self.jobs:
                round_done(known)
            behind = self._laggards(known) if self.share == "elite" else []
            best = self._best(known, outside())
            for member in known:
                if member.index in running.values():
                    continue
                moved = member in behind and self._take_over(member, best, migrated)
                if member.stopped == "pause" or (moved and member.stopped in ("local-optimum", "finished")):
                    running[self.executor.submit(self.task, slice_of(member.index, member.state))] = member.index
        found = [members[index] for index in sorted(members)]
        if stop:
            round_done(found)
        return found

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

    def _laggards(self, members: Sequence[Member]) -> list[Member]:
        """The worse half of the members with a solution; all of them if the state of some members is unknown."""
        placed = sorted((m for m in members if m.objective is not None), key=lambda m: (m.objective, m.index))
        return placed[(len(placed) + 1) // 2 if len(members) == self.jobs else 0 :]

    @staticmethod
    def _best(members: Sequence[Member], outside: Mapping[str, Any] | None) -> tuple[int | None, Mapping[str, Any]]:
        """Source of the best solution overall, and a state or its entries with the solution; empty if there is none."""
        placed = [member for member in members if member.objective is not None]
        top = min(placed, key=lambda m: (m.objective, m.index), default=None)
        if top is None:
            return None, {}
        if outside is not None and outside["best_objective"] < top.objective:
            return outside.get("job"), outside
        return top.index, top.state

    @staticmethod
    def _take_over(
        member: Member,
        best: tuple[int | None, Mapping[str, Any]],
        migrated: Callable[[int | None, int, int | float], None],
    ) -> bool:
        """Let a member continue from the best solution if that is better than its own; return whether it is."""
        source, state = best
        assert member.objective is not None
        if member.objective <= state["best_objective"]:
            return False
        for key in ("best", "best_objective", "best_operator"):
            member.state[key] = state[key]
        member.state["current"], member.state["proved"] = state["best"], []
        member.objective = state["best_objective"]
        migrated(source, member.index, state["best_objective"])
        return True
