"""Hypothesis strategies: puzzles, placements and files that are nearly right."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from matheur.problems.cubical import NAME_MAX, Instance

__all__ = ["instances", "mutated"]

NAMES = st.one_of(
    st.sampled_from(["green", "purple", "red", "blue", "a b", "a.b", "", "[start]", "x:1", '"', "'", "\\", "<b>", "é"]),
    st.text(st.characters(blacklist_categories=["C", "Z"]), min_size=1, max_size=NAME_MAX),
).filter(lambda name: len(name) >= 1 and name.isprintable())


@st.composite
def instances(draw: st.DrawFn, *, largest: int = 5, rings_max: int = 12) -> Instance:
    """Any puzzle, solvable or not."""
    d = draw(st.integers(1, largest))
    k = draw(st.integers(1, d))
    names = draw(st.lists(NAMES, min_size=1, max_size=min(rings_max, 1 << d), unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    start, target = (tuple(rng.permutation(1 << d)[: len(names)].tolist()) for _ in range(2))
    return Instance(d, k, tuple(names), start, target, draw(st.text(max_size=20)))


@st.composite
def mutated(draw: st.DrawFn, valid: bytes) -> bytes:
    """A valid file with a few bytes cut, doubled, replaced or inserted."""
    data = bytearray(valid)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 12))
        piece = draw(
            st.one_of(
                st.binary(max_size=6),
                st.sampled_from(
                    [
                        b"-1", b"99999999999", b"1e3", b"true", b"\n", b" ", b"\xff", b"[", b"{", b'"', b".", b"=",
                        b"[start]", b"[target]", b"start.", b"1979-05-27", "٣".encode(), b"0x1", b"inf", b"'''",
                    ]
                ),
                st.just(bytes(data[start : start + length]) * 2),
            )
        )  # fmt: skip
        data[start : start + length] = piece
    return bytes(data)
