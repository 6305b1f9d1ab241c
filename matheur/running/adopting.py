"""Objects of other libraries as problems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import getattr_static
from typing import TYPE_CHECKING, Any

from matheur.engine.problem_form import check_form
from matheur.engine.problem_types import working_tools
from matheur.errors import ConfigurationError

if TYPE_CHECKING:
    from matheur.running.result import Result

__all__ = ["Adopted", "adopt", "by_name"]


@dataclass(frozen=True, slots=True)
class Adopted:
    """A problem made of an object.

    Attributes
    ----------
    problem
        The `Problem`.
    name
        Name for the result.
    deliver
        Called with the result to load it into the object; None if that is not needed.
    values
        Values that the object holds, usable as a start; None if it holds none.
    """

    problem: Any
    name: str
    deliver: Callable[[Result], None] | None = None
    values: Any = None


def adopt(instance: Any, options: Mapping[str, Any]) -> Adopted:
    """The problem that an object is, or represents; an `Adopted` stays as it is.

    Parameters
    ----------
    options
        Options of the reader.

    Raises
    ------
    ConfigurationError
        If no problem recognises the object, or it is a problem with members of the wrong kind.
    """
    if isinstance(instance, Adopted):
        return instance
    if isinstance(instance, type):
        raise ConfigurationError(f"the class {instance.__name__} is not an instance. Maybe {instance.__name__}(...)?")
    if callable(getattr(instance, "evaluate", None)) and _has(instance, "fingerprint"):
        check_form(instance)
        return Adopted(instance, instance.name)  # the instance was read with these options
    for _, take in working_tools("objects"):
        found: Adopted | None = take(instance, options)
        if found is not None:
            return found
    kind = f"{type(instance).__module__}.{type(instance).__qualname__}"
    known = [what for _, table in working_tools("adopts") for what in table.get("kinds", ())]
    raise ConfigurationError(f"an instance is a path, a name or a problem, or one of {', '.join(known)}; not {kind}")


def _has(instance: Any, member: str) -> bool:
    """Whether there is such a member, also if reading it fails."""
    return getattr_static(instance, member, None) is not None or hasattr(instance, member)


def by_name(option: Any) -> Any:
    """An option in plain values: objects that have a name, such as variables, are that name."""
    if option is None or isinstance(option, str | int | float):
        return option
    name = getattr(option, "name", None)
    if isinstance(name, str):
        return name
    if isinstance(option, Mapping):
        return {str(key): by_name(value) for key, value in option.items()}
    if isinstance(option, Iterable):
        return [by_name(one) for one in option]
    return option
