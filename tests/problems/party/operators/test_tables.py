"""The arrays that the kernels read."""

from __future__ import annotations

import gc
from fractions import Fraction
from weakref import ref

import numpy as np
import pytest
from hypothesis import given, settings
from problems.party.brute_force import tiny_instance, tiny_instances

from matheur.problems.party import (
    Catalogue,
    CountConstraint,
    DistinctConstraint,
    Instance,
    MaxSameConstraint,
    Measure,
    Party,
    SumConstraint,
    Trait,
)
from matheur.problems.party.operators.tables import UNBOUNDED, Tables


def _instance(*constraints: object, prices: tuple[int, ...] = (5, 3, 9)) -> Instance:
    """Three items for two slots."""
    return Instance(
        Catalogue(
            ("a", "b", "c"),
            np.array(prices, dtype=np.int64),
            {"club": Trait(("x", "y"), np.array([0, 1, -1], dtype=np.int32))},
            {"level": Measure(np.array([15, 20, 35], dtype=np.int64), np.zeros(3, dtype=bool), 10)},
        ),
        ("S0", "S1"),
        np.ones((2, 3), dtype=bool),
        np.array([[0, 1]], dtype=np.int32),
        constraints=constraints,  # type: ignore[arg-type]
    )


@settings(max_examples=100)
@given(tiny_instances())
def test_candidates_are_those_of_the_instance_by_price(instance: Instance) -> None:
    """Each slot finds its items in the part of its kind, cheapest first, and each item its place there."""
    tables = Tables.of(instance)
    for slot, expected in enumerate(instance.candidates):
        kind = tables.kinds[slot]
        mine = tables.candidates[tables.starts[kind] : tables.starts[kind + 1]]
        assert sorted(tables.items[mine].tolist()) == expected.tolist()
        assert (np.diff(tables.prices[mine]) >= 0).all()
        assert (tables.candidates[tables.places[kind, mine]] == mine).all()
        assert (tables.places[kind] >= 0).sum() == len(mine)


@settings(max_examples=100)
@given(tiny_instances())
def test_lists_by_value_partition_the_candidates(instance: Instance) -> None:
    """For every kind, term and value the list has exactly the candidates with that value, cheapest first."""
    tables = Tables.of(instance)
    for kind, term, value in np.ndindex(*tables.value_starts[:, :, :-1].shape):
        low, high = tables.value_starts[kind, term, value : value + 2]
        listed = tables.candidates[tables.by_value[term, low:high]]
        mine = tables.candidates[tables.starts[kind] : tables.starts[kind + 1]]
        assert listed.tolist() == mine[tables.codes[mine, term] == value].tolist()


def test_ranges_are_exact_in_whole_numbers() -> None:
    """Bounds are scaled and rounded towards the demand, constraints of the same left-hand side merged."""
    tables = Tables.of(
        _instance(
            SumConstraint("level", ">=", Fraction(341, 100)),
            SumConstraint("level", "<=", Fraction(559, 100)),
            CountConstraint("club", ("x", "absent"), "==", Fraction(1)),
            DistinctConstraint("club", ">=", Fraction(3, 2)),
            MaxSameConstraint("club", Fraction(5, 2)),
            MaxSameConstraint("club", Fraction(1)),
        )
    )
    assert tables.low.tolist() == [35, 1]
    assert tables.high.tolist() == [55, 1]
    assert tables.amounts.tolist() == [[15, 1], [20, 0], [35, 0]]
    assert (tables.distinct_low.tolist(), tables.distinct_high.tolist()) == ([2], [UNBOUNDED])
    assert tables.same_high.tolist() == [1]
    assert not tables.impossible


@pytest.mark.parametrize(
    "constraint",
    [
        SumConstraint("level", "==", Fraction(1, 100)),
        CountConstraint("club", ("x",), "==", Fraction(1, 2)),
        MaxSameConstraint("club", Fraction(-1)),
    ],
)
def test_a_demand_that_no_number_meets_is_seen(constraint: object) -> None:
    """An exact value between two reachable numbers leaves an empty range."""
    assert Tables.of(_instance(constraint)).impossible


def test_tables_are_made_once_and_die_with_their_instance() -> None:
    """The same instance has the same tables; nothing keeps an instance alive."""
    instance = tiny_instance(1)
    tables = Tables.of(instance)
    assert Tables.of(instance) is tables
    assert Tables.of(tiny_instance(1)) is not tables
    gone = ref(tables)
    del instance, tables
    gc.collect()
    assert gone() is None


def test_numbers_that_are_too_large_are_refused() -> None:
    """Prices that would not be exact as floating-point numbers are an error."""
    with pytest.raises(OverflowError, match="too many digits"):
        Tables.of(_instance(prices=(1 << 60, 1, 1)))


def test_parties_survive_the_renumbering() -> None:
    """Catalogue numbers, local numbers and places name the same items; what does not fit is told apart."""
    problem = Party(tiny_instance(6))
    tables = Tables.of(problem.instance)
    party = np.array([items[-1] for items in problem.instance.candidates], dtype=np.int32)
    assert np.array_equal(tables.to_items(tables.to_local(party)), party)
    assert np.array_equal(tables.from_places(tables.to_places(party)), party)
    assert tables.price(party) == problem.evaluate(party).objective
    nowhere = int(np.flatnonzero(tables.local < 0)[0]) if (tables.local < 0).any() else None
    if nowhere is not None:
        assert tables.to_local(np.array([nowhere, -1], dtype=np.int32)).tolist() == [-2, -1]
    assert (tables.to_places(np.full_like(party, -1)) == -1).all()
