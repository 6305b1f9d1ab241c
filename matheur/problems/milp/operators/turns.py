"""Turns of the MILP solver and of searches without a tree, in a timed run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.gap import optimality_gap
from matheur.engine.outcome import Outcome, Status
from matheur.errors import FailedSolveError, SolverError
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.core import Core, core_of
from matheur.problems.milp.operators.jump import Jump, JumpSearch
from matheur.problems.milp.operators.other_solver import OtherSolver
from matheur.problems.milp.operators.relaxation import known_relaxation, relaxation_of
from matheur.problems.milp.operators.rens import Rens
from matheur.problems.milp.operators.stall import Stall
from matheur.problems.milp.operators.walk import Walk
from matheur.problems.milp.operators.whole import Whole, best_known, whole_of
from matheur.problems.milp.operators.without_objective import WithoutObjective
from matheur.problems.milp.problem import Milp
from matheur.solvers import check_backend

__all__ = ["MADE", "Turns", "settles"]

Values = NDArray[np.float64]

MADE = "milp portfolio"
"""In the memory of a run: the portfolio has been called."""

_FAILED = "milp portfolio: the solver failed"
_CP_SAT = "cp-sat"
_CP_SAT_OVER = "milp portfolio: CP-SAT has ended"
_CP_SAT_MOST = 500_000  # nonzeros; translating a larger model takes seconds
_POOR = 0.5  # gap above which CP-SAT runs in the first round
_FAR = 0.1  # gap above which a part around the relaxation is searched
_CORE_LEAST = 1000  # least integer columns for core problems; the tree of a smaller model finds the same
_NEAR = 0.02  # gap below which the solver continues alone: the others are unlikely to help
_MORE = 3.0  # multiple of their share that searches may have while they gain
_GAIN = 0.01  # relative gain that each call needs
_STUCK = 3  # turns without a gain after which the local search from scratch has no more turns
_TRIAL = 2.0  # minimum seconds of the first turn, which solves easy models
_TRIAL_PART = 0.5  # if they are at most this share of the time
_LOOK = 0.5  # seconds of the local search within the first turn, and of the solver before it
_LATER = 1.5  # seconds of the solver before it if the solver has a bound by then, as it may soon finish
_FIRST = 30.0  # minimum seconds that the others share in their first turn if they are needed
_SHORT = 5.0  # if the turn of the solver was shorter than this; otherwise they share at most this
_SEARCHING = 0.25  # share of the elapsed time for the next turn of the solver if there is no solution
_AGAIN = 2.0  # multiple of the seconds without success after which they run again


class Mixture(Protocol):
    """The options of a portfolio; see `matheur.problems.milp.operators.portfolio.Portfolio` for the shares of time."""

    @property
    def trial(self) -> float:
        """Share of the first turn of the solver."""

    @property
    def walk(self) -> float:
        """Share of the local search."""

    @property
    def other(self) -> float:
        """Share of another solver."""

    @property
    def relaxed(self) -> float:
        """Share of each search that starts from the linear relaxation."""

    @property
    def plain(self) -> float:
        """Share of the solver without the objective."""

    @property
    def cp_sat(self) -> float:
        """Share of CP-SAT."""

    @property
    def core(self) -> float:
        """Share of the solver on a core problem."""

    @property
    def patience(self) -> float:
        """Share of the remaining time without a gain after which the solver stalls."""

    @property
    def solver(self) -> SolverOptions:
        """The MILP solver."""

    def others(self, problem: Milp) -> tuple[tuple[float, Any, bool], ...]:
        """Searches without a tree: share, search, and whether it also runs if there is a solution."""


class Turns:
    """One call of a portfolio.

    Parameters
    ----------
    portfolio
        The options of the portfolio.

    Attributes
    ----------
    best
        The best outcome so far, with bound and proof.
    """

    def __init__(self, portfolio: Mixture, problem: Milp, budget: Budget, rng: Generator) -> None:
        self._portfolio, self._problem, self._budget, self._rng = portfolio, problem, budget, rng
        self._began, self._total = budget.clock(), budget.seconds_left
        self._first = True
        self._in_vain = 0.0  # seconds that the others shared at their last run
        self._jumping: JumpSearch | None = None  # the local search from scratch, once it has begun
        self._core_hopes = True  # False after a turn on a core problem without a gain
        self._stuck = 0  # consecutive turns in which it found nothing clearly better
        self.best: Outcome[Values] = best_known(budget)

    @property
    def _elapsed(self) -> float:
        return self._budget.clock() - self._began

    def alone(self) -> Outcome[Values]:
        """Run the core problem, CP-SAT, and then the solver until it ends, stalls, or the time is over."""
        self._by_core(self._total)
        self._by_cp_sat(self._portfolio.cp_sat * self._total)
        failed = True
        while failed and not settles(self.best, self._budget):
            whole = self._whole()
            failed = self._solver(whole, self._total, self._stall(whole).over)
        return self.best

    def all(self) -> Outcome[Values]:
        """Run turns until there is a proof, the solver ends or stalls, or the time is over; return the best outcome."""
        seconds = max(self._portfolio.trial * self._total, min(_TRIAL, _TRIAL_PART * self._total))
        stall: Stall | None = None
        while True:
            whole = self._whole()
            if not self._first and (stall is None or not whole.begun):
                stall = self._stall(whole)
            if self._first:
                failed = self._first_turn(whole, seconds)
            else:
                failed = self._solver(whole, seconds, _never if stall is None else stall.over)
            over = not failed and not whole.unfinished
            if settles(self.best, self._budget) or (stall is not None and stall.over()):
                break
            if _gap(self.best) > _NEAR and (self._first or not over):
                self._others()
            elif not self._first and not over:
                self._by_core(min(self._elapsed, _FIRST))
            impatient = self._budget.leaves_time and not self._portfolio.patience and self.best.solution is not None
            if over or impatient or settles(self.best, self._budget):
                break
            seconds, self._first = self._elapsed, False
            if self.best.solution is None:
                seconds *= _SEARCHING
        return self.best

    def _whole(self) -> Whole:
        return whole_of(self._problem, self._portfolio.solver, self._budget, self._rng, self.best)

    def _stall(self, whole: Whole) -> Stall:
        patience = self._portfolio.patience * self._budget.seconds_left if self._budget.leaves_time else math.inf
        relaxed = known_relaxation(self._problem.model, self._portfolio.solver)
        bound = None if relaxed is None else self._problem.bound_of(relaxed.objective, None)
        return Stall(patience, whole, bound=bound)

    def _first_turn(self, whole: Whole, seconds: float) -> bool:
        """The first turn of the solver, interrupted by a short local search; return whether the solver failed."""
        if seconds < _TRIAL:
            return self._solver(whole, seconds, _never)
        failed = self._solver(whole, _LATER, lambda: whole.bound is None and whole.seconds > _LOOK)
        if failed or not whole.unfinished or settles(self.best, self._budget):
            return failed
        if self.best.solution is None or (whole.bound is None and _gap(self.best) > _POOR):
            share, search = self._local_search()
            self._jump(_LOOK if share else 0.0, search)
            whole = self._whole()
        return not settles(self.best, self._budget) and self._solver(whole, seconds - whole.seconds, _never)

    def _solver(self, whole: Whole, seconds: float, pause: Callable[[], bool]) -> bool:
        """Run a turn of the solver; return whether it failed for the first time in the run.

        Raises
        ------
        SolverError
            If it failed again, and there is no solution.
        """
        try:
            self.best = whole.run(self._budget, seconds=seconds, pause=pause).after(self.best)
        except FailedSolveError:
            again = _FAILED in self._budget.memory
            if again and self.best.solution is None:
                raise
            self._budget.memory[_FAILED] = 1.0
            return not again
        return False

    def _others(self) -> None:
        """A turn of the other searches; those from scratch run the first time, or as long as there is no solution."""
        seconds = self._elapsed
        if self._first and seconds <= _SHORT and _gap(self.best) > _POOR:
            seconds = max(seconds, min(self._total, _FIRST))
        elif self._first:
            seconds = min(seconds, _SHORT)
        if self._first or self.best.solution is not None or seconds >= _AGAIN * self._in_vain:
            self._in_vain = seconds
            self._from_nothing(seconds)
        else:  # these continue where they stopped
            self._jump_on(seconds)
            self._without_objective(seconds)
        if self.best.solution is not None:  # the walk takes a tenth of the remaining time in each call
            self._improve(Walk(seconds=math.inf, solver=self._portfolio.solver), self._portfolio.walk * seconds)
        if not self._first:
            self._by_cp_sat(self._portfolio.cp_sat * seconds)

    def _from_nothing(self, seconds: float) -> None:
        """Run searches that need no solution, each for its share of the seconds, then search around the relaxation."""
        for share, search, always in self._portfolio.others(self._problem):
            if isinstance(search, Jump):
                self._jump(share * seconds, search)
            elif self.best.solution is None or (self._first and always):
                self._begin(search, share * seconds)
            if settles(self.best, self._budget):
                return
        if self._jumping is not None and self._jumping.close and self.best.solution is None:
            self._jump_on(seconds)
        if not self._first or _gap(self.best) > _FAR:
            self._by_core(seconds)
        if self.best.solution is not None and _gap(self.best) > _FAR:
            share = self._portfolio.relaxed * seconds
            self._improve(Rens(solver=self._portfolio.solver), share, each=share)
        if self._first and _gap(self.best) > _POOR:
            self._by_cp_sat(self._portfolio.cp_sat * seconds)
        self._without_objective(seconds)
        if self.best.solution is None:
            self._begin(OtherSolver(solver=self._portfolio.solver), self._portfolio.other * seconds)

    def _without_objective(self, seconds: float) -> None:
        """A turn of the solver without the costs, if the model has costs and there is no solution."""
        if self.best.solution is None and self._problem.model.cost.any():
            self._begin(WithoutObjective(solver=self._portfolio.solver), self._portfolio.plain * seconds)

    def _begin(self, search: Any, seconds: float) -> None:
        """Start or continue a construction, unless nothing is left to do."""
        if not settles(self.best, self._budget):
            self.best = search.build(self._problem, self._part(seconds), self._rng).after(self.best)

    def _local_search(self) -> tuple[float, Jump]:
        """The local search from scratch, and its share."""
        others = self._portfolio.others(self._problem)
        return next((share, search) for share, search, _ in others if isinstance(search, Jump))

    def _jump_on(self, seconds: float) -> None:
        """Another turn of the local search from scratch, for its share of the seconds."""
        share, search = self._local_search()
        self._jump(share * seconds, search)

    def _jump(self, seconds: float, search: Jump) -> None:
        """A turn of the local search from scratch: longer while it gains, none after some turns without a gain."""
        if not seconds or (self._stuck >= _STUCK and self.best.solution is not None):
            return
        if self._jumping is None:
            self._jumping = JumpSearch(search, self._problem, self._part(seconds), self._rng)
        began = self._jumping.seconds
        most = seconds if self._first else _MORE * seconds
        self.best = self._jumping.run(self._part(most), patience=seconds).after(self.best)
        self._stuck = 0 if self._jumping.found_at > began else self._stuck + 1

    def _improve(self, neighbourhood: Rens | Walk, seconds: float, *, each: float = math.inf) -> None:
        """Search around the best solution, as long as each call gains; no call takes longer than `each`."""
        end = self._budget.clock() + _MORE * seconds
        while self._budget.clock() < end and not settles(self.best, self._budget):
            known, values = self.best.objective, self.best.solution
            assert known is not None
            assert values is not None
            part = self._part(min(each, end - self._budget.clock()))
            found = neighbourhood.explore(self._problem, values, part, self._rng)
            self.best = replace(found, status=Status.EXHAUSTED).after(self.best)
            if self.best.objective is None or known - self.best.objective <= _GAIN * abs(known):
                break

    def _by_core(self, seconds: float) -> None:
        """A turn of the solver on a core problem, longer while it gains, none after a turn without a gain.

        If the gap is large, a core turn continues only with large gains: the solver may find more in its own turn.
        """
        model = self._problem.model
        known, far = self.best.objective, _gap(self.best) > _FAR
        share = self._portfolio.relaxed if far else self._portfolio.core
        if known is None or not (share and self._core_hopes) or model.integral.sum() < _CORE_LEAST:
            return
        core = core_of(Core(solver=self._portfolio.solver), self._problem, self._budget)
        if core.over or settles(self.best, self._budget):
            return
        # Neighbourhoods also need the relaxation: it may take longer than this turn.
        if relaxation_of(model, self._portfolio.solver, self._budget) is None:
            return
        began, least = core.seconds, share * seconds

        def idle() -> bool:
            return core.seconds - max(began, core.found_much_at if far else core.found_at) > least

        found = core.run(self._part(_MORE * least), self._rng, pause=idle)
        self._core_hopes = found.objective is not None and found.objective < known
        self.best = found.after(self.best)

    def _by_cp_sat(self, seconds: float) -> None:
        """A turn of CP-SAT on the whole model, longer while it improves the best solution."""
        memory, model, first = self._budget.memory, self._problem.model, self._portfolio.solver
        integer = model.integral.all() and model.data.size <= _CP_SAT_MOST and first.name != _CP_SAT
        if not integer or not seconds or _CP_SAT_OVER in memory or settles(self.best, self._budget):
            return
        solver = SolverOptions(_CP_SAT, first.threads, {"interleave_search": True})
        try:
            check_backend(_CP_SAT)
            whole = whole_of(self._problem, solver, self._budget, self._rng, self.best)
            began = whole.seconds
            found = whole.run(
                self._part(_MORE * seconds), pause=lambda: whole.seconds - max(began, whole.found_at) > seconds
            )
        except SolverError:  # it is not installed, or does not support the model
            memory[_CP_SAT_OVER] = 1.0
            return
        if not whole.unfinished:
            memory[_CP_SAT_OVER] = 1.0
        if not found.optimal and found.status is not Status.INFEASIBLE:  # only the bound of the solver counts
            found = replace(found, bound=None, certificate=None)
        self.best = found.after(self.best)

    def _part(self, seconds: float) -> Budget:
        """A part of the budget that ends in time, even if the whole run may continue until there is a solution."""
        return self._budget.child(seconds=seconds, unless=_never)


def _never() -> bool:
    return False


def settles(best: Outcome[Values], budget: Budget) -> bool:
    """Whether the outcome is final, or the budget is used up."""
    return best.status is Status.INFEASIBLE or best.optimal or budget.exhausted or budget.reached(best.objective)


def _gap(best: Outcome[Values]) -> float:
    """The relative gap; infinite if there is no solution or no bound."""
    gap = optimality_gap(best.objective, best.bound)
    return math.inf if gap is None else gap
