"""Results of an evaluation and of an operator."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, replace
from enum import Enum
from typing import Any, Generic, TypeVar

import numpy as np

from matheur.errors import ConfigurationError

__all__ = ["Evaluation", "Outcome", "Status", "answer_fault", "is_number", "plain_number", "violations_of"]

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A solution recomputed from scratch.

    Attributes
    ----------
    objective
        Value to minimise; an integer if the problem is integral.
    feasible
        True if no constraint is violated.
    violations
        One sentence per violated constraint, empty if feasible.
    """

    objective: int | float
    feasible: bool
    violations: tuple[str, ...] = ()


class Status(Enum):
    """Claim of an operator about its answer."""

    IMPROVED = "improved"  # a better solution is returned
    NO_IMPROVEMENT = "no-improvement"  # searched, found none, no claim
    LOCAL_OPTIMUM = "local-optimum"  # proved: nothing in this neighbourhood is better
    INFEASIBLE = "infeasible"  # proved: the (sub)problem has no solution
    EXHAUSTED = "exhausted"  # the budget ended first; bound and solution may still be set


@dataclass(frozen=True, slots=True)
class Outcome(Generic[S]):
    """The answer of a construction or neighbourhood.

    The cost of the call is not included: the engine reads it from the call's budget.

    Parameters
    ----------
    work, seconds
        Ignored. Record work with `Budget.spend`; the next release removes both.

    Attributes
    ----------
    status
        Claim about the answer, see `Status`.
    solution
        Solution found, or None. It need not be better (a sideways move): acceptance decides.
    objective
        Its objective as the operator computed it; the engine checks it.
    bound
        A proved lower bound of the whole problem's objective, or None.
    reason
        For INFEASIBLE: a sentence that says why.
    certificate
        Description of the proof of `bound` or INFEASIBLE, as plain values: method, gap settings, backend and version.
    """

    status: Status
    solution: S | None = None
    objective: int | float | None = None
    bound: int | float | None = None
    _: KW_ONLY
    reason: str | None = None
    certificate: Mapping[str, Any] | None = None
    work: InitVar[int | None] = None
    seconds: InitVar[float | None] = None

    def __post_init__(self, work: int | None, seconds: float | None) -> None:
        if work is not None or seconds is not None:
            text = (
                "Outcome ignores 'work' and 'seconds': the engine counts the work booked by budget.spend and the time"
            )
            warnings.warn(text, DeprecationWarning, stacklevel=3)  # of the call of Outcome

    @property
    def optimal(self) -> bool:
        """Whether the bound proves that no solution of the whole problem is better."""
        return self.objective is not None and self.bound is not None and self.objective <= self.bound

    @property
    def local_optimum(self) -> bool:
        """Whether the operator proved that its neighbourhood holds nothing better."""
        return self.status in (Status.LOCAL_OPTIMUM, Status.INFEASIBLE)

    def after(self, trial: Outcome[S]) -> Outcome[S]:
        """This outcome, with the bound or the solution of an earlier attempt if those are better."""
        if self.bound is None or trial.bound is None:
            keeps = self.bound is not None or self.certificate is not None
        else:
            keeps = self.bound >= trial.bound
        one = self if keeps else replace(self, bound=trial.bound, certificate=trial.certificate)
        if trial.objective is not None and (self.objective is None or trial.objective < self.objective):
            return replace(one, solution=trial.solution, objective=trial.objective)
        return one


def is_number(value: Any) -> bool:
    """Whether a value is an integer or a float, including those of NumPy. Files cannot store other numbers.

    Examples
    --------
    >>> is_number(3), is_number(0.5), is_number("3"), is_number(None)
    (True, True, False, False)
    """
    return isinstance(value, int | float | np.integer | np.floating)


def plain_number(value: Any) -> Any:
    """A NumPy scalar as a Python number; anything else unchanged.

    Examples
    --------
    >>> plain_number(np.int64(3)), plain_number(0.5), plain_number(None)
    (3, 0.5, None)
    """
    return value.item() if isinstance(value, np.generic) else value


def violations_of(problem: Any, evaluation: Evaluation) -> list[str]:
    """The sentences of an evaluation about violated constraints; at least one if it is not feasible.

    Raises
    ------
    ConfigurationError
        If there are none although it is not feasible, or if they are not sentences; with the name of the problem.
    """
    found: Any = evaluation.violations
    listed = isinstance(found, Sequence) and not isinstance(found, str)
    if not (listed and all(isinstance(one, str) for one in found)) or not (found or evaluation.feasible):
        raise ConfigurationError(
            f"evaluate of '{problem.name}' must name what a solution violates in a list of sentences, not {found!r}"
        )
    return list(found)


def answer_fault(answer: Any) -> str | None:
    """A sentence if the answer of an operator is not an `Outcome` or has values of the wrong types, else None.

    Examples
    --------
    >>> answer_fault(None), answer_fault(Outcome(Status.EXHAUSTED, bound=3))
    ("the answer is not an Outcome, but NoneType. Maybe 'return' is missing?", None)
    """
    if not isinstance(answer, Outcome):
        hint = ". Maybe 'return' is missing?" if answer is None else ""
        return f"the answer is not an Outcome, but {type(answer).__name__}{hint}"
    said: Any = answer  # whatever its annotations say
    if not isinstance(said.status, Status):
        names = [status.name for status in Status if said.status in (status.value, status.name)]
        return f"the status {said.status!r} is not a Status. Maybe Status.{(names or ['IMPROVED'])[0]}?"
    for name in ("objective", "bound"):
        value = getattr(said, name)
        if value is not None and not is_number(value):
            return f"the {name} is not a number ({value!r})"
    if not isinstance(said.reason, str | None):
        return f"the reason is not a text ({said.reason!r})"
    if not isinstance(said.certificate, Mapping | None):
        return f"the certificate is not a mapping ({said.certificate!r})"
    return None
