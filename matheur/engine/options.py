"""Conversion between configuration values and dataclasses, with helpful errors for unknown keys and wrong types."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
import types
from collections.abc import Iterable, Mapping
from datetime import date, time
from functools import lru_cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from matheur.engine.inputs import parse_toml
from matheur.engine.limits import limits_of
from matheur.engine.outcome import plain_number
from matheur.errors import ConfigurationError, nearest

__all__ = [
    "configure",
    "deep_merge",
    "describe",
    "in_order",
    "meanings",
    "parse_value",
    "set_dotted",
    "with_names",
    "within",
    "written",
]

T = TypeVar("T")

_INFINITE = ("inf", "-inf")

_PART = re.compile(r"""(?:"([^"]+)"|'([^']+)'|([^.]*))(?:\.|$)""")  # of a dotted key
_ATTRIBUTES = re.compile(r"^Attributes\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", re.MULTILINE | re.DOTALL)


def _fields(cls: Any) -> dict[str, tuple[dataclasses.Field[Any], Any]]:
    hints = _hints(cls)
    return {field.name: (field, hints[field.name]) for field in dataclasses.fields(cls) if field.init}


@lru_cache(maxsize=1024)
def _hints(cls: Any) -> dict[str, Any]:
    """The types of the fields of a class; a campaign reads those of a few classes for thousands of runs."""
    return get_type_hints(cls)


def configure(cls: type[T], values: Mapping[str, Any], where: str = "") -> T:
    """Make the dataclass `cls` from plain values.

    Parameters
    ----------
    cls
        A dataclass. Its fields may be bool, int, float, str, `Literal`, tuples of these, optional values, mappings, and
        nested dataclasses. Its `FORMER_OPTIONS` may describe by name what replaced a removed option.
    values
        Plain TOML values by field name. Strings are parsed if a number or a truth value is expected.
    where
        Dotted name of this table, for messages.

    Raises
    ------
    ConfigurationError
        Unknown key (with the nearest known one), missing key, wrong type or value.
    """
    fields, limits = _fields(cls), limits_of(cls)
    prefix = f"{where}." if where else ""
    arguments: dict[str, Any] = {}
    for key, value in values.items():
        name = str(key).replace("-", "_")
        if name not in fields:
            former: Mapping[str, str] = getattr(cls, "FORMER_OPTIONS", {})
            advice = former.get(name) or nearest(name, fields or ["(none)"])
            raise ConfigurationError(f"unknown option '{prefix}{key}'. {advice}")
        arguments[name] = _convert(value, fields[name][1], prefix + key)
        if name in limits:
            limits[name].check(prefix + key, arguments[name])
    for name, (field, _) in fields.items():
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and name not in arguments:
            raise ConfigurationError(f"option '{prefix}{name}' is missing")
    try:
        return cls(**arguments)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"{where or cls.__name__}: {error}") from error


