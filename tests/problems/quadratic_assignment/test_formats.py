"""QAPLIB files: read back, and refused with the line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.quadratic_assignment.strategies import instances

from matheur.errors import InputError
from matheur.problems import problem_types
from matheur.problems.port import Source
from matheur.problems.quadratic_assignment import (
    TYPE,
    Instance,
    QuadraticAssignment,
    load,
    read_instance,
    read_solution,
    write_dat,
    write_sln,
)

VALID = b"""3

0 5 2
5 0 3
2 3 0

0 8 15
8 0 13
15 13 0
"""


def read(data: bytes) -> Instance:
    return read_instance(Source("file.dat", data))


@pytest.fixture
def small() -> QuadraticAssignment:
    rng = np.random.default_rng(1)
    flows, distances = rng.integers(0, 100, size=(2, 4, 4))
    return QuadraticAssignment(Instance(flows, distances))


@given(instances())
def test_written_instances_are_read_back(instance: Instance) -> None:
    """Any instance survives its file, and is recognised from size 2 on."""
    source = Source("f.dat", write_dat(instance).encode())
    again = read_instance(source)
    assert QuadraticAssignment(again).fingerprint == QuadraticAssignment(instance).fingerprint
    assert again.name == "f"
    assert TYPE.recognises(source) == (instance.n > 1)


@given(instances().filter(lambda one: one.n > 1))
def test_no_other_problem_recognises_what_is_written(instance: Instance) -> None:
    """Four or five columns of small numbers could be the pieces of a puzzle; the writer sees to that."""
    source = Source("f.dat", write_dat(instance).encode())
    for name in problem_types.names():
        assert name == TYPE.name or not problem_types.get(name).recognises(source)


def test_every_file_of_qaplib_is_recognised(data: Path) -> None:
    """By this problem and by no other one."""
    files = sorted((data / "assignment" / "qaplib").glob("*.dat"))
    assert len(files) == 27
    for file in files:
        source = Source(str(file), file.read_bytes())
        assert [name for name in problem_types.names() if problem_types.get(name).recognises(source)] == [TYPE.name]


def test_line_breaks_carry_no_meaning() -> None:
    """The numbers may stand in any lines, and any white space may be between them."""
    expected = QuadraticAssignment(read(VALID)).fingerprint
    for text in (
        b" ".join(VALID.split()),
        b"\n".join(VALID.split()),
        b"\r\n".join(VALID.split()) + b"\r\n\r\n",
        b"\xef\xbb\xbf" + VALID,
        b"\t+3 \n" + VALID.partition(b"\n")[2],
        VALID.replace(b"3\n\n", b"3 1234\n\n", 1),
    ):
        assert QuadraticAssignment(read(text)).fingerprint == expected


def test_the_first_matrix_is_that_of_the_facilities() -> None:
    """Flows come first, row by row."""
    one = read(b"2 1 2 3 4 5 6 7 8")
    assert one.flows.tolist() == [[1, 2], [3, 4]]
    assert one.distances.tolist() == [[5, 6], [7, 8]]
    assert (one.flows.dtype, one.n) == (np.int64, 2)


@contextmanager
def one_line() -> Iterator[None]:
    """Nothing else than an input error may be raised inside, and that in one line of a readable length."""
    message = ""
    try:
        yield
    except InputError as error:
        message = str(error)
    assert "\n" not in message
    assert len(message) < 500


BAD: dict[str, tuple[bytes, int | None, str]] = {
    "empty": (b"", None, "holds no number"),
    "blank": (b" \n\n", None, "holds no number"),
    "too few": (VALID[:-3], 9, "ends after 18 numbers; an instance of size 3 has 19"),
    "too many": (VALID + b"1\n", 10, "more than the 19 numbers of an instance of size 3"),
    "only the size": (b"3", 1, "ends after 1 numbers"),
    "size 0": (b"0\n", 1, r"size must be 1 to 2000 \(0\)"),
    "negative size": (b"-3\n", 1, r"size must be 1 to 2000 \(-3\)"),
    "huge size": (b"999999999999", 1, "size must be 1 to 2000"),
    "text": (VALID.replace(b"13 0", b"13 zero"), 9, r"not a whole number \('zero'\)"),
    "float": (VALID.replace(b"13 0", b"13 0.5"), 9, r"not a whole number \('0.5'\)"),
    "comma": (VALID.replace(b"13 0", b"13, 0"), 9, r"\('13,'\)"),
    "underscore": (VALID.replace(b"13 0", b"1_3 0"), 9, r"\('1_3'\)"),
    "two signs": (VALID.replace(b"13 0", b"+-13 0"), 9, r"\('\+-13'\)"),
    "minus inside": (VALID.replace(b"13 0", b"1-3 0"), 9, r"\('1-3'\)"),
    "other digits": (VALID.replace(b"13 0", "١٣ 0".encode()), 9, "not a whole number"),
    "NUL": (VALID.replace(b"13 0", b"13\0 0"), 9, "not a whole number"),
    "too large": (VALID.replace(b"13 0", b"1" * 30 + b" 0"), 9, "too large"),
    "65 bits": (VALID.replace(b"13 0", b"9223372036854775808 0"), 9, "too large"),
    "thousands of digits": (VALID.replace(b"13 0", b"1" * 6000 + b" 0"), 9, "too large"),
    "overflow": (VALID.replace(b"13 0", b"9000000000000000000 0"), None, "could overflow"),
    "binary": (bytes(range(256)), 1, "not a whole number"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_instances(name: str) -> None:
    """One line that names file, line and value."""
    content, line, words = BAD[name]
    with pytest.raises(InputError, match=words) as caught:
        read(content)
    assert (caught.value.source, caught.value.line) == ("file.dat", line)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@settings(max_examples=300)
@given(st.binary(max_size=200) | st.text('0123456789 \n-+.,[]{}"x', max_size=100).map(str.encode))
def test_no_bytes_crash_the_readers(content: bytes) -> None:
    """Whatever the bytes, they are read or refused in one line."""
    source = Source("f", content)
    assert TYPE.recognises(source) in (True, False)
    with one_line():
        read_instance(source)
    with one_line():
        read_solution(QuadraticAssignment(read(VALID)), source)


@pytest.mark.parametrize("content", [b"", b"1 5 5", b"2 1 2 3 4 5 6 7", b"2 1 2 3 4 5 6 7 8 9", b"2.0 " + b"1 " * 8,
                                     b"3000 " + b"1 " * 100, b"2 1 2 3 4 5 6 7 x", b"2" * 50])  # fmt: skip
def test_other_files_are_not_recognised(content: bytes) -> None:
    """The count of the numbers must be right, and all must be whole."""
    assert not TYPE.recognises(Source("f", content))


def solution(problem: QuadraticAssignment, text: str) -> list[int]:
    return read_solution(problem, Source("f.sln", text.encode())).tolist()


def test_all_conventions_of_solutions(small: QuadraticAssignment) -> None:
    """Counted from 1 or 0, direct or inverse, with commas, with or without the value: the same permutation."""
    places = np.array([1, 2, 3, 0], dtype=np.int32)
    inverse = np.argsort(places)
    value, other = (small.evaluate(p).objective for p in (places, inverse))
    assert value != other
    direct, back = " ".join(map(str, places + 1)), " ".join(map(str, inverse + 1))
    for text in (
        write_sln(small, places),
        f"4 {value}\n{direct}",
        f" 4, {value},\n{direct.replace(' ', ',')}",
        f"4 {value} {' '.join(map(str, places))}",
        f"4 {value} {back}",
        f"4 {value} {' '.join(map(str, inverse))}",
        f"4\n{direct}\n",
        direct,
        " ".join(map(str, places)),
        str((places + 1).tolist()),
    ):
        assert solution(small, text) == places.tolist(), text
    assert solution(small, f"4 {other} {direct}") == inverse.tolist()
    assert solution(small, back) == inverse.tolist()


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("4 1\n1 2 3 4", 1, r"the stated value is 1, but the permutation costs \d+, and its inverse \d+. Maybe"),
        ("5 100\n1 2 3 4", 1, "a solution of size 5; the instance has the size 4"),
        ("4 100\n1 2 3\n", 1, "a solution of size 4; the instance|locations are 1 to 4"),
        ("4 100\n1 2 3 5\n", 2, r"locations are 1 to 4 \(5\)"),
        ("4 100\n0 1 2 4\n", 2, r"locations are 0 to 3 \(4\)"),
        ("4 100\n1 2 3 4 5\n", None, r"holds 4 locations, before them their number and the value \(7 numbers\)"),
        ("", None, r"\(0 numbers\)"),
        ("4 100\n1 2 x 4\n", 2, r"not a whole number \('x'\)"),
        ("4 100.5\n1 2 3 4\n", 1, r"not a whole number \('100.5'\)"),
        ("[1, 2, 3]", None, "4 locations"),
        ("[1, 2,", 1, "not JSON"),
        ('{"a": 1}', None, "a list of 4 locations, not dict"),
        ("[" * 100_000, None, "nested too deeply"),
        ("[" + "9" * 5000 + "]", None, "cannot be read|a huge number|4 locations"),
    ],
)
def test_bad_solutions(small: QuadraticAssignment, text: str, line: int | None, words: str) -> None:
    """One line that says what is wrong, with the file."""
    with pytest.raises(InputError, match=words) as caught:
        solution(small, text)
    assert caught.value.source == "f.sln"
    if line is not None:
        assert caught.value.line == line


def test_a_location_twice_is_for_the_evaluator(small: QuadraticAssignment) -> None:
    """A well-formed list that is no permutation is read, and found to be no solution."""
    for text in ("4 100\n1 2 3 3", "1 2 3 3", "[1, 2, 3, 3]"):
        places = read_solution(small, Source("f", text.encode()))
        assert not small.evaluate(places).feasible


def test_large_files_are_refused_early(small: QuadraticAssignment) -> None:
    """A solution of more than a megabyte is none, and an instance stops at the first number too many."""
    with pytest.raises(InputError, match="at most 1000000 bytes"):
        solution(small, "1 " * 600_000)
    with pytest.raises(InputError, match="more than the 9 numbers"):
        read(b"2\n" + b"1 1 1 1\n" * 100_000)


def test_loading_from_a_path(tmp_path: Path) -> None:
    """`load` takes paths and sources, and says what is wrong with a path."""
    file = tmp_path / "three.dat"
    file.write_bytes(VALID)
    assert load(file).instance.name == "three"
    assert load(Source("<stdin>", VALID)).instance.name == ""
    with pytest.raises(InputError, match=r"cannot read \(No such file"):
        load(tmp_path / "four.dat")
    with pytest.raises(InputError, match="cannot be read"):
        load("nul\0byte")
