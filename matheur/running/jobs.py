"""A search in several processes: members, their events and their combined result."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from matheur.engine import Budget, Event, Observer, OperatorStatistics, SearchResult
from matheur.engine.checkpoint import Checkpointer
from matheur.engine.portfolio import Member, Portfolio, Slice
from matheur.engine.processes import Workers, report, stop_requested, workers
from matheur.engine.protocols import contradicts
from matheur.engine.stored import Stored
from matheur.errors import ConfigurationError, InputError, MatheurError, OperatorError
from matheur.running.building import build_search
from matheur.running.configuration import Configuration
from matheur.running.pooling import PoolRun, from_outside, new_state, sharing

__all__ = ["run_jobs"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Bound:
    """A bound reported by a worker."""

    bound: int | float
    operator: str
    job: int


def _run_slice(
    problem: Any,
    configuration: Configuration,
    target: float | None,
    start: Any,
    pool: PoolRun | None,
    slice_: Slice,
) -> Member:
    """In a worker: continue one member until the end of its slice."""

    def send(solution: Any, objective: int | float) -> None:
        report((slice_.member, objective, search.at_work, problem.encode(solution)))

    def send_bound(event: Event) -> None:
        if event["event"] == "bound":
            report(_Bound(event["bound"], event["operator"], slice_.member))

    own = configuration.of_job(slice_.member)
    try:
        search = build_search(problem, own, observers=[send_bound], on_best=send)
    except ConfigurationError as error:  # the parent has built the same search
        what = str(error).partition(" Maybe ")[0]
        raise ConfigurationError(
            f"in a worker process, which imports the main script: {what} Maybe call register_operator at the top level "
            "of the script, or jobs=1 in a notebook?"
        ) from None
    seconds = None
    if slice_.seconds is not None:  # includes the time since the parent created this slice
        before = 0.0 if slice_.state is None else float(slice_.state["seconds"])
        seconds = before + max(0.0, slice_.seconds - max(0.0, time.time() - slice_.submitted))
    by = slice_.member
    with sharing(pool, problem, stop_requested, lambda: search.at_work, job=by, notice=report) as shared:
        budget = Budget(
            seconds=seconds,
            work=configuration.work,
            iterations=configuration.iterations,
            target=target,
            job=(by, configuration.jobs),
            **shared,
        )
        found = search.run(budget, slice_.seed, start=start, state=slice_.state, pause=slice_.pause)
    facts = {
        "bound": found.bound,
        "bound_source": found.bound_source,
        "certificate": found.certificate,
        "infeasible": found.infeasible,
        "iterations": found.iterations,
        "work": found.work,
        "note": found.note,
        "operators": {name: figures.to_dict() for name, figures in found.operators.items()},
    }
    return Member(slice_.member, found.objective, found.stopped, found.state, facts)


@dataclass(slots=True)
class _Best:
    solution: Any = None
    objective: int | float | None = None
    operator: str = "start"
    job: int | None = None


class _Kept:
    """The checkpoint of several jobs: their states as they return, and the best solution while its job is in a call.

    Parameters
    ----------
    problem, keeper, seed
        Problem, checkpointer and seed of the run.
    seeds, states
        Seed of each job, and its state so far; None if it has none.
    """

    def __init__(
        self,
        problem: Any,
        keeper: Checkpointer,
        seed: int,
        seeds: Sequence[int],
        states: Sequence[dict[str, Any] | None],
    ) -> None:
        self.problem, self.keeper, self.seed, self.seeds, self.states = problem, keeper, seed, seeds, list(states)
        self._best: _Best | None = None

    def save(self) -> bool:
        """Write the states; return whether that succeeded."""
        return self.keeper.save({"seed": self.seed, "members": self.states})

    def save_best(self, best: _Best, seconds: float) -> bool:
        """Write a new best solution if the last write was long enough ago; a resume continues from it.

        A call of an operator may take days. The state of its job is known only when the call has ended.
        """
        if best.job is None or best is self._best or not self.keeper.due:
            return False
        self._best = best
        state = self.states[best.job] or new_state(self.problem, self.seeds[best.job])
        if state["best_objective"] is not None and state["best_objective"] <= best.objective:
            return False
        encoded = self.problem.encode(best.solution)
        self.states[best.job] = {
            **state,
            "best": encoded, "best_objective": best.objective, "best_operator": best.operator,
            "current": encoded, "proved": [], "idle": 0, "seconds": seconds,
        }  # fmt: skip
        return self.save()


class _Jobs:
    """The parent's side: collects reports, checks them, keeps the best solution."""

    def __init__(
        self,
        problem: Any,
        pool: Workers,
        observers: Sequence[Observer],
        on_best: Callable[[Any, int | float], None],
        interrupt: Callable[[], bool],
        target: float | None,
        seconds_before: float,
        kept: _Kept | None = None,
    ) -> None:
        self.problem, self.pool, self.observers, self.on_best = problem, pool, observers, on_best
        self.interrupt, self.target, self.kept = interrupt, target, kept
        self.clock = Budget()
        self.seconds_before = seconds_before
        self.best = _Best()
        self.bound = -math.inf
        self.work = 0
        self._said: set[str] = set()

    @property
    def seconds(self) -> float:
        return self.seconds_before + self.clock.elapsed

    def emit(self, event: str, **facts: Any) -> None:
        record = {"event": event, "seconds": round(self.seconds, 6), "work": self.work, **facts}
        for observer in self.observers:
            observer(record)

    def take(self, encoded: Any, objective: int | float, operator: str, job: int) -> None:
        """Take a solution from a worker, evaluating it again."""
        if self.best.objective is not None and objective >= self.best.objective:
            return
        solution = self.problem.decode(encoded)
        evaluation = self.problem.evaluate(solution)
        if not evaluation.feasible or evaluation.objective != objective:
            raise MatheurError(f"job {job} claims objective {objective}, the evaluator says {evaluation.objective}")
        self.best = _Best(solution, objective, operator, job)
        self.on_best(solution, objective)
        self.emit("incumbent", objective=objective, score=self.problem.score(objective), operator=operator, job=job)

    def outside(self, known: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """The best solution that members have reported so far, or `known` (from elsewhere) if it is as good."""
        best = self.best
        if best.objective is None or (known is not None and known["best_objective"] <= best.objective):
            return known
        encoded = self.problem.encode(best.solution)
        return {"best": encoded, "best_objective": best.objective, "best_operator": best.operator, "job": best.job}

    def hear(self, told: _Bound) -> None:
        """Emit an event for a bound from a worker. The result uses the bound of the member's final state."""
        bound = told.bound if self.best.objective is None else min(told.bound, self.best.objective)
        if bound > self.bound:
            self.bound = bound
            self.emit("bound", bound=bound, score=self.problem.score(bound), operator=told.operator, job=told.job)

    def poll(self) -> None:
        for message in self.pool.reports():
            if isinstance(message, str):
                self._note(message)
            elif isinstance(message, _Bound):
                self.hear(message)
            else:
                job, objective, operator, encoded = message
                self.take(encoded, objective, operator, job)
        if self.kept is not None and self.kept.save_best(self.best, self.seconds):
            self.emit("checkpoint", path=str(self.kept.keeper.path))
        reached = self.target is not None and self.best.objective is not None and self.best.objective <= self.target
        if self.interrupt() or reached:
            self.pool.stop()

    def _note(self, text: str) -> None:
        """Log a notice of a worker once, since every worker repeats it in every round."""
        if text not in self._said:
            self._said.add(text)
            _log.warning(text)

    def finish(self, member: Member) -> bool:
        self.poll()
        if member.objective is not None:
            self.take(member.state["best"], member.objective, member.state["best_operator"], member.index)
        if self.kept is not None:
            self.kept.states[member.index] = member.state
        if member.stopped in ("optimal", "target", "infeasible"):
            self.pool.stop()
        return member.stopped in ("optimal", "target", "infeasible", "interrupt")

    def found(self, members: list[Member], seed: int) -> SearchResult[Any]:
        """The combined result; `members` is empty if the workers died after an interrupt."""
        operators: dict[str, OperatorStatistics] = {}
        for member in members:
            for name, values in member.facts["operators"].items():
                operators.setdefault(name, OperatorStatistics()).add(OperatorStatistics.from_dict(values))
        proved = [member for member in members if member.facts["bound"] is not None]
        top = max(proved, key=lambda member: member.facts["bound"], default=None)
        infeasible = next((member for member in members if member.facts["infeasible"] is not None), None)
        source = infeasible or top
        self._refute(top, infeasible)
        bound = None if top is None else top.facts["bound"]
        if bound is not None and self.best.objective is not None:
            bound = min(bound, self.best.objective)  # exceeds it at most by the problem's noise
        return SearchResult(
            solution=self.best.solution,
            objective=self.best.objective,
            found_by=self.best.operator,
            bound=bound,
            bound_source=None if top is None else top.facts["bound_source"],
            certificate=None if source is None else source.facts["certificate"],
            infeasible=None if infeasible is None else infeasible.facts["infeasible"],
            stopped=self._stopped(members),
            seconds=self.seconds,
            work=sum(member.facts["work"] for member in members),
            iterations=sum(member.facts["iterations"] for member in members),
            operators=operators,
            state={"seed": seed, "members": [member.state for member in members]},
            note=next((member.facts["note"] for member in members if member.facts["note"]), None),
        )

    def _refute(self, top: Member | None, infeasible: Member | None) -> None:
        """Raise an `OperatorError` if the claim of one job is refuted by the solution of another one."""
        objective = self.best.objective
        if objective is None:
            return
        if infeasible is not None:
            raise OperatorError(
                f"job {infeasible.index} claims that there is no solution, but '{self.best.operator}' found one"
            )
        if top is not None and contradicts(self.problem, top.facts["bound"], objective):
            raise OperatorError(
                f"'{top.facts['bound_source']}' of job {top.index} claims the bound {top.facts['bound']}, "
                f"but '{self.best.operator}' found a solution of objective {objective}"
            )

    def _stopped(self, members: list[Member]) -> str:
        reasons = {member.stopped for member in members}
        for reason in ("infeasible", "optimal", "target"):
            if reason in reasons:
                return reason
        if self.interrupt() or not members:
            return "interrupt"
        for reason in ("local-optimum", "finished"):
            if reasons == {reason}:
                return reason
        return "finished" if reasons == {"local-optimum", "finished"} else "budget"


def run_jobs(
    problem: Any,
    configuration: Configuration,
    *,
    target: float | None,
    observers: Sequence[Observer],
    on_best: Callable[[Any, int | float], None],
    checkpointer: Checkpointer | None,
    state: dict[str, Any] | None,
    start: Any,
    interrupt: Callable[[], bool],
    pool: PoolRun | None = None,
) -> SearchResult[Any]:
    """Run `configuration.jobs` searches in parallel; the arguments are those of one search, plus a pool on disk."""
    c = configuration
    states: list[dict[str, Any] | None] = [None] * c.jobs
    if state is not None:
        if not isinstance(state.get("members"), list) or len(state["members"]) != c.jobs:
            raise InputError("this checkpoint was written with another number of jobs")
        states = list(state["members"])
        if all(one is None for one in states):
            raise InputError("the stored state is damaged (no job has one)")
        for one in states:  # values used here; the searches check the others
            if one is not None:  # else the job had not returned
                stored = Stored(one)
                stored.seconds("seconds"), stored.count("work"), stored.count("iteration")
    spawned = np.random.SeedSequence(c.seed if pool is None else pool.seed).spawn(c.jobs)
    seeds = [int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1)) for sequence in spawned]
    if pool is not None:
        states = pool.begin(problem, states, seeds, start=start, improving=bool(c.neighbourhoods))
    before = max((float(one["seconds"]) for one in states if one is not None), default=0.0)
    untimed = c.seconds is None and (c.work is not None or c.iterations is not None)
    kept = None if checkpointer is None else _Kept(problem, checkpointer, c.seed, seeds, states)
    with workers(c.jobs) as crew:
        # An untimed run is resumed exactly, from the end of a round.
        jobs = _Jobs(problem, crew, observers, on_best, interrupt, target, before, None if untimed else kept)
        jobs.emit("start", problem=problem.name, seed=c.seed, jobs=c.jobs, resumed=state is not None)

        def round_done(members: list[Member]) -> None:
            jobs.work = sum(member.facts["work"] for member in members)
            if kept is None:
                return
            kept.states = [member.state for member in members]
            if kept.save():
                jobs.emit("checkpoint", path=str(kept.keeper.path))

        elsewhere = from_outside(pool, problem)
        portfolio = Portfolio(
            crew,
            partial(_run_slice, problem, c, target, start, pool),
            c.jobs,
            share=c.portfolio.share,
            round_seconds=c.portfolio.round_seconds,
            round_work=c.portfolio.round_work,
            round_iterations=c.portfolio.round_iterations,
        )
        try:
            members = portfolio.run(
                seeds,
                seconds=c.seconds,
                work=c.work,
                iterations=c.iterations,
                states=states,
                elapsed=lambda: jobs.seconds,
                poll=jobs.poll,
                finish=jobs.finish,
                migrated=lambda source, to, objective: jobs.emit(
                    "migration", **{"from": "pool" if source is None else source, "to": to, "objective": objective}
                ),
                round_done=round_done,
                outside=lambda: elsewhere() if untimed else jobs.outside(elsewhere()),
            )
        except BrokenProcessPool:
            if not interrupt():
                raise
            members = []
        found = jobs.found(members, c.seed)
        jobs.emit("end", stopped=found.stopped, objective=found.objective, bound=found.bound)
        return found