def _convert(value: Any, wanted: Any, key: str) -> Any:
    origin, value = get_origin(wanted), plain_number(value)
    if wanted is Any:
        return value
    if origin in (Union, types.UnionType):
        return _convert_union(value, get_args(wanted), key)
    if origin is Literal:
        if value in get_args(wanted):
            return value
        raise ConfigurationError(f"'{key}' cannot be {value!r}. {nearest(str(value), map(str, get_args(wanted)))}")
    if dataclasses.is_dataclass(wanted) and isinstance(wanted, type):
        if isinstance(value, wanted):
            return value
        if isinstance(value, Mapping):
            return configure(wanted, value, key)
    elif origin is tuple:
        if isinstance(value, list | tuple):
            kinds = get_args(wanted)
            if kinds[-1] is ...:
                kinds = kinds[:1] * len(value)
            if len(kinds) != len(value):
                raise ConfigurationError(f"'{key}' needs {len(kinds)} values ({value!r})")
            return tuple(_convert(item, kind, key) for item, kind in zip(value, kinds, strict=True))
    elif origin is not None and issubclass(origin, Mapping):
        if isinstance(value, Mapping):
            return {name: _plain(one) for name, one in value.items()}
    elif wanted is bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in ("true", "false"):
            return value.lower() == "true"
    elif wanted is int:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    elif wanted is float:
        if isinstance(value, str) and value in _INFINITE:
            return float(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                return float(value)
            except OverflowError:
                raise ConfigurationError(f"'{key}' is too large for a number") from None
    elif isinstance(value, wanted):
        return value
    raise ConfigurationError(f"'{key}' must be {_called(wanted)} ({value!r})")


def _plain(value: Any) -> Any:
    """The same value with Python's numbers instead of NumPy's, also inside tables and lists."""
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value
    return plain_number(value)


def written(values: Any) -> Any:
    """Plain values in which infinite numbers are texts, as JSON has none; `configure` reads them back."""
    if isinstance(values, Mapping):
        return {key: written(value) for key, value in values.items()}
    if isinstance(values, list | tuple):
        return type(values)(map(written, values))
    return str(values) if isinstance(values, float) and math.isinf(values) else values


def _called(wanted: Any) -> str:
    """Expected type of a value, in the terms of TOML."""
    origin = get_origin(wanted) or wanted
    if dataclasses.is_dataclass(wanted) and isinstance(wanted, type):
        return f"a table of options, such as {{ {next(iter(_fields(wanted)), 'OPTION')} = VALUE }}"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "a table"
    return "a list" if origin is tuple else f"of type {getattr(wanted, '__name__', str(wanted))}"


def _convert_union(value: Any, kinds: tuple[Any, ...], key: str) -> Any:
    if type(None) in kinds and (value is None or value == "none"):
        return None
    problems = []
    for kind in kinds:
        if kind is not type(None):
            try:
                return _convert(value, kind, key)
            except ConfigurationError as error:
                problems.append(error)
    raise problems[0]


def parse_value(text: str) -> Any:
    """Parse a command-line value: a TOML value if possible, else the text itself. Dates are texts: no option is one.

    Examples
    --------
    >>> parse_value("16"), parse_value("[1, 2]"), parse_value("clique"), parse_value("true"), parse_value("2026-01-31")
    (16, [1, 2], 'clique', True, '2026-01-31')
    """
    try:
        table = parse_toml(f"value = {text}")
    except ValueError:  # not TOML, or a date or number that Python cannot represent
        return text
    return text if len(table) != 1 or isinstance(table["value"], date | time) else table["value"]


def set_dotted(table: dict[str, Any], dotted: str, value: Any) -> None:
    """Set `a.b.c` in nested tables, creating missing tables. Parts may be quoted, as in TOML: `a."b.c"`.

    A plain value in place of a table becomes its `name`: `schedule = "cycle"` and `schedule.repetitions=[2]` can be
    combined. A name that replaces another one drops the options of the other.
    """
    *path, last = _parts(dotted)
    if not all((*path, last)):
        raise ConfigurationError(f"'{dotted}' is not a dotted key. Maybe 'neighbourhood.region.method'?")
    for key in path:
        inner = table.setdefault(key, {})
        if isinstance(inner, str):
            inner = table[key] = {"name": inner}
        if not isinstance(inner, dict):
            raise ConfigurationError(f"'{dotted}': '{key}' is a value, not a table")
        table = inner
    if isinstance(table.get(last), dict) and isinstance(value, str):
        table, last, path = table[last], "name", [*path, last]
    if last == "name" and path and table.get("name", value) != value:
        table.clear()
    table[last] = value


def in_order(settings: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Dotted settings in the order in which `set_dotted` has to apply them: names before the options of what they name.

    Examples
    --------
    >>> in_order([("solver.threads", 2), ("seconds", 5), ("solver.name", "scip")])
    [('seconds', 5), ('solver.name', 'scip'), ('solver.threads', 2)]
    """

    def depth(setting: tuple[str, Any]) -> int:
        parts = _parts(setting[0])
        return len(parts) - (parts[-1] == "name")

    return sorted(settings, key=depth)


def within(dotted: str, table: str) -> str | None:
    """The rest of a dotted key that begins with the name of a table; empty for the table itself, None for other keys.

    Raises
    ------
    ConfigurationError
        If a part of the rest is empty.

    Examples
    --------
    >>> within('instance."sides"', "instance"), within("instance", "instance"), within("seconds", "instance")
    ('sides', '', None)
    """
    first, *rest = _parts(dotted)
    if first != table:
        return None
    if not all(rest):
        raise ConfigurationError(f"'{dotted}' is not a dotted key. Maybe '{table}.OPTION'?")
    return ".".join(rest)


def _parts(dotted: str) -> list[str]:
    found, at = list[str](), 0
    while True:
        match = _PART.match(dotted, at)
        assert match is not None
        found.append(match[1] or match[2] or match[3] or "")
        at = match.end()
        if not match[0].endswith("."):
            return found


def deep_merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Copy of `base` with the values of `over` merged into it, table by table."""
    merged = {key: deep_merge(value, {}) if isinstance(value, Mapping) else value for key, value in base.items()}
    for key, value in over.items():
        below = merged.get(key)
        if isinstance(value, Mapping):
            table = below if isinstance(below, Mapping) else {"name": below} if isinstance(below, str) else {}
            if "name" in value and value["name"] != table.get("name"):
                table = {}  # the name changes: the options of the former object no longer apply
            merged[key] = deep_merge(table, value)
        elif isinstance(value, str) and isinstance(below, dict) and "name" in below:
            merged[key] = below if below["name"] == value else {"name": value}
        else:
            merged[key] = value
    return merged


def with_names(table: Mapping[str, Any], later: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """Copy of `table` whose options without a name, under these keys, get the name that `later` gives.

    So `deep_merge` keeps them: they are for whatever is used.

    Examples
    --------
    >>> with_names({"solver": {"threads": 2}, "seconds": 5.0}, {"solver": "scip"}, ["solver"])
    {'solver': {'name': 'scip', 'threads': 2}, 'seconds': 5.0}
    """
    found = dict(table)
    for key in keys:
        options, named = table.get(key), later.get(key)
        name = named.get("name") if isinstance(named, Mapping) else named
        if isinstance(options, Mapping) and "name" not in options and isinstance(name, str):
            found[key] = {"name": name, **options}
    return found


def describe(cls: Any) -> dict[str, dict[str, Any]]:
    """Options of a dataclass as plain JSON values: name -> {"type", "default"}, and "limits" if there are any."""
    described: dict[str, dict[str, Any]] = {}
    limits = limits_of(cls)
    for name, (field, hint) in _fields(cls).items():
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            for inner, about in describe(hint).items():
                described[f"{name}.{inner}"] = about
            continue
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        shown = None if default is dataclasses.MISSING else default
        shown_type = str(hint).replace("typing.", "").replace("NoneType", "None")
        kind = hint.__name__ if isinstance(hint, type) else shown_type
        described[name] = {"type": kind, "default": list(shown) if isinstance(shown, tuple) else shown}
        if name in limits:
            described[name]["limits"] = limits[name].to_dict()
    return described


def meanings(cls: Any) -> dict[str, str]:
    """Descriptions of the options of a dataclass, from the `Attributes` sections of its docstrings."""
    texts = dict[str, str]()
    for base in reversed(cls.__mro__):
        texts |= _attributes(base.__doc__ or "")
    found = dict[str, str]()
    for name, (_, hint) in _fields(cls).items():
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            found |= {f"{name}.{inner}": text for inner, text in meanings(hint).items()}
        else:
            found[name] = texts.get(name, "")
    return found


def _attributes(docstring: str) -> dict[str, str]:
    section = _ATTRIBUTES.search(inspect.cleandoc(docstring))
    found, names = dict[str, str](), list[str]()
    for line in section[1].splitlines() if section else []:
        if line.strip() and not line[0].isspace():
            names = [name.strip() for name in line.split(",")]
        for name in names:
            found[name] = f"{found[name]} {line.strip()}".strip() if name in found else ""
    return found
