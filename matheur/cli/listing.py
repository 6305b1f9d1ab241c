"""`matheur problems` and `solvers`: lists of the installed problems and solvers."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any

from matheur.cli.output import JsonOption, print_json, print_table

if TYPE_CHECKING:
    from matheur.engine.problem_type import ProblemType

__all__ = ["problems", "solvers"]


def problems(json: JsonOption = False) -> None:
    """List the kinds of problems and their built-in instances."""
    from matheur.engine.problem_types import of_working, working_types

    found: list[dict[str, Any]] = []
    for entry, kind in working_types():
        for instances in of_working(entry.name, partial(_instances, kind)):
            found.append({"name": entry.name, "summary": entry.summary, "instances": instances})
    if json:
        print_json({"problems": found})
        return
    print_table(
        ["problem", "what it is", "built-in instances"],
        [[one["name"], one["summary"], ", ".join(one["instances"])] for one in found],
    )


def _instances(kind: ProblemType) -> dict[str, str]:
    return dict(kind.builtins())


def solvers(json: JsonOption = False) -> None:
    """List MILP solvers with versions and capabilities, and the known external solvers for maximum clique."""
    from matheur.methods.clique import adapters
    from matheur.solvers import backends

    found = [dataclasses.asdict(info) for info in backends()]
    programs = [
        {"name": name, "available": one.available, **dataclasses.asdict(one)} for name, one in adapters().items()
    ]
    if json:
        print_json({"solvers": found, "clique_solvers": programs})
        return
    rows = []
    for one in found:
        able = one["capabilities"] or {}
        rows.append(
            [
                one["name"],
                "yes" if one["available"] else "no",
                one["version"] or one["reason"],
                ", ".join(key.replace("_", " ") for key, value in able.items() if value is True),
            ]
        )
    print_table(["solver", "available", "version", "capabilities"], rows)
    print_table(
        ["clique solver", "available", "what it is", "command"],
        [[one["name"], "yes" if one["available"] else "no", one["summary"], one["command"]] for one in programs],
    )
