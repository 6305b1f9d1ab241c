"""Parties near a party, and parties away from others."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from problems.party.brute_force import all_parties, tiny_instance, tiny_instances

from matheur.engine import Budget
from matheur.problems.party import Instance, Party, builtin
from matheur.problems.party.designing.demands import demand_of
from matheur.problems.party.designing.variants import away_from, feasible_rows, replacements


@given(tiny_instances())
def test_feasible_rows_are_those_that_the_problem_accepts(instance: Instance) -> None:
    """Random fillings of different items are judged as exact arithmetic does it, one by one."""
    problem, rng = Party(instance), np.random.default_rng(1)
    if any(not len(items) for items in instance.candidates):
        return
    rows = np.array([[rng.choice(items) for items in instance.candidates] for _ in range(30)], dtype=np.int32)
    rows = rows[[len(set(row)) == len(row) for row in rows.tolist()]]
    good = feasible_rows(instance, rows)
    assert good.tolist() == [problem.evaluate(row).feasible for row in rows]


@pytest.mark.parametrize("seed", [1, 6, 7, 12, 14])
def test_replacements_are_all_parties_that_differ_in_one_slot(seed: int) -> None:
    """Nothing is missing, nothing is too dear."""
    problem = Party(tiny_instance(seed))
    parties = list(all_parties(problem))
    if not parties:
        return
    prices = [int(problem.evaluate(party).objective) for party in parties]
    cap = sorted(prices)[len(prices) // 2]
    found, _ = replacements(problem, parties[0], cap)
    near = [p for p, price in zip(parties, prices, strict=True) if price <= cap and (p != parties[0]).sum() == 1]
    assert sorted(found.tolist()) == sorted(party.tolist() for party in near)


def test_annealing_away_keeps_the_distance() -> None:
    """What is found differs from each of the chosen parties in as many items as asked for, and is feasible."""
    problem = demand_of(builtin("demo"), "synergy").put(Party(builtin("demo")), Fraction(1, 2))
    rng = np.random.default_rng(0)
    chosen: list[np.ndarray] = []
    for _ in range(3):
        found = away_from(problem, chosen, 4, Budget(work=50_000), rng)
        assert found is not None
        party, price = found
        evaluation = problem.evaluate(party)
        assert evaluation.feasible
        assert evaluation.objective == price
        assert all(len(set(party.tolist()) & set(other.tolist())) <= 2 for other in chosen)
        chosen.append(party)


def test_nothing_is_far_from_fixed_items() -> None:
    """Where too many items are fixed, no party is far enough."""
    one = builtin("demo")
    party, _ = away_from(Party(one), [], 1, Budget(work=20_000), np.random.default_rng(0)) or (None, 0)
    assert party is not None
    fixed = Instance(
        one.catalogue, one.slots, one.fits, one.edges, one.synergy, one.constraints, {0: int(party[0])}, one.excluded
    )
    assert away_from(Party(fixed), [party], 6, Budget(work=1000), np.random.default_rng(0)) is None
