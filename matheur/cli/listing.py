"""`matheur problems`, `operators` and `solvers`: what is installed."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Literal

import typer

from matheur.cli import completion
from matheur.cli.output import JsonOption, print_json
from matheur.errors import ConfigurationError

__all__ = ["operators", "problems", "solvers"]

_KINDS: tuple[Literal["construction", "neighbourhood"], ...] = ("construction", "neighbourhood")


def _table(columns: list[str], rows: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for position, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=position == 0)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)


def problems(json: JsonOption = False) -> None:
    """List the kinds of problems and their built-in instances."""
    from matheur.engine.problem_types import problem_types

    found: list[dict[str, Any]] = []
    for entry in problem_types.entries():
        kind = entry.load()
        found.append({"name": entry.name, "summary": entry.summary, "instances": dict(kind.builtins())})
    if json:
        print_json({"problems": found})
        return
    _table(
        ["problem", "what it is", "built-in instances"],
        [[one["name"], one["summary"], ", ".join(one["instances"])] for one in found],
    )


def operators(
    problem: Annotated[
        str | None, typer.Argument(help="Only operators of this problem.", autocompletion=completion.problems)
    ] = None,
    json: JsonOption = False,
) -> None:
    """List constructions and neighbourhoods with their options, those of one problem with their limits."""
    from matheur.engine.limits import Limits
    from matheur.engine.operators import operator_entries
    from matheur.engine.options import describe
    from matheur.engine.problem_types import problem_types

    names = [problem_types.entry(problem).name] if problem else problem_types.names()
    found: list[dict[str, Any]] = []
    for name in names:
        for kind in _KINDS:
            for entry in operator_entries(name, kind):
                summary, options = entry.summary, dict[str, Any]()
                try:
                    cls: Any = entry.load()
                    options = describe(cls) if dataclasses.is_dataclass(cls) else {}
                except ConfigurationError as error:  # a broken package must not hide the others
                    summary = f"not available: {error}"
                found.append(
                    {"problem": name, "kind": kind, "name": entry.name, "summary": summary, "options": options}
                )
    if json:
        print_json({"operators": found})
        return

    def shown_option(key: str, about: dict[str, Any]) -> str:
        limits = f" ({Limits(**about['limits'])})" if problem and "limits" in about else ""
        return f"{key}={about['default']}{limits}"

    for name in names:
        for kind in _KINDS:
            listed = [one for one in found if (one["problem"], one["kind"]) == (name, kind)]
            shown = [", ".join(shown_option(*item) for item in one["options"].items()) for one in listed]
            rows = [[one["name"], one["summary"], text] for one, text in zip(listed, shown, strict=True)]
            _table([kind, f"of {name}", "options and defaults"], rows)


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
    _table(["solver", "available", "version", "capabilities"], rows)
    _table(
        ["clique solver", "available", "what it is", "command"],
        [[one["name"], "yes" if one["available"] else "no", one["summary"], one["command"]] for one in programs],
    )
