"""Puzzle files and plan files: read back, and refused with the line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.cubical.strategies import instances, mutated

from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems import problem_types
from matheur.problems.cubical import TYPE, Cubical, ReadOptions, builtin, read_instance, read_solution, write_toml
from matheur.problems.cubical.formats import BYTES_MAX

VALID = b"""# a puzzle
title = "small"
dimension = 3
k = 2

[start]
green = 0
"light blue" = "111"

[target]
"light blue" = 4
green = 3
"""


def read(text: str | bytes, **options: object) -> object:
    data = text.encode() if isinstance(text, str) else text
    return read_instance(Source("file.toml", data), ReadOptions.from_mapping(options))


@given(instances())
def test_written_puzzles_are_read_back(instance) -> None:
    """Any puzzle survives its file, with the order of its rings and all but unwritable letters of its title."""
    text = write_toml(instance)
    source = Source("f", text.encode())
    again = read_instance(source)
    assert again == type(instance)(
        *(getattr(instance, name) for name in ("dimension", "k", "rings", "start", "target")), again.title
    )
    assert again.title == instance.title.encode("utf-8", "replace").decode()
    assert TYPE.recognises(source)


def test_the_file_of_the_documentation() -> None:
    """Vertices as numbers and as bits, rings in the order of the start whatever the order of the target."""
    one = read(VALID)
    assert one.rings == ("green", "light blue")
    assert (one.start, one.target) == ((0, 7), (3, 4))
    assert (one.dimension, one.k, one.title) == (3, 2, "small")


def test_the_leftmost_bit_is_the_highest_coordinate() -> None:
    """The text "0011" is vertex 3, "1000" vertex 8."""
    one = read("dimension = 4\nk = 1\nstart = {a = '0011', b = \"1000\"}\ntarget = {a = 1, b = 2}\n")
    assert one.start == (3, 8)


def test_other_ways_of_toml() -> None:
    """Inline tables, dotted keys, quoted keys, a byte order mark and CRLF are TOML, too."""
    for text in (
        "dimension = 3\nk = 2\nstart.green = 0\nstart.'light blue' = 7\ntarget.green = 3\ntarget.'light blue' = 4\n",
        "k = 2\nstart = {green = 0, 'light blue' = 0b111}\ntarget = {green = 3, 'light blue' = 4}\ndimension = 3",
        "\ufeff" + VALID.decode().replace("\n", "\r\n"),
    ):
        assert TYPE.recognises(Source("f", text.encode()))
        assert Cubical(read(text)).fingerprint == Cubical(read(VALID)).fingerprint


def test_k_can_be_chosen_at_reading() -> None:
    """The option `k` replaces that of the file, which may then be missing; it is checked all the same."""
    assert read(VALID, k=1).k == 1
    assert read(VALID.replace(b"k = 2\n", b""), k=1).k == 1
    with pytest.raises(InputError, match=r"k must be 1 to 3 in dimension 3 \(4\)"):
        read(VALID, k=4)
    for wrong in (0, True, "2", 1.5):
        with pytest.raises(ConfigurationError, match="k must be a whole number"):
            read(VALID, k=wrong)
    with pytest.raises(ConfigurationError, match="unknown option 'kk' of cubical files"):
        read(VALID, kk=3)


@contextmanager
def one_line() -> Iterator[None]:
    """Nothing else than an input error may be raised inside, and that in one line of a readable length."""
    message = ""
    try:
        yield
    except InputError as error:
        message = str(error)
    assert "\n" not in message
    assert len(message) < 1000


BAD: dict[str, tuple[str, str, int | None, str]] = {
    "no TOML": ("k = 2", "k 2", 4, "not TOML"),
    "same key twice": ("k = 2", "k = 2\nk = 2", 5, "Maybe the same key twice"),
    "same ring twice": ("green = 0", "green = 0\ngreen = 1", 8, "Maybe the same key twice"),
    "table twice": ("[target]", "[start]", 10, "not TOML"),
    "no dimension": ("dimension = 3\n", "", None, "no 'dimension', a whole number"),
    "no k": ("k = 2\n", "", None, "no 'k', a whole number"),
    "no start": ("[start]", "[begin]", 6, "a puzzle has no key 'begin'. Maybe one of"),
    "no target": ("[target]", "", 11, "same key twice"),
    "unknown key": ("k = 2", "k = 2\ndimensions = 3", 5, "Maybe 'dimension'"),
    "float": ("dimension = 3", "dimension = 3.0", 3, r"'dimension' must be a whole number \(3.0\)"),
    "boolean": ("k = 2", "k = true", 4, r"'k' must be a whole number \(true\)"),
    "text": ("k = 2", "k = '2'", 4, r"'k' must be a whole number \('2'\)"),
    "date": ("k = 2", "k = 1979-05-27", 4, r"must be a whole number \(1979-05-27\)"),
    "list": ("k = 2", "k = [2]", 4, r"must be a whole number \(a list\)"),
    "huge": ("k = 2", "k = 99999999999999999999", 4, "more than 18 digits"),
    "thousands of digits": ("k = 2", "k = " + "9" * 5000, None, "cannot be read"),
    "impossible date": ("k = 2", "k = 1979-02-30", 4, "not TOML"),
    "title": ('title = "small"', "title = 5", 2, r"title must be a text \(5\)"),
    "dimension too large": ("dimension = 3", "dimension = 8", 3, r"1 to 7 \(8\)"),
    "dimension too small": ("dimension = 3", "dimension = 0", 3, r"1 to 7 \(0\)"),
    "k too large": ("k = 2", "k = 4", 4, r"k must be 1 to 3 in dimension 3 \(4\)"),
    "k too small": ("k = 2", "k = 0", 4, r"k must be 1 to 3"),
    "vertex too large": ("green = 3", "green = 8", 12, r"target: ring 'green' is on no vertex \(8\); they are 0 to 7"),
    "vertex negative": ("green = 0", "green = -1", 7, r"start: ring 'green' is on no vertex \(-1\)"),
    "vertex huge": ("green = 0", "green = 0x" + "f" * 5000, 7, "on no vertex; they are 0 to 7"),
    "vertex float": ("green = 0", "green = 0.0", 7, r"must be a whole number or a text of 3 bits \(0.0\)"),
    "vertex boolean": ("green = 0", "green = false", 7, r"\(false\)"),
    "vertex in quotes": ("green = 0", "green = '6'", 7, r"Maybe 6 without quotes\?"),
    "too few bits": ('"111"', '"11"', 8, "text of 3 bits"),
    "too many bits": ('"111"', '"0111"', 8, "Maybe '001'"),
    "nested table": ("green = 0", "green.x = 0", 7, r"\(a table\)"),
    "rings on a vertex": ("green = 3", "green = 4", 12, "target: rings 'light blue' and 'green' share vertex 4"),
    "ring not in the target": ("\ngreen = 3", "\ngrene = 3", 7, "of the start is not in the target. Maybe 'grene'"),
    "ring missing in the target": ("\ngreen = 3", "", 7, "Maybe add it to the target"),
    "ring missing in the start": ("green = 0\n", "", 11, "'green' of the target is not in the start"),
    "long name": ("green = 0", "g" * 41 + " = 0", 7, "1 to 40 printable characters"),
    "control character": ("green = 0", '"a\\u0007" = 0', 7, "printable"),
    "empty name": ("green = 0", '"" = 0', 7, "printable"),
    "empty table": ('green = 0\n"light blue" = "111"\n', "", 6, "table 'start' is empty"),
    "start is a number": ('[start]\ngreen = 0\n"light blue" = "111"\n', "start = 5\n", 6, "'start' must be a table"),
    "too many rings": (
        "green = 0",
        "\n".join(f"r{i} = {i}" for i in range(9)),
        6,
        r"a cube of dimension 3 holds 1 to 8 rings \(10\)",
    ),
    "deep": ("k = 2", "k = " + "[" * 50_000, None, "nested too deeply"),
    "dots": ("k = 2", "k" + ".a" * 40_000 + " = 1", 4, "dots in a line"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_wrong_files_are_refused_with_their_line(case: str) -> None:
    """Each wrong file is one line of error: where, what, and what it could be."""
    old, new, line, words = BAD[case]
    assert old in VALID.decode()
    with pytest.raises(InputError, match=words) as caught:
        read(VALID.decode().replace(old, new, 1))
    error = caught.value
    assert error.source == "file.toml"
    assert error.line == line
    assert "\n" not in str(error)
    assert len(str(error)) < 400


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"dimension = 3\n\xff", "file.toml:2: not TOML"),
        (b"", "no 'dimension'"),
        (b"x" * (BYTES_MAX + 1), "at most 100,000 bytes"),
        (b"\x00", "file.toml:1: not TOML"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, words: str) -> None:
    """Binary, empty and huge files are refused."""
    with pytest.raises(InputError, match=re.escape(words)):
        read(data)


@settings(max_examples=300)
@given(st.one_of(st.binary(max_size=200), mutated(VALID), mutated(write_toml(builtin("d5-k4-level0")).encode())))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    """Any bytes are a puzzle or an input error in one line; recognising them never fails."""
    source = Source("f", data)
    assert TYPE.recognises(source) in (True, False)
    with one_line():
        instance = read_instance(source)
        assert read_instance(Source("f", write_toml(instance).encode())).rings == instance.rings


@settings(max_examples=200)
@given(
    st.one_of(st.binary(max_size=100), mutated(b"green:1 red:5, blue:7;\n# x\nred:1"), mutated(b'["green:1", "red:3"]'))
)
def test_no_bytes_crash_the_reader_of_plans(data: bytes) -> None:
    """Any bytes are a plan or an input error in one line."""
    with one_line():
        plan = read_solution(Cubical(builtin("demo")), Source("f", data))
        assert plan.dtype == np.int32


@pytest.mark.parametrize(
    "text",
    [
        '["blue:7", "red:5", "green:4"]',
        "blue:7 red:5 green:4",
        "blue:7,red:5,green:4\r\n",
        "\ufeffblue:7; red:5  # comment\n\n\tgreen:4",
        "blue:7\nred:5\ngreen:4\n",
    ],
)
def test_forms_of_plans(text: str) -> None:
    """JSON, and words between blanks, commas, semicolons and ends of lines, mean the same."""
    problem = Cubical(builtin("d3-k1-level0"))
    plan = read_solution(problem, Source("f", text.encode()))
    assert problem.encode(plan) == ["blue:7", "red:5", "green:4"]


def test_no_words_are_no_moves() -> None:
    """An empty file is the empty plan."""
    for data in (b"", b"[]", b"\n # nothing\n"):
        assert read_solution(Cubical(builtin("demo")), Source("f", data)).tolist() == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"green:1\nred:5 gren:7", "f:2: move 2: no ring is called 'gren'. Maybe 'green'?"),
        (b"green:16", "f:1: move 1: no such vertex ('16'); they are 0 to 15"),
        (b"green", "f:1: move 1 must be 'ring:vertex' ('green')"),
        (b"[1, 2", "f:1: not JSON"),
        (b'{"moves": []}', "f: a plan is a list of 'ring:vertex', not dict"),
        (b"[" * 100_000, "f: the JSON is nested too deeply"),
        (b"[" + b"9" * 5000 + b"]", "f: a number in the JSON has too many digits"),
        (b"green:1\n\xff\0", "f:2: not UTF-8"),
    ],
)
def test_wrong_plans_are_refused_with_their_line(data: bytes, words: str) -> None:
    """A plan that cannot be read says where and why."""
    with pytest.raises(InputError, match=re.escape(words)):
        read_solution(Cubical(builtin("demo")), Source("f", data))


def test_no_two_problems_claim_the_same_file() -> None:
    """Of the kinds of problems only this one recognises its files, and it recognises those of no other."""
    texts = [write_toml(builtin(name)).encode() for name in TYPE.builtins()]
    for name in problem_types.names():
        kind = problem_types.get(name)
        claimed = [kind.recognises(Source("f", text)) for text in [*texts, VALID]]
        assert set(claimed) == {kind is TYPE}
    made = problem_types.get("edge-matching").generate({"size": "4"}, 1).instance
    for data in (
        made.encode(),
        b"",
        b"3 3\n",
        b"p edge 3 2\n",
        b"dimension = 5\n",
        b"start",
        b'{"start": 1, "target": 2}',
    ):
        assert not TYPE.recognises(Source("f", data))


def test_a_broken_file_is_still_recognised() -> None:
    """A syntax error does not hide what the file was meant to be, so that its line can be told."""
    assert TYPE.recognises(Source("f", VALID.replace(b"k = 2", b"k 2")))
    assert not TYPE.recognises(Source("f", VALID + b"#" * BYTES_MAX))


def test_line_ends_and_marks() -> None:
    """Old line ends and UTF-16 make no difference, and a file holds one puzzle."""
    for data in (VALID.replace(b"\n", b"\r"), VALID.decode().encode("utf-16")):
        assert TYPE.recognises(Source("f", data))
        assert read(data) == read(VALID)
    with pytest.raises(InputError, match=r"f: a file holds one puzzle, there is no number 2"):
        read_instance(Source("f", VALID, 2))
