"""Shell completion of problems, instances, operators, solvers and presets.

`matheur --install-completion` installs it. Each function takes the incomplete word and returns the names that begin
with it; if there are none, the shell offers files.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import typer

__all__ = [
    "constructions",
    "criteria",
    "instances",
    "neighbourhoods",
    "operators",
    "presets",
    "problems",
    "schedules",
    "solvers",
]


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def problems(incomplete: str) -> list[str]:
    """Kinds of problems."""
    from matheur.engine.problem_types import problem_types

    return _starting(problem_types.names(), incomplete)


def instances(incomplete: str) -> list[str]:
    """Kinds of problems, followed by a slash; after a slash, the built-in instances of the kind."""
    from matheur.engine.problem_types import problem_types

    kind, slash, _ = incomplete.partition("/")
    if not slash:
        return _starting((f"{name}/" for name in problem_types.names()), incomplete)
    if kind not in problem_types.names():
        return []
    try:
        known = list(problem_types.get(kind).builtins())
    except Exception:  # a broken problem of another package; a message would appear in the command line
        return []
    return _starting((f"{kind}/{name}" for name in known), incomplete)


def schedules(incomplete: str) -> list[str]:
    """Schedules of the engine."""
    from matheur.engine import schedules as known

    return _starting(known.names(), incomplete)


def criteria(incomplete: str) -> list[str]:
    """Acceptance criteria of the engine."""
    from matheur.engine import acceptance_criteria as known

    return _starting(known.names(), incomplete)


def solvers(incomplete: str) -> list[str]:
    """MILP solvers, installed or not; one that is not installed causes an error when it is used."""
    from matheur.solvers.registry import known_names

    return _starting(known_names(), incomplete)


def graph_formats(incomplete: str) -> list[str]:
    """Graph formats that can be read."""
    from matheur.methods.clique.formats import READ_FORMATS

    return _starting(READ_FORMATS, incomplete)


def presets(context: typer.Context, incomplete: str) -> list[str]:
    """Presets of the problem of the command line."""
    from matheur.running.configuration import preset_names

    return _starting((name for kind in _kinds(context) for name in preset_names(kind)), incomplete)


def constructions(context: typer.Context, incomplete: str) -> list[str]:
    """Constructions of the problem of the command line."""
    return _starting(_operators(context, "construction"), incomplete)


def neighbourhoods(context: typer.Context, incomplete: str) -> list[str]:
    """Neighbourhoods of the problem of the command line, as a list separated by commas."""
    before, comma, last = incomplete.rpartition(",")
    taken = before.split(",")
    names = [name for name in _operators(context, "neighbourhood") if name not in taken]
    return [f"{before}{comma}{name}" for name in _starting(names, last)]


def operators(context: typer.Context, incomplete: str) -> list[str]:
    """Operators of any kind of the problem of the command line."""
    from matheur.engine.registration import KINDS

    return _starting(dict.fromkeys(name for kind in KINDS for name in _operators(context, kind)), incomplete)


def _operators(context: typer.Context, kind: Any) -> list[str]:
    from matheur.engine.operators import operator_entries

    return [entry.name for problem in _kinds(context) for entry in operator_entries(problem, kind)]


def _kinds(context: typer.Context) -> list[str]:
    """The problem that the command line names so far, by an option or a built-in instance; at most one."""
    from matheur.engine.problem_types import problem_types

    # Words stay in `args` while the last option has no value.
    words = [context.params.get("problem"), context.params.get("instance"), *context.args]
    named = [str(word).partition("/")[0] for word in words]
    return [name for name in named if name in problem_types.names()][:1]
