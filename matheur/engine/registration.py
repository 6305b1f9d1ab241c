"""Registration of problems: the `registration.toml` in the folder of a problem's package.

The problems of matheur are listed in `matheur/problems/built_in.toml`. Another package is found by an entry point of
the group `matheur.registrations`, whose value is the name of the package:

    [project.entry-points."matheur.registrations"]
    knapsack = "my_package"

The file has these keys; objects are given as `MODULE:OBJECT`, with MODULE below the package.

    name = "knapsack"
    summary = "Pack items of the greatest value"
    type = "problem_type:TYPE"             # its `ProblemType`
    domain = "domain:knapsack_domain"      # its state space, if there is one
    assignments = true                     # its plans are assignments; solutions are not shown step by step
    shares = "matheur.problems.plans"      # another package, whose operators the problem also has
    without = ["bidirectional"]            # except these

    [operators.construction]               # or neighbourhood, certifier, model
    greedy = ["greedy:Greedy", "items with the best ratio first"]

    [tools]                                # objects or tables that tools look up
    workbench = "workbench:WORKBENCH"

    [tools.endings]                        # suffixes of files that this problem is the first to try
    own = [".knapsack"]

    [tools.endings.others]                 # suffixes of files that no problem reads: their content, and advice
    ".sack" = "an instance of the old form. Maybe convert it?"

    [tools.adopts]                         # Python objects that `objects = "module:function"` turns into a problem
    kinds = ["tables of pandas"]

A folder `presets` of the package holds the configurations of runs, `default.toml` and others; a folder `trained` holds
networks for its state space, `NAME-distances.npz`, `NAME-davi.npz` and `NAME-policy.npz`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from matheur.engine.inputs import parse_toml
from matheur.engine.registry import Entry
from matheur.entry_points import entry_points
from matheur.errors import ConfigurationError, MatheurError, nearest

__all__ = ["KINDS", "Registration", "built_in", "folder_of", "installed", "read_registration"]

KINDS = ("construction", "neighbourhood", "certifier", "model")
"""Kinds of operators."""

_log = logging.getLogger(__name__)
_FILE = "registration.toml"
_PROBLEMS = "matheur.problems"
_KEYS: Mapping[str, tuple[type, str]] = {
    **dict.fromkeys(("name", "summary", "type", "domain", "shares"), (str, "a text")),
    "without": (list, "a list of names"),
    "assignments": (bool, "true or false"),
    "operators": (dict, f"tables, [operators.{KINDS[0]}] and others"),
    "tools": (dict, "a table"),
}
"""Type of each key of the file, and its description for messages."""
_REQUIRED = ("name", "type")


@dataclass(frozen=True, slots=True)
class Registration:
    """Contents of a problem's registration.

    Attributes
    ----------
    package
        Dotted name of the package.
    type
        Entry of the `ProblemType`, with the problem's name.
    domain
        Entry of the state space; None if there is none.
    operators
        Entries named `KIND.NAME`, in the order of the file; shared ones last.
    tools
        Entries and plain tables that tools look up.
    plans
        Whether solutions are plans in the state space that can be shown step by step.
    """

    package: str
    type: Entry
    domain: Entry | None = None
    operators: tuple[Entry, ...] = ()
    tools: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    plans: bool = False

    @property
    def name(self) -> str:
        """Name of the problem."""
        return self.type.name

    @property
    def presets(self) -> Path:
        """Folder of the configurations that come with the problem; it may be missing."""
        return folder_of(self.package) / "presets"

    @property
    def trained(self) -> Path:
        """Folder of the networks that come with the problem; it may be missing."""
        return folder_of(self.package) / "trained"


@cache
def built_in() -> Mapping[str, Registration]:
    """The problems of matheur by name."""
    listed = parse_toml((folder_of(_PROBLEMS) / "built_in.toml").read_text(encoding="utf-8"))["problems"]
    found = [read_registration(f"{_PROBLEMS}.{folder}") for folder in listed]
    return MappingProxyType({one.name: one for one in found})


@cache
def installed() -> Mapping[str, Registration]:
    """The problems of other packages by name.

    A broken package is still listed, under the name of its entry point; loading its type raises an error that states
    the reason. A package with the name of a built-in problem is left out with a warning.
    """
    found: dict[str, Registration] = {}
    for point in entry_points(group="matheur.registrations"):
        origin = f"entry point '{point.name}' of {point.group}"
        try:
            one = read_registration(point.value)
            one = replace(one, type=replace(one.type, origin=origin))
        except Exception as error:  # other packages may fail in any way
            wrong = ConfigurationError(f"{origin}: {error if isinstance(error, MatheurError) else repr(error)}")
            one = Registration(point.value, Entry(point.name, wrong, f"from {point.value}", origin))
        if one.name in built_in():
            _log.warning("the problem '%s' is left out: a built-in one has its name (%s)", one.name, origin)
        else:
            found.setdefault(one.name, one)
    return MappingProxyType(found)


def read_registration(package: str) -> Registration:
    """The registration of a package.

    Parameters
    ----------
    package
        Its dotted name.

    Raises
    ------
    ConfigurationError
        If there is no such package, or its file is missing, has unknown keys or wrong values.
    """
    text = _text(package)
    where = f"{_FILE} of {package}"
    for key in _REQUIRED:
        if key not in text:
            raise ConfigurationError(f"{where}: '{key}' is missing")
    name, summary = text["name"], text.get("summary", f"from {package}")
    operators = list(_operators(package, text.get("operators", {})))
    without, known = set(text.get("without", ())), list[str]()
    if "shares" in text:
        shared = text["shares"]
        others = list(_operators(shared, _text(shared).get("operators", {})))
        known = [one.name.partition(".")[2] for one in others]
        operators += [one for one in others if one.name.partition(".")[2] not in without]
    for one in sorted(map(str, without.difference(known))):
        hint = nearest(one, known or ["(none)"])
        raise ConfigurationError(f"{where}: 'without' names no shared operator ({one!r}). {hint}")
    domain = Entry(name, _target(package, text["domain"], where), summary) if "domain" in text else None
    tools = {
        tool: Entry(tool, _target(package, value, where)) if isinstance(value, str) else value
        for tool, value in text.get("tools", {}).items()
    }
    type_ = Entry(name, _target(package, text["type"], where), summary)
    plans = domain is not None and not text.get("assignments", False)
    return Registration(package, type_, domain, tuple(operators), MappingProxyType(tools), plans)


def folder_of(package: str) -> Path:
    """The folder of a package, found without importing it.

    Raises
    ------
    ConfigurationError
        If there is no such package, or its parent package cannot be imported.
    """
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        spec = None
    except Exception as error:  # importing the parent package may raise any error
        raise ConfigurationError(f"the package around '{package}' cannot be imported: {error!r}") from error
    if spec is None or not spec.submodule_search_locations:
        raise ConfigurationError(f"there is no package '{package}'")
    return Path(spec.submodule_search_locations[0])


def _text(package: str) -> Mapping[str, Any]:
    file = folder_of(package) / _FILE
    if not file.is_file():
        raise ConfigurationError(f"the package '{package}' has no {_FILE}")
    try:
        text = parse_toml(file.read_text(encoding="utf-8"))
    except ValueError as error:  # not TOML, or not text
        raise ConfigurationError(f"{_FILE} of {package}: {error}") from None
    for key, value in text.items():
        if key not in _KEYS:
            raise ConfigurationError(f"{_FILE} of {package}: unknown key '{key}'. {nearest(key, _KEYS)}")
        kind, called = _KEYS[key]
        if not isinstance(value, kind):
            raise ConfigurationError(f"{_FILE} of {package}: '{key}' must be {called} ({value!r})")
    return text


def _operators(package: str, tables: Mapping[str, Any]) -> Iterator[Entry]:
    where = f"{_FILE} of {package}"
    for kind, table in tables.items():
        if kind not in KINDS:
            raise ConfigurationError(f"{where}: no operator is a '{kind}'. {nearest(kind, KINDS)}")
        if not isinstance(table, Mapping):
            raise ConfigurationError(f"{where}: 'operators.{kind}' must be a table ({table!r})")
        for name, line in table.items():
            match line:
                case [str(target), str(summary)]:
                    yield Entry(f"{kind}.{name}", _target(package, target, where), summary)
                case _:
                    raise ConfigurationError(f'{where}: \'{name}\' must be ["MODULE:CLASS", "one line about it"]')


def _target(package: str, target: Any, where: str) -> str:
    module, colon, name = target.partition(":") if isinstance(target, str) else ("", "", "")
    if not (colon and name):
        raise ConfigurationError(f"{where}: {target!r} is not of the form MODULE:OBJECT")
    return f"{package}.{module}:{name}" if module else f"{package}:{name}"
