"""Instances: the checks at construction."""

from __future__ import annotations

import numpy as np
import pytest

from matheur.errors import InputError
from matheur.problems.cubical import Cubical, Instance


def test_sizes() -> None:
    """A cube has 2**d vertices, and l of them are empty."""
    one = Instance(4, 3, ("a", "b"), (0, 1), (3, 2))
    assert (one.vertices, one.empty) == (16, 14)


def test_numbers_of_numpy_are_plain_numbers() -> None:
    """Puzzles of equal content have the same fingerprint, whatever the type of their vertices."""
    one = Instance(3, 1, ("a", "b"), (0, 1), (3, 2))
    other = Instance(3, 1, ("a", "b"), tuple(np.array([0, 1])), tuple(np.array([3, 2], dtype=np.uint8)))
    assert one == other
    assert Cubical(one).fingerprint == Cubical(other).fingerprint


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 1, ("a",), (0,), (0,)), "dimension must be 1 to 7"),
        ((8, 1, ("a",), (0,), (1,)), "dimension must be 1 to 7"),
        ((3, 0, ("a",), (0,), (1,)), "k must be 1 to 3"),
        ((3, 4, ("a",), (0,), (1,)), "k must be 1 to 3"),
        ((1, 2, ("a",), (0,), (1,)), r"k must be 1 in dimension 1 \(2\)"),
        ((2, 1, (), (), ()), "1 to 4 rings"),
        ((2, 1, tuple("abcde"), (0, 1, 2, 3, 4), (0, 1, 2, 3, 4)), "1 to 4 rings"),
        ((2, 1, ("a", "a"), (0, 1), (1, 0)), "same name"),
        ((2, 1, ("",), (0,), (1,)), "printable characters"),
        ((2, 1, ("a\n",), (0,), (1,)), "printable characters"),
        ((2, 1, ("x" * 41,), (0,), (1,)), "printable characters"),
        ((2, 1, ("a", "b"), (0,), (1, 0)), "start places 1 rings, there are 2"),
        ((2, 1, ("a", "b"), (0, 4), (1, 0)), r"start: ring 'b' is on no vertex \(4\)"),
        ((2, 1, ("a", "b"), (0, 1), (-1, 0)), r"target: ring 'a' is on no vertex \(-1\)"),
        ((2, 1, ("a", "b"), (0, 1), (1, 1)), "target: rings 'a' and 'b' share vertex 1"),
        ((2, 1, ("a", "b"), (0.5, 1), (1, 0)), r"start: ring 'a' is on no vertex \(0\.5\)"),
    ],
)
def test_wrong_values_are_refused(arguments: tuple, words: str) -> None:
    """A puzzle that makes no sense cannot be made, and the message says why."""
    with pytest.raises(InputError, match=words):
        Instance(*arguments)
