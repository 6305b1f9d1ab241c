"""Functions on instances and solutions for the pages: reading, drawing, checking, writing, in limited processes.

A *subject* is a table of plain values that names an instance: `source` (a built-in name, or a file of a folder),
`builtin`, `name` (for display), `options` (of the reader).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any

from matheur.engine.options import describe, parse_value
from matheur.engine.outcome import violations_of
from matheur.engine.problem_types import problem_types, tool_of
from matheur.errors import ConfigurationError, InputError, nearest
from matheur.running.loading import assumptions_of, load_instance, problem_type

__all__ = [
    "checked_settings",
    "clique_graph",
    "companions",
    "configured",
    "draw",
    "inspect",
    "load_subject",
    "operators_of",
    "page_of",
    "play",
    "scramble",
    "written",
]

Subject = Mapping[str, Any]

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_:-]{0,63}")
_FORBIDDEN = re.compile(r"""(^|[._"'])(command|adapter|cards|policy|folder)($|[._"'])""")  # parts may be quoted
_NO_FILES = ("file", "none")  # values of the option `weights` that name no file
_OPTION = re.compile(r"(--set )?\binstance\.(?=\w+=)")  # in what readers say; here these options have their own field
_TEXT_MAX = 200_000
_NUMBER_MAX = 2**64
_DEPTH = 8  # maximum depth of nested lists and tables in an option


def checked_settings(settings: Sequence[str]) -> list[str]:
    """Dotted settings as in `--set`, checked for values that could name files or programs of this machine.

    Raises
    ------
    ConfigurationError
        If a setting is not allowed; the message names it.
    """
    for setting in settings:
        key, _, text = setting.partition("=")
        if _FORBIDDEN.search(key.strip().lower()):
            raise ConfigurationError(
                f"'{key.strip()[:60]}' cannot be set here. Maybe run 'matheur solve' in a terminal?"
            )
        _check_words(key.strip(), parse_value(text.strip()))
    return list(settings)


def _check_words(key: str, value: Any, depth: int = 0) -> None:
    """Raise a `ConfigurationError` unless a value is a number, a word, or a shallow nesting of these.

    Longer texts, dates and numbers too large for any option are refused; a solver must be an installed one.
    """
    wrong = isinstance(value, str) and value and not _WORD.fullmatch(value)
    if wrong or not isinstance(value, str | int | float | list | Mapping | None):
        raise ConfigurationError(f"'{key[:60]}' must be a number or a plain word here ({str(value)[:60]!r})")
    if isinstance(value, int) and abs(value) > _NUMBER_MAX:
        raise ConfigurationError(f"'{key[:60]}' must be a number up to {_NUMBER_MAX:,} here")
    if depth > _DEPTH:
        raise ConfigurationError(f"'{key[:60]}' has lists or tables that are nested too deeply")
    if isinstance(value, str) and ":" in value and value.startswith("pyomo") and value not in _solvers():
        raise ConfigurationError(f"'{key}': this solver is not installed ({value!r}). {nearest(value, _solvers())}")
    inner = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inner:
        if isinstance(name, str) and _FORBIDDEN.search(name.lower()):
            raise ConfigurationError(f"'{name[:60]}' cannot be set here")
        _check_words(key, one, depth + 1)


@cache
def _solvers() -> tuple[str, ...]:
    """Names of the MILP solvers that are installed."""
    from matheur.solvers import backends

    return tuple(one.name for one in backends() if one.available)


def load_subject(subject: Subject, folder: Path) -> tuple[Any, Any]:
    """The kind of problem and the problem itself; `folder` holds the files if the instance is not built in.

    Raises
    ------
    InputError
        If the instance cannot be read, or names a file outside its folder.
    ConfigurationError
        If an option of a built-in instance names a file of this machine.
    """
    options = dict(subject["options"])
    if subject["builtin"]:
        weights = options.get("weights")
        if isinstance(weights, str) and weights not in _NO_FILES and os.path.lexists(weights):
            raise ConfigurationError("'weights' cannot name a file here. Maybe run 'matheur solve' in a terminal?")
        return load_instance(subject["source"], None, options)
    path = folder / subject["source"]
    try:
        return load_instance(str(path), subject.get("problem"), options, confined=True)
    except InputError as error:
        raise _said_here(error, folder) from None


def _said_here(error: InputError, folder: Path) -> InputError:
    """The error without the private path of the folder, and with the form's fields in place of the options."""
    source = None if error.source is None else error.source.replace(f"{folder}/", "")
    message = _OPTION.sub("", error.message.replace(f"{folder}/", "").replace("--problem", "'What it is'"))
    return InputError(message, source=source, line=error.line)


@lru_cache(maxsize=8)
def _loaded(text: str, folder: str) -> tuple[Any, Any]:
    return load_subject(json.loads(text), Path(folder))


def _of(subject: Subject, folder: str) -> tuple[Any, Any]:
    """As `load_subject`, but cached, since the files of a folder never change."""
    return _loaded(json.dumps(dict(subject), sort_keys=True), folder)


def inspect(subject: Subject, folder: str) -> dict[str, Any]:
    """Facts about an instance for the pages.

    Returns
    -------
    dict
        `problem`, `summary`, `fingerprint`, `scores` (of the objectives 0 and 1, and the largest), `svg`, `text` (as a
        file, or None), `editor`, `game` and `scrambled_by` (see `matheur.web.puzzles`), `assumptions` of the reader.
    """
    from matheur.web.puzzles import editor_of, has_game, scrambled_by, text_of

    kind, problem = _of(subject, folder)
    text = text_of(problem)
    return {
        "problem": kind.name,
        "summary": problem_types.entry(kind.name).summary,
        "fingerprint": problem.fingerprint,
        "scores": [problem.score(0), problem.score(1), problem.score_max],
        "svg": kind.picture(problem, None, "svg").decode(),
        "text": text if text is not None and len(text) <= _TEXT_MAX else None,
        "editor": editor_of(problem),
        "game": has_game(problem),
        "scrambled_by": scrambled_by(kind.name),
        "assumptions": [_OPTION.sub("", one) for one in assumptions_of(problem)],
    }


def draw(subject: Subject, folder: str, solution: Any, kind: str) -> bytes:
    """A picture of a solution (plain values, None for the instance alone) as `svg` or `png`."""
    of, problem = _of(subject, folder)
    picture: bytes = of.picture(problem, None if solution is None else problem.decode(solution), kind)
    return picture


def written(subject: Subject, folder: str, outcome: Mapping[str, Any], ending: str) -> str:
    """The solution of a result in a file format of the problem, such as `.sol`.

    Raises
    ------
    InputError
        If there is no such format.
    """
    _, problem = _of(subject, folder)
    form = (tool_of(problem.name, "solution_files") or {}).get(ending)
    if form is None:
        raise InputError("there is no such file")
    text: str = form(problem, outcome)
    return text


def play(subject: Subject, folder: str, moves: Sequence[str]) -> dict[str, Any]:
    """The position of a game after some moves, see `matheur.web.puzzles.position`."""
    from matheur.web.puzzles import position

    return position(_of(subject, folder)[1], moves)


def scramble(subject: Subject, folder: str, length: int | None, seed: int) -> str:
    """A random instance with the size and the rules of this one, see `matheur.web.puzzles.scramble_of`."""
    from matheur.web.puzzles import scramble_of

    return scramble_of(_of(subject, folder)[1], length, seed)


def companions(subject: Subject, folder: str) -> dict[str, str]:
    """Files that the text of an instance names, by name."""
    from matheur.web.puzzles import companions_of

    return dict(companions_of(_of(subject, folder)[1]))


class _Scripts(HTMLParser):
    """Collects the scripts of a page that a browser would run."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            self._inside = dict(attrs).get("type") != "application/json"
            self.found += [""] if self._inside else []

    def handle_endtag(self, tag: str) -> None:
        self._inside = False if tag == "script" else self._inside

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[-1] += data


def page_of(subject: Subject, folder: str, solution: Any) -> tuple[bytes, list[str]]:
    """The page that plays a plan (or shows a solution), and the digests of its scripts for a security policy.

    Only scripts from the source code of the drawing module count: a script injected through a name would not run.
    """
    page = draw(subject, folder, solution, "html")
    scripts = _Scripts()
    scripts.feed(page.decode())
    known = _known_scripts(_of(subject, folder)[0])
    digests = [b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts.found if one in known]
    return page, [f"'sha256-{digest}'" for digest in digests]


def _known_scripts(kind: Any) -> set[str]:
    """The string constants of the module that draws a problem's pages."""
    try:
        module = import_module(f"{type(kind).__module__.rpartition('.')[0]}.picture.html")
    except ImportError:
        return set()
    return {value for value in vars(module).values() if isinstance(value, str)}


def configured(subject: Subject, folder: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The resolved configuration of a job as plain values, completely checked.

    Parameters
    ----------
    wanted
        `preset`, `settings`, `overrides` as in `matheur.running.configuration.resolve`; `start`, a solution or None.
    """
    from matheur.running.building import check_search
    from matheur.running.configuration import resolve

    kind, problem = _of(subject, folder)
    for name, value in wanted["overrides"].items():
        _check_words(name, value)
    configuration = resolve(
        kind.name,
        preset=wanted["preset"],
        settings=checked_settings(wanted["settings"]),
        overrides={**wanted["overrides"], "instance": dict(subject["options"]) or None},
        instance=problem,
    )
    _check_reading(configuration.instance, subject["options"])
    check_search(problem, configuration)
    if wanted["start"] is not None:
        if not configuration.neighbourhoods:
            raise ConfigurationError("nothing improves a start here: no neighbourhoods. Maybe choose some operators?")
        evaluation = problem.evaluate(problem.decode(wanted["start"]))
        if not evaluation.feasible:
            raise InputError(f"the start is not a solution: {violations_of(problem, evaluation)[0]}")
    found: dict[str, Any] = json.loads(json.dumps(configuration.to_dict()))
    return found


def _check_reading(asked: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Raise a `ConfigurationError` if the reader options of a run differ from those of the page."""
    for key, value in asked.items():
        if key not in options or options[key] != value:
            raise ConfigurationError(
                f"'instance.{key}' says how the file is read. Maybe '{key}={value}' under 'Options of the reader'?"
            )


def operators_of(problem: str) -> dict[str, Any]:
    """Operators, options and presets of a problem, and the solvers that are installed."""
    from dataclasses import is_dataclass

    from matheur.engine.operators import operator_entries
    from matheur.running.configuration import preset_names

    problem_type(problem)
    found: dict[str, Any] = {"presets": preset_names(problem)}
    for kind in ("construction", "neighbourhood"):
        listed = []
        for entry in operator_entries(problem, kind):
            try:
                cls: Any = entry.load()
            except ConfigurationError:  # an operator of a broken package cannot be selected
                continue
            options = describe(cls) if is_dataclass(cls) else {}
            shown = {key: str(about["default"]) for key, about in options.items() if not _FORBIDDEN.search(key)}
            listed.append({"name": entry.name, "summary": entry.summary, "options": shown})
        found[kind] = listed
    found["solvers"] = list(_solvers())
    return found


def clique_graph(subject: Subject, folder: str, graph: str, nodes: str) -> None:
    """Write the clique graph of a board and its table of nodes, or a graph itself, as DIMACS files.

    Raises
    ------
    ConfigurationError
        If the problem has no such graph.
    """
    from matheur.methods.clique.formats import save_graph

    _, problem = _of(subject, folder)
    make = tool_of(problem.name, "graph")
    if make is None:
        raise ConfigurationError(f"there are no clique graphs of '{problem.name}'")
    made = make(problem, subject["source"])
    if made.nodes is not None:
        made.nodes.save(Path(nodes))
    save_graph(graph, made.graph, "ascii", comment=made.comment, weights=made.weights)
