"""The engine: construct, then improve by scheduled neighbourhoods, trusting nobody.

Whatever an operator claims is checked before it counts (`matheur.engine.claims`). The randomness of call i comes from
a generator of its own, spawned from the seed and i, so that a run without a time limit is reproducible bit for bit,
also across a stop and a resume.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar, cast

import numpy as np

from matheur.engine.acceptance import Acceptance, NonWorsening
from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.checkpoint import Checkpointer, stored_seed
from matheur.engine.claims import check_incumbent, check_neighbour, check_solution, raise_bound, record_infeasible
from matheur.engine.elites import Elite
from matheur.engine.events import Observer
from matheur.engine.guidance import Guidance
from matheur.engine.interface import Named, Pause, SearchResult
from matheur.engine.outcome import Outcome, Status
from matheur.engine.protocols import Construction, Given, Neighbourhood, Problem, solution_key
from matheur.engine.schedules import Call, Cycle, Schedule, rehearse
from matheur.engine.state import PROOFS_KEPT, SearchState, feasible_objective
from matheur.engine.statistics import OperatorStatistics
from matheur.engine.stored import Stored
from matheur.errors import InputError

__all__ = ["LocalSearch"]

S = TypeVar("S")

# First element of the spawn key of each use of randomness.
_CONSTRUCT, _EXPLORE, _CHOOSE, _ACCEPT, _AGAIN = range(5)
_NONE = cast(np.random.Generator, None)  # for those that say that they draw nothing


class LocalSearch(Generic[S]):
    """One search: a construction, neighbourhoods, a schedule and an acceptance criterion.

    Parameters
    ----------
    problem
        The instance with its evaluator.
    construction
        Makes the first solution. If `run` is given one, it is called only where there are no neighbourhoods, and the
        better solution counts.
    neighbourhoods
        What the schedule chooses from; may be empty.
    schedule, acceptance
        Defaults: `cycle`, `non-worsening`.
    observers
        Called with every event.
    on_best
        Called with every new best solution and its objective.
    checkpointer
        Where the state is kept for a resume.
    restart_after
        Construct anew after so many calls without a gain, and where the current solution is a proved local optimum;
        None for never. The best solution is kept.
    guides, guide_calls
        Figures that acceptance compares in place of the objective, in turn, and operator calls with each; see
        `matheur.engine.guidance`. Acceptance begins anew with each. Schedules learn from gains of these figures.
    """

    def __init__(
        self,
        problem: Problem[S],
        construction: Named[Construction[S]] | None,
        neighbourhoods: Sequence[Named[Neighbourhood[S]]] = (),
        *,
        schedule: Schedule | None = None,
        acceptance: Acceptance | None = None,
        observers: Sequence[Observer] = (),
        on_best: Callable[[S, int | float], None] | None = None,
        checkpointer: Checkpointer | None = None,
        restart_after: int | None = None,
        guides: Sequence[str] = (),
        guide_calls: int = 1000,
    ) -> None:
        self.problem = problem
        self.construction = construction
        self.neighbourhoods: list[Named[Neighbourhood[S]]] = list(neighbourhoods)
        self.schedule: Schedule = Cycle() if schedule is None else schedule
        self.acceptance: Acceptance = NonWorsening() if acceptance is None else acceptance
        self.observers: list[Observer] = list(observers)
        self.on_best = on_best
        self.checkpointer = checkpointer
        self.restart_after = restart_after
        self._guidance = Guidance(problem, guides, guide_calls)
        self._fresh = self.acceptance.state()
        self._state: SearchState[S] = SearchState()
        self._budget = self._outer = Budget()
        self._pause = Pause()
        self._seed = 0
        self._boundary_work = self._boundary_proofs = 0
        self._boundary_elites: tuple[Elite, ...] = ()

    def run(
        self,
        budget: Budget,
        seed: int = 0,
        *,
        start: S | None = None,
        state: dict[str, Any] | None = None,
        pause: Pause | None = None,
    ) -> SearchResult[S]:
        """Search until the budget ends, the target or the bound is reached, or nothing is left to improve.

        Parameters
        ----------
        budget
            Seconds, iterations (operator calls), work, target, interrupt. The limits are those of the whole run:
            after a resume, what was spent before counts.
        seed
            Non-negative integer; all randomness comes from it.
        start
            A solution to start from instead of the construction.
        state
            The state of an earlier run (`SearchResult.state`) to continue; its seed counts, not `seed`.
        pause
            When to come back between two calls with the state to continue from.

        Raises
        ------
        OperatorError
            If an operator claims something that the evaluator refutes, or changes the incumbent.
        InputError
            If `start` is not a feasible solution, or `state` is damaged.
        """
        self._seed, self._pause = seed, Pause() if pause is None else pause
        self._state = SearchState() if state is None else self._restore(state, budget)
        self._outer, self._budget = budget, self._inside(budget)
        self._mark_boundary()
        s = self._state
        self._emit(
            "start",
            problem=self.problem.name,
            seed=self._seed,
            resumed=state is not None,
            objective=s.best_objective,
        )
        if s.best is not None and s.best_objective is not None:
            if all(elite.objective > s.best_objective for elite in budget.elites.entries()):
                self._keep(s.best, s.best_objective)  # taken over from another member of a portfolio
            if self.on_best is not None:
                self.on_best(s.best, s.best_objective)
        trivial = None
        with suppress(OutOfBudgetError), self._budget.watched():  # it takes a while for a large instance
            trivial = self.problem.trivial_bound
        if raise_bound(s, trivial, "trivial"):
            self._emit("bound", bound=s.bound, operator="trivial")
        try:
            stopped = self._search(start)
        finally:
            self._checkpoint(forced=True)
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
            seconds=self._seconds,
            work=self._work,
            iterations=s.iteration,
            operators=s.statistics,
            state=self._snapshot(),
        )

    @property
    def at_work(self) -> str:
        """Name of the operator at work."""
        return self._state.operator

    # The search itself

    def _search(self, start: S | None) -> str:
        s = self._state
        if s.current is None and s.infeasible is None:
            s.infeasible = self.problem.infeasible_reason()
            if s.infeasible is not None:
                s.certificate = {"method": "check of the instance"}
            else:
                self._begin(start)
        while True:
            stopped = self._reason_to_stop()
            if stopped is not None:
                return stopped
            if self._stale and self.construction is not None:
                self._construct(self.construction)
            else:
                self._improve()

    def _reason_to_stop(self) -> str | None:
        s = self._state
        if s.infeasible is not None:
            return "infeasible"
        if self._at_bound:
            return "optimal"
        if self._budget.reached(s.best_objective):
            return "target"
        if self._outer.interrupt():
            return "interrupt"
        if self._budget.exhausted:
            return "budget"
        if s.current is None or (not self.neighbourhoods and not self._stale):
            return "finished"
        if len(s.proved) == len(self.neighbourhoods) and not self._stale:
            return "local-optimum"
        paused = self._pause.due(seconds=self._seconds, work=self._work, iterations=s.iteration)
        return "pause" if paused else None

    @property
    def _stale(self) -> bool:
        """Whether it is time to construct: again, or for the first time where nothing can improve the given start."""
        s = self._state
        if self.construction is None:
            return False
        if not self.neighbourhoods:
            return not s.constructed
        if self.restart_after is None:
            return False
        return s.idle >= self.restart_after or len(s.proved) == len(self.neighbourhoods)

    def _begin(self, start: S | None) -> None:
        """With a given solution, or that of an instance which is solved as it stands; else construct one."""
        if start is not None:
            self._begin_with(start)
        solved = self.problem.given_solution() if isinstance(self.problem, Given) else None
        if solved is not None:
            self._state.operator = "instance"
            self._begin_with(solved)
        if self._state.current is None and self.construction is not None:
            self._construct(self.construction)
            if self._cut_short(self.construction):
                self._construct(self.construction, again=True)

    def _cut_short(self, construction: Named[Construction[S]]) -> bool:
        """Whether its share was not enough for a first solution, and there is time left."""
        if self._state.current is not None or self._state.infeasible is not None or self._budget.exhausted:
            return False
        return construction.ended_by_share(self._budget.elapsed, self._budget.seconds_left)

    def _begin_with(self, start: S) -> None:
        evaluation = self.problem.evaluate(start)
        if not evaluation.feasible:
            raise InputError(f"the start is not a solution: {evaluation.violations[0]}")
        self._state.move(self.problem, start, evaluation.objective)
        self._record_best(start, evaluation.objective)
        self._keep(start, evaluation.objective)  # also if something better is known

    def _construct(self, construction: Named[Construction[S]], *, again: bool = False) -> None:
        """Call the construction, `again` with all that is left where its share was not enough."""
        s = self._state
        known = s.best_objective
        if s.current is not None and s.current_objective is not None:
            self._keep(s.current, s.current_objective)
        s.operator = construction.name
        call = self._budget.child(
            seconds=construction.seconds if again else construction.limit(self._budget.seconds_left),
            work=construction.work,
            unless=(lambda: s.best is None) if construction.seconds is None and construction.share < 1 else None,
        )
        s.constructed = True
        rng = self._generator(_AGAIN if again else _CONSTRUCT)
        try:
            outcome = construction.operator.build(self.problem, call, rng)
        except OutOfBudgetError:
            outcome = Outcome(Status.EXHAUSTED)
        except Exception as error:
            error.add_note(f"raised by operator '{construction.name}'")
            raise
        if outcome.solution is not None:
            objective = check_solution(self.problem, s, outcome.solution, outcome.objective)
            self._record_best(outcome.solution, objective)
            self._keep(outcome.solution, objective)
            s.move(self.problem, outcome.solution, objective)
            s.idle = 0
        self._return_to_best(known)  # what was handed out on the way may be better than what was returned
        if outcome.status is Status.INFEASIBLE:
            record_infeasible(s, outcome)
        self._take_bound(outcome)
        self._book(construction.name, outcome, call, gain=0)
        self._mark_boundary()
        self._checkpoint()

    def _improve(self) -> None:
        """One operator call: choose, explore, check, accept, learn."""
        s = self._state
        assert s.current is not None
        assert s.current_objective is not None
        open_ = [index not in s.proved for index in range(len(self.neighbourhoods))]
        index = self.schedule.choose(open_, self._generator(_CHOOSE, self.schedule))
        chosen, before, known = self.neighbourhoods[index], s.current_objective, s.best_objective
        s.operator = chosen.name
        if self._guidance.turn(s.iteration):
            self.acceptance.restore(copy.deepcopy(self._fresh))
        value = self._guidance.value(s.current, before)
        self._guidance.took(value)
        call = self._budget.child(seconds=chosen.seconds, work=chosen.work)
        try:
            outcome = chosen.operator.explore(self.problem, s.current, call, self._generator(_EXPLORE))
        except OutOfBudgetError:
            outcome = Outcome(Status.EXHAUSTED)
        except Exception as error:
            error.add_note(f"raised by operator '{chosen.name}'")
            raise
        check_incumbent(self.problem, s)
        proof_holds = self._consider(outcome, before, value)
        if not self._return_to_best(known) and proof_holds:
            s.proved.add(index)
        self._take_bound(outcome)
        gain = max(0, value - self._guidance.value(s.current, s.current_objective))
        s.idle = 0 if gain > 0 else s.idle + 1
        self._book(chosen.name, outcome, call, gain=max(0, before - s.current_objective))
        s.iteration += 1
        self._budget.spend(iterations=1)
        cost = outcome.seconds if self._budget.timed else max(1, outcome.work)
        self.schedule.record(Call(index, float(gain), float(cost)))
        self._mark_boundary()
        self._checkpoint()

    def _consider(self, outcome: Outcome[S], before: int | float, value: int | float) -> bool:
        """Check the outcome, move if acceptance says so; True if a proof of local optimality holds for `current`.

        `before` is the objective of `current`, `value` what acceptance compares of it.
        """
        s = self._state
        objective = check_neighbour(self.problem, s, outcome, before)
        if outcome.solution is not None and objective is not None:
            self._record_best(outcome.solution, objective)
            candidate = self._guidance.value(outcome.solution, objective)
            best = self._guidance.record(objective if s.best_objective is None else s.best_objective)
            drawn = self._generator(_ACCEPT, self.acceptance)
            if not self.acceptance.accepts(candidate, value, best, self._progress, drawn):
                return False  # a proof would speak of a solution that was not taken
            s.move(self.problem, outcome.solution, objective)
        return outcome.status in (Status.LOCAL_OPTIMUM, Status.INFEASIBLE)

    def _return_to_best(self, known: int | float | None) -> bool:
        """Continue from what a call handed out on its way if that beats what it returned; `known` was best before.

        Not while another figure than the objective guides: then what is found is observed only.
        """
        s = self._state
        if self._guidance.observing or s.best is None or s.best_objective is None or s.best_objective == known:
            return False
        if s.current_objective is not None and s.current_objective <= s.best_objective:
            return False
        s.move(self.problem, s.best, s.best_objective)
        return True

    # What is found

    def _receive(self, solution: S, claimed: int | float) -> None:
        """An improvement handed out by a running operator."""
        s = self._state
        if s.best_objective is None or claimed < s.best_objective:
            self._record_best(solution, check_solution(self.problem, s, solution, claimed))

    def _record_best(self, solution: S, objective: int | float) -> None:
        s = self._state
        if s.best_objective is not None and objective >= s.best_objective:
            return
        s.best, s.best_objective, s.best_operator = copy.deepcopy(solution), objective, s.operator
        self._keep(solution, objective)
        if self.on_best is not None:
            self.on_best(s.best, objective)
        self._emit("incumbent", objective=objective, score=self._score, operator=s.operator, iteration=s.iteration)
        self._checkpoint()

    def _keep(self, solution: S, objective: int | float) -> None:
        """Put a solution into the pool of elites."""
        self._budget.elites.add(solution_key(self.problem, solution), solution, objective)

    def _take_bound(self, outcome: Outcome[S]) -> None:
        s = self._state
        if raise_bound(s, outcome.bound, s.operator, outcome.certificate):
            self._emit("bound", bound=s.bound, operator=s.operator)

    # Bookkeeping

    def _inside(self, outer: Budget) -> Budget:
        """The caller's budget, with this search listening, and what was spent before a resume booked."""
        s = self._state
        left = None if not outer.timed else max(0.0, outer.seconds_left - s.seconds_before)
        inner = Budget(
            seconds=left,
            iterations=outer.iterations,
            work=outer.work_left,
            target=outer.target,
            interrupt=self._halted,
            on_incumbent=self._receive,
            proofs=outer.proofs,
            elites=outer.elites,
            clock=outer.clock,
            job=outer.job,
            parent=outer,
        )
        inner.spend(work=s.work_before, iterations=s.iteration)
        inner.proofs.on_proof = lambda key: self._emit("proof", operator=self._state.operator, key=key)
        return inner

    def _halted(self) -> bool:
        return self._outer.interrupt() or self._at_bound or self._outer.reached(self._state.best_objective)

    @property
    def _at_bound(self) -> bool:
        s = self._state
        return s.best_objective is not None and s.bound is not None and s.best_objective <= s.bound

    @property
    def _score(self) -> int | float | None:
        objective = self._state.best_objective
        return None if objective is None else self.problem.score(objective)

    @property
    def _seconds(self) -> float:
        return self._state.seconds_before + self._budget.elapsed

    @property
    def _work(self) -> int:
        return self._budget.spent_work

    @property
    def _progress(self) -> float:
        """Share of the budget used, 0 without any limit."""
        budget, shares = self._budget, [0.0]
        if budget.timed:
            total = self._seconds + budget.seconds_left
            shares.append(self._seconds / total if total > 0 else 1.0)
        if budget.work:
            shares.append(budget.spent_work / budget.work)
        if budget.iterations:
            shares.append(budget.spent_iterations / budget.iterations)
        return min(1.0, max(shares))

    def _generator(self, use: int, user: Schedule | Acceptance | None = None) -> np.random.Generator:
        if not getattr(user, "draws", True):
            return _NONE
        key = (use, self._state.iteration)
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(self._seed, spawn_key=key)))

    def _book(self, name: str, outcome: Outcome[S], call: Budget, *, gain: float) -> None:
        # At least one unit a call, so that a budget in work units always ends.
        seconds, work = call.elapsed, max(1, outcome.work, call.spent_work)
        self._budget.spend(work=work - call.spent_work)
        figures = self._state.statistics.setdefault(name, OperatorStatistics())
        proof = outcome.status in (Status.LOCAL_OPTIMUM, Status.INFEASIBLE)
        figures.book(seconds=seconds, work=work, gain=gain, proof=proof)
        self._emit(
            "operator",
            operator=name,
            status=outcome.status.value,
            objective=self._state.current_objective,
            gain=gain,
            call_seconds=round(seconds, 6),
            call_work=work,
            iteration=self._state.iteration,
        )

    def _emit(self, event: str, **facts: Any) -> None:
        if self.observers:
            record = {"event": event, "seconds": round(self._seconds, 6), "work": self._work, **facts}
            for observer in self.observers:
                observer(record)

    def _mark_boundary(self) -> None:
        """Between two calls: a resume repeats an unfinished call, so its work, proofs and elites must not count yet."""
        self._boundary_work, self._boundary_proofs = self._budget.spent_work, len(self._budget.proofs)
        self._boundary_elites = self._budget.elites.entries()

    def _snapshot(self) -> dict[str, Any]:
        return {
            **self._state.to_plain(self.problem, seconds=self._seconds, work=self._boundary_work),
            "seed": self._seed,
            "schedule": self.schedule.state(),
            "acceptance": self.acceptance.state(),
            "guidance": self._guidance.state(),
            "proofs": self._budget.proofs.keys()[: self._boundary_proofs][-PROOFS_KEPT:],
            "elites": [self.problem.encode(elite.solution) for elite in self._boundary_elites],
        }

    def _restore(self, values: dict[str, Any], budget: Budget) -> SearchState[S]:
        state = SearchState.from_plain(self.problem, values)
        stored = Stored(values)
        if any(index >= len(self.neighbourhoods) for index in state.proved):
            raise InputError("the stored state is damaged (it proves something of other neighbourhoods)")
        try:
            self._seed = stored_seed(values)
            if stored.table("schedule"):
                self.schedule.restore(values["schedule"])
                rehearse(self.schedule, len(self.neighbourhoods))  # a damaged state fails now
            if stored.table("acceptance"):
                self.acceptance.restore(values["acceptance"])
            if values.get("guidance"):
                self._guidance.restore(values["guidance"])
            budget.proofs.restore(stored.texts("proofs"))
            for data in reversed(values.get("elites", [])):
                elite = self.problem.decode(data)
                budget.elites.restore(solution_key(self.problem, elite), elite, feasible_objective(self.problem, elite))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise InputError(f"the stored state is damaged ({str(error)[:80]!r})") from None
        return state

    def _checkpoint(self, *, forced: bool = False) -> None:
        keeper = self.checkpointer
        if keeper is None or self._state.best is None or not (forced or keeper.due):
            return
        if keeper.save(self._snapshot()):
            self._emit("checkpoint", path=str(keeper.path))
