"""Problem types by name, and the objects that they register for tools."""

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
    """Registration of a problem's package; None if it has no registration file, or if the name is unknown."""
    return built_in().get(problem) or installed().get(problem)


def tool_of(problem: str, tool: str) -> Any:
    """Object or table that a problem registers for a tool; None if it registers nothing.

    Raises
    ------
    ConfigurationError
        If the object cannot be imported.
    """
    one = registration_of(problem)
    found = None if one is None else one.tools.get(tool)
    return found.load() if isinstance(found, Entry) else found


def with_tool(tool: str) -> list[str]:
    """Names of the problems that register something for a tool."""
    return [one.name for one in (*built_in().values(), *installed().values()) if tool in one.tools]


def working_types() -> Iterator[tuple[Entry, Any]]:
    """All problems, as entries and types. A broken problem of another package is logged and left out."""
    for entry in problem_types.entries():
        for type_ in of_working(entry.name, entry.load):
            yield entry, type_


def working_tools(tool: str) -> Iterator[tuple[str, Any]]:
    """Names of the problems that register something for a tool, and the registered object; broken ones are left out."""
    for name in with_tool(tool):
        for found in of_working(name, partial(tool_of, name, tool)):
            yield name, found


def of_working(problem: str, ask: Callable[[], T]) -> Iterator[T]:
    """Yield the answer of a problem to a question put to all problems; nothing if another package's problem fails.

    Such a failure is logged. Errors of matheur's own problems are raised, since they are bugs.
    """
    try:
        answer = ask()
    except Exception as error:  # code of other packages may raise anything
        if problem in built_in():
            raise
        origin = problem_types.entry(problem).origin
        said = " ".join((str(error) if isinstance(error, MatheurError) else repr(error)).split())
        _note(problem, said if not origin or origin in said else f"{origin}: {said}")
    else:
        yield answer


@cache
def _note(problem: str, wrong: str) -> None:
    """Log a broken problem once per process, since commands ask several times."""
    _log.warning("the problem '%s' is left out: %s", problem, wrong)
