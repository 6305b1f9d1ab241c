"""Preparation of a start before the search begins.

A problem with incomplete starts has a tool `starts`, an object with the protocol `Starts`: it reads incomplete starts
and completes or repairs them within a share of the budget. For all other problems a start is a solution.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.random import Generator, default_rng

from matheur.engine.budget import Budget
from matheur.engine.problem_types import tool_of
from matheur.engine.source import Source
from matheur.running.configuration import Configuration

__all__ = ["Begun", "Starts", "begun", "continues", "forget_proofs", "resumed_start"]

_log = logging.getLogger(__name__)

_STREAM = 0x57A7  # random stream of starts, distinct from all others for the same seed


@dataclass(frozen=True, slots=True)
class Begun:
    """A prepared start.

    Attributes
    ----------
    problem
        The problem to solve; it may hold the given start.
    solution
        A solution to start from; None if there is none.
    report
        Plain values for the result: `outcome` (`used`, `completed`, `repaired` or `refused`), `text` (a sentence on how
        or why), and more. None if there is nothing to report.
    """

    problem: Any
    solution: Any
    report: Mapping[str, Any] | None = None


class Starts(Protocol):
    """The tool `starts` of a problem."""

    def read(self, problem: Any, source: Source) -> Any:
        """Read a start, possibly incomplete, from a file in a format of the field; raises `InputError`."""

    def decode(self, problem: Any, data: Any) -> Any:
        """The same from the solution of a result file."""

    def begin(self, problem: Any, start: Any, solver: Mapping[str, Any], budget: Budget, rng: Generator) -> Begun:
        """Make a solution from a start within a share of the run's budget; raises `InputError` for an invalid start."""


def begun(problem: Any, start: Any, configuration: Configuration, budget: Budget) -> Begun:
    """Prepare a start; completing an incomplete one uses a share of the budget."""
    starts: Starts | None = None if start is None else tool_of(problem.name, "starts")
    if starts is None:
        return Begun(problem, start)
    return starts.begin(problem, start, configuration.solver, budget, default_rng([configuration.seed, _STREAM]))


def continues(state: dict[str, Any] | None) -> bool:
    """Whether a stored state, or that of one of several jobs, holds a solution from which the search continues."""
    return any(one.get("current") is not None for one in _members(state))


def forget_proofs(state: dict[str, Any]) -> None:
    """Remove from a stored state what holds only for the options with which the operators were called.

    These are local optima, and that the construction has ended.
    """
    for one in _members(state):
        one |= {"proved": [], "constructed": False}


def _members(state: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The state itself, or those of several jobs."""
    members = [] if state is None else state.get("members", [state])
    if not isinstance(members, list):  # damaged; the search says so
        return []
    return [one for one in members if isinstance(one, dict)]


def resumed_start(problem: Any, start: Any) -> Any:
    """The start of a run that continues from its checkpoint; None, with a warning, if it may be incomplete."""
    if tool_of(problem.name, "starts") is None:
        return start
    _log.warning("the start is not used, since the run continues from its checkpoint. Maybe another folder?")
    return None
