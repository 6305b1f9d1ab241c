"""Hypothesis strategies: puzzles with boards, and files that are nearly right."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from matheur.problems.edge_matching import EMPTY, Board, Instance, generate


@st.composite
def puzzles(draw: st.DrawFn, *, largest: int = 6) -> tuple[Instance, Board]:
    """A generated puzzle (equal pieces allowed) with its hidden solution."""
    rows, columns = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    colours = {"frame_colours": draw(st.integers(1, 4)), "inner_colours": draw(st.integers(1, 6))}
    return generate(rows, columns, seed=draw(st.integers(0, 999)), unique=False, **colours)


@st.composite
def boards(draw: st.DrawFn, *, holes: bool = True) -> tuple[Instance, Board]:
    """A puzzle with any board: pieces in any order and rotation, possibly with empty cells."""
    instance, _ = draw(puzzles())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    board = (4 * rng.permutation(instance.cells) + rng.integers(4, size=instance.cells)).astype(np.int32)
    if holes:
        board[rng.random(instance.cells) < draw(st.sampled_from([0.0, 0.3, 1.0]))] = EMPTY
    return instance, board


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
                    [b"-1", b"99999999999", b"1e3", b"\n", b" ", b"\xff", b"null", b"[[", b'"', "٣".encode(), b"/"]
                ),
                st.just(bytes(data[start : start + length]) * 2),
            )
        )
        data[start : start + length] = piece
    return bytes(data)
