"""Adjacency matrices (rows of 0 and 1) and adjacency lists (`1: 2 3`, or `1 2 3` as networkx writes them)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.methods.clique.formats.headers import header_columns
from matheur.methods.clique.formats.names import GraphFile, Names
from matheur.methods.clique.formats.tables import Table
from matheur.methods.clique.formats.whole_numbers import Numbers, make_graph, whole_numbers

__all__ = [
    "has_colons",
    "has_labels",
    "looks_like_lists",
    "looks_like_matrix",
    "looks_like_weights",
    "parse_lists",
    "parse_matrix",
]

_VERTICES_MAX = 20_000


def looks_like_matrix(table: Table) -> bool:
    """Whether the rows are a square of 0 and 1; of two rows, only if they are symmetric."""
    try:
        matrix, labels = _matrix(table)
    except InputError:
        return False
    if labels is not None and not _named_twice(table):  # a header may be that of an edge list
        return len(matrix) > 2 and bool(np.isin(matrix, (0, 1)).all()) and _sides_agree(matrix)
    return len(matrix) > 1 and bool(np.isin(matrix, (0, 1)).all()) and (len(matrix) > 2 or _triangle(matrix) == "")


def has_labels(table: Table) -> bool:
    """Whether the rows are a square of numbers, and its labels stand above it and in front of the rows."""
    try:
        return _matrix(table)[1] is not None and _named_twice(table)
    except InputError:
        return False


def looks_like_weights(table: Table) -> bool:
    """Whether the rows are a symmetric square of numbers with a zero diagonal, which is unlikely for an edge list."""
    try:
        matrix, _ = _matrix(table)
    except InputError:
        return False
    return len(matrix) > 2 and not np.diag(matrix).any() and _triangle(matrix) == ""


def parse_matrix(source: Source, table: Table, *, complement: bool = False) -> GraphFile:
    """The graph of a matrix: nonzero entries are edges.

    Rows may begin with a label, and the first row may consist of labels, which then name the vertices; if they differ,
    those of the rows do. One triangle may be all 0.

    Raises
    ------
    InputError
        If the rows are not a square of numbers, or the matrix is not symmetric.
    """
    matrix, labels = _matrix(table)
    kind = _triangle(matrix)
    if kind is None:
        i, j = (int(place) for place in np.argwhere(matrix != matrix.T)[0])
        raise InputError(f"the matrix is not symmetric: row {i + 1}, column {j + 1} has {matrix[i, j]:g}, row {j + 1}, "
                         f"column {i + 1} has {matrix[j, i]:g}")  # fmt: skip
    if kind:
        source.assume(f"the matrix is its {kind} triangle")
    if not np.isin(matrix, (0, 1)).all():
        source.assume("numbers of the matrix other than 0 are edges")
    u, v = np.nonzero(matrix)
    numbers = None if labels is None else whole_numbers(list(labels))
    names = None if labels is None else Names(labels)
    if numbers is not None and (np.diff(numbers) > 0).all():
        names = _numbered(numbers)
    return GraphFile(make_graph(source, len(matrix), u, v, complement=complement, line=None), names)


def _triangle(matrix: NDArray[np.float64]) -> str | None:
    """The triangle that holds the edges, empty for both; None if the matrix is not symmetric."""
    if np.array_equal(matrix, matrix.T):
        return ""
    if not np.tril(matrix, -1).any():
        return "upper"
    return "lower" if not np.triu(matrix, 1).any() else None


def _matrix(table: Table) -> tuple[NDArray[np.float64], tuple[str, ...] | None]:
    """The square of numbers, and its labels if there are any.

    Raises
    ------
    InputError
        If the rows are not a square of numbers.
    """
    rows, start = len(table), 0
    if rows > 1 and table.widths[0] == 1 and table.row(0) == [str(rows - 1)] and (rows > 2 or table.widths[1] > 1):
        start = 1  # the number of vertices
    widths, n = table.widths[start:], rows - start
    if not n or n > _VERTICES_MAX or table.head:
        raise InputError(f"not a square of numbers ({n:,} rows)")
    if (widths == 1).all() and n > 1:
        joined = [row[0] for row in _all_rows(table)[start:]]
        wrong = next((at for at, word in enumerate(joined) if len(word) != n or set(word) - set("01")), None)
        if wrong is not None:
            raise InputError(f"not {n} digits 0 and 1 ({shown(joined[wrong])})", line=table.line(start + wrong))
        return np.array([list(word) for word in joined], dtype=np.float64), None
    labels = None if table.title is None or len(table.title.words) != n else tuple(table.title.words)
    if not start and n > 2:
        framed = _framed(table)
        if framed is not None:
            names, first = framed
            return _numbers(table, 1, first, n - 1), names
    if (widths != n).any():
        at = int(np.argmax(widths != n))
        raise InputError(f"{widths[at]} words in a row of a matrix of {n} rows", line=table.line(start + at))
    return _numbers(table, start, 0, n), labels


def _framed(table: Table) -> tuple[tuple[str, ...], int] | None:
    """Labels of a matrix of n rows below a row of labels, and the number of labels in front of a row (0 or 1)."""
    n = len(table) - 1
    widths, first = table.widths[1:], table.row(0)
    labelled = bool((widths == n + 1).all()) and len(first) in (n, n + 1)
    if not labelled and not (bool((widths == n).all()) and len(first) == n):
        return None
    worded = not all(map(_is_number, first))
    # R calls the columns of a matrix V1, V2, V3 ...; V1 and V2 alone are the ends of edges.
    of_edges = header_columns(first) is not None and first[-n:] != [f"V{number}" for number in range(1, n + 1)]
    if labelled:
        column = table.column(0, 1)
        names = column if isinstance(column, list) else list(map(str, column.tolist()))
        same = first[-n:] == names and (len(first) == n or worded)  # else a row of weights
        fine = same or (worded and not of_edges)
    else:
        names, fine = first, worded and not of_edges
    return (tuple(names), int(labelled)) if fine and len(set(names)) == n else None


def _named_twice(table: Table) -> bool:
    """Whether the labels in front of the rows are those of the first row, which proves a matrix."""
    framed = _framed(table)
    return framed is not None and framed[1] == 1 and table.row(0)[-len(framed[0]) :] == list(framed[0])


def _sides_agree(matrix: NDArray[np.float64]) -> bool:
    """Whether a matrix is symmetric or a triangle, with 0 on the diagonal."""
    return not np.diag(matrix).any() and _triangle(matrix) is not None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _numbers(table: Table, start: int, first: int, n: int) -> NDArray[np.float64]:
    if table.words is None:
        assert table.numbers is not None
        return table.numbers[len(table.numbers) - n * (n + first) :].reshape(n, n + first)[:, first:].astype(np.float64)
    matrix = np.zeros((n, n))
    for at in range(n):
        for place, word in enumerate(table.words[start + at][first:]):
            try:
                matrix[at, place] = float(word)
            except ValueError:
                raise InputError(f"not a number ({shown(word)})", line=table.line(start + at)) from None
    return matrix


def looks_like_lists(table: Table) -> bool:
    """Whether each row is a different vertex with its neighbours: by colons, or because every word begins a row."""
    if not len(table) or table.head or table.title is not None:
        return False
    if has_colons(table) and table.words is not None:
        return all(_colon(row) is not None for row in table.words)
    if (table.widths == 2).all() or (table.widths == 1).all():
        return False
    begins = table.column(0)
    for some in (begins[:1_000], begins):  # in an edge list, rows soon begin with the same vertex
        if len(set(some if isinstance(some, list) else some.tolist())) < len(some):
            return False
    rows = _all_rows(table)
    firsts = {row[0] for row in rows}
    return all(len(set(row)) == len(row) and firsts.issuperset(row) for row in rows)


def has_colons(table: Table) -> bool:
    """Whether a colon follows the first vertex of the first row."""
    return bool(table.words) and _colon(table.row(0)) is not None


def _all_rows(table: Table) -> Sequence[list[str]]:
    if table.words is not None:
        return table.words
    assert table.numbers is not None
    if table.head:
        raise InputError("values that are not whole numbers in rows of vertices", line=table.line(0))
    words, ends = table.numbers.tolist(), np.cumsum(table.widths).tolist()
    return [list(map(str, words[end - width : end])) for end, width in zip(ends, table.widths.tolist(), strict=True)]


def _colon(row: list[str]) -> tuple[str, list[str]] | None:
    """A vertex and its neighbours from a row `1: 2 3` or `1 : 2 3`."""
    if row[0].endswith(":") and len(row[0]) > 1:
        return row[0][:-1], row[1:]
    if row[1:2] == [":"]:
        return row[0], row[2:]
    return None


def parse_lists(source: Source, table: Table, *, complement: bool = False) -> GraphFile:
    """The graph of rows that each hold a vertex and its neighbours; an edge may be listed at one end or at both.

    Raises
    ------
    InputError
        If two rows begin with the same vertex, or only some rows have colons.
    """
    rows: list[tuple[str, list[str]]] = []
    colons = has_colons(table)
    for at, row in enumerate(_all_rows(table)):
        found = _colon(row) if colons else (row[0], row[1:])
        if found is None:
            raise InputError(f"no colon after a vertex ({shown(' '.join(row))})", line=table.line(at))
        rows.append(found)
    places: dict[str, int] = {}
    for at, (vertex, _) in enumerate(rows):
        if vertex in places:
            raise InputError(f"a second row of the vertex {shown(vertex)}", line=table.line(at))
        places[vertex] = at
    words = list(dict.fromkeys([*places, *(other for _, others in rows for other in others)]))
    numbers = whole_numbers(words)
    if numbers is not None:
        words = [str(number) for number in np.sort(numbers).tolist()]
    place = {word: at for at, word in enumerate(words)}
    pairs = [(place[vertex], place[other]) for vertex, others in rows for other in others]
    u, v = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    graph = make_graph(source, len(words), u, v, complement=complement, line=None)
    return GraphFile(graph, Names(tuple(words)) if numbers is None else _numbered(np.sort(numbers)))


def _numbered(labels: Numbers) -> Names | None:
    return None if np.array_equal(labels, np.arange(1, len(labels) + 1)) else Names(labels)
