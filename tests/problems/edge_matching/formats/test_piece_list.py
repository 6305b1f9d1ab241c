"""Piece lists in all their variants, and what is wrong with bad ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from problems.edge_matching.strategies import puzzles

from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.edge_matching import Board, Instance, ReadOptions, read_instance, write_piece_list

BODY = ["0 0 1 2", "0 0 1 1", "0 0 2 2", "0 0 2 1"]


def read(text: str, **options) -> Instance:
    return read_instance(Source("pieces.txt", text.encode()), ReadOptions(**options))


@given(puzzles())
def test_round_trip(case: tuple[Instance, Board]) -> None:
    """Writing and reading keeps size and pieces, in both orders of the size."""
    instance, _ = case
    for order in ("rows-columns", "wh"):
        again = read(write_piece_list(instance, size_order=order), size_order=order)
        assert (again.rows, again.columns) == (instance.rows, instance.columns)
        assert np.array_equal(again.pieces, instance.pieces)


@pytest.mark.parametrize(
    "first", ["2 2", "0", "4", "2", "ntiles: 4", "NTiles:4", "2x2", "2 X 2", "# a comment\n\n2 2  # another", None]
)
def test_first_lines(first: str | None) -> None:
    """Every known first line, or none, gives the same puzzle."""
    lines = BODY if first is None else [first, *BODY]
    instance = read("\n".join(lines))
    assert (instance.rows, instance.columns) == (2, 2)
    assert instance.pieces[0].tolist() == [0, 0, 1, 2]
    assert instance.name == "pieces"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_tabs_and_commas(newline: str) -> None:
    """Windows and old Macintosh files, commas and a byte order mark read the same."""
    text = "\ufeff" + newline.join(["2,2", *(line.replace(" ", ",\t") for line in BODY)]) + newline
    assert read(text).pieces[0].tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize("first", [0, 1])
def test_index_column_orders_the_pieces(first: int) -> None:
    """With five numbers, the first is the piece's index from 0 or 1, in any order."""
    lines = [f"{number + first} {line}" for number, line in enumerate(BODY)]
    assert np.array_equal(read("\n".join(reversed(lines))).pieces, read("\n".join(BODY)).pieces)


@pytest.mark.parametrize("size", ["", "2 2\n", "ntiles: 4\n"])
@pytest.mark.parametrize("frame", ["a", "A", "x", "X"])
def test_letters_are_colours(size: str, frame: str) -> None:
    """Of one case, together or apart, with an index and with names; the frame is the letter that lies outside."""
    wanted = read("\n".join(BODY)).pieces
    letters = "abcdefgh" if frame in "aA" else "xabcdefg"
    letters = letters if frame.islower() else letters.upper()
    rows = ["".join(letters[int(word)] for word in line.split()) for line in BODY]
    indexed = [f"{n}: {row}" for n, row in enumerate(rows, 1)]
    for lines in (rows, [" ".join(row) for row in rows], [",".join(row) for row in rows], indexed):
        source = Source("p.txt", (size + "\n".join(lines)).encode())
        assert np.array_equal(read_instance(source).pieces, wanted)
        assert source.assumed == [f"letters are colours, '{frame}' is the frame"]
    named = "\n".join(["N S E W", *(" ".join((row[0], row[2], row[1], row[3])) for row in rows)])
    assert np.array_equal(read(size + named).pieces, wanted)


def test_letters_without_a_frame() -> None:
    """Then `a` is a colour, and the border is free; letters of both cases are signed sides, as before."""
    source = Source("p.txt", b"abca\nbbca\ncabc\nccab\n")
    instance = read_instance(source)
    assert instance.pieces[0].tolist() == [1, 2, 3, 1]
    assert not instance.framed
    assert source.assumed == ["letters are colours, none is the frame"]
    assert read("aBcD\nAbCd\naBCd\nAbcD\n").rules.signed
    assert read("abca\nbbca\ncabc\nccab\n", variant="signed").rules.signed


@pytest.mark.parametrize("size", ["", "2 2\n", "ntiles: 4\n"])
def test_names_of_columns_and_colons(size: str) -> None:
    """Names say the order of the sides, which an option overrides; an index may have a colon behind it."""
    wanted = read("\n".join(BODY)).pieces
    table = [line.split() for line in BODY]
    for names, order in (("id,top,right,bottom,left", (0, 1, 2, 3)), ("Tile;West;North;East;South", (3, 0, 1, 2))):
        rows = [",".join([str(n), *(row[side] for side in order)]) for n, row in enumerate(table, 1)]
        source = Source("p.csv", (size + "\n".join([names, *rows])).encode())
        instance = read_instance(source)
        assert np.array_equal(instance.pieces, wanted)
        assert any("is a header" in one for one in source.assumed)
        unnamed = "\n".join([names[next(at for at, sign in enumerate(names) if sign in ",;") :], *rows])  # as pandas
        assert np.array_equal(read(size + unnamed).pieces, wanted)
        bare = "\n".join([names.replace(";", ",").split(",", 1)[1], *(row.split(",", 1)[1] for row in rows)])
        assert np.array_equal(read(size + bare).pieces, wanted)
    assert np.array_equal(read(size + "\n".join(["l,u,r,d", *BODY]), sides="urdl").pieces, wanted)
    assert np.array_equal(read(size + "\n".join(f"{n}: {line}" for n, line in enumerate(BODY, 1))).pieces, wanted)
    with pytest.raises(InputError, match=r"5 numbers below 4 names \('u r d l'\)"):
        read(size + "\n".join(["u r d l", *(f"{n} {line}" for n, line in enumerate(BODY))]))


