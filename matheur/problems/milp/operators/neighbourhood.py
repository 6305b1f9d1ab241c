"""The base of neighbourhoods that let a MILP solver search a part of the solutions for something better.

A neighbourhood is a class with a method `choose` that returns a `Restriction`, the part to search. This module has the
shared code: the solve, the size that adapts to the solver, and the stored proofs.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.engine.proofs import proof_key
from matheur.engine.protocols import solution_key
from matheur.errors import FailedSolveError
from matheur.linear.model import LinearModel
from matheur.methods.milp import SolverOptions, node_limit, solve_arrays
from matheur.problems.milp.operators.gaps import RELATIVE, absolute_gap, facts_of
from matheur.problems.milp.operators.parts import for_parts
from matheur.problems.milp.operators.state import State, fixed_at
from matheur.problems.milp.problem import Milp
from matheur.solvers import MilpStatus
from matheur.solvers.linear import LinearAnswer
from matheur.solvers.linear_task import LinearTask, Restriction

__all__ = ["End", "LargeNeighbourhood", "solve_restricted"]

Values = NDArray[np.float64]

_log = logging.getLogger(__name__)
_SHARE, _FIRST = 0.1, 0.05  # shares of the remaining seconds: for a call, and for the first one
_QUICK = 0.2  # share of the limits: after a proof within it, the size grows
_QUICK_AT_ONCE = 0.5  # the same for a proof without a tree, most of which is presolve
_LEAST = 5
_TINY = 0.1  # share of the seconds of a call
_GENTLY = 1.1  # growth after a tiny part if one has been too large before: another draw is worth more
_SHARED = "milp parts: size in proportion to the first one"


class End(Enum):
    """How the search of a part ended."""

    EMPTY = "empty"  # nothing (else) in it is better, proved without a tree
    QUICK = "quick"  # the same after a small part of the limits
    SLOW = "slow"  # the same after a large part of them
    GAIN = "gain"  # something better was found, and the limit was reached before a proof
    LIMIT = "limit"  # the limit was reached first


_FACTORS = {End.EMPTY: 2.0, End.QUICK: 1.5, End.SLOW: 1.0, End.GAIN: 1.0, End.LIMIT: 0.6}


@dataclass(frozen=True, slots=True)
class LargeNeighbourhood(ABC):
    """Search a part of the solutions with the MILP solver, and adapt its size.

    If the size of the last neighbourhood shrank, the first size of a new neighbourhood is reduced in proportion.

    Continuous columns are never fixed. When the solver quickly proves that a part contains nothing better, the proof is
    stored, and a larger part is searched in the same call. After a part that ends at a limit without a gain, the next
    call searches a smaller one, and sizes then grow slowly. If the part is the whole model, as in a model without
    integer columns, and nothing is better, the incumbent is optimal.

    Work: one unit for each node of the solver's tree, at least one for each part.

    Attributes
    ----------
    size
        Initial size of the part: the number of free integer columns. The size then adapts during the run.
    nodes
        Node limit of a call. In a run without a time limit, the solver must support node limits.
    seconds
        Time limit of a call in a timed run. If a tenth of the remaining time is less, the limit is this tenth, but at
        least a second; for the first call, a twentieth, so that all neighbourhoods are tried soon.
    solver
        The MILP solver.
    """

    size: int = option(100, minimum=1)
    nodes: int = option(500, minimum=1)
    seconds: float = option(5.0, above=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    shares: ClassVar[bool] = True
    """Whether the size says how much the solver has to search, so that others can learn from it."""

    @abstractmethod
    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """Return the part to search, of the size in the state; None if there is nothing to choose from."""

    def largest(self, model: LinearModel) -> int:
        """The largest useful size."""
        return int(model.integral.sum())

    def resized(self, size: float, end: End) -> float:
        """The size of the next part after one of this size."""
        return size * _FACTORS[end]

    def explore(self, problem: Milp, incumbent: Values, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Search one part after another, until there is a gain or the limits of the call are reached."""
        call: Budget | None = None
        objective = problem.evaluate(incumbent).objective
        largest = max(1, self.largest(problem.model))
        learnt = budget.memory.get(_SHARED, 1.0) if self.shares else 1.0
        own, limited = min(largest, self.size), f"{self!r}: has been too large"
        size = min(largest, budget.memory.get(repr(self), learnt * own))
        while True:
            state = State(problem, incumbent, objective, budget, self.solver, max(1, round(size)))
            restriction = self.choose(state, rng) if len(state.whole) else Restriction()
            if restriction is None:
                budget.spend(work=1)
                return Outcome(Status.NO_IMPROVEMENT)
            if call is None:  # the time of the choice, such as a relaxation, does not count for the call
                call = self._call(budget, _SHARE if repr(self) in budget.memory else _FIRST)
            before, began = call.spent_work, call.elapsed
            outcome, proved = self._search(state, restriction, call, rng)
            if not proved and outcome.status is not Status.IMPROVED and budget.exhausted:
                break  # this says nothing about the size
            end = self._end(call, before, outcome, proved)
            again = end in (End.EMPTY, End.QUICK) and outcome.status is Status.NO_IMPROVEMENT
            last, size = size, min(largest, max(_LEAST, self.resized(size, end)))
            if end is End.LIMIT:
                budget.memory[limited] = 1.0
            elif again and limited in budget.memory and call.elapsed - began <= _TINY * (call.deadline - call.started):
                size = min(size, _GENTLY * last)
            if not again or size == last or budget.exhausted:
                break
        budget.memory[repr(self)] = size
        if self.shares:  # a part that is too small costs little, one that is too large costs a call
            budget.memory[_SHARED] = min(1.0, size / own)
        if outcome.status is Status.EXHAUSTED and not budget.exhausted:  # the call's own limit
            return replace(outcome, status=Status.NO_IMPROVEMENT)
        return outcome

    def _call(self, budget: Budget, share: float) -> Budget:
        """The limits of a call: nodes as well as seconds, unless the run is timed and the solver has no node limit."""
        if not budget.timed:
            return budget.child(work=self.nodes)
        seconds = min(self.seconds, max(1.0, share * budget.seconds_left))
        return budget.child(seconds=seconds, work=node_limit(self.solver, budget, self.nodes))

    def _end(self, call: Budget, before: int, outcome: Outcome[Values], proved: bool) -> End:
        if not proved:
            return End.GAIN if outcome.status is Status.IMPROVED else End.LIMIT
        allowed = call.deadline - call.started  # infinite where only nodes are limited
        if call.spent_work <= before + 1:
            return End.EMPTY if call.elapsed <= _QUICK_AT_ONCE * allowed else End.SLOW
        slow = call.spent_work > _QUICK * self.nodes or call.elapsed > _QUICK * allowed
        return End.SLOW if slow else End.QUICK

    def _search(
        self, state: State, restriction: Restriction, call: Budget, rng: Generator
    ) -> tuple[Outcome[Values], bool]:
        """Search one part; return the outcome, and whether it is proved that nothing (else) in it is better."""
        proofs, problem = call.proofs, state.problem
        everything = _is_everything(state.model, restriction)
        key = _key(restriction, state.objective)
        if key in proofs:
            call.spend(work=1)
            return Outcome(Status.LOCAL_OPTIMUM if everything else Status.NO_IMPROVEMENT), True
        more = {"start": state.incumbent, "cutoff": None} if everything else {}
        solver = self.solver if everything else for_parts(self.solver)
        try:
            outcome, answer = solve_restricted(
                problem, restriction, state.incumbent, solver, call, rng,
                nodes=call.work_left, relative_gap=RELATIVE, absolute_gap=absolute_gap(problem.model), **more,
            )  # fmt: skip
        except FailedSolveError as error:  # the solver may fail on one part of many; a smaller one may succeed
            _log.warning("a part of the model was not solved: %s", error)
            call.spend(work=1)
            return Outcome(Status.NO_IMPROVEMENT), False
        if everything and answer.status is MilpStatus.OPTIMAL:
            outcome = _polished(state, outcome, self.solver, call, rng)
        ours = restriction.cost is None
        proved = answer.status is MilpStatus.INFEASIBLE or (answer.status is MilpStatus.OPTIMAL and ours)
        if proved:
            proofs.remember(_key(restriction, state.objective if outcome.objective is None else outcome.objective))
        return _claim(state, outcome, answer) if everything else outcome, proved


