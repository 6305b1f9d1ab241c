"""The ledger of a run: records results and costs, and passes them to observers, pool and checkpoint."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.checkpoint import Checkpointer
from matheur.engine.checks import check_solution, raise_bound
from matheur.engine.elites import Elite
from matheur.engine.events import Observer
from matheur.engine.interface import SearchResult
from matheur.engine.outcome import Outcome
from matheur.engine.protocols import solution_key
from matheur.engine.snapshots import Snapshots
from matheur.engine.state import SearchState
from matheur.engine.statistics import OperatorStatistics

__all__ = ["Ledger"]

S = TypeVar("S")


class Ledger(Generic[S]):
    """Ledger of one run.

    Parameters
    ----------
    snapshots
        Creates the snapshots of this run.
    outer
        The caller's budget.
    seed
        Seed of this run, unless `stored` has one.
    stored
        Snapshot of an earlier run to continue, or None.
    observers, on_best, checkpointer
        As in `LocalSearch`.

    Attributes
    ----------
    state
        State of the search; steps change it.
    budget
        Budget of this run: the caller's budget less the amount spent before a resume.
    seed
        Seed of all randomness of the run.

    Raises
    ------
    InputError
        If `stored` is damaged.
    """

    def __init__(
        self,
        snapshots: Snapshots[S],
        outer: Budget,
        seed: int,
        stored: dict[str, Any] | None,
        observers: Sequence[Observer] = (),
        on_best: Callable[[S, int | float], None] | None = None,
        checkpointer: Checkpointer | None = None,
    ) -> None:
        self.problem = snapshots.problem
        self.state: SearchState[S] = SearchState()
        self.seed = seed
        if stored is not None:
            self.state, self.seed = snapshots.restore(stored, outer)
        self._snapshots, self._outer, self._resumed = snapshots, outer, stored is not None
        self._observers, self._on_best, self._checkpointer = observers, on_best, checkpointer
        self.budget = self._inside(outer)
        self._heard = -math.inf
        self._boundary_work = self._boundary_proofs = 0
        self._boundary_elites: tuple[Elite, ...] = ()
        self._boundary_memory: dict[str, float] = {}
        self.mark_boundary()

    def _inside(self, outer: Budget) -> Budget:
        """Child of the caller's budget that reports to this run and includes the amount spent before a resume."""
        s = self.state
        inner = Budget(
            seconds=max(0.0, outer.seconds_left - s.seconds_before) if outer.timed else None,
            iterations=outer.iterations,
            work=outer.work_left,
            target=outer.target,
            interrupt=lambda: self.interrupted or self.at_bound or outer.reached(s.best_objective),
            on_incumbent=self._receive,
            on_bound=self._hear,
            proofs=outer.proofs,
            elites=outer.elites,
            memory=outer.memory,
            clock=outer.clock,
            job=outer.job,
            parent=outer,
        )
        inner.spend(work=s.work_before, iterations=s.iteration)
        inner.proofs.on_proof = lambda key: self._emit("proof", operator=s.operator, key=key)
        return inner

    # Where the run stands

    @property
    def interrupted(self) -> bool:
        """Whether the user wants to stop."""
        return self._outer.interrupt()

    @property
    def at_bound(self) -> bool:
        """Whether the best solution is proved optimal."""
        s = self.state
        return s.best_objective is not None and s.bound is not None and s.best_objective <= s.bound

    @property
    def seconds(self) -> float:
        """Seconds of the whole run, including those before a resume."""
        return self.state.seconds_before + self.budget.elapsed

    @property
    def work(self) -> int:
        """Work units of the whole run."""
        return self.budget.spent_work

    @property
    def progress(self) -> float:
        """Share of the budget used; 0 without any limit."""
        budget, shares = self.budget, [0.0]
        if budget.timed:
            total = self.seconds + budget.seconds_left
            shares.append(self.seconds / total if total > 0 else 1.0)
        if budget.work:
            shares.append(budget.spent_work / budget.work)
        if budget.iterations:
            shares.append(budget.spent_iterations / budget.iterations)
        return min(1.0, max(shares))

    @property
    def _score(self) -> int | float | None:
        objective = self.state.best_objective
        return None if objective is None else self.problem.score(objective)

    # First and last entry

    def open(self) -> None:
        """Report the start of the run and what is known before any call: a stored solution, the trivial bound."""
        s = self.state
        self._emit(
            "start", problem=self.problem.name, seed=self.seed, resumed=self._resumed, objective=s.best_objective
        )
        if s.best is not None and s.best_objective is not None:
            if all(elite.objective > s.best_objective for elite in self.budget.elites.entries()):
                self.keep(s.best, s.best_objective)  # taken over from another member of a portfolio
            s.operator = s.best_operator
            if self._on_best is not None:
                self._on_best(s.best, s.best_objective)
        trivial = None
        with suppress(OutOfBudgetError), self.budget.watched():  # slow for a large instance
            trivial = self.problem.trivial_bound
        if raise_bound(self.problem, s, trivial, "trivial"):
            self._emit_bound(s.bound, "trivial")

    def close(self, stopped: str) -> SearchResult[S]:
        """Report why the run ends, and a summary."""
        s = self.state
        self._emit("end", stopped=stopped, objective=s.best_objective, score=self._score, bound=s.bound)
        return SearchResult(
            solution=s.best,
            objective=s.best_objective,
            found_by=s.best_operator,
            bound=s.bound,
            bound_source=s.bound_source,
            certificate=s.certificate,
            infeasible=s.infeasible,
            stopped=stopped,
            seconds=self.seconds,
            work=self.work,
            iterations=s.iteration,
            operators=s.statistics,
            state=self._snapshot(),
            note=s.note,
        )

    # What is found

    def _receive(self, solution: S, claimed: int | float) -> None:
        """Receive an improvement reported by a running operator."""
        s = self.state
        if s.best_objective is None or claimed < s.best_objective:
            self.record_best(solution, check_solution(self.problem, s, solution, claimed))

    def record_best(self, solution: S, objective: int | float) -> None:
        """Record a solution if it is the best so far."""
        s = self.state
        if s.best_objective is not None and objective >= s.best_objective:
            return
        s.best, s.best_objective, s.best_operator = copy.deepcopy(solution), objective, s.operator
        self.keep(solution, objective)
        if self._on_best is not None:
            self._on_best(s.best, objective)
        self._emit("incumbent", objective=objective, score=self._score, operator=s.operator, iteration=s.iteration)
        self.checkpoint()

    def keep(self, solution: S, objective: int | float) -> None:
        """Add a solution to the pool of elites."""
        self.budget.elites.add(solution_key(self.problem, solution), solution, objective)

    def take_bound(self, outcome: Outcome[S]) -> None:
        """Record a bound that an operator proved if it is the highest so far."""
        s = self.state
        if raise_bound(self.problem, s, outcome.bound, s.operator, outcome.certificate):
            self._emit_bound(s.bound, s.operator)

    def _hear(self, bound: int | float) -> None:
        """Emit an event for a bound that a running operator reports; nothing else changes."""
        s = self.state
        bound = bound if s.best_objective is None else min(bound, s.best_objective)
        if bound > max(self._heard, -math.inf if s.bound is None else s.bound):
            self._heard = bound
            self._emit_bound(bound, s.operator)

    def _emit_bound(self, bound: int | float | None, operator: str) -> None:
        if bound is not None:
            self._emit("bound", bound=bound, score=self.problem.score(bound), operator=operator)

    # What is spent

    def book(self, name: str, outcome: Outcome[S], call: Budget, *, gain: float, note: str | None = None) -> float:
        """Record the cost and the gain of a call, and any note for the user.

        Returns
        -------
        float
            Cost of the call: seconds in a timed run, else work.
        """
        # At least one unit a call, so that a budget in work units always ends.
        seconds, work = call.elapsed, max(1, call.spent_work)
        self.budget.spend(work=work - call.spent_work)
        self.state.note = note or self.state.note
        figures = self.state.statistics.setdefault(name, OperatorStatistics())
        figures.book(seconds=seconds, work=work, gain=gain, proof=outcome.local_optimum)
        self._emit(
            "operator",
            operator=name,
            status=outcome.status.value,
            objective=self.state.current_objective,
            gain=gain,
            call_seconds=round(seconds, 6),
            call_work=work,
            iteration=self.state.iteration,
            **({} if note is None else {"note": note}),
        )
        return seconds if self.budget.timed else float(work)

    def _emit(self, event: str, **facts: Any) -> None:
        if self._observers:
            record = {"event": event, "seconds": round(self.seconds, 6), "work": self.work, **facts}
            for observer in self._observers:
                observer(record)

    # What a resume needs

    def end_call(self) -> None:
        """Mark the end of a call: a resume continues after it."""
        self.mark_boundary()
        self.checkpoint()

    def mark_boundary(self) -> None:
        """Mark the point between two calls: a resume repeats an unfinished call, whose results must not count yet."""
        self._boundary_work, self._boundary_proofs = self.budget.spent_work, len(self.budget.proofs)
        self._boundary_elites = self.budget.elites.entries()
        self._boundary_memory = dict(self.budget.memory)

    def _snapshot(self) -> dict[str, Any]:
        return self._snapshots.take(
            self.state,
            seed=self.seed,
            seconds=self.seconds,
            work=self._boundary_work,
            proofs=self.budget.proofs.keys()[: self._boundary_proofs],
            elites=self._boundary_elites,
            memory=self._boundary_memory,
        )

    def checkpoint(self, *, forced: bool = False) -> None:
        """Write the state to disk, unless there is nothing to store yet or the last write was too recent."""
        keeper = self._checkpointer
        if keeper is None or self.state.best is None or not (forced or keeper.due):
            return
        if keeper.save(self._snapshot()):
            self._emit("checkpoint", path=str(keeper.path))
