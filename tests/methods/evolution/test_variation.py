"""Crossover and mutation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.methods.evolution import EMPTY, drop_genes, uniform_crossover


def parents(seed: int, count: int, genes: int, alphabet: int) -> np.ndarray:
    """Genomes of different letters."""
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(alphabet)[:genes] for _ in range(count)], dtype=np.int32).reshape(count, genes)


@given(st.integers(0, 2**32), st.integers(1, 8), st.integers(0, 4), st.floats(0, 1))
def test_a_child_repeats_nothing_and_inherits_everything(seed: int, genes: int, more: int, rate: float) -> None:
    """Each gene is one parent's gene of that place; none occurs twice; a gap is left only if both are used already."""
    one, two = (parents(seed + number, 20, genes, genes + more) for number in range(2))
    children = uniform_crossover(one, two, rate, np.random.default_rng(seed))
    for child, mother, father in zip(children, one, two, strict=True):
        filled = child[child != EMPTY]
        assert len(set(filled.tolist())) == len(filled)
        assert ((child == EMPTY) | (child == mother) | (child == father)).all()
        for place in np.flatnonzero(child == EMPTY):
            assert mother[place] in filled
            assert father[place] in filled


def test_the_rate_is_the_share_of_the_first_parent() -> None:
    """Parents without common genes give them in proportion to the rate."""
    one = np.tile(np.arange(10, dtype=np.int32), (2000, 1))
    for rate in (0.0, 0.5, 0.8, 1.0):
        children = uniform_crossover(one, one + 10, rate, np.random.default_rng(1))
        assert np.mean(children < 10) == pytest.approx(rate, abs=0.02)


def test_equal_parents_have_their_own_child() -> None:
    """Crossover of a genome with itself is that genome."""
    one = parents(3, 50, 7, 9)
    assert (uniform_crossover(one, one, 0.5, np.random.default_rng(1)) == one).all()


def test_dropped_genes_are_remembered() -> None:
    """A gene is either still there or in the dropped ones; gaps stay gaps; the share dropped is the rate."""
    genomes = parents(1, 3000, 10, 30)
    genomes[:, 4] = EMPTY
    partial, dropped = drop_genes(genomes, 0.2, np.random.default_rng(1))
    assert partial.dtype == dropped.dtype == np.int32
    assert (np.where(partial == EMPTY, dropped, partial) == genomes).all()
    assert ((partial == EMPTY) | (dropped == EMPTY)).all()
    assert np.mean(dropped[:, :4] != EMPTY) == pytest.approx(0.2, abs=0.02)
    assert (drop_genes(genomes, 0.0, np.random.default_rng(1))[0] == genomes).all()
    assert (drop_genes(genomes, 1.0, np.random.default_rng(1))[0] == EMPTY).all()
