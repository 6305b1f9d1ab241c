"""Text placements, Brendan Owen's solutions and hint files: there and back, and bad ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from problems.edge_matching.strategies import boards

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.edge_matching import (
    Board,
    Hint,
    Instance,
    generate,
    read_board,
    read_hints,
    write_brendan,
    write_hints,
    write_placement,
)


def read(instance: Instance, text: str) -> Board:
    return read_board(instance, Source("board.txt", text.encode()))


@given(boards())
def test_text_placements_round_trip(case: tuple[Instance, Board]) -> None:
    """Any board, with empty cells or without, survives as text, also without the size line."""
    instance, board = case
    text = write_placement(instance, board)
    assert np.array_equal(read(instance, text), board)
    assert np.array_equal(read(instance, text.partition("\n")[2]), board)


@given(boards(holes=False))
def test_brendan_round_trip(case: tuple[Instance, Board]) -> None:
    """Any complete board survives Brendan Owen's format."""
    instance, board = case
    assert np.array_equal(read(instance, write_brendan(instance, board)), board)


def test_brendan_counts_rows_from_the_bottom() -> None:
    """Piece 1 at x = 0, y = 0 lies in the last row."""
    instance, _ = generate(2, 1, seed=1)
    assert read(instance, "1 2\n0 0 3\n0 1 2\n").tolist() == [6, 3]


def test_brendan_cannot_leave_cells_empty() -> None:
    """Writing a partial board in that format is an error that names another."""
    instance, board = generate(2, 2, seed=1)
    board[0] = -1
    with pytest.raises(InputError, match="complete board"):
        write_brendan(instance, board)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "this is not a board"),
        ("hello", "this is not a board"),
        ("2 3\n1/0 2/0\n", "rows, the puzzle 2 x 3|has 1 rows, the puzzle 2"),
        ("3 2\n1/0 2/0\n3/0 4/0\n5/0 6/0\n", "board.txt:1: the board is 3 x 2, the puzzle 2 x 3.*size order wh"),
        ("1/0 2/0 3/0\n4/0 5/0\n", "board.txt:2: this row has 2 cells, the puzzle 3 columns"),
        ("1/0 2/0 3/0\n4/0 5/0 6/4\n", "cell 5 .row 1, column 2. must be piece/rotation"),
        ("1/0 2/0 3/0\n4/0 5/0 7/0\n", "cell 5 .row 1, column 2. names piece 7"),
        ("1/0 2/0 3/0\n4/0 5/0 0/0\n", "names piece 0"),
        ("1/0 2/0 3/0\n4/0 5/0 6\n", "must be piece/rotation or ---/-"),
        ("2 3\n0 0 0\n", "width and height, 3 2"),
        ("3 2\n0 0 0\n", "places 1 pieces, the puzzle has 6"),
        (
            "3 2\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n",
            "board.txt:3: cell 3 .row 1, column 0. already holds piece 1",
        ),
        ("3 2\n3 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n", "x = 3, y = 0 lies outside"),
        ("3 2\n2 0 4\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n", "0 to 3 quarter-turns .4"),
        ("3 2\n2 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n", "has 2 numbers"),
    ],
)
def test_bad_boards_are_one_clear_error(text: str, words: str) -> None:
    """Each mistake is named with line, cell and value."""
    instance, _ = generate(2, 3, seed=1)
    with pytest.raises(InputError, match=words):
        read(instance, text)


def test_hint_files_round_trip() -> None:
    """Hints with and without rotation survive their file."""
    instance, _ = generate(2, 2, seed=1)
    hinted = Instance(2, 2, instance.pieces, (Hint(3, 0, 2), Hint(0, 2)))
    assert read_hints(Source("hints", write_hints(hinted).encode())) == ((1, 1, 1, 2), (0, 0, 3, None))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no hint"),
        ("1 2", "hints:1: a hint is row"),
        ("0 0 1 4", "0 to 3 quarter-turns"),
        ("a 0 1 1", "'a' is not"),
    ],
)
def test_bad_hint_files(text: str, words: str) -> None:
    """A line that is no hint is named."""
    with pytest.raises(InputError, match=words):
        read_hints(Source("hints", text.encode()))
