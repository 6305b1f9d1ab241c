"""Operators by their names: what is refused where it is registered, and what where it is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from matheur.engine import acceptance_criteria, operators, schedules
from matheur.engine.operators import operator_class, register_operator
from matheur.engine.registry import Entry
from matheur.engine.schedules import Cycle
from matheur.errors import ConfigurationError
from matheur.running.building import build_operator, build_search
from matheur.running.configuration import resolve
from matheur.running.loading import load_instance


class Builder:
    """A construction."""

    def build(self, problem: Any, budget: Any, rng: Any) -> Any:
        """Never called."""


@dataclass(frozen=True)
class Explorer:
    """A neighbourhood."""

    def explore(self, problem: Any, incumbent: Any, budget: Any, rng: Any) -> Any:
        """Never called."""


@dataclass
class Forgetful(Cycle):
    """A schedule whose state is nothing."""

    def state(self) -> Any:
        """A `return` is missing."""


@dataclass
class Opaque(Cycle):
    """A schedule whose state goes into no file."""

    def state(self) -> Any:
        """With an object."""
        return {"last": object()}


class Needy(Builder):
    """It cannot be made."""

    def __init__(self, width: int) -> None:
        self.width = width


@pytest.mark.parametrize(
    ("words", "operator", "said"),
    [
        (("edge-matching", "constructon", "x"), Builder, r"no operator is a 'constructon'\. Maybe 'construction'\?"),
        (("edge-matching", "construction", ""), Builder, r"the name of an operator is a text .*\(''\)"),
        (("edge-matching", "construction", " "), Builder, "the name of an operator is a text"),
        (("edge-matching", "construction", "a:b"), Builder, r"without ':' and ',' \('a:b'\)"),
        (("edge-matching", "construction", None), Builder, "the name of an operator is a text"),
        (("", "construction", "x"), Builder, "the problem of an operator is a text"),
        (("edge-matching", "construction", "x"), 7, "the construction 'x' is not a class, but int$"),
        (("edge-matching", "construction", "x"), Builder(), r"is not a class, but Builder\. Maybe Builder itself\?"),
        (("edge-matching", "construction", "x"), "here", "of the form MODULE:OBJECT"),
    ],
)
def test_what_nobody_can_ask_for_is_not_registered(words: tuple[Any, Any, Any], operator: Any, said: str) -> None:
    """A misspelt kind, a name that cannot be written, and what makes no operator."""
    before = operators._registry.names()
    with pytest.raises(ConfigurationError, match=said):
        register_operator(*words, operator)
    assert operators._registry.names() == before


@pytest.mark.parametrize(
    ("kind", "maker", "said"),
    [
        ("construction", Explorer, r"the construction 'x' has no method 'build'\. Maybe it is a neighbourhood\?"),
        ("neighbourhood", Builder, r"the neighbourhood 'x' has no method 'explore'\. Maybe it is a construction\?"),
        ("neighbourhood", object, r"the neighbourhood 'x' has no method 'explore'$"),
        ("certifier", 7, "the certifier 'x' is not a class, but int"),
        ("construction", Needy, "the construction 'x' cannot be made without arguments: .*width"),
    ],
)
def test_what_cannot_be_called_is_refused_where_it_is_made(
    kind: Any, maker: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it was registered: by a script or by an entry point."""
    operators._registry.names()
    full = f"edge-matching.{kind}.x"
    monkeypatch.setitem(operators._registry._entries, full, Entry(full, maker))
    with pytest.raises(ConfigurationError, match=said):
        build_operator("edge-matching", kind, "x", {}, {"name": "highs"})


def test_factories_make_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function may stand in the place of a class."""
    full = "edge-matching.construction.x"
    monkeypatch.setitem(operators._registry._entries, full, Entry(full, lambda: Builder()))
    assert isinstance(build_operator("edge-matching", "construction", "x", {}, {}), Builder)
    assert callable(operator_class("edge-matching", "construction", "x"))


@pytest.mark.parametrize(
    ("registry", "setting", "target", "said"),
    [
        (schedules, "schedule=x", Builder, "the schedule 'x' is not a dataclass"),
        (schedules, "schedule=x", Explorer, "the schedule 'x' has no method 'choose'"),
        (schedules, "schedule=x", Forgetful, r"the schedule 'x' is not a table .*\. Maybe 'return \{\}'\?"),
        (schedules, "schedule=x", Opaque, "the state of the schedule 'x' is not a table of plain values$"),
        (acceptance_criteria, "acceptance=x", 7, "the acceptance criterion 'x' is not a dataclass"),
        (acceptance_criteria, "acceptance=x", Explorer, "the acceptance criterion 'x' has no method 'accepts'"),
    ],
)
def test_other_parts_of_a_search_are_looked_at_too(
    registry: Any, setting: str, target: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Schedules and acceptance criteria of other packages."""
    monkeypatch.setitem(registry._entries, "x", Entry("x", target))
    _, problem = load_instance("edge-matching/3x3")
    with pytest.raises(ConfigurationError, match=said):
        build_search(problem, resolve("edge-matching", settings=[setting], instance=problem))
