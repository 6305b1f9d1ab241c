"""Populations and their diversity."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.methods.evolution.population import (
    Population,
    coefficient_of_variation,
    distinct_count,
    first_occurrences,
    hamming_diversity,
    pooled,
)

genomes = st.integers(1, 5).flatmap(
    lambda genes: st.lists(st.lists(st.integers(0, 3), min_size=genes, max_size=genes), min_size=1, max_size=9)
)


@given(genomes)
def test_hamming_diversity_is_the_mean_over_pairs(rows: list[list[int]]) -> None:
    """Counting values gene by gene gives what looking at all pairs gives."""
    pairs = [np.mean(np.array(one) != np.array(two)) for one, two in combinations(rows, 2)]
    expected = float(np.mean(pairs)) if pairs else 0.0
    assert hamming_diversity(np.array(rows, dtype=np.int32)) == pytest.approx(expected)


@given(genomes)
def test_distinct_genomes_are_counted_once(rows: list[list[int]]) -> None:
    """The first occurrences are one of each genome, and nothing of it stands before them."""
    first = first_occurrences(np.array(rows, dtype=np.int32))
    assert distinct_count(np.array(rows, dtype=np.int32)) == len({tuple(row) for row in rows}) == first.sum()
    assert [row not in rows[:number] for number, row in enumerate(rows)] == first.tolist()


def test_coefficient_of_variation_is_relative() -> None:
    """It is the standard deviation over the mean, and 0 where that means nothing."""
    fitness = np.array([2, 4, 6], dtype=np.int64)
    assert coefficient_of_variation(fitness) == pytest.approx(np.std([2, 4, 6]) / 4)
    assert coefficient_of_variation(1000 * fitness) == pytest.approx(coefficient_of_variation(fitness))
    assert coefficient_of_variation(fitness[:1]) == coefficient_of_variation(fitness[:0]) == 0.0
    assert coefficient_of_variation(np.array([-1, 1])) == 0.0


def test_ranking_is_stable() -> None:
    """The fittest come first; equally fit ones keep their order; pooling keeps everybody."""
    one = Population(np.array([[1], [2], [3]], dtype=np.int32), np.array([5, 3, 5]))
    two = Population(np.array([[4]], dtype=np.int32), np.array([3]))
    both = pooled([one, two])
    assert len(both) == 4
    assert both.ranked().genomes.ravel().tolist() == [2, 4, 1, 3]
    assert both.genomes[both.best].tolist() == [2]
    assert len(Population.empty(3)) == 0
