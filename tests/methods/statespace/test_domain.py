"""The parts of a domain that the library provides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from matheur.kernels.intrinsics import common_bits, popcount, trailing_zeros
from matheur.methods.statespace.domain import BaseDomain, Kernel
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.packing import Packing
from matheur.problems.cubical import Cubical, Instance
from matheur.problems.cubical.domain import CubicalDomain


@njit
def count_bits(word):  # type: ignore[no-untyped-def]
    """Through the intrinsic."""
    return popcount(word)


@njit
def lowest_bit(word):  # type: ignore[no-untyped-def]
    """Through the intrinsic."""
    return trailing_zeros(word)


@njit
def sharing(words, first, word):  # type: ignore[no-untyped-def]
    """Through the intrinsic."""
    return common_bits(words, np.uintp(first), word)


@given(st.lists(st.integers(0, 2**64 - 1), min_size=16, max_size=20), st.integers(0, 2**64 - 1), st.data())
def test_words_that_share_a_bit(words: list[int], word: int, data: st.DataObject) -> None:
    """A bit for each of the 16 words from anywhere in the array, whatever its alignment."""
    first = data.draw(st.integers(0, len(words) - 16))
    expected = sum(1 << k for k in range(16) if words[first + k] & word)
    assert sharing(np.array(words, dtype=np.uint64), first, np.uint64(word)) == expected


@given(st.integers(1, 2**64 - 1))
def test_bit_intrinsics(word: int) -> None:
    """They agree with Python's integers over all 64 bits."""
    assert count_bits(np.uint64(word)) == word.bit_count()
    assert lowest_bit(np.uint64(word)) == (word & -word).bit_length() - 1


def test_a_batch_of_any_size_is_expanded() -> None:
    """The result grows as far as it has to: as many successors as from one state after the other."""
    domain = CubicalDomain(6, 5, [0, 63], [1, 2])
    keys = domain.expand(domain.packing.pack(domain.start[None])).keys
    for count in (1, 2, 3, 50, len(keys)):
        alone = sum(len(domain.expand(keys[i : i + 1]).keys) for i in range(count))
        assert len(domain.expand(keys[:count]).keys) == alone


def test_a_kernel_keeps_its_tables() -> None:
    """The data of a kernel starts with the addresses of its tables; strided ones are refused."""
    table = np.arange(6, dtype=np.uint8).reshape(2, 3)
    kernel = Kernel(None, np.array([7, 8]), (table,))
    assert kernel.data.tolist() == [table.ctypes.data, 7, 8]
    with pytest.raises(ValueError, match="contiguous"):
        Kernel(None, np.array([7]), (table.T,))


def test_a_domain_without_successors_says_so() -> None:
    """A subclass that provides neither way of expanding is told."""
    domain = BaseDomain()
    domain.packing = Packing((2,))
    with pytest.raises(NotImplementedError, match="expander"):
        domain.expand(np.zeros((1, 1), dtype=np.uint64))
    assert domain.automorphisms() is None
    assert domain.project([0]) is None
    assert domain.heuristics() == {}


def test_a_problem_may_bring_its_own_domain() -> None:
    """A problem with a method `domain` needs no registration."""
    own = CubicalDomain(2, 1, [0], [1])

    class WithDomain:
        name = "nowhere"

        def domain(self) -> CubicalDomain:
            return own

    assert domain_of(WithDomain()) is own
    assert domain_of(Cubical(Instance(2, 1, ("a",), (0,), (1,)))).moves == 4
