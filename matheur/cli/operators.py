"""`matheur operators`: constructions, neighbourhoods, whole models and second proofs, with their options."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated, Any, cast

import typer

from matheur.cli import completion
from matheur.cli.output import JsonOption, print_json, print_table
from matheur.errors import ConfigurationError, nearest

__all__ = ["operators"]


@dataclasses.dataclass(frozen=True, slots=True)
class _Listed:
    """An operator in a list; `cls` is None if it cannot be imported, and then the summary states why."""

    problem: str
    kind: str
    name: str
    target: Any
    summary: str
    cls: Any

    @property
    def options(self) -> dict[str, Any]:
        from matheur.engine.options import describe

        return describe(self.cls) if dataclasses.is_dataclass(self.cls) else {}

    def to_dict(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in ("problem", "kind", "name", "summary", "options")}


def _listed(problems: Sequence[str]) -> Iterator[_Listed]:
    from matheur.engine.operators import Kind, operator_entries
    from matheur.engine.registration import KINDS

    for problem in problems:
        for kind in KINDS:
            for entry in operator_entries(problem, cast(Kind, kind)):
                summary, cls = entry.summary, None
                try:
                    cls = entry.load()
                except ConfigurationError as error:  # a broken package must not hide the others
                    summary = f"not available: {error}"
                yield _Listed(problem, kind, entry.name, entry.target, summary, cls)


def operators(
    problem: Annotated[
        str | None, typer.Argument(help="Only those of one problem.", autocompletion=completion.problems)
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(help="One operator: what it does, and all its options.", autocompletion=completion.operators),
    ] = None,
    options: Annotated[bool, typer.Option("--options", help="With options, defaults and limits.")] = False,
    json: JsonOption = False,
) -> None:
    """List the operators of each problem; those of one problem; or what one operator does, and its options."""
    from matheur.engine.problem_types import problem_types

    if problem:
        problem_types.get(problem)  # raises an error with the reason if it is broken
    names = [problem] if problem else problem_types.names()
    found = list(_listed(names))
    if name is not None:
        known = list(dict.fromkeys(one.name for one in found))
        if name not in known:
            raise ConfigurationError(f"'{problem}' has no operator '{name}'. {nearest(name, known or ['(none)'])}")
        found = [one for one in found if one.name == name]
    if json:
        print_json({"operators": [one.to_dict() for one in found]})
    elif name is not None:
        for one in found:
            _print_one(one)
    elif options:
        _print_options(found)
    else:
        _print_list(found)


def _print_list(found: Sequence[_Listed]) -> None:
    """Print names and summaries; operators shared with an earlier problem are listed only by name."""
    from matheur.engine.problem_types import problem_types

    rows: list[list[str]] = []
    first_of: dict[tuple[str, str], str] = {}
    for problem, listed in groupby(found, lambda one: one.problem):
        rows += [["", ""]] if rows else []
        rows.append([problem, problem_types.entry(problem).summary])
        again: dict[str, list[str]] = {}
        for kind, of_kind in groupby(listed, lambda one: one.kind):
            own: list[list[str]] = []
            for one in of_kind:
                first = first_of.setdefault((kind, str(one.target)), problem)
                if first == problem:
                    own.append([f"  {one.name}", one.summary])
                else:
                    again.setdefault(first, []).append(one.name)
            rows += [[f" {kind}", ""], *own] if own else []
        rows += [[f" as {first}", ", ".join(names)] for first, names in again.items()]
    print_table(["operator", "what it does"], rows)


def _print_options(found: Sequence[_Listed]) -> None:
    """Print a table for each problem and kind, with options, defaults and limits."""
    for problem, kind in dict.fromkeys((one.problem, one.kind) for one in found):
        rows = [
            [one.name, one.summary, ", ".join(f"{key}={_value(about)}" for key, about in one.options.items())]
            for one in found
            if (one.problem, one.kind) == (problem, kind)
        ]
        print_table([kind, f"of {problem}", "options and defaults"], rows)


def _print_one(one: _Listed) -> None:
    """Print the docstring of an operator up to its section `Attributes`, and a table of its options."""
    from matheur.engine.options import meanings

    typer.echo(f"{one.name}, {one.kind} of {one.problem}: {one.summary}")
    described = inspect.cleandoc(one.cls.__doc__ or "") if dataclasses.is_dataclass(one.cls) else ""
    text = described.partition("\n\nAttributes\n")[0]
    if text:
        typer.echo(f"\n{text}")
    if one.options:
        said = meanings(one.cls)
        typer.echo()
        print_table(
            ["option", "default", "meaning"],
            [[key, _value(about), said.get(key, "")] for key, about in one.options.items()],
        )


def _value(about: dict[str, Any]) -> str:
    from matheur.engine.limits import Limits

    return f"{about['default']} ({Limits(**about['limits'])})" if "limits" in about else str(about["default"])
