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

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems import problem_types
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
from matheur.running.loading import recognise

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
    assert bool(TYPE.recognises(source)) == (instance.n > 1)


def test_negative_numbers_are_no_pieces() -> None:
    """Four rows that look like corners prove nothing against a file in which numbers are negative."""
    corners = "1 0 0 9\n0 9 1 0\n0 0 7 2\n8 6 0 0\n"
    rest = "3 7 7 5\n9 5 3 8\n1 5 0 8\n8 2 7 1\n"
    assert TYPE.recognises(Source("f", f"4\n{corners}{rest}".encode())) == Recognition.FITS
    assert TYPE.recognises(Source("f", f"4\n{corners}{rest.replace('9', '-9')}".encode())) == Recognition.PROVED


@given(instances().filter(lambda one: one.n > 1))
def test_what_is_written_is_recognised(instance: Instance) -> None:
    """Four or five columns of small numbers could be the pieces of a puzzle; the count of the numbers is surer."""
    assert recognise(Source("f.dat", write_dat(instance).encode())) is TYPE


def test_every_file_of_qaplib_is_recognised(data: Path) -> None:
    """By this problem and by no other one."""
    files = sorted((data / "assignment" / "qaplib").glob("*.dat"))
    assert len(files) == 27
    for file in files:
        source = Source(str(file), file.read_bytes())
        assert TYPE.recognises(source) == Recognition.PROVED
        others = [name for name in problem_types.names() if name != TYPE.name]
        assert all(problem_types.get(name).recognises(source) < Recognition.PROVED for name in others)


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
    "too many": (VALID + b"1 2 3 4 5 6 7\n", 10, "more than the 19 numbers of an instance of size 3"),
    "one too many": (VALID.replace(b"13 0\n", b"13 0 1\n").replace(b"5 2", b"5 1"), None, "lines do not show which"),
    "only the size": (b"3", 1, "ends after 1 numbers"),
    "size 0": (b"0\n", 1, r"size must be 1 to 2000 \(0\)"),
    "negative size": (b"-3\n", 1, r"size must be 1 to 2000 \(-3\)"),
    "huge size": (b"999999999999", 1, "size must be 1 to 2000"),
    "text": (VALID.replace(b"13 0", b"13 zero"), 9, r"not a number \('zero'\)"),
    "two points": (VALID.replace(b"13 0", b"13 0.5.1"), 9, r"not a number \('0.5.1'\)"),
    "not a number": (VALID.replace(b"13 0", b"13 nan"), 9, r"not a number \('nan'\)"),
    "decimal comma": (VALID.replace(b"13 0", b"13 0,5"), 9, "Maybe decimal commas"),
    "decimal commas": (VALID.replace(b"15 13 0", b"1,5;1,3;0"), 9, "Maybe decimal commas"),
    "a cell without number": (VALID.replace(b"15 13 0", b"15,,0"), 9, "nothing between two separators"),
    "fine and large": (VALID.replace(b"13 0", b"13e16 0.00001"), 9, "too large once all have 5 decimals"),
    "fractional size": (b"2.5 " + VALID[1:], 1, "size must be 1 to 2000"),
    "underscore": (VALID.replace(b"13 0", b"1_3 0"), 9, r"not a number \('1_3'\)"),
    "two signs": (VALID.replace(b"13 0", b"+-13 0"), 9, r"\('\+-13'\)"),
    "minus inside": (VALID.replace(b"13 0", b"1-3 0"), 9, r"\('1-3'\)"),
    "other digits": (VALID.replace(b"13 0", "١٣ 0".encode()), 9, "not a number"),
    "NUL": (VALID.replace(b"13 0", b"13\0 0"), 9, "not a number"),
    "too large": (VALID.replace(b"13 0", b"1" * 30 + b" 0"), 9, "too large"),
    "65 bits": (VALID.replace(b"13 0", b"9223372036854775808 0"), 9, "too large"),
    "thousands of digits": (VALID.replace(b"13 0", b"1" * 6000 + b" 0"), 9, "too large"),
    "overflow": (VALID.replace(b"13 0", b"9000000000000000000 0"), None, "could overflow"),
    "binary": (bytes(range(256)), 2, "Maybe a binary file"),
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
    assert TYPE.recognises(source) in Recognition
    with one_line():
        read_instance(source)
    with one_line():
        read_solution(QuadraticAssignment(read(VALID)), source)


@pytest.mark.parametrize("content", [b"", b"1 5 5", b"2 1 2 3 4 5 6 7", b"2 1 2 3 4 5 6 7 8 9", b"2.0 " + b"1 " * 8,
                                     b"3000 " + b"1 " * 100, b"2 1 2 3 4 5 6 7 x", b"2" * 50])  # fmt: skip
def test_other_files_are_not_recognised(content: bytes) -> None:
    """The count of the numbers must be right, and all must be whole."""
    assert not TYPE.recognises(Source("f", content))


