"""Groups of similar individuals."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from matheur.methods.evolution import Population, grouped


def entropy(genomes: np.ndarray) -> float:
    """Shannon entropy of the genes of a group, summed over the places, by its definition."""
    total = 0.0
    for column in genomes.T:
        shares = np.unique(column, return_counts=True)[1] / len(column)
        total -= float((shares * np.log(shares)).sum())
    return total


def test_entropy_adds_the_individual_that_keeps_a_group_most_uniform() -> None:
    """Each member after the fittest is the one with which the group's entropy is least, judged by the definition."""
    rng = np.random.default_rng(3)
    people = Population(rng.integers(0, 3, (9, 5)).astype(np.int32), np.arange(9))
    (first, second) = grouped(people, [4, 5], "entropy")
    assert first[0] == 0
    expected, left = [0], list(range(1, 9))
    for _ in range(3):
        chosen = min(left, key=lambda one: (round(entropy(people.genomes[[*expected, one]]), 9), one))
        expected.append(chosen)
        left.remove(chosen)
    assert first.tolist() == sorted(expected)
    assert second.tolist() == left


def test_spectral_groups_cut_few_similarities() -> None:
    """Four noisy families in eight-gene genomes come back as the four groups, whatever their order."""
    rng = np.random.default_rng(1)
    families = np.repeat(np.arange(4), 5)
    genomes = np.tile((10 * families)[:, None], (1, 8)).astype(np.int32)
    noise = rng.random(genomes.shape) < 0.25
    genomes[noise] = rng.integers(100, 200, noise.sum())
    order = rng.permutation(20)
    groups = grouped(Population(genomes[order], np.arange(20)), [5, 5, 5, 5], "spectral")
    assert all(len(set(families[order][group].tolist())) == 1 for group in groups)
    assert 0 in groups[0]
    assert not any(set(one.tolist()) & set(two.tolist()) for one, two in combinations(groups, 2))
