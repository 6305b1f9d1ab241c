"""States as rows and as keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.methods.statespace.packing import Packing


@given(st.lists(st.integers(1, 8), min_size=1, max_size=40), st.data())
def test_round_trip(widths: list[int], data: st.DataObject) -> None:
    """Any states of any widths come back as they were, whatever the number of words."""
    packing = Packing(tuple(widths))
    rows = data.draw(st.lists(st.tuples(*(st.integers(0, (1 << w) - 1) for w in widths)), min_size=1, max_size=5))
    keys = packing.pack(rows)
    assert keys.shape == (len(rows), packing.words)
    assert packing.unpack(keys).tolist() == [list(row) for row in rows]


@given(st.lists(st.integers(1, 8), min_size=1, max_size=40))
def test_components_lie_apart(widths: list[int]) -> None:
    """No component is split between words or shares a bit with another."""
    packing = Packing(tuple(widths))
    taken = [0] * packing.words
    for i, width in enumerate(widths):
        assert packing.shift[i] + width <= 64
        bits = ((1 << width) - 1) << int(packing.shift[i])
        assert taken[packing.word[i]] & bits == 0
        taken[packing.word[i]] |= bits
    assert packing.bits == 64 * (packing.words - 1) + taken[-1].bit_length()


def test_too_large_components_are_refused() -> None:
    """A value that does not fit its width is an error, not another state."""
    packing = Packing((3, 5, 8))
    assert packing.unpack(packing.pack([[7, 31, 255]])).tolist() == [[7, 31, 255]]
    for bad in ([8, 0, 0], [0, 32, 0]):
        with pytest.raises(ValueError, match="does not fit"):
            packing.pack([bad])


def test_bad_widths_are_refused() -> None:
    """Components have 1 to 8 bits."""
    for widths in ((), (0,), (9,)):
        with pytest.raises(ValueError, match="widths"):
            Packing(widths)


def test_no_states() -> None:
    """An empty batch stays empty."""
    packing = Packing((4, 4))
    assert packing.pack(np.empty((0, 2), dtype=np.uint8)).shape == (0, 1)
    assert packing.unpack(np.empty((0, 1), dtype=np.uint64)).shape == (0, 2)
