"""Instances as QAPLIB writes them (Burkard, Karisch, Rendl 1997).

An instance (`.dat`) is n, then the n x n flows, then the n x n distances; the ends of lines carry no meaning as long as
nothing else stands there. Collections add known values (see `layout`). Decimals are scaled to whole numbers.
"""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.board_text import only_one
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.layout import SIZE_MAX, Layout, layout_of
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment

__all__ = ["SIZE_MAX", "claim", "read_instance", "write_dat", "write_sln"]

_FIRST = re.compile(rb"(?:\s|[#%!][^\r\n]*[\r\n]|//[^\r\n]*[\r\n]|[cC][ \t][^\r\n]*[\r\n])*\+?([0-9]{1,4})(?=[\s,;]|$)")
_NARROW = 5
_BYTES_EACH, _BYTES_MORE = 200, 100_000  # of two numbers and what stands around them, and of comments
_COLOURS, _SIDE_MAX = 4, 12  # of a piece, and of the boards that people exchange
_CLEAR = 4  # from this size on no list of pieces or edges has rows like these


def claim(source: Source) -> Recognition:
    """How surely this is an instance: by the count of its numbers and by its lines; never raises."""
    try:
        first = _FIRST.match(source.plain[:4096])
        n = 0 if first is None else int(first[1])
        if not 2 <= n <= SIZE_MAX or not 4 * n * n <= len(source.data) <= _BYTES_EACH * (n + 2) ** 2 + _BYTES_MORE:
            return Recognition.NO
        layout = layout_of(Source(source.name, source.data))  # assumptions are for who reads it
    except InputError:
        return Recognition.NO
    if layout.by_rows:
        return _of_rows(layout)
    if 1 < max(layout.widths) <= _NARROW:  # a board, or a list of edges or pieces, perhaps cut short
        if layout.symmetric:
            return Recognition.PROVED if n >= _CLEAR else Recognition.NO
        ahead, *body = layout.widths
        alone = layout.extra == 0 and ahead == 1 and set(body[:-1]) not in ({_COLOURS}, {_COLOURS + 1})
        return Recognition.FITS if layout.apart or alone else Recognition.NO
    return Recognition.PROVED if layout.extra == 0 and layout.width <= 1 else Recognition.FITS


def _of_rows(layout: Layout) -> Recognition:
    """How sure it is if every row begins a line."""
    if layout.n >= _CLEAR:
        if layout.symmetric or not _like_pieces(layout):
            return Recognition.PROVED
        return Recognition.FITS if layout.end == len(layout.numbers) else Recognition.NO  # a piece that is cut
    if layout.width > 1:  # as wide as the first line, like a list of edges
        return Recognition.FITS if layout.symmetric or layout.apart else Recognition.NO
    return Recognition.PROVED if layout.extra == 0 else Recognition.FITS


def read_instance(source: Source) -> Instance:
    """The instance in a QAPLIB file.

    Raises
    ------
    InputError
        If it is not one, with the line where it goes wrong.
    """
    only_one(source, "one instance")
    layout = layout_of(source)
    flows, of_flows = _matrix(layout, layout.begin, source)
    distances, of_distances = _matrix(layout, layout.begin + layout.n**2, source)
    _note(layout, source)
    if of_flows or of_distances:
        unit = 10 ** (of_flows + of_distances)
        source.assume(f"decimals are scaled: the objective counts in 1/{unit}, the score in units of the file")
    try:
        return Instance(flows, distances, source.stem, (of_flows, of_distances))
    except ValueError as error:
        scaled = ". Maybe fewer decimals?" if of_flows or of_distances else ""
        raise source.error(f"{error}{scaled}") from None


def write_dat(instance: Instance) -> str:
    """The instance as `read_instance` takes it."""
    blocks = [f"{instance.n}\n"]
    for matrix, decimals in zip((instance.flows, instance.distances), instance.decimals, strict=True):
        rows = [[_written(value, decimals) for value in row] for row in matrix.tolist()]
        width = max(len(value) for row in rows for value in row)
        blocks.append("\n".join(" ".join(value.rjust(width) for value in row) for row in rows) + "\n")
    return "\n".join(blocks)


def write_sln(problem: QuadraticAssignment, solution: NDArray[np.int32]) -> str:
    """The solution as `read_solution` takes it."""
    value = _written(int(problem.evaluate(solution).objective), sum(problem.instance.decimals))
    return f"{problem.instance.n} {value}\n{' '.join(map(str, problem.encode(solution)))}\n"


def _written(value: int, decimals: int) -> str:
    if not decimals:
        return str(value)
    digits = str(abs(value)).rjust(decimals + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-decimals]}.{digits[-decimals:]}"


def _matrix(layout: Layout, start: int, source: Source) -> tuple[NDArray[np.int64], int]:
    """A matrix in whole numbers, and by how many decimals it was scaled."""
    n, numbers = layout.n, layout.numbers
    stop = start + n * n
    wholes = np.array(numbers.wholes[start:stop], dtype=np.int64)
    behind = np.frombuffer(numbers.decimals, dtype=np.uint8)[start:stop]
    decimals = int(behind.max())
    if decimals:
        exact = wholes.astype(object) * np.array([10 ** (decimals - int(d)) for d in behind], dtype=object)
        large = [index for index, value in enumerate(exact) if abs(value) >= 1 << 63]
        if large:
            where = start + large[0]
            said = f"a number that is too large once all have {decimals} decimals ({numbers.written(where, where + 1)})"
            raise source.error(f"{said}. Maybe fewer decimals?", numbers.line_of(where))
        wholes = exact.astype(np.int64)
    return wholes.reshape(n, n), decimals


def _note(layout: Layout, source: Source) -> None:
    """Say which numbers are taken for known values, and not for part of the matrices."""
    numbers = layout.numbers
    for start, stop, place in ((1, layout.begin, "behind the size"), (layout.end, len(numbers), "at the end")):
        if stop > start:
            what = "is a known value" if stop == start + 1 else "are known values"
            source.assume(f"{numbers.written(start, stop)} {place} {what}, no part of the matrices")


def _like_pieces(layout: Layout) -> bool:
    """Whether rows of four or five numbers may as well be pieces of a board, of which the first half is left."""
    n, numbers = layout.n, layout.numbers
    rows = [[numbers.at(layout.begin + row * n + at) for at in range(n)] for row in range(2 * n)] if n in (4, 5) else []
    if any(number < 0 or not isinstance(number, int) for row in rows for number in row):
        return False  # colours are whole numbers from 0
    if n == _COLOURS + 1:  # the number of each piece in front
        first = [row[0] for row in rows]
        return first in (list(range(2 * n)), list(range(1, 2 * n + 1)))
    if n == _COLOURS:
        size = layout.begin > 1 and numbers.at(1) in range(2, _SIDE_MAX + 1)
        return size or all(_is_corner(row) for row in rows[:_COLOURS])
    return False


def _is_corner(row: list[int | Fraction]) -> bool:
    zeros = [number == 0 for number in row]
    return sum(zeros) == 2 and any(zeros[at] and zeros[at - 1] for at in range(len(zeros)))
