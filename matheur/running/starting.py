"""What becomes of a start before the search begins.

A problem whose starts may lack something has a tool `starts`, an object as `Starts` says: it reads starts that are not
whole, and makes solutions of them, within a share of the budget. For all other problems a start is a solution.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.random import Generator, default_rng

from matheur.engine.budget import Budget
from matheur.engine.problem_types import tool_of
from matheur.engine.source import Source
from matheur.running.configuration import Configuration

__all__ = ["Begun", "Starts", "begun"]

_STREAM = 0x57A7  # the random numbers of a start are no others' for the same seed


@dataclass(frozen=True, slots=True)
class Begun:
    """What became of a start.

    Attributes
    ----------
    problem
        The problem to solve; it may know what was given.
    solution
        A solution to start from; None if there is none.
    report
        Plain values for the result: `outcome` (`used`, `completed`, `repaired` or `refused`), `text` (a sentence that
        says how or why), and more. None if there is nothing to say.
    """

    problem: Any
    solution: Any
    report: Mapping[str, Any] | None = None


class Starts(Protocol):
    """The tool `starts` of a problem."""

    def read(self, problem: Any, source: Source) -> Any:
        """A start in a file of the field, which may lack something; raises `InputError`."""

    def decode(self, problem: Any, data: Any) -> Any:
        """The same from the solution of a result file."""

    def begin(self, problem: Any, start: Any, solver: Mapping[str, Any], budget: Budget, rng: Generator) -> Begun:
        """A solution from a start, for a share of the run's budget; raises `InputError` for what is no start."""


def begun(problem: Any, start: Any, configuration: Configuration, budget: Budget) -> Begun:
    """What becomes of a start, which takes a share of the budget where it is no whole solution."""
    starts: Starts | None = None if start is None else tool_of(problem.name, "starts")
    if starts is None:
        return Begun(problem, start)
    return starts.begin(problem, start, configuration.solver, budget, default_rng([configuration.seed, _STREAM]))