def test_declared_side_order() -> None:
    """`sides` says which side each number is: here the file starts at the bottom and goes on clockwise."""
    instance = read("1 1\n1 2 3 4", sides="dlur")
    assert instance.pieces[0].tolist() == [3, 4, 1, 2]
    assert read("1 1\n1 2 3 4", sides="udlr").pieces[0].tolist() == [1, 4, 2, 3]


def test_clarks_three_numbers() -> None:
    """Width, height and a third number, then sides left, up, right, down."""
    instance = read("1 2 0\n0 0 0 7\n0 7 0 0")
    assert (instance.rows, instance.columns) == (2, 1)
    assert instance.pieces[0].tolist() == [0, 0, 7, 0]


def test_a_given_size_serves_files_without_one() -> None:
    """Rows, columns, or one of them are enough for a rectangle."""
    text = "\n".join(["0 0 0 1"] * 6)
    for options in ({"rows": 2}, {"columns": 3}, {"rows": 2, "columns": 3}):
        instance = read(text, **options)
        assert (instance.rows, instance.columns) == (2, 3)
    assert read("3 2\n" + text, rows=2, columns=3).rows == 2


def test_hints_from_options() -> None:
    """Hints count cells from 0 and pieces from 1; the same hint twice is one."""
    instance = read("\n".join(BODY), hints=[(1, 0, 4, None), (1, 0, 4, None), (0, 0, 1, 3)])
    assert [(hint.cell, hint.piece, hint.rotation) for hint in instance.hints] == [(2, 3, None), (0, 0, 3)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no piece"),
        ("# only a comment\n", "no piece"),
        ("2 2\n", "no piece"),
        ("2 2\n" + "\n".join(BODY[:3]), "pieces.txt:1: the first line says 2 x 2 = 4 pieces, but 3 follow.*cut short"),
        ("2 2\n" + "\n".join([*BODY, *BODY]), "but 8 follow.*joined"),
        ("ntiles: 5\n" + "\n".join(BODY), "says 5 pieces, but 4 follow"),
        ("7\n" + "\n".join(BODY), "neither 7 nor 7 x 7"),
        ("999999999 999999999\n0 0 0 1", "but 1 follow"),
        ("2 2\n0 0 1\n" + "\n".join(BODY), "pieces.txt:2: a piece has 4 colours"),
        ("\n".join([*BODY, "0 0 1"]), "pieces.txt:5: the first piece has 4 numbers, this one has 3"),
        ("\n".join([*BODY[:3], "0 0 x 1"]), "pieces.txt:4: 'x' is not a whole number"),
        ("\n".join([*BODY[:3], "0 0 -1 1"]), "'-1' is not a whole number"),
        ("\n".join([*BODY[:3], "0 0 1000 1"]), "0 .the frame. to 999 .1000"),
        ("\n".join([*BODY[:3], "0 0 " + "9" * 5000 + " 1"]), "is not a whole number"),
        ("\n".join([*BODY[:3], "0 0 ٣ 1"]), "is not a whole number"),
        ("\n".join(BODY[:3]), "3 pieces do not make a square. Maybe give the number of rows"),
        ("1 0 0 1 1\n1 0 0 1 2", "pieces.txt:2: the index 1 appears twice"),
        ("1 0 0 1 1\n3 0 0 1 2", "the index 3 is too large"),
        ("5 0 0 1 1\n6 0 0 1 2", "starts at 0 or 1 .the least is 5"),
        ("1/0 2/0\n3/0 4/0", "Maybe|whole number"),
        ("0 0 0 1\n" * 5000, "up to 4096 pieces .there are 5000"),
    ],
)
def test_bad_lists_are_one_clear_error(text: str, words: str) -> None:
    """Each mistake is named with line and value."""
    with pytest.raises(InputError, match=words):
        read(text)


def test_binary_and_huge_files_are_refused() -> None:
    """Bytes that are no text, and files far too large, are not parsed."""
    with pytest.raises(InputError, match=r"pieces:2: not UTF-8 text \(byte '\\xff'\)"):
        read_instance(Source("pieces", b"2 2\n\xff\xfe\0"))
    with pytest.raises(InputError, match="at most 4,000,000"):
        read_instance(Source("pieces", b"0 0 0 1\n" * 600_000))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rows": 3}, "3 x 1 board needs 3 pieces"),
        ({"rows": 1, "columns": 4}, "is for a 2 x 2 board"),
        ({"hints": [(2, 0, 1, 0)]}, "row 2, column 0 lies outside"),
        ({"hints": [(0, 0, 5, 0)]}, "names piece 5"),
        ({"hints": [(0, 0, 1, 0), (0, 0, 2, 0)]}, "two hints name the cell in row 0, column 0"),
        ({"hints": [(0, 0, 1, 0), (0, 1, 1, 0)]}, "two hints name piece 1"),
    ],
)
def test_options_that_contradict_the_file(options: dict, words: str) -> None:
    """Sizes and hints that do not fit the pieces are input errors."""
    with pytest.raises(InputError, match=words):
        read("2 2\n" + "\n".join(BODY), **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sides": "nesw"}, "order of the letters u r d l"),
        ({"size_order": "row-column"}, "Maybe 'rows-columns'"),
        ({"rows": 0}, "whole number from 1"),
        ({"hints": [(1, 2)]}, "a hint is"),
        ({"hints": [(0, 0, 1, 4)]}, "a hint is"),
    ],
)
def test_options_that_make_no_sense(options: dict, words: str) -> None:
    """Wrong option values are refused before anything is read."""
    with pytest.raises(ConfigurationError, match=words):
        ReadOptions(**options)


def test_unknown_options_are_errors() -> None:
    """A misspelt option names the nearest one."""
    with pytest.raises(ConfigurationError, match="Maybe 'sides'"):
        ReadOptions.from_mapping({"side": "urdl"})
