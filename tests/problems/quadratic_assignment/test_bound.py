"""The bound of Gilmore and Lawler."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.quadratic_assignment.strategies import instances

from matheur.problems.quadratic_assignment import Instance, QuadraticAssignment, bound, generate
from matheur.problems.quadratic_assignment.bound import assignment_bound, gilmore_lawler, pair_costs


def optimum(instance: Instance) -> int:
    """The least objective of all permutations."""
    places = np.array(list(permutations(range(instance.n))))
    return int((instance.flows * instance.distances[places[:, :, None], places[:, None, :]]).sum(axis=(1, 2)).min())


@given(instances(6))
def test_the_bound_never_exceeds_the_optimum(instance: Instance) -> None:
    """Whatever the symmetry and the signs, and it is a multiple of the grain."""
    bound = gilmore_lawler(instance)
    assert bound <= optimum(instance)
    assert bound % instance.grain == 0
    assert QuadraticAssignment(instance).trivial_bound == bound


@settings(max_examples=60)
@given(instances(5))
def test_pair_costs_are_minimal_scalar_products(instance: Instance) -> None:
    """They are what the best order of the other locations would give."""
    costs = pair_costs(instance.flows, instance.distances)
    for i in range(instance.n):
        for k in range(instance.n):
            flows, distances = np.delete(instance.flows[i], i), np.delete(instance.distances[k], k)
            orders = permutations(distances.tolist())
            assert costs[i, k] == min(
                sum(a * b for a, b in zip(flows.tolist(), order, strict=True)) for order in orders
            )


@pytest.mark.parametrize(("name", "known"), [("grid", 366), ("tree", 10574), ("planted", 2800)])
def test_known_bounds(name: str, known: int) -> None:
    """The bound is there for larger instances, and on small ones it is what it was."""
    assert gilmore_lawler(generate(name, 80, seed=1)[0]) > 0
    assert gilmore_lawler(generate(name, 12, seed=1)[0]) == known


@settings(max_examples=60)
@given(st.integers(1, 5), st.integers(0, 61), st.integers(0, 10**6))
def test_assignments_of_any_magnitude_are_bounded(n: int, bits: int, seed: int) -> None:
    """Exact where floating point is, never too high beyond, and never far off."""
    costs = np.random.default_rng(seed).integers(-(1 << bits), 1 << bits, size=(n, n))
    exact = min(sum(int(costs[i, k]) for i, k in enumerate(order)) for order in permutations(range(n)))
    bound = assignment_bound(costs)
    assert bound <= exact
    assert exact - bound <= (0 if bits < 46 else n << (bits - 46))


def test_large_numbers_do_not_overflow() -> None:
    """The bound of an instance near the limit of 64 bits is still a bound."""
    rng = np.random.default_rng(3)
    for signs in (1, -1):
        flows, distances = rng.integers(0, 1 << 28, size=(2, 5, 5))
        instance = Instance(flows, signs * distances)
        assert gilmore_lawler(instance) <= optimum(instance)
        assert gilmore_lawler(instance) >= optimum(instance) - abs(optimum(instance)) // 4


@given(instances(largest=5))
@settings(max_examples=30)
def test_the_quick_bound_of_large_instances_is_one(instance: Instance) -> None:
    """Where rows or columns stand for the assignment, it is never more than the bound or an optimum."""
    exact = gilmore_lawler(instance)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bound, "_ASSIGNED_MAX", 0)
        assert gilmore_lawler(instance) <= min(exact, optimum(instance))
