"""The form of a problem: which of its members are attributes, and which are methods."""

from __future__ import annotations

from inspect import getattr_static
from typing import Any

from matheur.errors import ConfigurationError

__all__ = ["check_form", "form_fault"]

_ATTRIBUTES = ("name", "fingerprint", "score_max", "trivial_bound")
_METHODS = ("evaluate", "score", "infeasible_reason", "encode", "decode", "digest")
_OPTIONAL_ATTRIBUTES = ("guides",)
_OPTIONAL_METHODS = ("report", "given_solution", "remark", "orbit", "difference", "noise", "guide")

_MISSING = object()


def form_fault(problem: Any) -> str | None:
    """A sentence if a member that `matheur.engine.protocols` describes is missing, or of the wrong kind.

    Attributes are not read, except the name: some take a while.
    """
    name = getattr(problem, "name", "-")
    if not callable(name) and not (isinstance(name, str) and name):
        return f"name is not a text, or is empty: {name!r}"
    for member in (*_ATTRIBUTES, *_OPTIONAL_ATTRIBUTES):
        found = getattr_static(problem, member, _MISSING)
        if callable(found) or isinstance(found, classmethod):
            return f"'{member}' is a method, and has to be an attribute. Maybe @property?"
        if found is _MISSING and member in _ATTRIBUTES and not hasattr(problem, member):
            return f"'{member}' is missing"
    for member in (*_METHODS, *_OPTIONAL_METHODS):
        found = getattr_static(problem, member, _MISSING)
        if callable(found) or isinstance(found, classmethod):
            continue
        if hasattr(problem, member):
            if not callable(getattr(problem, member)):
                return f"'{member}' is an attribute, and has to be a method"
        elif member in _METHODS:
            return f"'{member}' is missing"
    return None


def check_form(problem: Any) -> None:
    """Refuse a problem whose members are of the wrong kind.

    Raises
    ------
    ConfigurationError
        With the name of the class and of the member.
    """
    fault = form_fault(problem)
    if fault is not None:
        raise ConfigurationError(f"the problem {type(problem).__name__} cannot be used: {fault}")
