"""Checks of a result's claims, and proofs of them by a second method."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from matheur.alarm import OutOfBudgetError, watched
from matheur.engine.operators import check_method, operator_class, operator_entries
from matheur.engine.own_terms import in_own_terms, with_engine_terms
from matheur.engine.protocols import Reporting
from matheur.errors import ConfigurationError, InputError, MatheurError, OperatorError, SolverError

if TYPE_CHECKING:
    from matheur.engine import SearchResult
    from matheur.running.configuration import Configuration
    from matheur.running.result import Result

__all__ = [
    "NoSecondProofError",
    "certified",
    "contradictions",
    "first_method",
    "proved_claim",
    "refuted",
    "second_proof",
]


class NoSecondProofError(MatheurError):
    """No other exact method supports this instance, so the claim rests on its first proof alone."""


STATUSES = ("optimal", "feasible", "infeasible", "unknown")


def contradictions(problem: Any, solution: Any, objective: int | float, claims: Mapping[str, Any]) -> list[str]:
    """Sentences about the claims of a result file that its own solution refutes.

    Parameters
    ----------
    solution, objective
        The solution of the file and its objective, evaluated from scratch.
    claims
        Values of the file by name; missing ones are ignored.
    """
    said, claims = claims, with_engine_terms(problem, claims)
    report = problem.report(solution) if isinstance(problem, Reporting) else {}
    true = {"objective": objective, "score": problem.score(objective), "score_max": problem.score_max, "feasible": True}
    found = []
    for name, value in {**true, **report}.items():
        claimed = claims.get(name)
        if claimed is not None and value is not None and (claimed != value or _is_bool(claimed, value)):
            right = in_own_terms(problem, value) if name == "objective" else value
            found.append(f"the file claims {name} {_shown(said.get(name))}, it is {_shown(right)}")
    bound, status = claims.get("bound"), claims.get("status")
    shown, right = _shown(said.get("bound")), in_own_terms(problem, objective)
    if bound is not None and not (_is_number(bound) and bound <= objective):
        found.append(f"the file claims the bound {shown}, but its solution has objective {right}")
    if status is not None and status not in STATUSES:
        found.append(f"the file claims status {_shown(status)}, which is not one of {', '.join(STATUSES)}")
    elif status in ("infeasible", "unknown"):
        found.append(f"the file claims status {status}, but holds a solution")
    elif status == "optimal" and bound is None:
        found.append("the file claims status optimal, but no bound")
    elif status == "optimal" and _is_number(bound) and bound < objective:
        found.append(f"the file claims status optimal, but its bound is {shown}, its objective {right}")
    return found


def proved_claim(problem: Any, claims: Mapping[str, Any]) -> int | float | None:
    """The bound that a result file claims as proved, in terms of the engine; None if it claims none.

    It is an integer if the objectives are.

    Raises
    ------
    InputError
        If its bound is not a number.
    """
    known = with_engine_terms(problem, claims)
    bound, objective = known.get("bound"), known.get("objective")
    if bound is None:
        return None
    if not _is_number(bound) or not math.isfinite(bound):
        raise InputError(f"the file claims the bound {_shown(bound)}, which is not a finite number")
    return bound if isinstance(objective, float) and not objective.is_integer() else math.ceil(bound)


def first_method(certificate: Any, solver: Any) -> str:
    """First proof method of a claim: the backend or the method of its certificate, else the solver of the run."""
    known = certificate if isinstance(certificate, Mapping) else {}
    named = (known.get("backend"), solver, known.get("method"))
    return next((name for name in named if isinstance(name, str)), "the file")


def second_proof(
    problem: Any, bound: int | float | None, *, first: str, interrupt: Callable[[], bool]
) -> dict[str, Any]:
    """Prove by another method that no solution has a lower objective, or that there is none.

    Parameters
    ----------
    bound
        The claim; None for the claim that there is no solution.
    first
        The method or backend whose proof is to be confirmed.

    Returns
    -------
    dict
        The second proof as plain values.

    Raises
    ------
    OperatorError
        If the other method refutes the claim.
    SolverError
        If the other method could not finish.
    NoSecondProofError
        If there is no other method for this instance.
    """
    if bound is None:
        reason = problem.infeasible_reason()
        if reason is not None:
            return {"method": "check of the instance", "statement": reason}
    certifiers = operator_entries(problem.name, "certifier")
    certifier = operator_class(problem.name, "certifier", certifiers[0].name) if certifiers else None
    plain = problem.trivial_bound is not None and not getattr(certifier, "bounds_are_computed", False)
    if bound is not None and plain and bound <= problem.trivial_bound:
        return {"method": "evaluation", "statement": "no solution can have a lower objective"}
    if certifier is None:
        raise NoSecondProofError(f"'{problem.name}' has no second exact method to certify with")
    method = certifier()
    check_method(method, "certifier", certifiers[0].name)
    try:
        with watched(interrupt):
            proof: dict[str, Any] = method.certify(problem, bound, first=first, interrupt=interrupt)
    except OutOfBudgetError:
        raise SolverError("the second proof was stopped") from None
    except ConfigurationError as error:  # its advice applies only if the user chooses the method
        raise NoSecondProofError(str(error).partition(" Maybe ")[0].removesuffix(".")) from error
    return proof


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_bool(claimed: Any, true: Any) -> bool:
    """Whether exactly one of two equal values is a boolean."""
    return isinstance(claimed, bool) is not isinstance(true, bool)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


def certified(
    found: SearchResult[Any], problem: Any, configuration: Configuration, interrupt: Callable[[], bool]
) -> SearchResult[Any]:
    """The search result with a second proof in its certificate, if it claims a proof and is not interrupted.

    If the other method could not finish, the certificate records this (`second_failed`).
    """
    optimal = found.objective is not None and found.bound is not None and found.objective <= found.bound
    searched = found.infeasible is not None and found.infeasible != problem.infeasible_reason()
    if not (optimal or searched) or found.certificate is None:
        return found
    first = first_method(found.certificate, configuration.solver["name"])
    claim = None if found.infeasible is not None else found.objective
    try:
        second = second_proof(problem, claim, first=first, interrupt=interrupt)
    except NoSecondProofError as none:
        return replace(found, certificate={**found.certificate, "no_second": str(none)})
    except SolverError as error:
        return found if interrupt() else replace(found, certificate={**found.certificate, "second_failed": str(error)})
    return replace(found, certificate={**found.certificate, "second": second})


def refuted(result: Result, error: OperatorError) -> Result:
    """The rest of a result whose proof was refuted."""
    status = "unknown" if result.objective is None else "feasible"
    return replace(result, status=status, bound=None, certificate=None, stopped="refuted", reason=str(error))
