"""Maxima, minima and sums of heuristics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from contracts.domains import slides
from methods.statespace.heuristics.spaces import Blocked, check_bound, dijkstra

from matheur.methods.statespace.heuristics import (
    INFINITE,
    Heuristic,
    maximum,
    minimum,
    pattern_databases,
    table_sum,
    total,
    zero,
)
from matheur.methods.statespace.heuristics.patterns import walk_states
from matheur.methods.statespace.packing import Packing
from matheur.problems.cubical.domain import CubicalDomain

DOMAIN = CubicalDomain(3, 1, [6, 1, 4, 5], [4, 1, 5, 6])
WIDE = CubicalDomain(6, 2, list(range(0, 36, 3)), list(range(1, 37, 3)))


def batched(heuristic: Heuristic) -> Heuristic:
    """The same without a compiled form."""
    return replace(heuristic, estimator=None, batch=heuristic.estimate)


@pytest.mark.parametrize("domain", [DOMAIN, WIDE], ids=lambda one: one.name)
@pytest.mark.parametrize("count", [1, 63, 64, 65, 200])
def test_values_are_maximum_minimum_and_sum_of_the_parts(domain: CubicalDomain, count: int) -> None:
    """Compiled and in batches, one word or two, in any number of states."""
    keys = walk_states(domain, count, np.random.default_rng(1))
    patterns = [[(0, 1)], [(2, 3)], [(1, 2)]]
    parts = [domain.hamming(), zero(), *(pattern_databases(domain, one, symmetric=False) for one in patterns)]
    values = np.array([one.estimate(keys) for one in parts])
    for heuristics in (parts, [*parts[:2], batched(parts[2]), *parts[3:]]):
        largest, together = maximum(domain.packing, heuristics), total(domain.packing, heuristics)
        assert (largest.estimator is None) == (heuristics is not parts)
        assert (largest.estimate(keys) == values.max(axis=0)).all()
        assert (minimum(domain.packing, heuristics[2:]).estimate(keys) == values[2:].min(axis=0)).all()
        assert (together.estimate(keys) == values.sum(axis=0)).all()
        assert largest.estimate(keys).dtype == together.estimate(keys).dtype == np.int32
        assert largest.memory == sum(one.memory for one in parts)


def test_combinations_of_combinations() -> None:
    """A combination is a heuristic like any other."""
    keys = walk_states(DOMAIN, 100, np.random.default_rng(1))
    hamming, pattern = DOMAIN.hamming(), pattern_databases(DOMAIN)
    nested = total(DOMAIN.packing, [maximum(DOMAIN.packing, [hamming, pattern]), maximum(DOMAIN.packing, [hamming])])
    assert nested.estimator is not None
    assert (
        nested.estimate(keys) == np.maximum(hamming.estimate(keys), pattern.estimate(keys)) + hamming.estimate(keys)
    ).all()


def test_parts_stay_alive() -> None:
    """The tables that the addresses point to live as long as the combination."""
    import gc

    keys = walk_states(DOMAIN, 100, np.random.default_rng(1))
    expected = pattern_databases(DOMAIN).estimate(keys)
    combined = maximum(DOMAIN.packing, [pattern_databases(DOMAIN), pattern_databases(DOMAIN, bits=6)])
    gc.collect()
    rubbish = [np.full(1 << 12, 77, dtype=np.uint8) for _ in range(50)]
    assert (combined.estimate(keys) == expected).all()
    assert len(rubbish) == 50


def test_what_is_claimed() -> None:
    """A maximum claims what all parts do; a sum claims nothing unless it is declared to count no cost twice.

    A minimum is a lower bound if one part is.
    """
    packing, table = Packing((2,)), np.zeros(4, dtype=np.uint8)
    parts = [
        table_sum("both", packing, [([0], table)]),
        table_sum("admissible", packing, [([0], table)], consistent=False),
        table_sum("neither", packing, [([0], table)], admissible=False, consistent=False),
    ]

    def claims(heuristic: Heuristic) -> tuple[bool, bool]:
        return heuristic.admissible, heuristic.consistent

    assert [claims(maximum(packing, [parts[0], one])) for one in parts] == [(True, True), (True, False), (False, False)]
    assert [claims(minimum(packing, [parts[0], one])) for one in parts] == [(True, True), (True, False), (True, False)]
    assert claims(minimum(packing, [parts[2], parts[2]])) == (False, False)
    assert [claims(total(packing, [parts[0], one])) for one in parts] == [(False, False)] * 3
    assert claims(total(packing, [parts[0]])) == (True, True)
    for one, expected in zip(parts, [(True, True), (True, False), (False, False)], strict=True):
        assert claims(total(packing, [parts[0], one], disjoint=True)) == expected
    with pytest.raises(ValueError, match="nothing to combine"):
        maximum(packing, [])


def test_combinations_are_consistent_lower_bounds() -> None:
    """Checked on every state and edge: a maximum, and a sum of disjoint pattern databases."""
    successors = slides(3, 1)

    def neighbours(state):  # type: ignore[no-untyped-def]
        return [(other, cost) for other, _, cost in successors(state)]

    distances = dijkstra(neighbours, [tuple(DOMAIN.goal.tolist())])
    halves = [pattern_databases(DOMAIN, [pattern], symmetric=False) for pattern in ((0, 3), (1, 2))]
    for heuristic in (
        maximum(DOMAIN.packing, [DOMAIN.hamming(), *halves, zero()]),
        total(DOMAIN.packing, halves, disjoint=True),
    ):
        assert heuristic.consistent
        check_bound(DOMAIN.packing, heuristic, neighbours, distances)
    twice = total(DOMAIN.packing, [DOMAIN.hamming(), halves[0]])
    assert not twice.admissible
    states = sorted(distances)
    assert (twice.estimate(DOMAIN.packing.pack(states)) > [distances[state] for state in states]).any()


@pytest.mark.parametrize("compiled", [True, False])
def test_a_dead_end_of_a_part_is_a_dead_end(compiled: bool) -> None:
    """The sum of infinite estimates is not more than infinite, and nothing overflows."""
    domain = Blocked([0, 5], [2, 7])
    parts = [pattern_databases(domain, [[0]]), pattern_databases(domain, [[1]])]
    if not compiled:
        parts[0] = batched(parts[0])
    keys = domain.packing.pack([[0, 5], [5, 5], [0, 0], [5, 0]])
    assert total(domain.packing, parts).estimate(keys).tolist() == [4, INFINITE, INFINITE, INFINITE]
    assert total(domain.packing, parts * 3).estimate(keys).tolist() == [12, INFINITE, INFINITE, INFINITE]
    assert maximum(domain.packing, parts).estimate(keys).tolist() == [2, INFINITE, INFINITE, INFINITE]
