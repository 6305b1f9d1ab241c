"""Fronts of price and synergy, or of price and a sum."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from problems.party.brute_force import all_parties, tiny_instance

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.problems.party import Party, Scope, SumConstraint
from matheur.problems.party.designing.front import front
from matheur.problems.party.operators.front import demanding, price_front
from matheur.problems.party.operators.species import Healing
from matheur.running.solving import solve


def expected(problem: Party, against: str) -> list[tuple[int, Fraction]]:
    """The front from all parties of the puzzle without its demand on the second objective."""
    one = problem.instance
    if against == "synergy":
        assert one.synergy is not None
        open_ = Party(replace(one, synergy=replace(one.synergy, minimum=None)))
    else:
        rows = (SumConstraint(against, ">=", Fraction(-1000)), *one.constraints)
        open_ = Party(
            replace(
                one,
                constraints=tuple(
                    row
                    for row in rows
                    if not isinstance(row, SumConstraint) or row.column != against or row.op == "<=" or row is rows[0]
                ),
            )
        )
    points = set()
    for party in all_parties(open_):
        measure = one.catalogue.measures.get(against)
        worth: Any = (
            open_.synergy(party) if measure is None else sum((measure.number(int(i)) for i in party), Fraction(0))
        )
        points.add((int(open_.evaluate(party).objective), worth))
    return sorted((a, b) for a, b in points if not any((c <= a and d >= b) and (c, d) != (a, b) for c, d in points))


@pytest.mark.parametrize("against", ["synergy", "rating"])
def test_tiny_fronts_are_complete(against: str) -> None:
    """The front of all parties is found, and its parties are worth what is said."""
    found = 0
    for seed in range(40):
        instance = tiny_instance(seed, slots=4, items=7)
        if instance.synergy is None or instance.points is None:
            continue
        wanted = expected(Party(instance), against)
        if len(wanted) < 3:
            continue
        front = price_front(Party(instance), Budget(work=20_000), np.random.default_rng(1), against, healing=Healing())
        assert list(zip(front.prices.tolist(), front.values, strict=True)) == wanted
        found += 1
        if found == 2:
            return
    pytest.fail("no puzzle with a front")


def test_a_share_that_was_too_little_is_not_the_end() -> None:
    """Where the first search has found nothing, a longer one follows as long as anything is left."""
    assert solve("party/demo", work=1).status == "unknown"  # the share of the first search
    assert front("party/demo", ["price", "synergy"], method="constraint", points=4, work=5).points


def test_fronts_are_reproducible() -> None:
    """The same seed and work give the same front."""
    problem = Party(tiny_instance(3, slots=4, items=9))
    one, two = (price_front(problem, Budget(work=300), np.random.default_rng(4), "speed") for _ in range(2))
    assert one.prices.tolist() == two.prices.tolist()
    assert (one.parties == two.parties).all()


def test_wrong_wishes_are_refused() -> None:
    """A column that is not there, a puzzle without synergy, and a search without end are errors."""
    instance = tiny_instance(3, slots=4, items=9)
    rng = np.random.default_rng(1)
    with pytest.raises(ConfigurationError, match=r"'ratings'\. Maybe 'rating'"):
        price_front(Party(instance), Budget(work=9), rng, "ratings")
    with pytest.raises(ConfigurationError, match="no synergy"):
        price_front(Party(replace(instance, synergy=None)), Budget(work=9), rng)
    with pytest.raises(ConfigurationError, match="limit"):
        price_front(Party(instance), Budget(), rng)


def test_demands_on_some_slots_hold() -> None:
    """The sum over all slots is an objective; a sum over some, such as those of a squad, is a demand or is refused."""
    one = tiny_instance(3, slots=4, items=9)
    own = SumConstraint("speed", ">=", Fraction(7), Scope("A", (0, 1)))
    problem = Party(replace(one, constraints=(SumConstraint("speed", ">=", Fraction(20)), own)))
    kept = demanding(problem.instance, "speed", None).constraints
    assert own in kept
    assert Fraction(20) not in [demand.value for demand in kept]
    with pytest.raises(ConfigurationError, match="slots"):
        price_front(problem, Budget(work=9), np.random.default_rng(1), "speed")
