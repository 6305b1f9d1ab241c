"""Sentences about infeasible puzzles are true, and say what a designer needs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from problems.party.brute_force import best_price, tiny_instance, tiny_instances
from problems.party.formats.example import PUZZLE, read

from matheur.problems.party import Instance, Party

CARDS = """\
id,position,level,club,price
1,A,10,x,5
2,A,20,x,5
3,B,30,y,5
4,A|B,40,,5
5,C,,y,5
6,C,60,y,
"""


def reason(demands: list[dict[str, Any]] | None = None, accepts: str = "ABB", **others: Any) -> str | None:
    slots = [{"name": name, "accepts": [position]} for name, position in zip("pqr", accepts, strict=False)]
    puzzle = {"format": "matheur-party", "version": 1, "slots": slots, "constraints": demands or [], **others}
    return Party(read(puzzle, CARDS)).infeasible_reason()


def demand(kind: str, column: str, op: str, value: float, *among: str) -> dict[str, Any]:
    found = {"type": kind, "column": column, "op": op, "value": value, **({"in": list(among)} if among else {})}
    return {key: entry for key, entry in found.items() if entry}


@settings(max_examples=60)
@given(tiny_instances())
def test_no_sentence_is_false(instance: Instance) -> None:
    """A puzzle that is called infeasible has no party at all."""
    problem = Party(instance)
    assert problem.infeasible_reason() is None or best_price(problem) is None


def test_most_plain_contradictions_are_seen() -> None:
    """Of the infeasible ones among random puzzles, more than half have a plain reason."""
    seen = [(one.infeasible_reason(), best_price(one)) for one in (Party(tiny_instance(seed)) for seed in range(60))]
    infeasible = [said for said, price in seen if price is None]
    assert sum(said is not None for said in infeasible) > len(infeasible) / 2 > 8


WITH = "with usable items that fit,"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, None),
        ({"accepts": "AD"}, "no usable item fits slot 'q': no item has a position that it accepts"),
        (
            {"accepts": "AC", "demands": [demand("sum", "level", ">=", 1)], "excluded": ["1"]},
            "no usable item fits slot 'q': of the 2 items that fit by position, 1 cannot be bought and 1 without level",
        ),
        (
            {"accepts": "BC", "fixed": {"q": "5"}, "excluded": ["3", "4"]},
            "no usable item fits slot 'p': of the 2 items that fit by position, 2 excluded",
        ),
        ({"accepts": "ABC", "fixed": {"r": "6"}}, "item '6', fixed in slot 'r', has no price and cannot be bought"),
        ({"fixed": {"p": "3"}}, "item '3', fixed in slot 'p', does not fit there"),
        (
            {"fixed": {"p": "4", "q": "4"}},
            "item '4', fixed in slot 'q', is fixed in slot 'p' too, and may be used only once",
        ),
        (
            {"accepts": "C", "fixed": {"p": "5"}, "demands": [demand("sum", "level", "<=", 99)]},
            "item '5', fixed in slot 'p', has no level, which the demand 'sum of level <= 99' needs",
        ),
        (
            {"accepts": "BBB"},
            "slots 'p', 'q' and 'r' need 3 different items, "
            "but together they have only 2 usable items that may stand there",
        ),
        (
            {"demands": [demand("sum", "level", ">=", 85), demand("sum", "level", "<=", 84)]},
            "the demands 'sum of level >= 85' and 'sum of level <= 84' contradict each other",
        ),
        (
            {"edges": [["p", "q"], ["q", "r"]], "synergy": {"terms": [{"column": "club"}], "min": 0.5}},
            "the synergy cannot be at least 0.5: with the best match of every edge it would be 0",
        ),
    ],
)
def test_reasons(arguments: dict[str, Any], said: str | None) -> None:
    """Each plain obstacle has its sentence with the names of slots, items and demands."""
    assert reason(**arguments) == said


@pytest.mark.parametrize(
    ("accepts", "one", "name", "said"),
    [
        ("ABB", demand("sum", "level", ">=", 91), "sum of level >= 91", f"{WITH} the sum of level is at most 90"),
        ("ABB", demand("sum", "level", "<=", 79.5), "sum of level <= 79.5", f"{WITH} the sum of level is at least 80"),
        (
            "ABB",
            demand("sum", "level", "==", 85),
            "sum of level == 85",
            "no choice of usable items that fit has exactly this sum of level",
        ),
        ("ABB", demand("sum", "level", "==", 80.5), "sum of level == 80.5", "no sum of the numbers is exactly that"),
        (
            "ABB",
            demand("count", "club", ">=", 2, "x"),
            "count of club x >= 2",
            f"{WITH} the number of them is at most 1",
        ),
        (
            "ABB",
            demand("count", "club", "<=", 1, "x", "y"),
            "count of club x or y <= 1",
            f"{WITH} the number of them is at least 2",
        ),
        (
            "ABB",
            demand("distinct", "club", ">=", 3),
            "distinct club >= 3",
            f"{WITH} there are at most 2 different values",
        ),
        (
            "C",
            demand("distinct", "club", "<=", 0.5),
            "distinct club <= 0.5",
            f"{WITH} there are at least 1 different values",
        ),
        (
            "AA",
            demand("max_same", "club", "", 0.5),
            "at most 0.5 of the same club",
            "the usable items that fit slots 'p' and 'q' have no club but 'x'",
        ),
        ("A", demand("max_same", "club", "", -1), "at most -1 of the same club", "nothing occurs less than 0 times"),
        ("A", demand("distinct", "club", "<=", 0.5), None, None),
    ],
)
def test_demands_out_of_reach(accepts: str, one: dict[str, Any], name: str | None, said: str | None) -> None:
    """A demand that no choice of items meets is named, with what would be possible."""
    due = None if name is None else f"the demand '{name}' cannot be met: {said}"
    assert reason([one], accepts) == due


def test_the_example_is_not_plainly_infeasible() -> None:
    """Its synergy needs a search."""
    assert Party(read(PUZZLE)).infeasible_reason() == (
        "the synergy cannot be at least 0.8: with the best match of every edge it would be 0.75"
    )
