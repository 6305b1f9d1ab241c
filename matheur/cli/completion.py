"""What the shell offers while a command line is typed: problems, instances, operators, solvers, presets.

`matheur --install-completion` sets it up. Each function takes what is typed so far and returns the names that begin so;
where none does, the shell offers files.
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
    """Kinds of problems with a slash; behind a slash the built-in instances of the kind."""
    from matheur.engine.problem_types import problem_types

    kind, slash, _ = incomplete.partition("/")
    if not slash:
        return _starting((f"{name}/" for name in problem_types.names()), incomplete)
    if kind not in problem_types.names():
        return []
    try:
        known = list(problem_types.get(kind).builtins())
    except Exception:  # a broken problem of another package: a message would stand in the line that is typed
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
    """MILP solvers, installed or not: what is not says so when it is asked."""
    from matheur.solvers.registry import known_names

    return _starting(known_names(), incomplete)


def graph_formats(incomplete: str) -> list[str]:
    """Formats of graphs that are read."""
    from matheur.methods.clique.formats import READ_FORMATS

    return _starting(READ_FORMATS, incomplete)


def presets(context: typer.Context, incomplete: str) -> list[str]:
    """Presets of the problem at hand."""
    from matheur.running.configuration import preset_names

    return _starting((name for kind in _kinds(context) for name in preset_names(kind)), incomplete)


def constructions(context: typer.Context, incomplete: str) -> list[str]:
    """Constructions of the problem at hand."""
    return _starting(_operators(context, "construction"), incomplete)


def neighbourhoods(context: typer.Context, incomplete: str) -> list[str]:
    """Neighbourhoods of the problem at hand, each but the last behind a comma."""
    before, comma, last = incomplete.rpartition(",")
    taken = before.split(",")
    names = [name for name in _operators(context, "neighbourhood") if name not in taken]
    return [f"{before}{comma}{name}" for name in _starting(names, last)]


def operators(context: typer.Context, incomplete: str) -> list[str]:
    """Operators of any kind of the problem at hand."""
    from matheur.engine.registration import KINDS

    return _starting(dict.fromkeys(name for kind in KINDS for name in _operators(context, kind)), incomplete)


def _operators(context: typer.Context, kind: Any) -> list[str]:
    from matheur.engine.operators import operator_entries

    return [entry.name for problem in _kinds(context) for entry in operator_entries(problem, kind)]


def _kinds(context: typer.Context) -> list[str]:
    """The problem that the line names so far, by an option or by a built-in instance."""
    from matheur.engine.problem_types import problem_types

    # Words stay in `args` while the last option waits for its value.
    words = [context.params.get("problem"), context.params.get("instance"), *context.args]
    named = [str(word).partition("/")[0] for word in words]
    return [name for name in named if name in problem_types.names()][:1]
