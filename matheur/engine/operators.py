"""Constructions, neighbourhoods, second proofs and whole MILPs of each problem, found by name.

Problems list theirs in their registration (`matheur.engine.registration`). Other packages add some to any problem
through the entry-point group `matheur.operators`, named `PROBLEM.KIND.NAME` with KIND `construction`, `neighbourhood`,
`certifier` or `model`; a script adds one with `register_operator`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from matheur.engine.problem_types import problem_types
from matheur.engine.registration import KINDS, Registration, built_in, installed
from matheur.engine.registry import Entry, Registry
from matheur.errors import ConfigurationError, nearest

__all__ = ["Kind", "check_method", "operator_class", "operator_entries", "register_operator"]

Kind = Literal["construction", "neighbourhood", "certifier", "model"]
_METHODS: Mapping[str, str] = {
    "construction": "build",
    "neighbourhood": "explore",
    "certifier": "certify",
    "model": "build",
}


def _of(registrations: Iterable[Registration]) -> list[Entry]:
    return [
        Entry(f"{one.name}.{entry.name}", entry.target, entry.summary)
        for one in registrations
        for entry in one.operators
    ]


_registry = Registry(
    "operator", "matheur.operators", lambda: _of(built_in().values()), lambda: _of(installed().values())
)


def _full_name(problem: str, kind: str, name: str) -> str:
    return f"{problem}.{kind}.{name}"


def operator_entries(problem: str, kind: Kind) -> list[Entry]:
    """The operators of a problem: entries with their short names."""
    prefix = _full_name(problem, kind, "")
    return [
        Entry(entry.name.removeprefix(prefix), entry.target, entry.summary)
        for entry in _registry.entries()
        if entry.name.startswith(prefix)
    ]


def operator_class(problem: str, kind: Kind, name: str) -> Any:
    """The class of an operator by its names.

    Raises
    ------
    ConfigurationError
        If there is no such operator (the message has the nearest known name), or if it cannot make an operator.
    """
    known = {entry.name: entry for entry in operator_entries(problem, kind)}
    if name not in known:
        full = _full_name(problem, kind, name)
        misnamed = [entry for entry in _unreachable() if entry.endswith(f".{name}")]
        meant = f"Maybe rename the entry point '{misnamed[0]}' to '{full}'?" if misnamed else ""
        raise ConfigurationError(f"'{problem}' has no {kind} '{name}'. {meant or nearest(name, known or ['(none)'])}")
    found = known[name].load()
    _check_maker(found, kind, name)
    return found


def check_method(operator: Any, kind: Kind, name: str) -> None:
    """Raise an error if an operator lacks the method of its kind.

    Raises
    ------
    ConfigurationError
        With the name of the operator and of the method that it lacks.
    """
    if callable(getattr(operator, _METHODS[kind], None)):
        return
    others = [other for other, method in _METHODS.items() if callable(getattr(operator, method, None))]
    hint = f". Maybe it is a {others[0]}?" if others else ""
    raise ConfigurationError(f"the {kind} '{name}' has no method '{_METHODS[kind]}'{hint}")


def _check_maker(maker: Any, kind: Kind, name: str) -> None:
    """Raise an error for an object that makes no operator when called."""
    if not callable(maker):
        hint = f". Maybe {type(maker).__name__} itself?" if hasattr(maker, _METHODS[kind]) else ""
        raise ConfigurationError(f"the {kind} '{name}' is not a class, but {type(maker).__name__}{hint}")


def _unreachable() -> list[str]:
    """Names of entry points that are never used, since their problem or their kind does not exist."""
    parts = [(entry.name, entry.name.split(".")) for entry in _registry.entries()]
    problems = problem_types.names()
    return [name for name, (*head, _) in parts if len(head) != 2 or head[0] not in problems or head[1] not in KINDS]


def register_operator(problem: str, kind: Kind, name: str, operator: Any, summary: str = "") -> None:
    """Register an operator under a name in this process.

    Parameters
    ----------
    operator
        A class whose instances have `build` or `explore` (a certifier has `certify`; the `build` of a model takes only
        the problem and returns a Pyomo model and a constant to add to its objective). If it is a dataclass, its fields
        are its options.

    Raises
    ------
    ConfigurationError
        If the name is taken, empty or unusable; if there is no such kind; if `operator` cannot make an operator.
    """
    if kind not in KINDS:
        raise ConfigurationError(f"no operator is a '{kind}'. {nearest(str(kind), KINDS)}")
    for what, text in (("problem", problem), ("name", name)):
        if not isinstance(text, str) or not text.strip() or set(text) & set(":,"):
            raise ConfigurationError(f"the {what} of an operator is a text without ':' and ',' ({text!r})")
    if not isinstance(operator, str):  # else it is where to import it from
        _check_maker(operator, kind, name)
    _registry.add(_full_name(problem, kind, name), operator, summary)
