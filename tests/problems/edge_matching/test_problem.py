"""The evaluator against a naive one, and solutions as JSON values."""

from __future__ import annotations

import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems.edge_matching.strategies import boards, puzzles

from matheur.errors import InputError
from matheur.problems.edge_matching import EMPTY, Board, EdgeMatching, Hint, Instance, generate


def naive_matches(instance: Instance, board: Board) -> int:
    """Matched inner edges, counted joint by joint with plain lists."""
    shown = []
    for value in board.tolist():
        sides = instance.pieces[value // 4].tolist() if value >= 0 else [-1] * 4
        for _ in range(value % 4 if value >= 0 else 0):
            sides = [sides[3], sides[0], sides[1], sides[2]]
        shown.append(sides)
    count = 0
    for row in range(instance.rows):
        for column in range(instance.columns):
            here = shown[row * instance.columns + column]
            if column + 1 < instance.columns:
                count += here[1] > 0 and here[1] == shown[row * instance.columns + column + 1][3]
            if row + 1 < instance.rows:
                count += here[2] > 0 and here[2] == shown[(row + 1) * instance.columns + column][0]
    return count


@given(boards())
def test_the_objective_is_the_naive_count(case: tuple[Instance, Board]) -> None:
    """Objective and score add up to the inner edges, and the score is what a double loop counts."""
    instance, board = case
    problem = EdgeMatching(instance)
    objective = problem.evaluate(board).objective
    assert problem.score(objective) == naive_matches(instance, board)
    assert objective >= problem.trivial_bound
    assert problem.score_max == instance.joints


@given(puzzles())
def test_a_hidden_solution_is_perfect(case: tuple[Instance, Board]) -> None:
    """A generated board has objective 0, is feasible, and its instance is not refused."""
    instance, board = case
    problem = EdgeMatching(instance)
    evaluation = problem.evaluate(board)
    assert (evaluation.objective, evaluation.feasible, evaluation.violations) == (0, True, ())
    assert problem.infeasible_reason() is None


@given(boards())
def test_feasible_is_what_the_placement_table_allows(case: tuple[Instance, Board]) -> None:
    """With each piece at most once, a board is feasible exactly if every placement fits its cell."""
    instance, board = case
    placed = np.flatnonzero(board >= 0)
    assert EdgeMatching(instance).evaluate(board).feasible == bool(instance.fits[board[placed], placed].all())


@given(boards())
def test_encode_and_decode_are_inverse(case: tuple[Instance, Board]) -> None:
    """A board survives JSON, and equal boards have equal digests."""
    instance, board = case
    problem = EdgeMatching(instance)
    again = problem.decode(json.loads(json.dumps(problem.encode(board))))
    assert again.dtype == np.int32
    assert np.array_equal(again, board)
    entries = [None if value < 0 else [value // 4 + 1, value % 4] for value in board]  # numbers of NumPy
    assert np.array_equal(problem.decode(entries), board)
    assert problem.digest(again) == problem.digest(board)


def two_by_two() -> tuple[EdgeMatching, Board]:
    instance, board = generate(2, 2, seed=5)
    return EdgeMatching(instance), board


def test_an_empty_cell_is_allowed_but_matches_nothing() -> None:
    """Removing a corner of a 2 x 2 board costs its two joints."""
    problem, board = two_by_two()
    board[0] = EMPTY
    evaluation = problem.evaluate(board)
    assert evaluation.feasible
    assert evaluation.objective == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda board: board[:3], "array of 4 integers"),
        (lambda board: board.astype(float), "array of 4 integers"),
        (lambda board: np.where(np.arange(4) == 1, 16, board), "placement 16"),
        (lambda board: np.where(np.arange(4) == 1, -2, board), "placement -2"),
        (lambda board: np.where(np.arange(4) == 1, board[0], board), "used 2 times"),
        (lambda board: np.where(np.arange(4) == 0, board ^ 1, board), "the frame colour inside"),
        (lambda board: np.where(np.arange(4) == 0, board ^ 1, board), "on the edge of the board"),
    ],
)
def test_violations_are_named(change, words: str) -> None:
    """Each broken constraint gives a sentence."""
    problem, board = two_by_two()
    evaluation = problem.evaluate(change(board))
    assert not evaluation.feasible
    assert any(words in sentence for sentence in evaluation.violations)
    assert 0 <= evaluation.objective <= problem.score_max


def test_a_hint_binds_its_cell() -> None:
    """A hinted cell must hold the piece, with the rotation if it is given; an empty cell breaks the hint."""
    problem, board = two_by_two()
    instance = problem.instance
    piece, rotation = divmod(int(board[2]), 4)
    free, strict = (
        EdgeMatching(Instance(2, 2, instance.pieces, (Hint(2, piece, turn),))) for turn in (None, (rotation + 1) % 4)
    )
    assert free.evaluate(board).feasible
    assert any("must hold" in sentence for sentence in strict.evaluate(board).violations)
    assert strict.infeasible_reason() is not None
    board[2] = EMPTY
    assert not free.evaluate(board).feasible