FLOWS, DISTANCES = "0 5 2\n5 0 3\n2 3 0\n", "0 8 15\n8 0 13\n15 13 0\n"
ALL = (FLOWS + DISTANCES).split()
KNOWN = "is a known value, not part of the matrices"


@pytest.mark.parametrize(
    ("text", "assumed"),
    [
        (f"3 128\n{FLOWS}{DISTANCES}", [f"128 after the size {KNOWN}"]),
        (f"3 -20\n\n{FLOWS}\n{DISTANCES}", [f"-20 after the size {KNOWN}"]),
        (f"3\n128\n{FLOWS}{DISTANCES}", [f"128 after the size {KNOWN}"]),
        (f"3 126.5 128\n{FLOWS}{DISTANCES}",
         ["253/2, 128 after the size are known values, not part of the matrices"]),
        (f"3\n{FLOWS}{DISTANCES}128\n", [f"128 at the end {KNOWN}"]),
        (f"3 128\n{FLOWS}{DISTANCES}128\n", [f"128 after the size {KNOWN}", f"128 at the end {KNOWN}"]),
        (f"3\n{FLOWS}{DISTANCES}128 1 2 3\n", ["128, 1, 2, 3 at the end are known values, not part of the matrices"]),
        (f"3\n\n{' '.join(ALL[:9])}\n\n{' '.join(ALL[9:])}\n\n128", [f"128 at the end {KNOWN}"]),
        ("\n".join(["3", "", *ALL[:9], "", *ALL[9:], "", "128"]), [f"128 at the end {KNOWN}"]),
        ("\n".join(["3", "128", "", *ALL[:9], "", *ALL[9:]]), [f"128 after the size {KNOWN}"]),
        (f"3 128 {' '.join(ALL)}",
         ["the matrices begin with number 3 of the file, since both are then symmetric",
          f"128 after the size {KNOWN}"]),
        (f"3;128\n{FLOWS.replace(' ', ',')}{DISTANCES.replace(' ', ';')}", [f"128 after the size {KNOWN}"]),
        (f"# flows\n3 128 // the best\n% a\nc b\n{FLOWS}! distances\n{DISTANCES}", [f"128 after the size {KNOWN}"]),
        (f"3\n{FLOWS.replace(' ', ', ')}{DISTANCES.replace(' ', ',')}", []),
        (f"3\n{FLOWS.replace('5', '5.0')}{DISTANCES.replace('13', '1.3e1')}\x1a", []),
    ],
)  # fmt: skip
def test_known_values_are_told_from_the_matrices(text: str, assumed: list[str]) -> None:
    """By the ends of lines, by blank lines, or by symmetry; the recogniser and the reader agree."""
    source = Source("f.dat", text.encode())
    assert QuadraticAssignment(read_instance(source)).fingerprint == QuadraticAssignment(read(VALID)).fingerprint
    assert source.assumed == assumed
    assert TYPE.recognises(source)


@pytest.mark.parametrize(
    "text",
    [
        "2 " + " ".join(str(number) for number in range(9)),  # one line
        "2\n" + "\n".join(str(number) for number in range(9)),  # a number a line
        "\n".join(("2 1 2 3 4", "5 6 7 8 9")),  # a table: 1 after the size, or 9 at the end
        "2\n1,2\n3,4\n5,6\n7\n8\n9,0",
    ],
)
def test_one_number_too_many_that_may_stand_anywhere_is_asked_for(text: str) -> None:
    """Nothing tells which number is the value: no guess."""
    with pytest.raises(InputError, match="its lines do not show which"):
        read(text.encode())


