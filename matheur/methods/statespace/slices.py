"""Tables that are built in slices: the budget is checked between slices, and the next call continues the build.

A build that declares its dependencies can also continue in the next process: its state is kept in the user's cache.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.unfinished import Unfinished, drop_unfinished, load_unfinished, store_unfinished
from matheur.errors import InputError

__all__ = ["Builds", "Kept", "Steps", "enough_of"]

T = TypeVar("T")

Snapshot = Callable[[], Unfinished]

Steps = Generator[Snapshot | None, None, T]
"""A build: it yields between slices of about 10 ms, and returns its result.

At points from which another process can continue, it yields a function that returns the state needed for that.
"""

_WORTH = 0.3  # seconds of CPU time that are worth a file
_EVERY = 30.0  # seconds between two files of a long build
_RATE = 150e6  # lower bound on the bytes written and checked per second, on an idle core
_HELD = 1 << 27  # bytes: a larger state is not kept in memory for the next call
_BUSIEST = 8.0  # largest slowdown relative to an idle core
_LATE = 0.3  # seconds after the end in which a file may be completed
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """Entry of an unfinished build on disk.

    Attributes
    ----------
    name
        Name for display.
    content
        Everything on which the finished table depends.
    nbytes
        Approximate size of the state in bytes.
    """

    name: str
    content: Mapping[str, Any]
    nbytes: int

    @property
    def seconds(self) -> float:
        """Time to write it, on an idle core."""
        return 0.05 + self.nbytes / _RATE


class Builds(Generic[T]):
    """Unfinished builds by key; a build that ran out of time continues where it stopped."""

    def __init__(self) -> None:
        self._open: dict[Hashable, Steps[T]] = {}

    def run(
        self,
        key: Hashable,
        begin: Callable[[Unfinished | None], Steps[T]],
        budget: Budget | None,
        kept: Kept | None = None,
    ) -> T | None:
        """Begin or continue a build.

        Parameters
        ----------
        key
            Key of the table.
        begin
            Called if there is no unfinished build with this key in memory; its argument is the state on disk, or None.
            It raises an `InputError` if this state is invalid.
        budget
            Only the time limit and the interrupt apply, not the work limit; None for no limit. The build ends early
            enough to write its state.
        kept
            Disk entry for the state; None to keep it in memory only.

        Returns
        -------
        T or None
            The finished table; None if the budget ended first.
        """
        budget = Budget() if budget is None else budget
        steps = self._open.pop(key, None)
        if steps is None:
            try:
                steps = _begun(begin, budget, kept)
            except OutOfBudgetError:
                return None
        effort, reserve, snapshot = _Effort(), 0.0, None
        while not budget.out_of_time:
            if kept is not None and snapshot is not None:
                reserve = kept.seconds * effort.busy
                if effort.seconds >= _EVERY:
                    store_unfinished(kept.name, kept.content, snapshot(), enough=budget.interrupt)
                    effort = _Effort()
                elif effort.computed >= _WORTH and budget.seconds_left <= reserve:
                    break
            try:
                snapshot = next(steps)
            except StopIteration as end:
                if kept is not None:
                    drop_unfinished(kept.content)
                built: T = end.value
                return built
        if kept is None or kept.nbytes <= _HELD:
            self._open[key] = steps
        if kept is not None and snapshot is not None and effort.computed >= _WORTH:
            left = budget.seconds_left
            latest = budget.clock() + _LATE + (left if left <= reserve else 0.0)
            if latest - budget.clock() > kept.seconds:  # else writing would not finish in time
                store_unfinished(kept.name, kept.content, snapshot(), enough=lambda: budget.clock() > latest)
        return None


class _Effort:
    """Seconds of a build since its state was last written."""

    def __init__(self) -> None:
        self._since, self._before = time.perf_counter(), time.process_time()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._since

    @property
    def computed(self) -> float:
        """CPU time in seconds."""
        return time.process_time() - self._before

    @property
    def busy(self) -> float:
        """Slowdown relative to an idle core, at most `_BUSIEST`; writing is assumed to slow down equally."""
        return min(_BUSIEST, max(1.0, self.seconds / max(1e-3, self.computed)))


def enough_of(budget: Budget | None) -> Callable[[], bool]:
    """Function that returns whether the budget's time is over; always False without a budget."""
    return (lambda: False) if budget is None else (lambda: budget.out_of_time)


def _begun(begin: Callable[[Unfinished | None], Steps[T]], budget: Budget, kept: Kept | None) -> Steps[T]:
    """Start a build, from its stored state if there is one."""
    state = None if kept is None else load_unfinished(kept.content, enough=lambda: budget.out_of_time)
    if state is not None and kept is not None:
        try:
            return begin(state)
        except InputError as error:
            _log.warning("ignoring an unfinished table (%s): %s", kept.name, error)
    return begin(None)
