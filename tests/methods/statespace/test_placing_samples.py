"""Assignments that networks learn from."""

from __future__ import annotations

import numpy as np
import pytest
from methods.statespace.test_placing import Tour

from matheur.errors import ConfigurationError
from matheur.methods.statespace import heuristic_by_name
from matheur.methods.statespace.best_first.batch_astar import batch_astar
from matheur.methods.statespace.domain import SampledDomain, TaughtDomain
from matheur.methods.statespace.placing import Extensions, PlacingDomain


def test_states_come_with_the_cost_of_a_way_to_the_end() -> None:
    """Full assignments first at cost 0; every state's next value leads to a state with less by its cost."""
    domain = PlacingDomain(Tour(6))
    assert isinstance(domain, SampledDomain)
    assert not isinstance(domain, TaughtDomain)
    keys, left, moves = domain.walks_back(10, 6, np.random.default_rng(1))
    assert len(keys) == len(left) == len(moves) == 70
    assert domain.is_goal(keys[:10]).all()
    assert (left[:10] == 0).all()
    assert (moves[:10] == -1).all()
    assert (domain.rows(keys[-10:])[1] == 0).all()
    for number in range(10, 70):
        found = domain.expand(keys[number : number + 1])
        chosen = found.moves == moves[number]
        assert (found.keys[chosen] == keys[number - 10]).all()
        assert left[number] == left[number - 10] + found.costs[chosen][0]
    short, _, _ = domain.walks_back(10, 2, np.random.default_rng(1))
    assert set(domain.rows(short)[1].tolist()) == {4, 5, 6}


def test_known_states_have_exact_costs() -> None:
    """They are those of the cheapest completion, and the same every time."""
    domain = PlacingDomain(Tour(7))
    keys, costs = domain.known(12)
    assert len(keys) == len(costs) == 12
    again, _ = domain.known(12)
    assert (keys == again).all()
    for key, cost in zip(keys, costs.tolist(), strict=True):
        rest = domain.between(domain.packing.unpack(key[None])[0], domain.goal)
        answer = batch_astar(rest, heuristic_by_name(domain, "zero"), until="proved")
        assert answer.proved
        assert answer.cost == cost


def test_dead_ends_everywhere_are_an_error() -> None:
    """Where no assignment can be completed there is nothing to learn from."""

    class Stuck(Tour):
        def extensions(self, rows: np.ndarray) -> Extensions:
            parents, values, costs = super().extensions(rows)
            kept = slice(None, 0 if rows.shape[1] == 2 else None)
            return parents[kept], values[kept], costs[kept]

    with pytest.raises(ConfigurationError, match="no complete assignment of 'tour'"):
        PlacingDomain(Stuck(4)).walks_back(3, 4, np.random.default_rng(0))
