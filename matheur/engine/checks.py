"""Checks of operators' claims against the evaluator and earlier claims: a wrong claim is an `OperatorError`.

All are functions of the instance and of the state of the search. When they raise, the state is unchanged, except after
`check_incumbent`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeVar

from matheur.engine.outcome import Evaluation, Outcome, Status, is_number, plain_number, violations_of
from matheur.engine.protocols import Problem, contradicts
from matheur.engine.state import SearchState
from matheur.errors import ConfigurationError, OperatorError

__all__ = [
    "check_evaluation",
    "check_incumbent",
    "check_neighbour",
    "check_solution",
    "raise_bound",
    "record_infeasible",
]

S = TypeVar("S")


def check_solution(problem: Problem[S], state: SearchState[S], solution: S, claimed: int | float | None) -> int | float:
    """Evaluate a solution of the running operator from scratch.

    Parameters
    ----------
    problem, state
        Instance, and search state with the running operator and the bound.
    solution
        Object that the operator returned or reported; may be anything.
    claimed
        Objective claimed by the operator; None for no claim.

    Returns
    -------
    The objective.

    Raises
    ------
    OperatorError
        If the object is not a solution, violates a constraint, has another objective than claimed, or beats the bound.
    ConfigurationError
        See `check_evaluation`.
    """
    name = state.operator
    try:
        evaluation = problem.evaluate(solution)
    except ConfigurationError:  # of the problem
        raise
    except Exception as error:
        raise OperatorError(f"operator '{name}' returned something that is not a solution ({error!r})") from error
    objective = check_evaluation(problem, evaluation)
    if not evaluation.feasible:
        raise OperatorError(
            f"operator '{name}' returned a solution that violates: {violations_of(problem, evaluation)[0]}"
        )
    if claimed is not None and claimed != objective:
        raise OperatorError(f"operator '{name}' claims objective {claimed}, the evaluator says {objective}")
    if state.bound is not None and objective < state.bound:
        if contradicts(problem, state.bound, objective):
            raise OperatorError(
                f"'{state.bound_source}' claims the bound {state.bound}, "
                f"but '{name}' found a solution of objective {objective}"
            )
        state.bound = objective
    return objective


def check_evaluation(problem: Problem[S], evaluation: Any) -> int | float:
    """Check that a problem returns an `Evaluation` whose objective is a number.

    Returns
    -------
    The objective as a Python number.

    Raises
    ------
    ConfigurationError
        With the name of the problem.
    """
    if not isinstance(evaluation, Evaluation):
        kind = type(evaluation).__name__
        raise ConfigurationError(f"evaluate of '{problem.name}' must return an Evaluation, not {kind}")
    if evaluation.feasible and not is_number(evaluation.objective):
        raise ConfigurationError(f"the objective of '{problem.name}' is not a number ({evaluation.objective!r})")
    objective = plain_number(evaluation.objective)
    if evaluation.feasible and not -math.inf < objective < math.inf:
        raise ConfigurationError(f"the objective of '{problem.name}' is {objective}, not a finite number")
    return objective


def check_neighbour(
    problem: Problem[S], state: SearchState[S], outcome: Outcome[S], before: int | float
) -> int | float | None:
    """Check the outcome of a neighbourhood for the current solution, whose objective is `before`.

    Returns
    -------
    Objective of the returned solution; None if there is none, or if it is the current one. A better solution with the
    same digest also counts as the current one: the difference is below the problem's resolution.

    Raises
    ------
    OperatorError
        If `check_solution` rejects the solution, or if a claimed improvement is not one.
    """
    name, improved = state.operator, outcome.status is Status.IMPROVED
    if outcome.solution is None:
        if improved:
            raise OperatorError(f"operator '{name}' claims an improvement but returns no solution")
        return None
    if _digest(problem, outcome.solution) == state.current_digest:
        if improved and not _is_better(problem, outcome.solution, before):
            raise OperatorError(f"operator '{name}' claims an improvement but returns the incumbent")
        return None
    objective = check_solution(problem, state, outcome.solution, outcome.objective)
    if improved and objective >= before:
        raise OperatorError(f"operator '{name}' claims an improvement, but {objective} is no better than {before}")
    return objective


def _is_better(problem: Problem[S], solution: S, before: int | float) -> bool:
    """Whether the object is a solution with a lower objective."""
    found = problem.evaluate(solution)
    return found.feasible and found.objective < before


def check_incumbent(problem: Problem[S], state: SearchState[S]) -> None:
    """Raise an error if the call changed its input solution; the search then continues from the best solution."""
    if problem.digest(state.current) != state.current_digest:  # type: ignore[arg-type] # there is one in a call
        state.move(problem, state.best, state.best_objective)  # type: ignore[arg-type] # for the last checkpoint
        raise OperatorError(f"operator '{state.operator}' changed the incumbent that it was given")


def record_infeasible(state: SearchState[S], outcome: Outcome[S]) -> None:
    """Record a proof of infeasibility; if a solution is known, raise an `OperatorError`."""
    name = state.operator
    if state.best is not None:
        raise OperatorError(f"operator '{name}' claims that there is no solution, but there is one")
    state.infeasible = outcome.reason or f"proved by '{name}'"
    state.certificate = {"method": name, **(outcome.certificate or {})}


def raise_bound(
    problem: Problem[S],
    state: SearchState[S],
    bound: int | float | None,
    source: str,
    certificate: Mapping[str, Any] | None = None,
) -> bool:
    """Record a lower bound of the objective if it is the highest so far; return whether it was recorded.

    A bound that exceeds the objective of the best solution by at most the problem's noise is set to that objective.

    Parameters
    ----------
    problem, state
        Instance, and search state, which stores the bound, its source and its certificate.
    bound
        Claimed bound; None for no claim.
    source
        Name of the operator, or `trivial`.
    certificate
        Description of the proof. The certificate of an equal bound replaces the missing certificate of the trivial
        bound.

    Raises
    ------
    OperatorError
        If the bound is not a finite number, or is above the objective of a known solution.
    """
    if bound is not None and not (is_number(bound) and math.isfinite(bound)):
        raise OperatorError(f"'{source}' claims the bound {bound}, which is not a finite number")
    bound, best = plain_number(bound), state.best_objective
    if bound is not None and best is not None and bound > best and not contradicts(problem, bound, best):
        bound = best
    if bound is not None and bound == state.bound and certificate and state.bound_source == "trivial":
        state.certificate = {"method": source, **certificate}  # a solver reports the same, with its settings
    if bound is None or (state.bound is not None and bound <= state.bound):
        return False
    if best is not None and bound > best:
        raise OperatorError(f"'{source}' claims the bound {bound}, but a solution of objective {best} exists")
    state.bound, state.bound_source = bound, source
    state.certificate = {"method": source, **(certificate or {})}
    return True


def _digest(problem: Problem[S], solution: S) -> bytes:
    """Digest of the returned object; None if it cannot be a solution."""
    try:
        return problem.digest(solution)
    except Exception:  # `check_solution` reports the error
        return b""
