"""Demands by name, and other thresholds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from problems.party.brute_force import tiny_instances

from matheur.errors import ConfigurationError
from matheur.problems.party import (
    ChemistryConstraint,
    Group,
    Instance,
    MinSameConstraint,
    Party,
    Scope,
    SquadRatingConstraint,
    SumConstraint,
    builtin,
)
from matheur.problems.party.designing.demands import demand_of, threshold_of


@pytest.mark.parametrize(
    ("text", "name", "harder"),
    [
        ("synergy", "synergy", 1),
        ("1", "sum of level >=", 1),
        ("level", "sum of level >=", 1),
        ("sum:level", "sum of level >=", 1),
        ("hometown", "distinct hometown >=", 1),
        ("max_same:religion", "most of the same religion", -1),
        ("4", "most of the same religion", -1),
    ],
)
def test_demands_are_found_by_name(text: str, name: str, harder: int) -> None:
    """By number, by column, by type and column."""
    found = demand_of(builtin("demo"), text)
    assert (found.name, found.harder) == (name, harder)


@pytest.mark.parametrize(
    ("text", "message"),
    [("religion", "by number: 2, 4"), ("lvl", "Maybe"), ("0", "no demand"), ("9", "no demand"), ("", "no demand")],
)
def test_unknown_and_ambiguous_names_are_refused(text: str, message: str) -> None:
    """The message says what there is."""
    with pytest.raises(ConfigurationError, match=message):
        demand_of(builtin("demo"), text)


def test_another_threshold_leaves_all_else_alone() -> None:
    """Only the value changes, and the given puzzle not at all."""
    problem = Party(builtin("demo"))
    harder = demand_of(problem.instance, "level").put(problem, Fraction(999))
    first = harder.instance.constraints[0]
    assert isinstance(first, SumConstraint)
    assert (first.column, first.op, first.value) == ("level", ">=", 999)
    assert harder.instance.constraints[1:] == problem.instance.constraints[1:]
    assert problem.instance.constraints[0] != first
    points = demand_of(problem.instance, "synergy").put(problem, Fraction(1, 2)).instance.points
    assert points is not None
    assert 2 * points.demand == points.unit
    with pytest.raises(ConfigurationError, match="between 0 and 1"):
        demand_of(problem.instance, "synergy").put(problem, Fraction(2))


def test_rules_have_names() -> None:
    """By their type and column; a chemistry by itself, as it has many columns."""
    rules = (
        MinSameConstraint("race", Fraction(3)),
        SquadRatingConstraint("level", ">=", Fraction(70)),
        ChemistryConstraint((Group("guild", (2, 4)),), ">=", Fraction(5), scope=Scope("A", (0, 1))),
    )
    one = replace(builtin("demo"), constraints=rules)
    names = {
        "min_same:race": "least of the same race",
        "level": "squad rating of level >=",
        "chemistry": "A: chemistry >=",
    }
    assert {text: demand_of(one, text).name for text in names} == names
    assert all(demand_of(one, text).harder == 1 for text in names)


@given(tiny_instances())
def test_every_demand_of_a_puzzle_has_a_number(instance: Instance) -> None:
    """Numbers count from 1, and the same threshold is the same puzzle."""
    problem = Party(instance)
    for number, constraint in enumerate(instance.constraints, start=1):
        demand = demand_of(instance, str(number))
        assert demand.put(problem, constraint.value).fingerprint == problem.fingerprint


def test_thresholds_are_exact() -> None:
    """Decimal numbers mean what is written."""
    assert threshold_of("0.8") == threshold_of(0.8) == Fraction(4, 5)
    assert threshold_of(" 1e2 ") == 100
    for wrong in ("x", "", "nan", "inf", None):
        with pytest.raises(ConfigurationError, match="not a number"):
            threshold_of(wrong)
