"""Values of stored states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from matheur.engine import Schedule, schedules
from matheur.engine.acceptance import LateAcceptance
from matheur.engine.guidance import Guidance
from matheur.engine.schedules import Call
from matheur.engine.stored import Stored
from matheur.errors import InputError

KINDS: dict[str, tuple[Callable[[Stored], Any], list[Any], list[Any]]] = {
    "number": (lambda one: one.number("x"), [0, -1.5, 2**80], ["1", None, True, [], {}, float("inf"), 10**400]),
    "seconds": (lambda one: one.seconds("x"), [0, 1.5], ["1", None, True, [], -1, float("nan"), 10**400]),
    "count": (lambda one: one.count("x"), [0, 7], ["1", None, True, [], -1, 1.0, 2**63]),
    "text": (lambda one: one.text("x"), ["", "a"], [1, None, [], {}]),
    "table": (lambda one: one.table("x"), [{}, {"a": 1}], [1, None, [], "a"]),
    "counts": (lambda one: one.counts("x"), [[], [0, 1]], [1, None, {}, "a", [-1], ["a"], [1.5]]),
    "numbers": (lambda one: one.numbers("x"), [[], [0, -1.5]], [1, None, {}, "a", ["a"], [float("inf")], [[1]]]),
    "rows": (lambda one: one.rows("x"), [[], [[1, 2], [3, 4]]], [1, None, {}, "a", [1], [[1], [1, 2]], [["a"]]]),
    "texts": (lambda one: one.texts("x"), [[], ["a"]], [1, None, {}, "a", [1]]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_of_their_kinds(kind: str) -> None:
    """A value of the kind is given as it is; any other one, and none at all, is one clear error."""
    ask, right, wrong = KINDS[kind]
    for value in right:
        assert ask(Stored({"x": value})) == value
    for value in wrong:
        with pytest.raises(InputError, match="the stored state is damaged"):
            ask(Stored({"x": value}))
    with pytest.raises(InputError, match="'x' is missing"):
        ask(Stored({}))


@pytest.mark.parametrize("value", [None, [], "x", 1])
def test_a_state_is_a_table(value: Any) -> None:
    """Nothing else is asked for its values."""
    with pytest.raises(InputError, match="not a table"):
        Stored(value)


def used(name: str) -> Schedule:
    """A schedule of three neighbourhoods that has learnt something."""
    schedule: Schedule = schedules.get(name)()
    rng = np.random.default_rng(0)
    for _ in range(5):
        schedule.record(Call(schedule.choose([True] * 3, rng), 1.0, 2.0))
    return schedule


@pytest.mark.parametrize("name", schedules.names())
@pytest.mark.parametrize("value", ["x", None, [["a"]], {"a": 1}, [-1.0], float("inf")], ids=repr)
def test_damaged_schedules_are_one_clear_error(name: str, value: Any) -> None:
    """Whatever stands in the place of what a schedule has learnt; what it has learnt itself comes back."""
    state = used(name).state()
    schedules.get(name)().restore(state)
    for key in state:
        with pytest.raises(InputError, match="damaged"):
            schedules.get(name)().restore({**state, key: value})


def test_damaged_acceptance_is_one_clear_error() -> None:
    """A history of another length, or a place outside of it."""
    late = LateAcceptance(3)
    late.accepts(1.0, 2.0, 1.0, 0.0, np.random.default_rng(0))
    LateAcceptance(3).restore(late.state())
    for damage in ({"history": [1.0]}, {"history": ["a"] * 3}, {"position": 3}, {"position": -1}):
        with pytest.raises(InputError, match="damaged"):
            LateAcceptance(3).restore({**late.state(), **damage})


def test_damaged_guidance_is_one_clear_error() -> None:
    """A figure that does not guide this search."""
    for damage in ({"name": "other", "least": None}, {"name": 3, "least": None}, {"name": None, "least": "x"}):
        with pytest.raises(InputError, match="damaged"):
            Guidance(object(), (), 1).restore(damage)
