"""Options with limits, made from a configuration and in Python."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from matheur.engine import check_options, option
from matheur.engine.limits import Limits, check_order, limits_of
from matheur.engine.options import configure
from matheur.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Search:
    """One option for each kind of limit."""

    width: int = option(4, minimum=2, maximum=1 << 20)
    share: float = option(0.5, above=0, maximum=1)
    loss: float = option(0, minimum=0, below=1)
    hot: float = option(0.5, above=0)
    nodes: int | None = option(None, minimum=1)
    seconds: float | None = option(2.0, above=0)
    rounds: tuple[int, ...] = option((1, 2), minimum=1)
    order: str = option("rows", choices=("rows", "columns"))

    def __post_init__(self) -> None:
        check_options(self)


@dataclass(frozen=True, slots=True)
class Wider(Search):
    """A subclass with another default, and a relation of two options."""

    width: int = option(1000, minimum=100)
    width_max: int = option(2000, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)
        check_order(self, "width", "width_max")


WRONG = [
    ({"width": 1}, r"width' must be from 2 to 1,048,576 \(1\)"),
    ({"width": 1 << 21}, r"width' must be from 2 to 1,048,576 \(2097152\)"),
    ({"share": 0}, r"share' must be above 0 and at most 1 \(0"),
    ({"share": 1.5}, r"share' must be above 0 and at most 1 \(1.5\)"),
    ({"share": math.nan}, r"share' must be above 0 and at most 1 \(nan\)"),
    ({"loss": 1.0}, r"loss' must be at least 0 and below 1 \(1.0\)"),
    ({"hot": -0.1}, r"hot' must be above 0 \(-0.1\)"),
    ({"nodes": 0}, r"nodes' must be at least 1, or none \(0\)"),
    ({"seconds": 0.0}, r"seconds' must be above 0, or none \(0.0\)"),
    ({"rounds": (3, 0)}, r"rounds' must be at least 1 \(0\)"),
    ({"order": "row"}, r"order' cannot be 'row'\. Maybe 'rows'\?"),
]


@pytest.mark.parametrize(("values", "message"), WRONG, ids=str)
def test_values_outside_their_limits_are_errors_that_name_them(values: dict[str, Any], message: str) -> None:
    """The message has the operator as it is called there, the option, its limits and the value."""
    with pytest.raises(ConfigurationError, match=r"^'neighbourhood\.search\." + message):
        configure(Search, values, "neighbourhood.search")
    with pytest.raises(ConfigurationError, match=r"^'Search\." + message):
        Search(**values)


def test_values_within_their_limits_are_taken() -> None:
    """The limits themselves unless they are excluded, and None where the type has it."""
    values = {"width": 2, "share": 1.0, "loss": 0.0, "nodes": None, "seconds": None, "rounds": (), "order": "columns"}
    assert configure(Search, values) == Search(**values)  # type: ignore[arg-type]
    assert Search(width=1 << 20, nodes=1).nodes == 1


@pytest.mark.parametrize("value", [None, "4"])
def test_what_is_no_number_is_an_error_in_python_too(value: Any) -> None:
    """None only where the type has it."""
    with pytest.raises(ConfigurationError, match=r"'Search\.width' must be a number"):
        Search(width=value)


def test_subclasses_have_limits_of_their_own() -> None:
    """An option that is defined again has the new limits, the others are inherited; relations come after them."""
    assert limits_of(Wider)["width"] == Limits(minimum=100)
    for values, message in (
        ({"width": 99}, "Wider.width' must be at least 100"),
        ({"hot": 0}, "Wider.hot' must be"),
        ({"width": 3000}, r"Wider.width_max' must be at least width \(2000 < 3000\)"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            Wider(**values)  # type: ignore[arg-type]


@dataclass
class Plain:
    """A class that says only what its option may be."""

    side: int = option(3, maximum=8)


def test_configurations_are_checked_without_the_help_of_the_class() -> None:
    """A limit is enough where an object is made from a configuration."""
    with pytest.raises(ConfigurationError, match=r"'plain\.side' must be at most 8 \(9\)"):
        configure(Plain, {"side": 9}, "plain")


def test_limits_can_be_read_and_listed() -> None:
    """In words, and as plain values."""
    assert [str(limits) for limits in limits_of(Search).values()] == [
        "from 2 to 1,048,576", "above 0 and at most 1", "at least 0 and below 1", "above 0", "at least 1", "above 0",
        "at least 1", "one of rows, columns",
    ]  # fmt: skip
    assert limits_of(Search)["share"].to_dict() == {"above": 0, "maximum": 1}
    assert limits_of(Search)["order"].to_dict() == {"choices": ["rows", "columns"]}
