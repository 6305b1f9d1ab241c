"""Parents and survivors."""

from __future__ import annotations

import numpy as np
import pytest

from matheur.methods.evolution import Population, rank_selection, survivors, tournament_selection
from matheur.methods.evolution.selection import parent_pairs


def population(*rows: tuple[int, int]) -> Population:
    """Individuals of one gene: (gene, fitness)."""
    genomes = np.array([[gene] for gene, _ in rows], dtype=np.int32)
    return Population(genomes, np.array([fitness for _, fitness in rows], dtype=np.int64))


def test_ranks_follow_tate_and_smith() -> None:
    """Rank r of m comes with probability (sqrt(r + 1) - sqrt(r)) / (sqrt(m) - 1), counted from 1."""
    size = 9
    drawn = rank_selection(200_000, size, np.random.default_rng(1))
    ranks = np.arange(1, size + 1)
    expected = (np.sqrt(np.minimum(ranks + 1, size)) - np.sqrt(ranks)) / (np.sqrt(size) - 1)
    assert np.bincount(drawn, minlength=size) / len(drawn) == pytest.approx(expected, abs=0.005)
    assert (rank_selection(100, 1, np.random.default_rng(1)) == 0).all()


def test_a_pair_has_two_parents_if_there_are_two() -> None:
    """Parents of a child differ, but for a population of one."""
    for size in (2, 3, 10):
        first, second = parent_pairs(500, size, np.random.default_rng(1))
        assert (first != second).all()
        assert max(first.max(), second.max()) < size
    first, second = parent_pairs(5, 1, np.random.default_rng(1))
    assert (first == second).all()


def test_the_best_of_a_tournament_wins() -> None:
    """With two in a tournament, rank r of m (from 0) wins with probability (2 (m - r) - 1) / m^2."""
    fitness = np.array([30, 10, 40, 20])
    won = tournament_selection(200_000, fitness, 2, np.random.default_rng(1))
    assert np.bincount(won) / len(won) == pytest.approx([3 / 16, 7 / 16, 1 / 16, 5 / 16], abs=0.005)
    alone = tournament_selection(200_000, fitness, 1, np.random.default_rng(1))
    assert np.bincount(alone) / len(alone) == pytest.approx(np.full(4, 0.25), abs=0.005)


def test_the_fittest_survive() -> None:
    """Survivors are the best of both generations; of equally fit ones the children come first."""
    alive = survivors(population((1, 5), (2, 7)), population((3, 5), (4, 9)), 3, distinct=False)
    assert alive.genomes.ravel().tolist() == [3, 1, 2]


def test_equal_genomes_survive_only_in_need() -> None:
    """With `distinct`, a second copy is taken only where different genomes do not suffice."""
    old, young = population((1, 5), (1, 5), (2, 7)), population((1, 5))
    assert survivors(old, young, 2, distinct=True).genomes.ravel().tolist() == [1, 2]
    assert survivors(old, young, 2, distinct=False).genomes.ravel().tolist() == [1, 1]
    assert survivors(old, young, 3, distinct=True).genomes.ravel().tolist() == [1, 1, 2]
