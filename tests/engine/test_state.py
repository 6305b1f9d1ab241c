"""The moving parts of a search, and their plain form."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from engine import toy

from matheur.engine.state import SearchState
from matheur.engine.statistics import OperatorStatistics
from matheur.errors import InputError

PROBLEM = toy.SmallSum(3)


def make() -> dict[str, Any]:
    state: SearchState[toy.Digits] = SearchState(
        best=np.array([1, 1, 1]), best_objective=3, best_operator="lower", bound=0, bound_source="trivial", iteration=4
    )
    state.move(PROBLEM, np.array([2, 1, 1]), 4)
    state.proved = {1}
    state.statistics["lower"] = OperatorStatistics(4, 0.5, 8, 3, 5, 0)
    plain: dict[str, Any] = json.loads(json.dumps(state.to_plain(PROBLEM, seconds=1.5, work=8)))
    return plain


def test_the_plain_form_is_complete() -> None:
    """Writing and reading gives the same plain values again."""
    plain = make()
    again = SearchState.from_plain(PROBLEM, plain)
    assert again.current_objective == 4
    assert again.current_digest == PROBLEM.digest(np.array([2, 1, 1]))
    assert again.to_plain(PROBLEM, seconds=again.seconds_before, work=again.work_before) == plain


def test_a_move_copies_and_forgets_proofs() -> None:
    """The current solution is a copy, and proofs about the former one no longer hold."""
    state: SearchState[toy.Digits] = SearchState(proved={0})
    given = np.array([1, 2, 3])
    state.move(PROBLEM, given, 6)
    given[0] = 9
    assert state.current is not None
    assert state.current.tolist() == [1, 2, 3]
    assert state.proved == set()


@pytest.mark.parametrize("key", sorted({*make()} - {"constructed"}))  # states of former versions have none
def test_missing_values_are_one_clear_error(key: str) -> None:
    """A state without one of its values is an input error."""
    plain = make()
    del plain[key]
    with pytest.raises(InputError, match="damaged"):
        SearchState.from_plain(PROBLEM, plain)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("best", [1, 1, 2]),
        ("best", [1, 1, 99]),
        ("best", "x"),
        ("current", [-1, 1, 1]),
        ("current", [1]),
        ("iteration", "many"),
        ("seconds", None),
        ("operators", []),
        ("operators", {"lower": {"calls": 1}}),
        ("proved", 5),
    ],
)
def test_solutions_are_evaluated_anew(key: str, value: Any) -> None:
    """Stored solutions that are infeasible or not what the state says, and values of wrong types, are refused."""
    with pytest.raises(InputError):
        SearchState.from_plain(PROBLEM, {**make(), key: value})


WRONG = ["x", -1, 1.5, True, None, [], {}, [[1]], {"a": 1}, float("inf"), float("nan"), 10**400, 2**80]


@pytest.mark.parametrize("key", sorted(make()))
@pytest.mark.parametrize("value", WRONG, ids=lambda value: repr(value)[:12])
def test_wrong_values_are_one_clear_error_or_none(key: str, value: Any) -> None:
    """Whatever stands in the place of a value, the state is read, or is one clear error."""
    plain = {**make(), key: value}
    with suppress(InputError):
        state = SearchState.from_plain(PROBLEM, plain)
        json.dumps(state.to_plain(PROBLEM, seconds=state.seconds_before, work=state.work_before), allow_nan=False)


@pytest.mark.parametrize("key", ["calls", "seconds", "work", "successes", "gain", "proofs"])
@pytest.mark.parametrize("value", ["x", None, [1], float("inf"), 10**400], ids=lambda value: repr(value)[:12])
def test_wrong_figures_of_operators_are_one_clear_error(key: str, value: Any) -> None:
    """They are added up later."""
    plain = make()
    plain["operators"]["lower"][key] = value
    with pytest.raises(InputError, match=f"damaged .*'{key}'"):
        SearchState.from_plain(PROBLEM, plain)
