"""Exchange between islands."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.errors import ConfigurationError
from matheur.methods.evolution import Migration, Population, migrate, redeal
from matheur.methods.evolution.population import pooled

sizes = st.lists(st.integers(0, 8), min_size=2, max_size=5).filter(lambda counts: sum(counts) > 0)


def archipelago(counts: list[int], seed: int) -> list[Population]:
    """Islands of random individuals with the given numbers of inhabitants."""
    rng = np.random.default_rng(seed)
    return [Population(rng.integers(0, 5, (count, 4)).astype(np.int32), rng.integers(0, 50, count)) for count in counts]


def everyone(islands: list[Population]) -> Counter[tuple[Any, ...]]:
    """All individuals with their fitness, counted."""
    people = pooled(islands)
    return Counter(
        (*genome, value) for genome, value in zip(people.genomes.tolist(), people.fitness.tolist(), strict=True)
    )


@given(sizes, st.integers(0, 1000), st.sampled_from(["fitness", "hamming", "entropy", "spectral"]))
def test_redealing_loses_nobody(counts: list[int], seed: int, similarity: Any) -> None:
    """The individuals are the same before and after, in groups that differ by one at most."""
    before = archipelago(counts, seed)
    after = redeal(before, similarity)
    assert everyone(after) == everyone(before)
    assert max(map(len, after)) - min(map(len, after)) <= 1
    assert len(after) == len(before)


@given(sizes, st.integers(0, 1000))
def test_redealt_islands_are_intervals_of_fitness(counts: list[int], seed: int) -> None:
    """Nobody on an island is fitter than anybody on the island before it."""
    after = [island for island in redeal(archipelago(counts, seed)) if len(island)]
    assert all(one.fitness.max() <= two.fitness.min() for one, two in pairwise(after))


@pytest.mark.parametrize("similarity", ["hamming", "entropy", "spectral"])
def test_redealing_by_genomes_groups_equals(similarity: Any) -> None:
    """Two clouds of genomes that are mixed on both islands end up on an island each."""
    near, far = np.tile([0, 0, 0, 0], (3, 1)), np.tile([9, 9, 9, 9], (3, 1))
    mixed = Population(np.concatenate([near, far]).astype(np.int32)[[0, 3, 1, 4, 2, 5]], np.arange(6))
    one, two = redeal([mixed.take(slice(3)), mixed.take(slice(3, None))], similarity)
    assert (one.genomes == 0).all()
    assert (two.genomes == 9).all()


@given(
    sizes,
    st.integers(0, 1000),
    st.sampled_from(["ring", "full"]),
    st.sampled_from(["best", "random", "rank"]),
    st.sampled_from(["worst", "random", "similar"]),
    st.floats(0.01, 1.0),
)
def test_migration_keeps_sizes_and_the_fittest(
    counts: list[int], seed: int, topology: Any, select: Any, replace: Any, rate: float
) -> None:
    """No island grows, shrinks or loses its best fitness, and nobody appears from nowhere."""
    before = archipelago(counts, seed)
    migration = Migration(topology=topology, select=select, replace=replace, rate=rate)
    after = migrate(before, migration, np.random.default_rng(seed))
    assert list(map(len, after)) == counts
    assert all(two.fitness.min() <= one.fitness.min() for one, two in zip(before, after, strict=True) if len(one))
    assert set(everyone(after)) <= set(everyone(before))


def test_a_ring_passes_the_best_on() -> None:
    """With one migrant that replaces the worst, each island has the best of the one before it."""
    islands = [
        Population(np.full((3, 2), number, dtype=np.int32), np.array([number, 10, 20]) + number) for number in range(3)
    ]
    after = migrate(islands, Migration(topology="ring", rate=0.1), np.random.default_rng(1))
    for number in range(3):
        assert islands[number - 1].fitness[0] in after[number].fitness
        assert 20 + number not in after[number].fitness


def test_without_a_topology_nobody_travels() -> None:
    """`none`, and an archipelago of one island, stay as they are."""
    islands = archipelago([4, 4], 1)
    assert migrate(islands, Migration(topology="none"), np.random.default_rng(1)) == islands
    assert migrate(islands[:1], Migration(), np.random.default_rng(1)) == islands[:1]
    with pytest.raises(ConfigurationError, match=r"rate.*\(0\)"):
        Migration(rate=0)
