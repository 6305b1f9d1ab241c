"""Configuration values to dataclasses and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from matheur.engine.limits import check_options, option
from matheur.engine.options import (
    configure,
    deep_merge,
    describe,
    in_order,
    meanings,
    parse_value,
    set_dotted,
    written,
)
from matheur.errors import ConfigurationError


@dataclass(frozen=True)
class Inner:
    """A table in a table."""

    name: str = "highs"
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Options:
    """One of each type."""

    width: int = option(3, minimum=1)
    rate: float = 0.5
    on: bool = False
    method: Literal["clique", "milp"] = "clique"
    weights: tuple[float, ...] = ()
    pair: tuple[int, str] = (1, "a")
    limit: int | None = None
    inner: Inner = field(default_factory=Inner)

    def __post_init__(self) -> None:
        check_options(self)


def test_plain_values_become_fields() -> None:
    """Each type takes what TOML gives for it; hyphens stand for underscores; missing fields keep their defaults."""
    values = {
        "width": 4, "rate": 1, "on": "true", "method": "milp", "weights": [1, 2.5], "pair": [2, "b"], "limit": "none",
        "inner": {"name": "scip", "options": {"a/b": 1}},
    }  # fmt: skip
    assert configure(Options, values) == Options(
        4, 1.0, True, "milp", (1.0, 2.5), (2, "b"), None, Inner("scip", {"a/b": 1})
    )
    assert configure(Options, {}) == Options()
    assert isinstance(configure(Options, {"rate": 1}).rate, float)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"widht": 4}, r"unknown option 'op\.widht'\. Maybe 'width'\?"),
        ({"width": "4x"}, r"'op\.width' must be of type int \('4x'\)"),
        ({"width": 4.5}, r"'op\.width'"),
        ({"width": True}, r"'op\.width'"),
        ({"width": 0}, r"'op\.width' must be at least 1 \(0\)"),
        ({"width": 1 << 63}, r"'op\.width' is too large for a whole number of 64 bits"),
        ({"rate": "fast"}, r"'op\.rate' must be of type float"),
        ({"on": 1}, r"'op\.on'"),
        ({"method": "cliqe"}, r"'op\.method' cannot be 'cliqe'\. Maybe 'clique'\?"),
        ({"method": [1]}, r"'op\.method'"),
        ({"weights": 3}, r"'op\.weights' must be a list \(3\)"),
        ({"weights": ["a"]}, r"'op\.weights'"),
        ({"pair": [1]}, r"'op\.pair'"),
        ({"pair": [1, "a", 2]}, r"'op\.pair'"),
        ({"limit": "many"}, r"'op\.limit'"),
        ({"inner": 5}, r"'op\.inner' must be a table of options, such as \{ name = VALUE \} \(5\)"),
        ({"inner": {"nam": 5}}, r"unknown option 'op\.inner\.nam'\. Maybe 'name'\?"),
        ({"inner": {"options": 5}}, r"'op\.inner\.options' must be a table \(5\)"),
    ],
)
def test_wrong_values_name_the_option(values: dict[str, Any], message: str) -> None:
    """Every wrong key or value is a configuration error with its dotted name and the value."""
    with pytest.raises(ConfigurationError, match=message):
        configure(Options, values, "op")


def test_infinite_numbers_survive_json() -> None:
    """They are written as texts."""
    plain = json.loads(json.dumps(written({"rate": float("inf"), "weights": (1.5, -float("inf"))}), allow_nan=False))
    assert plain == {"rate": "inf", "weights": [1.5, "-inf"]}
    assert configure(Options, plain) == Options(rate=float("inf"), weights=(1.5, -float("inf")))


@pytest.mark.parametrize(
    ("text", "value"),
    [("16", 16), ("0.5", 0.5), ("[1, 2]", [1, 2]), ("true", True), ("clique", "clique"), ("'a b'", "a b"), ("", ""),
     ("{a = 1}", {"a": 1}), ("1\nb = 2", "1\nb = 2"), ("[[[", "[[["),
     ("2026-01-31", "2026-01-31"), ("07:30:00", "07:30:00"), ("2026-01-31 07:30:00", "2026-01-31 07:30:00")],
)  # fmt: skip
def test_command_line_values_are_toml_or_text(text: str, value: Any) -> None:
    """What is no TOML value is the text itself."""
    assert parse_value(text) == value


def test_dotted_keys_make_tables() -> None:
    """Tables appear on the way; a name in the way becomes the table's `name`."""
    table: dict[str, Any] = {"schedule": "cycle"}
    set_dotted(table, "neighbourhood.region.rows", 5)
    set_dotted(table, "schedule.repetitions", [2])
    assert table == {"neighbourhood": {"region": {"rows": 5}}, "schedule": {"name": "cycle", "repetitions": [2]}}
    set_dotted(table, "schedule", "descent")
    assert table["schedule"]["name"] == "descent"


