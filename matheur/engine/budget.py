"""Budgets: limits on what an operator may spend, and its channel to the engine while it runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from operator import index
from typing import Any, Protocol, overload

from matheur.alarm import OutOfBudgetError, watched
from matheur.compiling import search_clock
from matheur.engine.elites import ElitePool
from matheur.engine.patience import Patience
from matheur.engine.proofs import ProofMemory
from matheur.errors import OperatorError

__all__ = ["Budget", "OutOfBudgetError", "WrongCountError"]


def _never() -> bool:
    return False


def _ignore(_solution: Any, _objective: int | float) -> None:
    return None


def _ignore_bound(_bound: int | float) -> None:
    return None


class WrongCountError(OperatorError):
    """Work or iterations that are not a non-negative integer."""


def _count(what: str, value: Any) -> int:
    """A non-negative integer as an int; NumPy integers are accepted."""
    try:
        count = index(value)
    except TypeError:
        count = -1
    if count < 0:
        raise WrongCountError(f"{what} is booked in whole numbers from 0 ({value!r})")
    return count


class Closing(Protocol):
    """Something that has to be closed."""

    def close(self) -> object:
        """End it and release its resources."""


class Budget:
    """Limits of time, iterations and work, and a target; children take a share and report what they spend.

    Parameters
    ----------
    seconds
        Limit of clock time, counted from the creation of the budget.
    iterations
        Limit of this level's own iterations (engine calls for the engine, inner iterations for an operator).
    work
        Limit of deterministic work units; work spent by children counts here too.
    target
        Objective at which the search may stop.
    interrupt
        Returns True once the user wants to stop.
    on_incumbent
        Called by `offer` with every improvement that a running operator reports.
    on_bound
        Called by `tell_bound` with every bound that a running operator reports.
    proofs
        Memory of proved subproblems, see `ProofMemory`.
    elites
        Good solutions found so far, for operators that combine two, see `ElitePool`.
    memory
        Numbers that operators keep between calls, by name. They belong to the run, and checkpoints store them. An
        interrupted call is repeated with the numbers from before that call.
    kept
        Objects that operators keep between calls, by name, such as a paused solve. They belong to the run, which
        closes them at its end; checkpoints do not store them.
    clock
        Monotonic clock, replaceable in tests. By default the wall clock without the time spent compiling kernels:
        compilation happens once on a machine and counts towards no limit.
    job
        Number of this job and number of jobs, for operators that divide work among the jobs of a run.
    unless, patience
        See `child`.
    """

    __slots__ = (
        "_iterations",
        "_offer",
        "_parent",
        "_patience",
        "_tell_bound",
        "_unless",
        "_work",
        "clock",
        "deadline",
        "elites",
        "interrupt",
        "iterations",
        "job",
        "kept",
        "memory",
        "proofs",
        "started",
        "target",
        "work",
    )

    def __init__(
        self,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        work: int | None = None,
        target: int | float | None = None,
        interrupt: Callable[[], bool] = _never,
        on_incumbent: Callable[[Any, int | float], None] = _ignore,
        on_bound: Callable[[int | float], None] = _ignore_bound,
        proofs: ProofMemory | None = None,
        elites: ElitePool | None = None,
        memory: dict[str, float] | None = None,
        kept: dict[str, Closing] | None = None,
        clock: Callable[[], float] = search_clock,
        job: tuple[int, int] = (0, 1),
        parent: Budget | None = None,
        unless: Callable[[], bool] | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.clock: Callable[[], float] = clock
        self.started: float = clock()
        self.deadline: float = math.inf if seconds is None else self.started + seconds
        self.iterations: int | None = iterations
        self.work: int | None = work
        self.target: int | float | None = target
        self.interrupt: Callable[[], bool] = interrupt
        self.proofs: ProofMemory = ProofMemory() if proofs is None else proofs
        self.elites: ElitePool = ElitePool() if elites is None else elites
        self.memory: dict[str, float] = {} if memory is None else memory
        self.kept: dict[str, Closing] = {} if kept is None else kept
        self.job: tuple[int, int] = job
        self._offer = on_incumbent
        self._tell_bound = on_bound
        self._parent = parent
        self._unless = unless
        self._patience = patience
        self._iterations = 0
        self._work = 0

    def child(
        self,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        work: int | None = None,
        unless: Callable[[], bool] | None = None,
        patience: Patience | None = None,
    ) -> Budget:
        """A budget inside this one, with at most the remaining seconds and work, and iterations of its own.

        Parameters
        ----------
        unless
            Called once `seconds` have passed. While it returns True, the child continues with what is left here, and
            so do its own children.
        patience
            Ends the child, and its own children, if no other limit applies.
        """
        left = self.seconds_left
        if unless is None and self._unless is not None and (seconds is None or seconds >= left):
            unless = self._goes_on
        if seconds is not None:
            left = min(left, seconds)
        return Budget(
            seconds=None if left == math.inf else left,
            iterations=iterations,
            work=self.affordable(work),
            target=self.target,
            interrupt=self.interrupt,
            on_incumbent=self._offer,
            on_bound=self._tell_bound,
            proofs=self.proofs,
            elites=self.elites,
            memory=self.memory,
            kept=self.kept,
            clock=self.clock,
            job=self.job,
            parent=self,
            unless=unless,
            patience=self._patience if patience is None else patience,
        )

    def translated(
        self, offer: Callable[[Any, int | float], None], target: Callable[[int | float], int | float]
    ) -> Budget:
        """A child for a search whose solutions and objectives have another form.

        Parameters
        ----------
        offer
            Called with each solution that the search offers; calls `offer` here with the corresponding solution.
        target
            Converts an objective of this budget to one of the search.
        """
        child = self.child(iterations=self.iterations_left)
        child._offer, child._tell_bound = offer, _ignore_bound
        child.target = None if self.target is None else target(self.target)
        return child

    @property
    def leaves_time(self) -> bool:
        """Whether unused time is left to the rest of the run: its deadline is before that of its parent."""
        return self._parent is not None and self.deadline < self._parent.deadline

    def spend(self, *, work: int = 0, iterations: int = 0) -> None:
        """Record work (here and in every parent) and iterations (here only).

        Raises
        ------
        OperatorError
            If one of them is not a non-negative integer.
        """
        if type(work) is not int or type(iterations) is not int or work < 0 or iterations < 0:
            work, iterations = _count("work", work), _count("iterations", iterations)
        self._iterations += iterations
        level: Budget | None = self
        while level is not None:
            level._work += work
            level = level._parent

    def offer(self, solution: Any, objective: int | float) -> None:
        """Report an improvement at once, so that a stop or a target takes effect. The engine copies the solution."""
        if self._patience is not None:
            self._patience.found = True
        self._offer(solution, objective)

    def close(self) -> None:
        """Close the kept objects of operators at the end of the run."""
        while self.kept:
            self.kept.popitem()[1].close()

    def tell_bound(self, bound: int | float) -> None:
        """Report the bound reached so far to observers. Only the bound of the outcome counts as proved.

        The events of an untimed run must be reproducible: report only bounds that do not depend on the clock.
        """
        self._tell_bound(bound)

    @property
    def out_of_time(self) -> bool:
        """True once code that builds a model, a graph or a table must stop. Such code calls it several times a second.

        Work does not count: the table may also come from the disk, and the same work must give the same search.
        """
        return self.interrupt() or self._late or self._impatient(building=True)

    def check(self) -> None:
        """As `out_of_time`, for builders that cannot return a partial result.

        Raises
        ------
        OutOfBudgetError
            If the time is over or the user wants to stop. The engine treats it as an operator that found nothing.
        """
        if self.out_of_time:
            raise OutOfBudgetError

    def watched(self) -> AbstractContextManager[None]:
        """As `check`, for a block of Python code that does not call it, such as the construction of a model.

        See `matheur.alarm` for what such a block may contain. Its result is lost unless it ends almost at once.

        Raises
        ------
        OutOfBudgetError
            If the time ended, or the user wanted to stop, before the block ended.
        """
        return watched(lambda: self.out_of_time)

    @property
    def spent_work(self) -> int:
        """Work recorded so far, including children."""
        return self._work

    @property
    def spent_iterations(self) -> int:
        """Iterations recorded so far at this level."""
        return self._iterations

    @property
    def elapsed(self) -> float:
        """Seconds since this budget was made."""
        return self.clock() - self.started

    @property
    def seconds_left(self) -> float:
        """Seconds to the deadline, `inf` without one, never negative."""
        left = math.inf if self.deadline == math.inf else self.deadline - self.clock()
        if left <= 0 and self._parent is not None and self._unless is not None and self._unless():
            return self._parent.seconds_left
        return max(0.0, left)

    @property
    def timed(self) -> bool:
        """True if there is a deadline. Without one, an operator must limit itself by work to stay reproducible."""
        return self.deadline != math.inf

    @property
    def work_left(self) -> int | None:
        """Work units left, None if unlimited, never negative."""
        return None if self.work is None else max(0, self.work - self._work)

    @property
    def iterations_left(self) -> int | None:
        """Iterations left at this level, None if unlimited, never negative."""
        return None if self.iterations is None else max(0, self.iterations - self._iterations)

    @overload
    def affordable(self, most: int, per_work: int = 1) -> int: ...

    @overload
    def affordable(self, most: int | None, per_work: int = 1) -> int | None: ...

    def affordable(self, most: int | None, per_work: int = 1) -> int | None:
        """Number of steps that the remaining work allows: the size of the next slice, or the limit of a whole call.

        Parameters
        ----------
        most
            Upper limit of the result; None for no upper limit.
        per_work
            Steps in a unit of work.

        Returns
        -------
        int or None
            None if nothing limits them.

        Examples
        --------
        >>> Budget(work=250).affordable(1000), Budget(work=250).affordable(None, per_work=10), Budget().affordable(1000)
        (250, 2500, 1000)
        """
        left = self.work_left
        if left is None:
            return most
        return left * per_work if most is None else min(most, left * per_work)

    def limit(self, slice_: int) -> int:
        """As `affordable`, for an operator whose inner iterations are its work units: at most the rest of either limit.

        Parameters
        ----------
        slice_
            Iterations between two checks of the budget; upper limit of the result.

        Examples
        --------
        >>> Budget(work=250).limit(1000)
        250
        """
        size, left = self.affordable(slice_), self.iterations_left
        return size if left is None else min(size, left)

    def reached(self, objective: int | float | None) -> bool:
        """True if `objective` is at least as good as the target."""
        return self.target is not None and objective is not None and objective <= self.target

    @property
    def exhausted(self) -> bool:
        """True once the operator must return its result."""
        if self.interrupt() or self.work_left == 0 or self.iterations_left == 0 or self._late:
            return True
        return self._impatient(building=False)

    def _impatient(self, *, building: bool) -> bool:
        return self._patience is not None and self._patience.over(building=building)

    @property
    def _late(self) -> bool:
        if self.deadline == math.inf or self.clock() < self.deadline:
            return False
        parent = self._parent
        return parent is None or self._unless is None or not self._unless() or parent._late

    def _goes_on(self) -> bool:
        return not self._late
