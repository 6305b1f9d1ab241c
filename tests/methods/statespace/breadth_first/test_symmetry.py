"""States up to the symmetries that fix the goal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.sokoban.naive_levels import Doubling

from matheur.methods.statespace.breadth_first import bfs, bidirectional, distance_distribution
from matheur.methods.statespace.breadth_first.symmetry import Quotient
from matheur.problems.cubical.domain import CubicalDomain


@given(d=st.integers(2, 5), rings=st.integers(1, 14), seed=st.integers(0, 10**6))
@settings(max_examples=30)
def test_representatives_are_the_smallest_images(d: int, rings: int, seed: int) -> None:
    """The representative is the smallest key of all images, the size is their number; keys of two words as well."""
    rings = min(rings, (1 << d) - 1)
    rng = np.random.default_rng(seed)
    goal, state = (rng.permutation(1 << d)[:rings].astype(np.uint8) for _ in range(2))
    domain = CubicalDomain(d, 1, goal.tolist(), goal.tolist())
    images = {tuple(key[::-1].tolist()) for key in domain.packing.pack(domain.automorphisms().images(state))}
    found, sizes = Quotient(domain).canonical(domain.packing.pack(state[None]))
    assert tuple(found[0][::-1].tolist()) == min(images)
    assert sizes.tolist() == [len(images)]


def test_all_images_of_a_state_have_one_representative() -> None:
    """The representative does not depend on the image it is computed from."""
    domain = CubicalDomain(4, 1, [13, 7, 5, 4, 1], [13, 7, 5, 4, 1])
    quotient = Quotient(domain)
    assert quotient.order == 24
    images = domain.packing.pack(domain.automorphisms().images(np.array([0, 3, 9, 15, 6], dtype=np.uint8)))
    found, _ = quotient.canonical(images)
    assert len(np.unique(images)) == 24
    assert len(np.unique(found)) == 1


@pytest.mark.parametrize("k", [1, 2])
def test_counts_do_not_change_under_the_quotient(k: int) -> None:
    """Classes times their sizes give the distribution, with fewer classes than states."""
    domain = CubicalDomain(3, k, [0, 1, 2, 4], [0, 1, 2, 4])
    plain, folded = distance_distribution(domain), distance_distribution(domain, quotient=True)
    assert folded.counts == plain.counts
    assert folded.complete
    assert folded.classes < plain.size / 3


@given(k=st.integers(1, 3), seed=st.integers(0, 10**6))
@settings(max_examples=25)
def test_plans_through_the_quotient_are_optimal(k: int, seed: int) -> None:
    """With symmetric goals both searches find valid plans of the same length, or prove the same impossibility."""
    rng = np.random.default_rng(seed)
    start = rng.permutation(16)[:4].tolist()
    domain = CubicalDomain(4, k, start, [0, 1, 2, 4])
    plain = bfs(domain)
    for search in (bfs, bidirectional):
        folded = search(domain, quotient=True)
        assert (folded.cost, folded.unreachable) == (plain.cost, plain.unreachable)
        if folded.plan is not None:
            assert domain.apply(domain.start, folded.plan)[-1].tolist() == [0, 1, 2, 4]
            assert folded.proved


def test_a_quotient_needs_symmetries_that_fix_its_source() -> None:
    """Domains without symmetries, and distances from a start that they move, are refused."""
    with pytest.raises(ValueError, match="no symmetries"):
        bfs(Doubling(50, 1, 30), quotient=True)
    domain = CubicalDomain(3, 1, [0, 5], [0, 1])
    with pytest.raises(ValueError, match="do not fix the start"):
        distance_distribution(domain, source="start", quotient=True)
