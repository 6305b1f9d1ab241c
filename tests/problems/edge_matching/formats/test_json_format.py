"""The project's JSON, puzzles of eternity2.dev, and McGavin's CSV."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from problems.edge_matching.strategies import puzzles

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.edge_matching import (
    Board,
    Hint,
    Instance,
    ReadOptions,
    generate,
    read_board,
    read_instance,
    write_json,
    write_mcgavin,
)


def read(data, **options) -> Instance:
    text = data if isinstance(data, str) else json.dumps(data)
    return read_instance(Source("puzzle.json", text.encode()), ReadOptions(**options))


def same(one: Instance, other: Instance) -> bool:
    sizes = (one.rows, one.columns) == (other.rows, other.columns)
    return sizes and np.array_equal(one.pieces, other.pieces) and one.hints == other.hints


@given(puzzles())
def test_everything_survives_json(case: tuple[Instance, Board]) -> None:
    """Size, pieces, hints and name come back from the project's own format."""
    plain, board = case
    hints = tuple(Hint(cell, int(board[cell]) // 4, [None, 0, 3][cell % 3]) for cell in range(0, plain.cells, 2))
    instance = Instance(plain.rows, plain.columns, plain.pieces, hints, 'a "name" & <more>')
    again = read(write_json(instance))
    assert same(again, instance)
    assert again.name == instance.name


def valid() -> dict:
    return json.loads(write_json(generate(2, 2, seed=1, name="tiny")[0]))


def test_a_site_puzzle_is_read() -> None:
    """Puzzles of eternity2.dev count hinted cells and pieces from 0; other keys are theirs."""
    data = {"name": "x", "width": 1, "height": 2, "numColors": 1, "pieces": [[0, 0, 5, 0], [5, 0, 0, 0]]}
    instance = read({**data, "hints": [{"pos": 1, "piece": 0, "rot": 2}]})
    assert (instance.rows, instance.columns) == (2, 1)
    assert instance.hints == (Hint(1, 0, 2),)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other"}, "the format is 'other'"),
        ({"version": 2}, "version 2"),
        ({"version": None}, "version null"),
        ({"row": 2}, "has no key 'row'. Maybe 'rows'"),
        ({"rows": 0}, "'rows' must be a whole number from 1 to 4096 .0"),
        ({"rows": 2.0}, "'rows' must be"),
        ({"rows": True}, "'rows' must be"),
        ({"rows": 3}, "needs 6 pieces .there are 4"),
        ({"rows": 4096, "columns": 4096}, "needs 16777216 pieces"),
        ({"name": 5}, "name must be a text"),
        ({"pieces": {}}, "'pieces' must be a list"),
        ({"pieces": [[0, 0, 1, 1]] * 3 + [5]}, "piece 4 must be"),
        ({"pieces": [[0, 0, 1, 1]] * 3 + [[0, 0, 1]]}, "piece 4 must be"),
        ({"pieces": [[0, 0, 1, 1]] * 3 + [[0, 0, 1, "1"]]}, "colours of piece 4"),
        ({"pieces": [[0, 0, 1, 1]] * 3 + [[0, 0, 1, 10**30]]}, "more than 18 digits"),
        ({"hints": [5]}, "hint 1 must be an object"),
        ({"hints": [{"row": 0, "column": 0, "piece": 1, "rot": 0}]}, "no key 'rot'. Maybe"),
        ({"hints": [{"row": 2, "column": 0, "piece": 1}]}, "'row' must be a whole number from 0 to 1 .2"),
        ({"hints": [{"row": 0, "column": 0, "piece": 0}]}, "'piece' must be a whole number from 1 to 4"),
        ({"hints": [{"row": 0, "column": 0, "piece": 1}] * 2}, "two hints"),
    ],
)
def test_bad_puzzles_are_one_clear_error(change: dict, words: str) -> None:
    """Each wrong key is named with its value and the file."""
    with pytest.raises(InputError, match=words) as caught:
        read({**valid(), **change})
    assert caught.value.source == "puzzle.json"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "puzzle.json:1: not JSON"),
        ('{\n"format": oops}', "puzzle.json:2: not JSON"),
        ("[1, 2]", "a puzzle in JSON is an object"),
        ("{}", "no key 'format'"),
        ('{"solution": []}', "Maybe a solution instead"),
        ('{"format": NaN}', "NaN is not JSON"),
        ('{"format": 1, "format": 2}', "'format' appears twice"),
        ('{"format": ' + "9" * 5000 + "}", "too many digits"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_bad_json_is_one_clear_error(text: str, words: str) -> None:
    """What is no JSON, or JSON meant to hurt, is an input error."""
    with pytest.raises(InputError, match=words):
        read(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"pieces": []}', "neither a key 'solution' nor 'board'"),
        ('{"board": 5}', "'board' must list 4 placements"),
        ('{"board": [0, 4, 8, 16]}', "must hold -1 to 15 .16"),
        ('{"solution": [null]}', "the list has 1"),
    ],
)
def test_bad_boards_in_json(text: str, words: str) -> None:
    """Objects without a board, and boards of the wrong length or content, are refused."""
    with pytest.raises(InputError, match=words):
        read_board(generate(2, 2, seed=1)[0], Source("board.json", text.encode()))


def test_a_given_size_must_agree() -> None:
    """JSON says its size; an option that contradicts it is an error."""
    with pytest.raises(InputError, match="2 rows, but 3"):
        read(valid(), rows=3)


def test_mcgavins_csv_round_trip() -> None:
    """Binary words, sixteen ones for grey, and a hint per piece."""
    plain, board = generate(3, 3, seed=4)
    instance = Instance(3, 3, plain.pieces, (Hint(5, int(board[5]) // 4, int(board[5]) % 4),))
    text = write_mcgavin(instance)
    assert text.startswith("3\n1111111111111111,1111111111111111,00000000000000")
    assert same(read_instance(Source("csv", text.encode())), instance)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1111111111111111,1111111111111111,0000000000000001", "four 16-digit binary numbers"),
        ("1111111111111111,1111111111111111,0000000000000001,1111111111111110,0,0,0", "colours are up to 999"),
        ("1111111111111111,1111111111111111,0000000000000001,0000000000000001,1,0,0", "lies outside the 1 x 1"),
        ("1111111111111111,1111111111111111,0000000000000001,0000000000000001,x,0,0", "'x' is not a whole number"),
    ],
)
def test_bad_csv(line: str, words: str) -> None:
    """A line that is no piece is named."""
    good = "1111111111111111,1111111111111111,0000000000000001,0000000000000001,0,0,0"
    text = f"1\n{line}" if "binary" not in words else f"2\n{good}\n{line}"
    with pytest.raises(InputError, match=words):
        read_instance(Source("csv", text.encode()))


def test_csv_cannot_say_everything() -> None:
    """Rectangles and hints without rotation are refused when writing."""
    instance, _ = generate(2, 2, seed=1)
    with pytest.raises(InputError, match="square boards"):
        write_mcgavin(generate(2, 3, seed=1)[0])
    with pytest.raises(InputError, match="cannot express the hint for piece 1"):
        write_mcgavin(Instance(2, 2, instance.pieces, (Hint(1, 0),)))
