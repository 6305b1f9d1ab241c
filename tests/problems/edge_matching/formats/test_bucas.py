"""Bucas URLs: numbering, colour orders, holes, hints and what is wrong with bad ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems.edge_matching.strategies import boards

from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.edge_matching import (
    EMPTY,
    MOTIFS_ORDERS,
    Board,
    EdgeMatching,
    Hint,
    Instance,
    generate,
    read_board,
    read_instance,
    write_bucas,
)

# Four pieces on a 2 x 2 board; what matters here is only that they differ.
EDGES = "abca" + "aabb" + "caba" + "baab"


def url(**changes: str | None) -> Source:
    fields = {"puzzle": "tiny", "board_w": "2", "board_h": "2", "board_edges": EDGES, **changes}
    query = "&".join(f"{key}={value}" for key, value in fields.items() if value is not None)
    return Source("<url>", f"https://e2.bucas.name/#{query}".encode())


def shown(instance: Instance, board: Board) -> np.ndarray:
    return np.where((board >= 0)[:, None], instance.sides[board], 0)


@given(boards(), st.sampled_from(sorted(MOTIFS_ORDERS)))
def test_a_numbered_url_keeps_the_board(case: tuple[Instance, Board], order: str) -> None:
    """Pieces and colours as placed survive; the rotation of a symmetric piece may differ."""
    instance, board = case
    again = read_board(instance, Source("<url>", write_bucas(instance, board, motifs_order=order).encode()))
    assert np.array_equal(again // 4, board // 4)
    assert np.array_equal(shown(instance, again), shown(instance, board))


@given(boards(), st.sampled_from(sorted(MOTIFS_ORDERS)))
def test_pieces_are_found_by_their_colours(case: tuple[Instance, Board], order: str) -> None:
    """Without numbers, equal pieces are interchangeable, and each is still used once."""
    instance, board = case
    text = write_bucas(instance, board, motifs_order=order, piece_numbers=False)
    again = read_board(instance, Source("<url>", text.encode()))
    assert np.array_equal(shown(instance, again), shown(instance, board))
    problem = EdgeMatching(instance)
    assert not any("used" in sentence for sentence in problem.evaluate(again).violations)
    assert problem.evaluate(again).objective == problem.evaluate(board).objective


@given(boards(holes=False))
def test_a_complete_board_is_an_instance(case: tuple[Instance, Board]) -> None:
    """The pieces of the instance are the cells' colours, so the board lies there with rotation 0."""
    instance, board = case
    text = write_bucas(instance, board, piece_numbers=False)
    again = read_instance(Source("<url>", text.encode()))
    objective = EdgeMatching(instance).evaluate(board).objective
    assert EdgeMatching(again).evaluate(4 * np.arange(again.cells)).objective == objective


def test_the_query_string_works_like_the_fragment() -> None:
    """`?` and `#` are the same to the reader, and unknown parameters are ignored."""
    as_query = Source("<url>", url(board_custom="x", show_conflicts="1").data.replace(b"#", b"?"))
    assert np.array_equal(read_instance(as_query).pieces, read_instance(url()).pieces)


def test_size_may_be_missing_for_a_square() -> None:
    """A board of four cells without a size is 2 x 2."""
    instance = read_instance(url(board_w=None, board_h=None))
    assert (instance.rows, instance.columns) == (2, 2)
    assert instance.name == "tiny"


def test_boards_numbered_from_zero_are_recognised() -> None:
    """A coloured cell numbered 000 means that numbers start there."""
    one, zero = read_instance(url(board_pieces="004003002001")), read_instance(url(board_pieces="003002001000"))
    assert np.array_equal(one.pieces, zero.pieces)
    assert one.pieces[3].tolist() == [0, 1, 2, 0]


def test_fixed_cells_become_hints() -> None:
    """`e` in board_types is a hint, and hints are written back so."""
    instance = read_instance(url(board_types="beba"))
    assert instance.hints == (Hint(1, 1, 0),)
    text = write_bucas(instance, (4 * np.arange(4)).astype(np.int32))
    assert read_instance(Source("<url>", text.encode())).hints == instance.hints


def test_holes_are_an_error_in_an_instance_only() -> None:
    """The pieces of empty cells are unknown; with a piece list the same URL is a partial board."""
    holed = url(board_edges=EDGES[:12] + "aaaa")
    with pytest.raises(InputError, match="1 cells of the board are empty"):
        read_instance(holed)
    board = read_board(read_instance(url()), holed)
    assert board.tolist() == [0, 4, 8, EMPTY]


def test_a_piece_used_too_often_is_left_to_the_evaluator() -> None:
    """A URL that shows a piece twice gives a board that violates, not a bad input."""
    instance = read_instance(url())
    board = read_board(instance, url(board_edges=EDGES[:4] + EDGES[4:8] + "aaaa" + EDGES[:4]))
    assert any("used 2 times" in sentence for sentence in EdgeMatching(instance).evaluate(board).violations)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"board_edges": None}, "has no board_edges"),
        ({"board_edges": EDGES[:-1]}, "four letters per cell .it has 15"),
        ({"board_edges": EDGES + "aaaa"}, "has 4 cells, board_edges is for 5"),
        ({"board_edges": EDGES[:-1] + "A"}, "only the letters a to z .'A'"),
        ({"board_edges": EDGES[:-1] + "%FF"}, "only the letters"),
        ({"board_w": "0"}, "board_w must be a whole number from 1"),
        ({"board_w": "x" * 500}, "board_w must be a whole number"),
        ({"board_w": "3"}, "width 3 and height 2"),
        ({"board_w": "9" * 5000}, "board_w must be"),
        ({"motifs_order": "jeff"}, "Maybe 'jef'"),
        ({"board_pieces": "001"}, "three digits per cell, 12 .it has 3"),
        ({"board_pieces": "00100200300x"}, "only digits"),
        ({"board_pieces": "001002003003"}, "names piece 3 twice"),
        ({"board_pieces": "001002003009"}, "names piece 9"),
        ({"board_types": "bb"}, "one letter per cell"),
        ({"board_edges": "abca" * 5000}, "up to 4096 cells"),
    ],
)
def test_bad_urls_are_one_clear_error(changes: dict, words: str) -> None:
    """Each wrong part of a URL is named with its value."""
    with pytest.raises(InputError, match=words):
        read_instance(url(**changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"board_h": "4", "board_w": "1"}, "the board is 4 x 1, the puzzle 2 x 2"),
        ({"board_edges": "abda" + EDGES[4:]}, "cell 0 .row 0, column 0. shows 'abda'"),
        ({"board_pieces": "002001003004"}, "is not piece 2 of the puzzle"),
        ({"motifs_order": "jef"}, "another motifs_order"),
    ],
)
def test_boards_of_other_puzzles_are_refused(changes: dict, words: str) -> None:
    """A board that does not belong to the puzzle names the first cell that shows it."""
    with pytest.raises(InputError, match=words):
        read_board(read_instance(url()), url(**changes))


def test_writing_needs_letters_and_a_known_order() -> None:
    """More than 25 colours and an unknown colour order are refused."""
    instance, board = generate(2, 2, frame_colours=40, seed=1)
    if instance.colours > 26:
        with pytest.raises(InputError, match="colours up to 25"):
            write_bucas(instance, board)
    with pytest.raises(ConfigurationError, match="Maybe 'marie'"):
        write_bucas(*generate(2, 2, seed=1), motifs_order="mary")