def _is_everything(model: LinearModel, restriction: Restriction) -> bool:
    """Whether nothing is restricted."""
    if restriction.rows is not None or restriction.cost is not None or np.any(restriction.relaxed):
        return False
    lower = restriction.lower is None or np.array_equal(restriction.lower, model.lower)
    return lower and (restriction.upper is None or np.array_equal(restriction.upper, model.upper))


def _key(restriction: Restriction, objective: int | float) -> str:
    """Key of the proof that nothing in this part of the model is better than the objective."""
    parts: list[Any] = [restriction.lower, restriction.upper, np.asarray(restriction.relaxed)]
    if restriction.rows is not None:
        rows = restriction.rows
        parts += [rows.matrix.indptr, rows.matrix.indices, rows.matrix.data, rows.lower, rows.upper]
    return proof_key("part", *("" if part is None else part for part in parts), repr(objective))


def _polished(
    state: State, outcome: Outcome[Values], solver: SolverOptions, call: Budget, rng: Generator
) -> Outcome[Values]:
    """An outcome that is optimal within the gap of the solver, with the best values of its continuous columns."""
    if state.model.integral.all():
        return outcome
    best = state.incumbent if outcome.solution is None else outcome.solution
    rest = fixed_at(state.model, best, state.model.integral, relaxed=True)
    try:
        polished, _ = solve_restricted(state.problem, rest, best, solver, call, rng, cutoff=None)
    except FailedSolveError as error:
        _log.warning("the continuous columns of a solution were not chosen: %s", error)
        return outcome
    return outcome if polished.solution is None else polished


