"""Recognition, and the promise that no bytes whatever crash a reader."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from problems.edge_matching.strategies import mutated

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.edge_matching import (
    TYPE,
    EdgeMatching,
    Hint,
    Instance,
    generate,
    read_board,
    read_hints,
    read_instance,
    write_brendan,
    write_bucas,
    write_hints,
    write_json,
    write_mcgavin,
    write_piece_list,
    write_placement,
)

_PLAIN, BOARD = generate(3, 3, seed=7, name="fuzz")
PUZZLE = Instance(3, 3, _PLAIN.pieces, (Hint(4, int(BOARD[4]) // 4, int(BOARD[4]) % 4),), "fuzz")
FILES = [
    text.encode()
    for text in (
        write_piece_list(PUZZLE),
        write_json(PUZZLE),
        write_mcgavin(PUZZLE),
        write_bucas(PUZZLE, BOARD, motifs_order="jef"),
        write_placement(PUZZLE, BOARD),
        write_brendan(PUZZLE, BOARD),
        json.dumps(EdgeMatching(PUZZLE).encode(BOARD)),
        write_hints(PUZZLE),
    )
]


def use_everything(content: bytes) -> None:
    """Every reader on these bytes; only `InputError` is caught."""
    source = Source("fuzz", content)
    TYPE.recognises(source)
    with suppress(InputError):
        EdgeMatching(read_instance(source)).infeasible_reason()
    with suppress(InputError):
        board = read_board(PUZZLE, source)
        EdgeMatching(PUZZLE).evaluate(board)
    with suppress(InputError):
        read_hints(source)


@settings(max_examples=200)
@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")))
@example(b"")
@example(b"\xef\xbb\xbf")
@example(b"\x00" * 50)
@example(b"[" * 200_000)
@example(b'{"format":' * 50_000)
@example(b"9" * 10_000)
@example(b"board_edges=")
def test_no_bytes_crash_a_reader(content: bytes) -> None:
    """Random bytes and texts give an answer or an InputError."""
    use_everything(content)


@settings(max_examples=400)
@given(st.sampled_from(FILES).flatmap(mutated))
def test_no_damaged_file_crashes_a_reader(content: bytes) -> None:
    """Files that are nearly right give an answer or an InputError."""
    use_everything(content)


def test_errors_are_one_line() -> None:
    """Whatever the value, an error message stays on one line of readable length."""
    for content in (b"0 0 0 " + b"x" * 5000, b"1/0 " + "\u2028".encode() * 99, b'{"a": "' + b"\xc2\x85" * 99 + b'"}'):
        with pytest.raises(InputError) as caught:
            read_instance(Source("file", content))
        assert len(str(caught.value).splitlines()) == 1
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("content", FILES[:4])
def test_instances_are_recognised(content: bytes) -> None:
    """Every format of an instance looks like one."""
    assert TYPE.recognises(Source("x", content))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 0\n",  # a sliding-tile board
        "4\n0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 6 0\n\n0 9 8 7\n9 0 6 5\n8 6 0 4\n7 5 4 0\n",  # a QAPLIB instance
        "4 120\n2 1 4 3\n",  # a QAPLIB solution
        "p edge 3 2\ne 1 2\ne 2 3\n",  # DIMACS
        "3 2\n2\n1 3\n2\n",  # METIS
        "5 10\n2 3 4 5\n1 3 4 5\n1 2 4 5\n1 2 3 5\n1 2 3 4\n",  # METIS, every vertex of degree 4
        "010\n111\n010\n",  # lights out
        "#####\n#@$.#\n#####\n",  # sokoban
        "[party]\n",
        "https://example.org/puzzle#board_w=4",
        '{"solution": [[1, 0]]}',
        "[[1, 0]]",
        " 1/0 2/1\n 3/0 4/2\n",
    ],
)
def test_other_files_are_not_taken_for_puzzles(text: str) -> None:
    """Lines of numbers of other problems, boards and solutions are left to others."""
    assert not TYPE.recognises(Source("x", text.encode()))


@pytest.mark.parametrize("body", ["0 0 1 2\n0 0 1 1\n0 0 2 2\n0 0 2 1\n", "0 0 1 2\n0 0 1 1\n0 0 2 2\n"])
def test_headerless_and_truncated_lists_are_recognised(body: str) -> None:
    """A list without a first line, or with one that is wrong, still looks like pieces, so that its error is ours."""
    assert TYPE.recognises(Source("x", body.encode()))
    assert TYPE.recognises(Source("x", b"2 2\n" + body.encode()))
