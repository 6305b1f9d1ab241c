"""`matheur show FOLDER`: the elites of a pool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from matheur.cli.output import print_json
from matheur.errors import ConfigurationError, InputError, printable

if TYPE_CHECKING:
    from matheur.running.harvesting import Harvest

__all__ = ["show_pool", "url_of"]

_SHOWN = 3  # maximum number of ignored files that are named
_TEXT_MAX = 200  # maximum length of a text in a table

_COLUMNS = {
    "score": "score",
    "objective": "objective",
    "to_best": "to best",
    "nearest": "nearest",
    "written": "written",
    "found_by": "found by",
    "run": "run",
    "job": "job",
    "file": "file",
}


def url_of(kind: Any, problem: Any, solution: Any) -> str:
    """The URL of a viewer that shows a solution.

    Raises
    ------
    ConfigurationError
        If there is no viewer for this kind of problem.
    InputError
        If the solution cannot be represented in a URL.
    """
    from matheur.engine.problem_type import Linking

    if not isinstance(kind, Linking):
        raise ConfigurationError(f"no viewer shows solutions of '{kind.name}' by a URL")
    return kind.url(problem, solution)


def show_pool(
    folder: Path,
    instance: str | None,
    problem: str | None,
    options: dict[str, Any],
    *,
    draw: Callable[[Any, Any, Any, str, Any], None] | None,
    url: bool,
    json: bool,
) -> None:
    """Show a pool as a table or a JSON object, or the best elite as a URL or in a file.

    Parameters
    ----------
    draw
        Function that writes a solution to a file, given the kind of problem, the problem, the solution, the name of the
        instance and the options with which it was read.
    """
    from matheur.running.harvesting import harvest

    if json and (url or draw is not None):
        raise ConfigurationError("--json prints everything: it goes with neither --url nor --out")
    found = harvest(folder, instance, problem, options)
    best = found.elites[0].elite.solution
    if json:
        print_json(_facts(found))
    if url:
        typer.echo(url_of(found.kind, found.problem, best))
    if draw is not None:
        draw(found.kind, found.problem, best, found.instance, found.options)
    if not (json or url or draw):
        _print(found)


def _link(found: Harvest) -> str | None:
    try:
        return url_of(found.kind, found.problem, found.elites[0].elite.solution)
    except (ConfigurationError, InputError):
        return None


def _facts(found: Harvest) -> dict[str, Any]:
    return {
        "problem": found.problem.name,
        "instance": found.instance,
        "score_max": found.problem.score_max,
        "best": str(found.elites[0].path),
        "url": _link(found),
        "elites": found.rows(),
        "ignored": [{"file": name, "reason": reason} for name, reason in found.ignored],
    }


def _print(found: Harvest) -> None:
    rows = found.rows()
    of = "" if found.problem.score_max is None else f" of {found.problem.score_max}"
    count = "1 elite" if len(rows) == 1 else f"{len(rows)} elites"
    typer.echo(f"{count} of {_text(found.instance)}, the best {rows[0]['score']}{of}")
    shown = [_COLUMNS] + [{key: _text(row[key]) for key in _COLUMNS} for row in rows]
    width = {key: max(len(row[key]) for row in shown) for key in _COLUMNS}
    left = ("written", "found_by", "file")
    for row in shown:
        cells = [row[key].ljust(width[key]) if key in left else row[key].rjust(width[key]) for key in _COLUMNS]
        typer.echo("  ".join(cells).rstrip())
    typer.echo(f"best: {found.elites[0].path}")
    link = _link(found)
    if link is not None:
        typer.echo(link)
    if found.ignored:
        named = ", ".join(f"{_text(name)} ({_text(reason)})" for name, reason in found.ignored[:_SHOWN])
        more = f" and {len(found.ignored) - _SHOWN} more" if len(found.ignored) > _SHOWN else ""
        typer.echo(f"ignored: {named}{more}")


def _text(value: Any) -> str:
    """An unverified value of a file as one short line for a table."""
    text = "-" if value is None else printable(" ".join(str(value).split()))
    return text if len(text) <= _TEXT_MAX else text[: _TEXT_MAX - 3] + "..."