def test_grey_inside_matches_nothing() -> None:
    """Two frame sides that touch inside the board are not a match."""
    instance = Instance(1, 2, np.array([[0, 0, 0, 5], [0, 5, 0, 0]]))
    evaluation = EdgeMatching(instance).evaluate(np.array([0, 4]))
    assert evaluation.objective == 1
    assert not evaluation.feasible


def test_an_unframed_puzzle_has_no_frame_to_violate() -> None:
    """Without colour 0, any piece may lie anywhere in any rotation."""
    instance = Instance(1, 2, np.array([[1, 2, 3, 4], [4, 4, 4, 2]]))
    problem = EdgeMatching(instance)
    assert problem.evaluate(np.array([0, 4])).objective == 0
    assert problem.evaluate(np.array([1, 5])).feasible
    assert problem.infeasible_reason() is None


def test_a_frame_that_cannot_be_filled_is_said() -> None:
    """Too few corners make an instance infeasible, with the counts."""
    instance, _ = generate(3, 3, seed=1)
    pieces = instance.pieces.copy()
    pieces[0] = [1, 1, 1, 1]
    reason = EdgeMatching(Instance(3, 3, pieces)).infeasible_reason()
    assert reason is not None
    assert "corners" in reason
    assert "needs 4" in reason


def test_colours_that_occur_once_bound_the_objective() -> None:
    """A match spends two sides of one colour, so lonely colours force mismatches."""
    instance = Instance(1, 2, np.array([[0, 1, 0, 0], [0, 2, 0, 0]]))
    assert EdgeMatching(instance).trivial_bound == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"a": 1}, "a list of 4 cells"),
        (None, "this is null"),
        ([None] * 3, "the list has 3"),
        ([None, None, [1], None], "cell 2 .row 1, column 0. must be"),
        ([None, None, [1, 0, 0], None], "must be .piece, rotation."),
        ([[True, 0], None, None, None], "must be .piece, rotation."),
        ([[1.0, 0], None, None, None], "must be .piece, rotation."),
        ([["1", 0], None, None, None], "must be .piece, rotation."),
        ([[0, 0], None, None, None], "names piece 0"),
        ([[5, 0], None, None, None], "names piece 5"),
        ([[10**5000, 0], None, None, None], "more than 18 digits"),
        ([[1, 4], None, None, None], "has rotation 4"),
        ([[1, -1], None, None, None], "has rotation -1"),
    ],
)
def test_decode_names_cell_and_value(data, words: str) -> None:
    """A list that is no board is one error with the cell and the value."""
    problem, _ = two_by_two()
    with pytest.raises(InputError, match=words):
        problem.decode(data)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=20))
def test_decode_raises_nothing_else(data) -> None:
    """Whatever JSON holds, decode returns a board or raises InputError."""
    problem, _ = two_by_two()
    with suppress(InputError):
        assert problem.decode(data).shape == (4,)


def test_the_fingerprint_is_the_content() -> None:
    """The name of a puzzle does not matter to its fingerprint; a hint does."""
    problem, board = two_by_two()
    instance = problem.instance
    renamed = EdgeMatching(Instance(2, 2, instance.pieces, name="other"))
    hinted = EdgeMatching(Instance(2, 2, instance.pieces, (Hint(0, int(board[0]) // 4),)))
    assert renamed.fingerprint == problem.fingerprint != hinted.fingerprint


@given(boards())
def test_the_orbit_of_a_board_is_that_of_its_turns(case: tuple[Instance, Board]) -> None:
    """A turned board has the same orbit as far as size and hints allow the turn, and then the same objective."""
    instance, board = case
    problem = EdgeMatching(instance)
    grid = board.reshape(instance.rows, instance.columns)
    for quarters in range(1, 4):
        moved = np.rot90(grid, -quarters).ravel()
        turned = np.where(moved == EMPTY, EMPTY, (moved & ~3) | ((moved + quarters) & 3)).astype(np.int32)
        allowed = not instance.hints and (quarters == 2 or instance.rows == instance.columns)
        if allowed:
            assert problem.orbit(turned) == problem.orbit(board)
            assert problem.evaluate(turned).objective == problem.evaluate(board).objective
        elif instance.hints and not np.array_equal(turned, board):
            assert problem.orbit(turned) != problem.orbit(board)


def test_a_board_with_empty_cells_is_valid_and_said_to_be_incomplete() -> None:
    """Whatever the pieces; that there is no complete board is another statement, and says so."""
    pieces = np.array([[0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1], [1, 1, 1, 0]], dtype=np.int16)
    problem = EdgeMatching(Instance(2, 2, pieces))
    empty = np.full(4, -1, dtype=np.int32)
    assert problem.evaluate(empty).feasible
    assert problem.remark(empty) == "incomplete, 0 of 4 cells filled"
    assert problem.remark(np.array([0, -1, -1, 4], dtype=np.int32)) == "incomplete, 2 of 4 cells filled"
    assert problem.remark(np.arange(4, dtype=np.int32) * 4) is None
    reason = problem.infeasible_reason()
    assert reason == "no complete board: the frame of a 2 x 2 board needs 4 corners (there are 3)"
