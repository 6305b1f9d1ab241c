"""Instances and solutions as QAPLIB writes them (Burkard, Karisch, Rendl 1997).

An instance (`.dat`) is n, then the n x n flows, then the n x n distances: whole numbers between white space, whose line
breaks carry no meaning. Some collections put the best known value behind n, on the first line.

A solution (`.sln`) is n, its value and a permutation, between white space or commas. Permutations are counted from 1 or
from 0, and some of the published ones are inverse (the facility of each location). The stated value tells them apart.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import InputError
from matheur.problems.port import Source
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment

__all__ = ["SIZE_MAX", "looks_like_instance", "read_instance", "read_solution", "write_dat", "write_sln"]

SIZE_MAX = 2000
_SOLUTION_BYTES_MAX = 1_000_000
_PLAIN = re.compile(rb"[-+0-9\s]*")
_NUMBER = re.compile(rb"[-+]?[0-9]+")


def looks_like_instance(source: Source) -> bool:
    """Whether it is nothing but whole numbers: an n of at least 2 on a line of its own, and twice n x n."""
    data = source.data.removeprefix(b"\xef\xbb\xbf")
    first = re.match(rb"\s*([0-9]{1,4})[ \t]*[\r\n]", data)
    if first is None or not 2 <= int(first[1]) <= SIZE_MAX:
        return False
    count = 1 + 2 * int(first[1]) ** 2
    if len(data) < 2 * count - 1 or not _PLAIN.fullmatch(data[:4096]) or not _PLAIN.fullmatch(data):
        return False
    return sum(1 for _ in re.finditer(rb"\S+", data)) == count


def read_instance(source: Source) -> Instance:
    """The instance in a QAPLIB file.

    Raises
    ------
    InputError
        If it is not one, with the line where it goes wrong.
    """
    numbers, n, line = array("q"), 0, 1
    short = False  # whether the first numbers of the file, two of them, have a line of their own
    for line, found in _lines(source):
        if not numbers and found:
            n = _size(found[0], source, line)
            short = len(found) == 2 < 1 + 2 * n * n
        numbers.extend(found)
        if len(numbers) > 1 + 2 * n * n + short:
            what = f"more than the {1 + 2 * n * n} numbers of an instance of size {n} (n, and two n x n matrices)"
            raise InputError(what, source=source.name, line=line)
    if not numbers:
        raise InputError("holds no number; an instance begins with its size", source=source.name)
    missing = 1 + 2 * n * n - len(numbers)
    if missing > 0:
        what = f"ends after {len(numbers)} numbers; an instance of size {n} has {1 + 2 * n * n}"
        raise InputError(f"{what} (n, and two n x n matrices)", source=source.name, line=line)
    matrices = np.array(numbers[1 - missing :], dtype=np.int64).reshape(2, n, n)
    try:
        return Instance(matrices[0], matrices[1], _title(source))
    except ValueError as error:
        raise InputError(str(error), source=source.name) from None


def write_dat(instance: Instance) -> str:
    """The instance as `read_instance` takes it."""
    blocks = [f"{instance.n}\n"]
    for matrix in (instance.flows, instance.distances):
        rows = [[str(value) for value in row] for row in matrix.tolist()]
        width = max(len(value) for row in rows for value in row)
        lines = [" ".join(value.rjust(width) for value in row) for row in rows]
        # Four or five short rows would pass for the pieces of a puzzle; the format knows no lines.
        blocks.append((" " if instance.n in (4, 5) else "\n").join(lines) + "\n")
    return "\n".join(blocks)


def write_sln(problem: QuadraticAssignment, solution: NDArray[np.int32]) -> str:
    """The solution as `read_solution` takes it."""
    value = problem.evaluate(solution).objective
    return f"{problem.instance.n} {value}\n{' '.join(map(str, problem.encode(solution)))}\n"


def read_solution(problem: QuadraticAssignment, source: Source) -> NDArray[np.int32]:
    """A permutation: a QAPLIB solution, a plain list of the locations, or a JSON list of them, counted from 1.

    In plain text, a list with a 0 is counted from 0. Where a value is stated, the permutation is understood in the
    way that has this value: as the locations of the facilities, or else as the facilities of the locations.

    Raises
    ------
    InputError
        If it is neither, or costs something else than the stated value in both ways.
    """
    if len(source.data) > _SOLUTION_BYTES_MAX:
        raise InputError(f"a solution has at most {_SOLUTION_BYTES_MAX} bytes ({len(source.data)})", source=source.name)
    if source.data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{"):
        try:
            return problem.decode(_json(source))
        except InputError as error:
            raise error.located(source.name) from None
    numbers: list[int] = []
    lines: list[int] = []
    for line, found in _lines(source, b",;"):
        numbers += found
        lines += [line] * len(found)
    n, extra = problem.instance.n, len(numbers) - problem.instance.n
    if extra in (1, 2) and numbers[0] != n:
        message = f"a solution of size {numbers[0]}; the instance has the size {n}"
        raise InputError(message, source=source.name, line=lines[0])
    if not 0 <= extra <= 2:
        message = f"a solution holds {n} locations, before them their number and the value ({len(numbers)} numbers)"
        raise InputError(message, source=source.name)
    places = _places(numbers[extra:], lines[extra:], source)
    return places if extra < 2 else _as_stated(problem, places, numbers[1], source, lines[1])


def _places(numbers: list[int], lines: list[int], source: Source) -> NDArray[np.int32]:
    """Counted from 0, whatever it was counted from."""
    n, base = len(numbers), 0 if 0 in numbers else 1
    for number, line in zip(numbers, lines, strict=True):
        if not base <= number < n + base:
            what = f"locations are {base} to {n + base - 1} ({number})"
            raise InputError(what, source=source.name, line=line)
    return np.array(numbers, dtype=np.int32) - np.int32(base)


def _as_stated(
    problem: QuadraticAssignment, places: NDArray[np.int32], value: int, source: Source, line: int
) -> NDArray[np.int32]:
    """The permutation or its inverse, whichever has the stated value."""
    if len(np.unique(places)) < len(places):
        return places  # what is wrong with it is for the evaluator to say
    inverse = np.argsort(places).astype(np.int32)
    direct, other = (int(problem.evaluate(one).objective) for one in (places, inverse))
    if value in (direct, other):
        return places if value == direct else inverse
    raise InputError(
        f"the stated value is {value}, but the permutation costs {direct}, and its inverse {other}. "
        "Maybe it belongs to another instance?",
        source=source.name,
        line=line,
    )


def _lines(source: Source, separators: bytes = b"") -> Iterator[tuple[int, array[int]]]:
    """Number of each line, and the whole numbers in it."""
    blanks = bytes.maketrans(separators, b" " * len(separators))
    for line, text in enumerate(source.data.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        words = text.translate(blanks)
        try:
            if not _PLAIN.fullmatch(words):
                raise ValueError
            yield line, array("q", map(int, words.split()))
        except (ValueError, OverflowError):
            raise InputError(_complaint(words), source=source.name, line=line) from None


def _complaint(text: bytes) -> str:
    """What is wrong with the first word that is no whole number of 64 bits."""
    for word in text.split():
        shown = word[:40].decode("ascii", "backslashreplace")
        if not _PLAIN.fullmatch(word):
            return f"not a whole number ({shown!r})"
        if not _NUMBER.fullmatch(word):
            return f"not a whole number ({shown!r})"
        if len(word) > 20 or not -(1 << 63) <= int(word) < 1 << 63:
            return f"a number that is too large ({shown}...)"
    return "not a line of whole numbers"


def _size(n: int, source: Source, line: int) -> int:
    if not 1 <= n <= SIZE_MAX:
        raise InputError(f"the size must be 1 to {SIZE_MAX} ({n})", source=source.name, line=line)
    return n


def _title(source: Source) -> str:
    return "" if source.name.startswith("<") else PurePath(source.name).stem


def _json(source: Source) -> Any:
    try:
        return json.loads(source.text)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", source=source.name, line=error.lineno) from None
    except RecursionError:
        raise InputError("not a solution: nested too deeply", source=source.name) from None
    except ValueError:  # a number of thousands of digits
        raise InputError("not a solution: a number that cannot be read", source=source.name) from None