@pytest.mark.parametrize("key", ["solver", "solver.name", '"solver".name'])
def test_another_name_drops_the_options_of_the_former_one(key: str) -> None:
    """Not those without a name, and not those set for the new one, in any order."""
    for table in ({"solver": {"name": "highs", "options": {"presolve": "off"}}}, {"solver": {"threads": 2}}):
        set_dotted(table, key, "scip")
        assert table in ({"solver": {"name": "scip"}}, {"solver": {"threads": 2, "name": "scip"}})
    table = {"solver": {"name": "highs", "options": {}}}
    for one, value in in_order([("solver.threads", 2), ("seconds", 5), (key, "scip"), ("seconds", 6)]):
        set_dotted(table, one, value)
    assert table == {"solver": {"name": "scip", "threads": 2}, "seconds": 6}
    set_dotted(table, key, "scip")
    assert table["solver"]["threads"] == 2


@pytest.mark.parametrize("mark", ['"', "'"])
def test_parts_of_dotted_keys_may_be_quoted(mark: str) -> None:
    """As in TOML: the quotes are no part of the name, and a dot within them is one."""
    table: dict[str, Any] = {"variants": {"a b": {"seconds": 1}}}
    set_dotted(table, f"variants.{mark}a b{mark}.seconds", 5)
    set_dotted(table, f"{mark}on{mark}.{mark}board.v2{mark}", 3)
    assert table == {"variants": {"a b": {"seconds": 5}}, "on": {"board.v2": 3}}
    with pytest.raises(ConfigurationError):
        set_dotted(table, f"{mark}on{mark}.", 1)
    set_dotted(table, f"it{mark}s.{mark}x{mark}y", 1)  # no quoted part
    assert table[f"it{mark}s"] == {f"{mark}x{mark}y": 1}


@pytest.mark.parametrize("key", ["", ".", "a.", ".a", "a..b", "time.x"])
def test_wrong_dotted_keys_are_errors(key: str) -> None:
    """Empty parts, and values in the place of tables, are configuration errors."""
    with pytest.raises(ConfigurationError):
        set_dotted({"time": 5}, key, 1)


def test_merging_goes_table_by_table() -> None:
    """Later values win inside tables; another name drops the options of the former thing; the inputs stay."""
    base = {"schedule": {"name": "cycle", "repetitions": [2]}, "a": {"b": 1, "c": 2}}
    assert deep_merge(base, {"a": {"c": 3}})["a"] == {"b": 1, "c": 3}
    assert deep_merge(base, {"schedule": {"name": "descent"}})["schedule"] == {"name": "descent"}
    assert deep_merge(base, {"schedule": "descent"})["schedule"] == {"name": "descent"}
    assert deep_merge(base, {"schedule": {"name": "cycle"}})["schedule"]["repetitions"] == [2]
    assert deep_merge({"schedule": "cycle"}, {"schedule": {"repetitions": [3]}})["schedule"]["name"] == "cycle"
    assert base["a"] == {"b": 1, "c": 2}


def test_options_describe_themselves() -> None:
    """A listing knows each option, those of inner tables with dotted names, its type and its default."""
    described = describe(Options)
    assert described["width"] == {"type": "int", "default": 3, "limits": {"minimum": 1}}
    assert described["pair"]["default"] == [1, "a"]
    assert described["inner.name"] == {"type": "str", "default": "highs"}
    assert "inner" not in described


@dataclass
class Limit:
    """A limit.

    Attributes
    ----------
    seconds
        How long,
        at most.
    """

    seconds: float = 1.0


@dataclass
class Base:
    """A search.

    Attributes
    ----------
    hot, cold
        Temperatures.

    Notes
    -----
    silent
        This is no option.
    """

    hot: float = 1.0
    cold: float = 0.0
    silent: bool = False


@dataclass
class Annealing(Base):
    limit: Limit = field(default_factory=Limit)


def test_meanings_come_from_docstrings() -> None:
    """The section `Attributes` says what an option means, also for nested options and those of a base class."""
    assert meanings(Annealing) == {
        "hot": "Temperatures.",
        "cold": "Temperatures.",
        "silent": "",
        "limit.seconds": "How long, at most.",
    }
