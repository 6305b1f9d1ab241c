"""Output of commands: text for people, or one JSON object on standard output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, Any

import typer

from matheur.cli import completion
from matheur.engine.events import plain
from matheur.errors import ConfigurationError, InputError, printable

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "ComplementOption",
    "FormatOption",
    "GeneratorOption",
    "GroupsOption",
    "InstanceOption",
    "JsonOption",
    "ProblemOption",
    "SeedOption",
    "SettingOption",
    "SolverOption",
    "WeightsOption",
    "check_outputs",
    "existing_parent",
    "graph_reading",
    "plain_console",
    "print_json",
    "print_table",
    "reader_options",
    "say_assumptions",
]

_WIDTH = 80  # columns of a terminal of unknown width

JsonOption = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on standard output.")]
ProblemOption = Annotated[
    str | None,
    typer.Option(
        "--problem",
        help="Problem type, if it cannot be detected.",
        metavar="NAME",
        autocompletion=completion.problems,
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of all randomness.", min=0)]
SettingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="A dotted setting, such as neighbourhood.region.rows=5 or instance.sides=dlur.",
        metavar="KEY=VALUE",
    ),
]
GeneratorOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="An option of the generator; the page of the problem lists them.",
        metavar="KEY=VALUE",
    ),
]
GroupsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--groups",
        help="Groups of a linear program: a place of the index of its variables, such as x:1; may be repeated.",
        metavar="PLACE",
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Format of a graph's file, if it cannot be detected: edge-list, metis, ...",
        metavar="FORMAT",
        autocompletion=completion.graph_formats,
    ),
]
ComplementOption = Annotated[
    bool | None,
    typer.Option("--complement/--no-complement", help="Whether the edges of a graph's file are the conflicts."),
]
WeightsOption = Annotated[
    str | None,
    typer.Option(
        "--weights",
        help="Weights of a graph's vertices: FILE (rows VERTEX WEIGHT), file, none or modulo-200.",
        metavar="FILE",
    ),
]
InstanceOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="An option of the instance, such as instance.metric=half.", metavar="KEY=VALUE"),
]
SolverOption = Annotated[
    str | None,
    typer.Option("--solver", help="MILP solver: highs, scip, cp-sat or pyomo:NAME.", autocompletion=completion.solvers),
]


def plain_console(*, stderr: bool = False, width: int | None = None) -> Console:
    """A console that prints text unchanged: brackets are not mark-up, and `:name:` is not an emoji."""
    from rich.console import Console

    console = Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)
    if console.width < 1:  # COLUMNS of some terminals without a size; nothing would be printed
        console.width = _WIDTH
    return console


def print_table(columns: list[str], rows: list[list[str]]) -> None:
    """Print rows under bold headings; the first column is never wrapped."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for position, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=position == 0)
    for row in rows:
        table.add_row(*row)
    plain_console().print(table)


def print_json(value: Any) -> None:
    """Print one JSON object on standard output."""
    sys.stdout.write(json.dumps(plain(value)) + "\n")
    sys.stdout.flush()


def reader_options(settings: list[str] | None) -> dict[str, Any]:
    """Options of the instance's reader from the command line.

    Parameters
    ----------
    settings
        Settings `instance.KEY=VALUE` of commands that accept no others (`InstanceOption`).

    Raises
    ------
    ConfigurationError
        If there is any other setting, or a text is no setting.
    """
    if not settings:
        return {}
    from matheur.engine.options import within
    from matheur.running.configuration import assignments, instance_options

    for setting, (key, _) in zip(settings, assignments(settings), strict=True):
        if within(key, "instance") is None:
            raise ConfigurationError(
                f"only options of the instance can be set here ({setting!r}). Maybe instance.{key}=...?"
            )
    return instance_options(None, settings, None)


def graph_reading(
    problem: str | None, form: str | None, complement: bool | None, weights: str | None
) -> tuple[str | None, dict[str, Any]]:
    """The kind of problem and its reader options from `FormatOption`, `ComplementOption` and `WeightsOption`.

    If one of these options is given, the file is a graph, unless `problem` is another kind.
    """
    from matheur.engine.problem_types import with_tool

    named = {"format": form, "complement": complement, "weights": weights}
    options = {key: value for key, value in named.items() if value is not None}
    return (with_tool("clique")[0] if options and problem is None else problem), options


def say_assumptions(problem: Any, *, quiet: bool = False) -> None:
    """Print the assumptions of an instance's reader on standard error."""
    from matheur.running.loading import assumptions_of

    for assumed in () if quiet else assumptions_of(problem):
        typer.echo(f"assumed: {printable(assumed)}", err=True)


def check_outputs(outputs: Mapping[str, Path | None], inputs: Mapping[str, Path | str | None] | None = None) -> None:
    """Refuse outputs that cannot be written or would overwrite an input or another output, before any work is done.

    Parameters
    ----------
    outputs
        Paths by option; None if an option is not used.
    inputs
        Inputs by option or description: paths, or names of instances and solutions.

    Raises
    ------
    InputError
        If an output cannot be written, or is the same file as an input or another output.
    """
    from matheur.engine.files import check_writable
    from matheur.engine.outputs import keep_apart
    from matheur.running.loading import file_of

    for path in outputs.values():
        if path is not None:
            check_writable(existing_parent(path))
    keep_apart(outputs, {name: None if one is None else file_of(str(one)) for name, one in (inputs or {}).items()})


def existing_parent(path: Path) -> Path:
    """The path, if a file can be written there; an error otherwise, before any work is done."""
    if "\0" in str(path):
        raise InputError("not a file name", source=repr(str(path)))
    if not path.parent.is_dir():
        raise InputError("the folder does not exist", source=str(path.parent))
    if path.is_dir():
        raise InputError("this is a folder, not a file", source=str(path))
    if not path.exists():
        try:
            TemporaryFile(dir=Path(os.path.realpath(path)).parent).close()
        except OSError as error:
            raise InputError(f"cannot write here ({error.strerror})", source=str(path)) from None
    return path
