"""The engine: construct, then improve by scheduled neighbourhoods, checking every claim.

Claims of operators are checked before they count (`matheur.engine.steps`, `matheur.engine.checks`). Results and costs
are recorded in `matheur.engine.ledger`. The randomness of call i comes from a generator of its own, spawned from the
seed and i, so that a run without a time limit is reproducible bit for bit, also across a stop and a resume.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Generic, TypeVar

from matheur.engine.acceptance import Acceptance, NonWorsening
from matheur.engine.budget import Budget
from matheur.engine.checkpoint import Checkpointer
from matheur.engine.events import Observer
from matheur.engine.guidance import Guidance
from matheur.engine.interface import Named, Pause, SearchResult
from matheur.engine.ledger import Ledger
from matheur.engine.problem_form import check_form
from matheur.engine.protocols import Construction, Neighbourhood, Problem
from matheur.engine.schedules import Cycle, Schedule
from matheur.engine.shaking import Shaking
from matheur.engine.snapshots import Snapshots
from matheur.engine.steps import Step, Steps, Use

__all__ = ["LocalSearch"]

S = TypeVar("S")


@dataclass(eq=False)
class LocalSearch(Generic[S]):
    """One search: a construction, neighbourhoods, a schedule and an acceptance criterion.

    Parameters
    ----------
    problem
        The instance with its evaluator.
    construction
        Creates the first solution. If `run` gets a start, the construction is called only if there are no
        neighbourhoods, and the better solution counts.
    neighbourhoods
        Neighbourhoods that the schedule chooses from; may be empty.
    schedule, acceptance
        Defaults: `cycle`, `non-worsening`.
    observers
        Called with every event.
    on_best
        Called with every new best solution and its objective.
    checkpointer
        Stores the state for a resume.
    restart_after
        Construct again after this many calls without a gain, and when the current solution is a proved local optimum;
        None for never. The best solution is kept.
    guides, guide_calls
        Measures that acceptance compares in place of the objective, one after the other, and operator calls with each;
        see `matheur.engine.guidance`. Acceptance is reset with each. Schedules learn from gains of these measures.
    """

    problem: Problem[S]
    construction: Named[Construction[S]] | None
    neighbourhoods: Sequence[Named[Neighbourhood[S]]] = ()
    _: KW_ONLY
    schedule: Schedule = field(default_factory=Cycle)
    acceptance: Acceptance = field(default_factory=NonWorsening)
    observers: list[Observer] = field(default_factory=list)
    on_best: Callable[[S, int | float], None] | None = None
    checkpointer: Checkpointer | None = None
    restart_after: int | None = None
    guides: Sequence[str] = ()
    guide_calls: int = 1000

    def __post_init__(self) -> None:
        check_form(self.problem)
        self._guidance = Guidance(self.problem, self.guides, self.guide_calls)
        self._fresh = self.acceptance.state()
        self._ledger: Ledger[S] | None = None

    def run(
        self,
        budget: Budget,
        seed: int = 0,
        *,
        start: S | None = None,
        state: dict[str, Any] | None = None,
        pause: Pause | None = None,
    ) -> SearchResult[S]:
        """Search until the budget ends, the target or the bound is reached, or no improvement is possible.

        Parameters
        ----------
        budget
            Limits (seconds, iterations (operator calls), work), target and interrupt. The limits apply to the whole
            run: after a resume, the amount spent before counts.
        seed
            Non-negative integer, the seed of all randomness.
        start
            A solution to start from instead of the construction; with `state`, only if it is better than the best one
            there.
        state
            State of an earlier run (`SearchResult.state`) to continue; its seed replaces `seed`.
        pause
            Totals at which the search stops between two calls and returns the state to continue from.

        Raises
        ------
        OperatorError
            If an operator claims something that the evaluator refutes, or changes the incumbent.
        InputError
            If `start` is not a feasible solution, or `state` is damaged.
        """
        snapshots = Snapshots(self.problem, self.schedule, self.acceptance, self._guidance, len(self.neighbourhoods))
        ledger = self._ledger = Ledger(snapshots, budget, seed, state, self.observers, self.on_best, self.checkpointer)
        steps = Steps(ledger, self.construction, self.neighbourhoods, self._guidance, self.restart_after)
        ledger.open()
        try:
            steps.begin(start)
            while (stopped := steps.reason_to_stop(pause)) is None:
                if steps.construction_is_due:
                    steps.construct()
                    continue
                index = steps.choose(self.schedule)
                if self._guidance.turn(steps.iteration):
                    self.acceptance.restore(copy.deepcopy(self._fresh))
                shaking = isinstance(self.schedule, Shaking) and self.schedule.shakes_by(index)
                if shaking:
                    steps.return_to_best()
                step = steps.explore(index)  # the proposal is checked, and a new best solution stored
                if step.candidate is not None and (shaking or self._accepts(step, steps)):
                    steps.accept(step)
                self.schedule.record(steps.finish(step))
                ledger.end_call()
        finally:
            ledger.budget.close()
            ledger.checkpoint(forced=True)
        return ledger.close(stopped)

    def _accepts(self, step: Step[S], steps: Steps[S]) -> bool:
        drawn = steps.generator(Use.ACCEPT, self.acceptance)
        progress = 0.0 if self._ledger is None else self._ledger.progress
        return self.acceptance.accepts(step.value, step.current, step.best, progress, drawn)

    @property
    def at_work(self) -> str:
        """Name of the running operator."""
        return "start" if self._ledger is None else self._ledger.state.operator
