"""The ports of the engine: what a problem and an operator are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar, runtime_checkable

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.outcome import Evaluation, Outcome

__all__ = [
    "Approximate",
    "Checking",
    "Comparable",
    "Construction",
    "Given",
    "Neighbourhood",
    "Problem",
    "Remarking",
    "Reporting",
    "Symmetric",
    "contradicts",
    "solution_key",
]

S = TypeVar("S")


class Problem(Protocol[S]):
    """An instance with its evaluator. Objectives are minimised; scores are the values usual in the field.

    Scores are affine in the objective. `encode` and `decode` turn a solution into plain JSON values and back: result
    files, checkpoints and the command line use them. `digest` names a solution: equal solutions have equal digests.
    `fingerprint` names the instance by its content.
    """

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    def evaluate(self, solution: S) -> Evaluation: ...

    def score(self, objective: int | float) -> int | float: ...

    @property
    def score_max(self) -> int | float | None: ...

    @property
    def trivial_bound(self) -> int | float | None:
        """A lower bound of the objective that needs no search (0 mismatches, say), or None."""

    def infeasible_reason(self) -> str | None:
        """A sentence if the instance plainly has no solution, else None."""

    def encode(self, solution: S) -> Any: ...

    def decode(self, data: Any) -> S: ...

    def digest(self, solution: S) -> bytes: ...


@runtime_checkable
class Reporting(Protocol):
    """A problem that reports further values of a solution."""

    def report(self, solution: Any) -> Mapping[str, Any]:
        """Further values of a solution for the result file, plain JSON values by name."""


@runtime_checkable
class Given(Protocol):
    """A problem some of whose instances need no search."""

    def given_solution(self) -> Any | None:
        """The solution that needs no search, such as a plan without moves; None if there is none."""


@runtime_checkable
class Remarking(Protocol):
    """A problem that remarks on properties of a valid solution beyond its objective."""

    def remark(self, solution: Any) -> str | None:
        """A phrase (`incomplete, 3 of 4 cells filled`; `level exact`), or None."""


@runtime_checkable
class Symmetric(Protocol):
    """A problem whose instances may have symmetries."""

    def orbit(self, solution: Any) -> bytes:
        """Key of a solution and all its images under the symmetries of the instance."""


@runtime_checkable
class Comparable(Protocol):
    """A problem that can measure the difference of two solutions."""

    def difference(self, first: Any, second: Any) -> int:
        """Number of parts (cells, vertices) in which two solutions differ, minimised over the symmetries of one."""


@runtime_checkable
class Approximate(Protocol):
    """A problem whose solutions and bounds hold within tolerances, as those with continuous variables do."""

    def noise(self, objective: int | float) -> float:
        """Amount by which a bound may exceed the objective of a solution without contradicting it."""


@runtime_checkable
class Checking(Protocol):
    """An operator whose options may not suit an instance; this is checked before the search."""

    def check(self, problem: Any) -> None:
        """Check an instance.

        Raises
        ------
        ConfigurationError
            If the options do not suit it.
        """


def solution_key(problem: Any, solution: Any) -> bytes:
    """Key that identifies a solution: up to symmetry if the problem is `Symmetric`."""
    found: bytes = problem.orbit(solution) if isinstance(problem, Symmetric) else problem.digest(solution)
    return found


def contradicts(problem: Any, bound: int | float, objective: int | float) -> bool:
    """Whether a bound contradicts a solution: it is above the objective by more than the problem's noise."""
    if bound <= objective:
        return False
    return bound > objective + (problem.noise(objective) if isinstance(problem, Approximate) else 0)


class Construction(Protocol[S]):
    """Makes a solution from nothing.

    A construction with a true attribute `continues` is also called after a given start, before the neighbourhoods: it
    can prove something, or continue from the start, which the problem knows.
    """

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[S]: ...


class Neighbourhood(Protocol[S]):
    """Tries to improve an incumbent, which it must not change."""

    def explore(self, problem: Any, incumbent: S, budget: Budget, rng: Generator) -> Outcome[S]: ...
