"""Generated puzzles: solvable, balanced, without equal pieces, and telling nothing of the solution."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matheur.errors import ConfigurationError
from matheur.problems.edge_matching import EdgeMatching, default_colours, generate


def canonical(piece: list[int]) -> tuple[int, ...]:
    return min(tuple(piece[turn:] + piece[:turn]) for turn in range(4))


@settings(max_examples=60)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 10**9))
def test_default_puzzles_are_solvable_and_unique(rows: int, columns: int, seed: int) -> None:
    """Every size has a perfect hidden solution; beyond two cells no piece equals another or itself turned by half."""
    instance, board = generate(rows, columns, seed=seed)
    evaluation = EdgeMatching(instance).evaluate(board)
    assert (evaluation.objective, evaluation.feasible) == (0, True)
    pieces = [canonical(piece) for piece in instance.pieces.tolist()]
    if rows * columns > 2:
        assert len(set(pieces)) == len(pieces)
        assert not any(piece[:2] == piece[2:] for piece in pieces)


@settings(max_examples=30)
@given(st.integers(2, 9), st.integers(2, 9), st.integers(1, 5), st.integers(1, 9), st.integers(0, 999))
def test_colours_are_disjoint_and_balanced(rows: int, columns: int, frame: int, inner: int, seed: int) -> None:
    """Frame colours occur only along the frame, inner ones only inside, each kind as evenly as its number allows."""
    instance, board = generate(rows, columns, frame_colours=frame, inner_colours=inner, seed=seed, unique=False)
    shown = instance.sides[board].reshape(rows, columns, 4)
    joints = Counter(shown[:, :-1, 1].ravel().tolist()) + Counter(shown[:-1, :, 2].ravel().tolist())
    along = Counter(shown[[0, -1], :-1, 1].ravel().tolist()) + Counter(shown[:-1, [0, -1], 2].ravel().tolist())
    assert set(along) <= set(range(1, frame + 1))
    assert set(joints) - set(along) <= set(range(frame + 1, frame + inner + 1))
    for first, number in ((1, frame), (frame + 1, inner)):
        counts = [joints[colour] for colour in range(first, first + number)]
        assert max(counts) - min(counts) <= 1


def test_the_file_order_tells_nothing() -> None:
    """Pieces are sorted, each in its first rotation, with corners, border and inner pieces in this order."""
    instance, board = generate(6, 5, seed=3)
    pieces = [tuple(piece) for piece in instance.pieces.tolist()]
    assert pieces == sorted(pieces)
    assert all(canonical(list(piece)) == piece for piece in pieces)
    assert instance.piece_class.tolist() == [2] * 4 + [1] * 14 + [0] * 12
    assert sorted(np.asarray(board) // 4) == list(range(30))


def test_the_seed_decides() -> None:
    """The same seed gives the same puzzle, another seed another one."""
    first, second, other = (generate(5, 5, seed=seed)[0].pieces for seed in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(("rows", "columns"), [(64, 64), (2, 64), (1, 40), (3, 100), (16, 16), (1, 4096)])
def test_large_and_long_boards(rows: int, columns: int) -> None:
    """The repair copes with the largest boards and with strips."""
    instance, board = generate(rows, columns, seed=1)
    assert EdgeMatching(instance).evaluate(board).objective == 0
    assert len(np.unique(instance.pieces, axis=0)) == rows * columns


def test_default_colours_are_those_of_the_published_sets(data) -> None:
    """Square boards from 3 x 3 to 20 x 20 have as many colours as Brendan Owen's."""
    for size in range(3, 21):
        lines = (data / f"edge_matching/brendan_set2_meta2010/pieces_{size:02}x{size:02}.txt").read_text().split("\n")
        pieces = np.array([line.split() for line in lines[1:] if line], dtype=int)
        along = {int(piece[side]) for piece in pieces for side in range(4) if 0 in (piece[side - 1], piece[side - 3])}
        assert default_colours(size, size) == (len(along - {0}), len(np.unique(pieces)) - 1 - len(along - {0}))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rows": 0, "columns": 3}, "1 to 4096 cells"),
        ({"rows": 100, "columns": 100}, "1 to 4096 cells"),
        ({"rows": 3, "columns": 3, "frame_colours": 0}, "at least one frame"),
        ({"rows": 3, "columns": 3, "inner_colours": 1000}, "999 in all"),
        ({"rows": 3, "columns": 3, "frame_colours": 1}, "more colours, or unique = false"),
        ({"rows": 6, "columns": 6, "inner_colours": 2}, "more colours, or unique = false"),
    ],
)
def test_impossible_wishes_are_refused(arguments: dict, words: str) -> None:
    """What cannot be made is an error that says what to change."""
    with pytest.raises(ConfigurationError, match=words):
        generate(**arguments)
