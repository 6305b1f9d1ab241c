"""Instances: derived tables and the checks at construction."""

from __future__ import annotations

import numpy as np
import pytest

from matheur.problems.edge_matching import EMPTY, Hint, Instance, generate
from matheur.problems.edge_matching.rules import PLAIN, Rules


def test_a_rotation_is_a_clockwise_quarter_turn() -> None:
    """The side at position i of a placed piece is the piece's side (i - rotation) mod 4."""
    instance = Instance(1, 2, np.array([[1, 2, 3, 4], [5, 6, 7, 8]]))
    assert instance.sides[4 * 0 + 1].tolist() == [4, 1, 2, 3]
    assert instance.sides[4 * 1 + 2].tolist() == [7, 8, 5, 6]


def test_neighbours_and_edges_of_the_board() -> None:
    """Cells know their neighbours up, right, down, left, and -1 outside."""
    instance, _ = generate(2, 3, seed=1)
    assert instance.neighbours.tolist()[1] == [-1, 2, 4, 0]
    assert instance.outside.tolist()[5] == [False, True, True, False]
    assert instance.joints == 7
    assert EMPTY == -1


def test_fits_follows_frame_and_hints() -> None:
    """A hidden solution fits its cells, and a hint leaves one piece and one cell to each other."""
    instance, board = generate(4, 3, seed=2)
    assert instance.fits[board, np.arange(12)].all()
    hinted = Instance(4, 3, instance.pieces, (Hint(4, int(board[4]) // 4, int(board[4]) % 4),))
    assert np.flatnonzero(hinted.fits[:, 4]).tolist() == [int(board[4])]
    assert hinted.fits[4 * (board[4] // 4) : 4 * (board[4] // 4) + 4].sum() == 1


@pytest.mark.parametrize(
    ("rows", "columns", "pieces", "hints", "words"),
    [
        (0, 1, [], (), "at least one row"),
        (65, 64, [[0, 0, 0, 0]], (), "up to 4096 cells"),
        (1, 2, [[1, 1, 1, 1]], (), "needs 2 pieces"),
        (1, 1, [[1, 1, 1, -1]], (), "negative"),
        (1, 1, [[1, 1, 1, -65_535]], (), "negative"),
        (1, 1, [[1, 1, 1, 32_767]], (), "at most 32766"),
        (1, 1, [[1, 1, 1, 65_537]], (), "at most 32766"),
        (1, 1, [[1, 1, 1, 0.5]], (), "whole numbers"),
        (1, 1, [["1", "1", "1", "1"]], (), "whole numbers"),
        (1, 1, [[1, 1, 1, 1]], (Hint(1, 0),), "outside"),
        (1, 1, [[1, 1, 1, 1]], (Hint(0, 0, 4),), "outside"),
        (1, 2, [[1, 1, 1, 1]] * 2, (Hint(0, 0), Hint(0, 1)), "same cell"),
        (1, 2, [[1, 1, 1, 1]] * 2, (Hint(0, 0), Hint(1, 0)), "same piece"),
    ],
)
def test_wrong_values_are_refused(rows: int, columns: int, pieces: list, hints: tuple, words: str) -> None:
    """An instance that makes no sense cannot be made, and the message says why."""
    with pytest.raises(ValueError, match=words):
        Instance(rows, columns, np.array(pieces).reshape(-1, 4), hints)


def test_codes_of_wrong_colours_are_refused() -> None:
    """They would be cut to 16 bits, or to whole numbers."""
    assert Rules(signed=True).codes([[-3, 3]]).tolist() == [[6, 5]]
    assert Rules(zero=True).codes([[0, 32_765]]).tolist() == [[1, 32_766]]
    for rules, colour in ((PLAIN, 65_537), (Rules(signed=True), -16_384), (Rules(zero=True), 32_766)):
        with pytest.raises(ValueError, match=f"too large .{colour}."):
            rules.codes([[0, colour]])
    with pytest.raises(ValueError, match="whole numbers"):
        PLAIN.codes([[0.5]])
