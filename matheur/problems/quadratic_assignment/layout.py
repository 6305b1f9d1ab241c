"""Location of the two matrices among the numbers of a file that holds more than the size and the matrices.

Collections add the best known value: after the size (or two numbers, the optimum and the best known value), or at the
end, optionally with a permutation. The line breaks tell these numbers apart: a row of a matrix begins a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from matheur.engine.source import Source
from matheur.problems.quadratic_assignment.numbers import Numbers, numbers_of

__all__ = ["SIZE_MAX", "Layout", "layout_of"]

SIZE_MAX = 2000
_FRONT_MAX = 2


@dataclass(frozen=True, slots=True)
class Layout:
    """The numbers of an instance.

    Attributes
    ----------
    n
        Size.
    numbers
        All numbers of the file.
    begin
        Index of the first number of the first matrix.
    by_rows
        Whether every row of both matrices begins a line.
    width
        Numbers per line, if all lines have the same count, as in boards and lists; otherwise 0.
    tables
        Number of matrices: 2, or 3 with linear costs after the distances.
    """

    n: int
    numbers: Numbers
    begin: int
    by_rows: bool
    width: int
    tables: int = 2

    @property
    def end(self) -> int:
        """Index after the last matrix."""
        return self.begin + self.tables * self.n * self.n

    @property
    def extra(self) -> int:
        """Count of numbers that belong neither to the size nor to the matrices."""
        return len(self.numbers) - 1 - self.tables * self.n * self.n

    @property
    def widths(self) -> list[int]:
        """How many numbers each line has."""
        return _widths(self.numbers)

    @property
    def apart(self) -> bool:
        """Whether a blank line precedes each of the two matrices."""
        return {self.begin, self.begin + self.n**2} <= self.numbers.after_blank

    @property
    def symmetric(self) -> bool:
        """Whether both matrices are symmetric."""
        return _symmetric(self.numbers, self.n, self.begin)


def layout_of(source: Source) -> Layout:
    """The layout of the numbers in a file.

    Raises
    ------
    InputError
        If there are too few or too many numbers, or if they are ambiguous; the message names the line.
    """
    n, most = _size(source)
    numbers = numbers_of(source, max(most, 1 + 3 * n * n))
    count = 1 + 2 * n * n
    extra = len(numbers) - count
    if extra == n * n and (len(numbers) > most or {1 + n * n, 1 + 2 * n * n} <= numbers.after_blank):
        return Layout(n, numbers, 1, _by_rows(numbers, n, 1, 3), _width(numbers), 3)
    if len(numbers) > most:
        what = f"more than the {count} numbers of an instance of size {n} (n, and two n x n matrices)"
        raise source.error(what, numbers.line_of(most))
    if extra < 0:
        what = f"ends after {len(numbers)} numbers; an instance of size {n} has {count} (n, and two n x n matrices)"
        raise source.error(what, numbers.lines[-1])
    if extra == 0:
        return Layout(n, numbers, 1, _by_rows(numbers, n, 1), _width(numbers))
    begin = _begin(numbers, n, extra, source)
    return Layout(n, numbers, begin, _by_rows(numbers, n, begin), _width(numbers))


def _size(source: Source) -> tuple[int, int]:
    """The size, and the largest count of numbers in a file of this size."""
    first = numbers_of(source, 0)
    if not len(first):
        raise source.error("holds no number; an instance begins with its size")
    n = first.at(0)
    if not isinstance(n, int) or not 1 <= n <= SIZE_MAX:
        raise source.error(f"the size must be 1 to {SIZE_MAX} ({n})", first.lines[0])
    return n, 1 + 2 * n * n + _FRONT_MAX + n + 1


def _begin(numbers: Numbers, n: int, extra: int, source: Source) -> int:
    """Index at which the first matrix begins, by the line breaks or else by the symmetry of both matrices."""
    ways = [1 + front for front in range(min(extra, _FRONT_MAX) + 1) if extra - front <= n + 1]
    found = _told_by_lines(numbers, n, ways)
    if len(found) == 1:
        return found[0]
    found = [] if numbers.commas else [begin for begin in ways if _symmetric(numbers, n, begin)]
    if len(found) == 1:
        source.assume(f"the matrices begin with number {found[0] + 1} of the file, since both are then symmetric")
        return found[0]
    one = "one number" if extra == 1 else f"{extra} numbers"
    raise source.error(
        f"{one} more than the {1 + 2 * n * n} of an instance of size {n}, and its lines do not show which. Maybe "
        f"{'a decimal comma, or ' if numbers.commas else ''}a known value? Put it after the size, in the first line"
    )


def _told_by_lines(numbers: Numbers, n: int, ways: list[int]) -> list[int]:
    """The beginnings that agree best with the line breaks: a single one if they are decisive, else several or none."""
    total, square = len(numbers), n * n
    starts = {*numbers.starts, total}
    widths = _widths(numbers)

    def rows(begin: int) -> bool:
        return all(begin + row * n in starts for row in range(2 * n + 1))

    def matrices(begin: int) -> bool:
        return {begin, begin + square, begin + 2 * square} <= starts and not by_chance(begin)

    def whole(begin: int) -> bool:
        return {begin, begin + 2 * square} <= starts and not by_chance(begin)

    def by_chance(begin: int) -> bool:
        """Whether lines of one length, unrelated to n, end with the second matrix only by chance."""
        end = begin + 2 * square
        inside = {width for start, width in zip(numbers.starts[1:], widths[1:], strict=True) if start < end}
        return end < total and end not in numbers.after_blank and len(inside) == 1 and inside.pop() % n != 0

    def blanks(begin: int) -> bool:
        end = begin + 2 * square
        return end in starts and {begin, begin + square, end} <= numbers.after_blank | {total}

    apart = [begin for begin in ways if blanks(begin)]
    if _width(numbers) not in (0, n):  # a table with rows of another length: its line breaks mean nothing
        return apart
    for test in [rows] if numbers.commas else [rows, matrices, whole]:
        found = [begin for begin in ways if test(begin)]
        if found:
            return [begin for begin in found if begin in apart] or found
    return []


def _widths(numbers: Numbers) -> list[int]:
    """How many numbers each line has."""
    return [later - earlier for earlier, later in pairwise([*numbers.starts, len(numbers)])]


def _width(numbers: Numbers) -> int:
    widths = set(_widths(numbers))
    return widths.pop() if len(widths) == 1 else 0


def _by_rows(numbers: Numbers, n: int, begin: int, tables: int = 2) -> bool:
    starts = set(numbers.starts)
    return all(begin + row * n in starts for row in range(tables * n))


def _symmetric(numbers: Numbers, n: int, begin: int) -> bool:
    for start in (begin, begin + n * n):
        for i in range(n):
            for j in range(i):
                if numbers.at(start + i * n + j) != numbers.at(start + j * n + i):
                    return False
    return True
