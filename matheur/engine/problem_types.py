"""The kinds of problems, found by name, and what tools ask them for."""

from __future__ import annotations

from typing import Any

from matheur.engine.registration import Registration, built_in, installed
from matheur.engine.registry import Entry, Registry

__all__ = ["problem_types", "registration_of", "tool_of", "with_tool"]

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