def test_decimals_are_scaled_exactly() -> None:
    """The score is in units of the file, the objective a whole number; the file is written back as it was."""
    source = Source("f.dat", b"3\n0 2.5 1\n2.5 0 .75\n1 0.75 0\n0 1 2\n1e0 0 3.5\n2 3.5 0")
    problem = QuadraticAssignment(read_instance(source))
    assert problem.instance.flows.tolist() == [[0, 250, 100], [250, 0, 75], [100, 75, 0]]
    assert problem.instance.distances.tolist() == [[0, 10, 20], [10, 0, 35], [20, 35, 0]]
    assert source.assumed == ["decimals are scaled: the objective counts in 1/1000, the score in units of the file"]
    places = np.array([0, 1, 2], dtype=np.int32)
    assert problem.evaluate(places).objective == 14250
    assert problem.score(14250) == 14.25
    again = QuadraticAssignment(read(write_dat(problem.instance).encode()))
    assert again.fingerprint == problem.fingerprint != QuadraticAssignment(
        Instance(problem.instance.flows, problem.instance.distances)
    ).fingerprint  # fmt: skip
    for value in ("14.25", "14.250", "14.2", "14"):
        stated = Source("f.sln", f"3 {value}\n1 2 3\n".encode())
        assert read_solution(problem, stated).tolist() == [0, 1, 2]
    with pytest.raises(InputError, match=r"the stated value is 14.24, but the permutation costs 14.25"):
        read_solution(problem, Source("f.sln", b"3 14.24\n1 2 3\n"))
    assert read_solution(problem, Source("f.sln", write_sln(problem, places).encode())).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("2 0 1\n3 4 5\n6 7 8\n", Recognition.NO),  # a board of tiles with as many numbers
        ("2 0 1 3 4 5 6 7 8\n", Recognition.FITS),
        ("4 0 1\n2 3 1\n0 4 5\n2 4 0\n6 3 5\n6 0 0\n9 8 7\n9 0 6\n5 8 6\n0 4 7\n5 4 0\n", Recognition.PROVED),
        ("4 0 1\n2 3 1\n0 4 5\n2 4 0\n6 3 5\n6 0 0\n9 8 7\n9 0 6\n5 8 6\n0 4 7\n5 5 0\n", Recognition.NO),
        ("2 1\n2 3\n4 5\n6 7\n8 9\n", Recognition.NO),  # edges
        ("3 6\n1 2 5\n1 3 5\n2 3 5\n2 1 5\n3 1 5\n3 2 5\n", Recognition.FITS),  # edges with weights behind a count
        ("4 2\n" + "0 0 1 1\n" * 8, Recognition.FITS),  # pieces of a board of 4 x 2
        ("5 2\n" + "1 0 0 1 1\n" * 10, Recognition.PROVED),
        ("5 5\n" + "".join(f"{number} 0 0 1 1\n" for number in range(1, 11)), Recognition.FITS),  # pieces, cut short
        ("4 4\n" + "0 0 1 2\n" * 8, Recognition.FITS),
        ("4 4\n" + "0 0 1 2\n" * 8 + "0 1\n", Recognition.NO),
        ("4\n" + "0 0 1 2\n" * 4 + "0 1 1 2\n" * 4, Recognition.FITS),
        ("4\n" + "0 1 0 2\n" * 4 + "0 1 1 2\n" * 4, Recognition.PROVED),
        ("3 3\n" + "0 0 1 2\n" * 4 + "0 1\n", Recognition.NO),
        ("3 3\n" + "0 0 1 2\n" * 4 + "0\n", Recognition.NO),
        ("6 6\n" + "0 0 1 2\n" * 18 + "0 1\n", Recognition.NO),
        ("6\n" + "0 0 1 2\n" * 18, Recognition.NO),
        ("3\n" + "0 0 1 2\n" * 4 + "0 1\n", Recognition.NO),
        ("3\n0 1\n2 3 4\n5 6 7 8\n0 1 2 3 4\n5 6 7 8\n", Recognition.FITS),
        ("3 6 7\n\n" + "1 2 5\n" * 3 + "\n" + "1 2 5\n" * 3, Recognition.FITS),
        ("3 6 7\n" + "1 2 5\n" * 6, Recognition.NO),
        ("4 20\n" + "0 1 0 1\n" * 8, Recognition.PROVED),
        ("6 3\n" + "0 0 1 1\n" * 18, Recognition.NO),  # pieces of a board of 6 x 3
        ("4\n" + "0 0 1 1\n" * 4, Recognition.NO),
        ("5 10\n2 3 4 5\n1 3 4 5\n1 2 4 5\n1 2 3 5\n1 2 3 4\n", Recognition.NO),  # METIS
    ],
)
def test_claims_are_as_sure_as_the_evidence(text: str, claim: Recognition) -> None:
    """A count that agrees and rows that begin lines prove it; tables that may be something else only fit."""
    assert TYPE.recognises(Source("f", text.encode())) == claim


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
        f"{value}\n{direct}\n",
        f"{value};{back.replace(' ', ';')}",
        f"{value} {' '.join(map(str, places))}",
        f"{direct}\n{value}\n",
        f"4 {value} (OPT)\n{direct}\n",
        f"4\n{direct}\n{value}.0\n",
        f"{value} 4\n{direct}\n",
        f"# by hand\n4 {value}\n" + "\n".join(direct.split()),
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
        ("4 100\n1 2 x 4\n", 2, r"not a number \('x'\)"),
        ("4 100.5\n1 2 3 4\n", 1, r"the stated value is 100.5, but the permutation costs"),
        ("9 7\n1 2 3 4\n", 1, "a solution of size 9; the instance has the size 4"),
        ("1 2 3 4 7\n", 1, "the stated value is 7, but the permutation costs"),
        ("4 100\n1 2,5 3 4\n", 2, "Maybe decimal commas"),
        ("[1, 2, 3]", None, "4 locations"),
        ("[1, 2,", 1, "not JSON"),
        ('{"a": 1}', None, "a list of 4 locations, not dict"),
        ("[" * 100_000, None, "nested too deeply"),
        ("[" + "9" * 5000 + "]", None, "too many digits|a huge number|4 locations"),
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
    with pytest.raises(InputError, match="at most 1,000,000 bytes"):
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
    with pytest.raises(InputError, match="cannot read"):
        load("nul\0byte")
