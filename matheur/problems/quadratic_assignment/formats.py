"""Instances as QAPLIB writes them (Burkard, Karisch, Rendl 1997).

An instance (`.dat`) is n, then the n x n flows, then the n x n distances, and optionally the n x n linear costs; line
ends have no meaning unless the file holds other numbers. Collections add known values (see `layout`). Decimals are
scaled to integers.
"""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.layout import SIZE_MAX, Layout, layout_of
from matheur.problems.quadratic_assignment.numbers import matrix_text, to_scale, with_decimals
from matheur.problems.quadratic_assignment.parts import in_units
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment
from matheur.problems.quadratic_assignment.sections import write_sections

__all__ = ["SIZE_MAX", "claim", "read_instance", "write_dat", "write_sln"]

_FIRST = re.compile(rb"(?:\s|[#%!][^\r\n]*[\r\n]|//[^\r\n]*[\r\n]|[cC][ \t][^\r\n]*[\r\n])*\+?([0-9]{1,4})(?=[\s,;]|$)")
_NARROW = 5
_BYTES_EACH, _BYTES_MORE = 200, 100_000  # bytes of two numbers with their separators, and of comments
_COLOURS, _SIDE_MAX = 4, 12  # colours of a piece, and largest side of the boards in circulation
_CLEAR = 4  # from this size on no list of pieces or edges has rows like these


def claim(source: Source) -> Recognition:
    """How surely this is an instance: by the count of its numbers and by its lines; never raises."""
    try:
        first = _FIRST.match(source.plain[:4096])
        n = 0 if first is None else int(first[1])
        if not 2 <= n <= SIZE_MAX or not 4 * n * n <= len(source.data) <= _BYTES_EACH * (n + 2) ** 2 + _BYTES_MORE:
            return Recognition.NO
        layout = layout_of(Source(source.name, source.data))  # assumptions are reported by the reader
    except InputError:
        return Recognition.NO
    if layout.by_rows:
        return _of_rows(layout)
    if 1 < max(layout.widths) <= _NARROW:  # a board, or a list of edges or pieces, possibly truncated
        if layout.symmetric:
            return Recognition.PROVED if n >= _CLEAR else Recognition.NO
        ahead, *body = layout.widths
        alone = layout.extra == 0 and ahead == 1 and set(body[:-1]) not in ({_COLOURS}, {_COLOURS + 1})
        return Recognition.FITS if layout.apart or alone else Recognition.NO
    return Recognition.PROVED if layout.extra == 0 and layout.width <= 1 else Recognition.FITS


def _of_rows(layout: Layout) -> Recognition:
    """Recognition of a file in which every matrix row begins a line."""
    if layout.n >= _CLEAR:
        if layout.symmetric or not _like_pieces(layout):
            return Recognition.PROVED
        return Recognition.FITS if layout.end == len(layout.numbers) else Recognition.NO  # a truncated piece
    if layout.width > 1:  # as wide as the first line, like a list of edges
        return Recognition.FITS if layout.symmetric or layout.apart else Recognition.NO
    return Recognition.PROVED if layout.extra == 0 else Recognition.FITS


def read_instance(source: Source) -> Instance:
    """The instance in a QAPLIB file.

    Raises
    ------
    InputError
        If it is not an instance; the message names the line of the error.
    """
    source.single("one instance")
    layout = layout_of(source)
    tables, decimals = {}, {}
    for number, name in enumerate(("flows", "distances", "linear")[: layout.tables]):
        tables[name], decimals[name] = _matrix(layout, layout.begin + number * layout.n**2, source)
    _note(layout, source)
    if "linear" in tables:
        source.assume("the third matrix holds linear costs: those of each facility on each location")
    return in_units(source, tables, decimals, None, {}, source.stem)


def write_dat(instance: Instance) -> str:
    """The instance as `read_instance` accepts it; in sections with keywords if the QAPLIB format cannot express it."""
    if instance.linear is not None or instance.pairs is not None or instance.given is not None:
        return write_sections(instance)
    matrices = zip((instance.flows, instance.distances), instance.decimals, strict=True)
    return "\n".join([f"{instance.n}\n", *(matrix_text(matrix, decimals) for matrix, decimals in matrices)])


def write_sln(problem: QuadraticAssignment, solution: NDArray[np.int32]) -> str:
    """The solution as `read_solution` accepts it."""
    value = with_decimals(int(problem.evaluate(solution).objective), sum(problem.instance.decimals))
    return f"{problem.facilities} {value}\n{' '.join(map(str, problem.encode(solution)))}\n"


def _matrix(layout: Layout, start: int, source: Source) -> tuple[NDArray[np.int64], int]:
    """A matrix as integers, and the number of decimals by which it was scaled."""
    values, decimals = to_scale(layout.numbers, start, start + layout.n**2, source)
    return values.reshape(layout.n, layout.n), decimals


def _note(layout: Layout, source: Source) -> None:
    """Note which numbers are taken for known values and not for part of the matrices."""
    numbers = layout.numbers
    for start, stop, place in ((1, layout.begin, "after the size"), (layout.end, len(numbers), "at the end")):
        if stop > start:
            what = "is a known value" if stop == start + 1 else "are known values"
            source.assume(f"{numbers.written(start, stop)} {place} {what}, not part of the matrices")


def _like_pieces(layout: Layout) -> bool:
    """Whether rows of four or five numbers may also be the first half of the pieces of an edge-matching board."""
    n, numbers = layout.n, layout.numbers
    rows = [[numbers.at(layout.begin + row * n + at) for at in range(n)] for row in range(2 * n)] if n in (4, 5) else []
    if any(number < 0 or not isinstance(number, int) for row in rows for number in row):
        return False  # colours are whole numbers from 0
    if n == _COLOURS + 1:  # each row begins with the number of its piece
        first = [row[0] for row in rows]
        return first in (list(range(2 * n)), list(range(1, 2 * n + 1)))
    if n == _COLOURS:
        size = layout.begin > 1 and numbers.at(1) in range(2, _SIDE_MAX + 1)
        return size or all(_is_corner(row) for row in rows[:_COLOURS])
    return False


def _is_corner(row: list[int | Fraction]) -> bool:
    zeros = [number == 0 for number in row]
    return sum(zeros) == 2 and any(zeros[at] and zeros[at - 1] for at in range(len(zeros)))
