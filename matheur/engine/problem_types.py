"""The kinds of problems, found by name, and what tools ask them for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, TypeVar

from matheur.engine.registration import Registration, built_in, installed
from matheur.engine.registry import Entry, Registry
from matheur.errors import MatheurError

__all__ = ["of_working", "problem_types", "registration_of", "tool_of", "with_tool", "working_tools", "working_types"]

T = TypeVar("T")
_log = logging.getLogger(__name__)

problem_types: Registry = Registry(
    "problem",
    "matheur.problems",
    lambda: [one.type for one in built_in().values()],
    lambda: [one.type for one in installed().values()],
)


def registration_of(problem: str) -> Registration | None:
    """What the package of a problem brings along; None where it has no such file, or nobody knows the name."""
    return built_in().get(problem) or installed().get(problem)


def tool_of(problem: str, tool: str) -> Any:
    """What a problem has for a tool: an object or a table; None if it has nothing.

    Raises
    ------
    ConfigurationError
        If the object cannot be imported.
    """
    one = registration_of(problem)
    found = None if one is None else one.tools.get(tool)
    return found.load() if isinstance(found, Entry) else found


def with_tool(tool: str) -> list[str]:
    """Names of the problems that have something for a tool."""
    return [one.name for one in (*built_in().values(), *installed().values()) if tool in one.tools]


def working_types() -> Iterator[tuple[Entry, Any]]:
    """All problems: entries and types. A broken one of another package is noted, and left out."""
    for entry in problem_types.entries():
        for type_ in of_working(entry.name, entry.load):
            yield entry, type_


def working_tools(tool: str) -> Iterator[tuple[str, Any]]:
    """Names of the problems that have something for a tool, and what it is; what is broken is left out likewise."""
    for name in with_tool(tool):
        for found in of_working(name, partial(tool_of, name, tool)):
            yield name, found


def of_working(problem: str, ask: Callable[[], T]) -> Iterator[T]:
    """What a problem answers to a question that all are asked; nothing if another package's fails, which is noted.

    A problem of matheur has no faults that others should not see: what it raises is raised.
    """
    try:
        answer = ask()
    except Exception as error:  # code of others may break in any way
        if problem in built_in():
            raise
        origin = problem_types.entry(problem).origin
        said = " ".join((str(error) if isinstance(error, MatheurError) else repr(error)).split())
        _note(problem, said if not origin or origin in said else f"{origin}: {said}")
    else:
        yield answer


@cache
def _note(problem: str, wrong: str) -> None:
    """Once in a process: commands ask several times."""
    _log.warning("the problem '%s' is left out: %s", problem, wrong)
