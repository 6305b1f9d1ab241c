"""Parties away from others by MILP, against all parties of tiny puzzles."""

from __future__ import annotations

import numpy as np
import pytest
from problems.party.brute_force import all_parties, tiny_instance

from matheur.engine import Budget
from matheur.errors import SolverError
from matheur.methods.milp import SolverOptions
from matheur.problems.party import Party
from matheur.problems.party.designing.exclusion import PartyExclusion
from matheur.running.diversity.differences import Differences
from matheur.solvers import get_backend


@pytest.mark.parametrize(
    ("seed", "solver", "by_slot"),
    [(7, "highs", False), (12, "highs", False), (12, "highs", True), (7, "cp-sat", False)],
)
def test_parties_are_found_as_long_as_there_are_any(seed: int, solver: str, by_slot: bool) -> None:
    """Each is new and near enough; when the solver says that there is none, there is none."""
    try:
        get_backend(solver)
    except SolverError as error:
        pytest.skip(str(error))
    problem = Party(tiny_instance(seed))
    everything = list(all_parties(problem))
    if not everything:
        return
    slots = len(problem.instance.slots)
    differences = Differences(slots, by_slot)
    prices = sorted(int(problem.evaluate(party).objective) for party in everything)
    cap = prices[len(prices) // 3]
    asked = PartyExclusion(problem, SolverOptions(solver), differences)
    rng, chosen = np.random.default_rng(0), []
    for _ in range(30):
        answer = asked.search(chosen, 2, cap, Budget(), rng)
        if answer.party is None:
            break
        assert answer.price == problem.evaluate(answer.party).objective
        assert answer.price <= cap
        chosen.append(answer.party)
    else:
        pytest.fail("there cannot be so many")
    assert answer.none
    assert chosen
    for party in everything:
        near = differences.between(np.stack(chosen), party).min() < 2
        assert near or problem.evaluate(party).objective > cap


def test_no_party_costs_less_than_the_cheapest() -> None:
    """Then no MILP is needed."""
    problem = Party(tiny_instance(6))
    best = min(int(problem.evaluate(party).objective) for party in all_parties(problem))
    asked = PartyExclusion(problem, SolverOptions(), Differences(len(problem.instance.slots), False))
    assert asked.search([], 1, best - 1, Budget(), np.random.default_rng(0)).none
    assert asked.search([], 1, best, Budget(), np.random.default_rng(0)).price == best