def _claim(state: State, outcome: Outcome[Values], answer: LinearAnswer) -> Outcome[Values]:
    """Add the bound and the proof of a solve of the whole model, which began with the incumbent and had no cutoff."""
    status, value = outcome.status, outcome.objective
    bound = state.problem.bound_of(answer.bound, state.objective if value is None else min(value, state.objective))
    if answer.status is MilpStatus.OPTIMAL and bound is not None:
        status = Status.LOCAL_OPTIMUM if value is None else status
        bound = state.objective if value is None else value
    return replace(outcome, status=status, bound=bound, certificate=facts_of(answer, "the whole model"))


def solve_restricted(
    problem: Milp,
    restriction: Restriction,
    incumbent: Values,
    solver: SolverOptions,
    budget: Budget,
    rng: Generator,
    **limits: Any,
) -> tuple[Outcome[Values], LinearAnswer]:
    """Look for a better solution in a restricted model; return the outcome, without a bound or proof, and the answer.

    If the restriction has its own costs, its rows require an improvement, and the first solution is taken; a linear
    program with the costs of the model then chooses the continuous columns.

    Parameters
    ----------
    **limits
        As in `matheur.methods.milp.solve_arrays`, such as `nodes` and `relative_gap`; `cutoff` defaults to the
        objective of the incumbent.
    """
    known = problem.evaluate(incumbent).objective
    if restriction.cost is None:
        limits.setdefault("cutoff", float(problem.score(known)))
    else:
        limits["target"] = LinearTask(problem.model, restriction).worst
    answer = solve_arrays(problem.model, solver, budget, rng, restriction=restriction, **limits)
    if answer.values is None:
        ended = answer.status is not MilpStatus.INFEASIBLE and budget.exhausted
        return Outcome(Status.EXHAUSTED if ended else Status.NO_IMPROVEMENT), answer
    found = problem.evaluate(answer.values)
    outcome: Outcome[Values] = Outcome(Status.NO_IMPROVEMENT)
    if found.feasible and found.objective < known:  # else it is better only within the tolerance of the solver
        outcome = Outcome(Status.IMPROVED, answer.values, found.objective)
    elif found.feasible:  # still a solution, for neighbourhoods that combine solutions
        budget.elites.add(solution_key(problem, answer.values), answer.values, found.objective)
    if restriction.cost is not None and not problem.model.integral.all():
        rest = fixed_at(problem.model, answer.values, problem.model.integral, relaxed=True)
        start = answer.values if outcome.solution is not None else incumbent
        again, _ = solve_restricted(problem, rest, start, solver, budget, rng)
        outcome = again if again.solution is not None else outcome
    return outcome, answer
