"""Edge lists: two vertices on each row, as numbers or words, optionally followed by weights or times.

The vertices are those that occur in rows. A header of words (`source,target`) and leading counts are distinguished from
edges if that is certain: `N M` are counts if M rows with edges of N vertices follow. Ambiguous rows are an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.methods.clique.formats.headers import header_columns
from matheur.methods.clique.formats.names import GraphFile, Names
from matheur.methods.clique.formats.rows import edge_count, lower_rows
from matheur.methods.clique.formats.tables import Table, Words
from matheur.methods.clique.formats.whole_numbers import Numbers, make_graph, vertices_for, whole_numbers
from matheur.methods.clique.graph import distinct
from matheur.methods.clique.sparse_graph import AnyGraph

__all__ = ["MisfitError", "check_edge_list", "edge_list_chunks", "parse_edge_list"]

_VALUE = re.compile(r"[-+.]?\d\S*|[-+]?(?:inf|nan)", re.IGNORECASE)
_OF_ROWS = re.compile(r"|index|unnamed: *[0-9]+", re.IGNORECASE)
_WIDTH_MAX = 4  # two vertices, a weight and a time
_DENSE = 8  # numbers up to this many times their count are ranked by an array


class MisfitError(InputError):
    """The rows cannot be an edge list. Errors within an edge list are other `InputError`s."""


@dataclass(slots=True)
class _Layout:
    """First row of the edges, columns of their ends, and N if it is given."""

    start: int = 0
    columns: tuple[int, int] = (0, 1)
    n: int | None = None
    headed: bool = False


def parse_edge_list(
    source: Source,
    table: Table,
    *,
    complement: bool = False,
    counts: bool | None = None,
    words: bool | None = None,
    strict: bool = True,
) -> GraphFile:
    """The graph of all pairs, and the names of its vertices.

    Parameters
    ----------
    counts
        Whether the first row gives the numbers of vertices and edges; None to detect it.
    words
        Whether vertices are words even if they look like numbers; None to decide by the first edge.
    strict
        Whether the rows must have equal widths; else words after the ends are ignored.

    Raises
    ------
    InputError
        If the list is malformed, with the line; a `MisfitError` if it is not an edge list at all.
    """
    if not len(table) and table.range_end is None and source.data.strip():
        named = re.search(rb"(?m)^[ \t]*c[ \t]+\S", source.data) is not None
        hint = "--set instance.names=true, if 'c' is a vertex and begins no comment" if named else "not an edge list"
        raise InputError(f"no pair of vertices in it. Maybe {hint}?")
    layout = _layout(source, table, counts, strict)
    u, v = _ends(table, layout.start, layout.columns, words)
    if isinstance(u, list) or isinstance(v, list):
        assert isinstance(u, list)
        assert isinstance(v, list)
        labels = dict.fromkeys(chain.from_iterable(zip(u, v, strict=True)))
        places = {label: place for place, label in enumerate(labels)}
        nameless = {label for label in labels if not any(map(str.isalnum, label))}
        if nameless:
            at, word = next((at, word) for at, pair in enumerate(zip(u, v, strict=True)) for word in pair
                            if word in nameless)  # fmt: skip
            raise InputError(f"not a vertex ({shown(word)})", line=table.line(layout.start + at))
        first, second = (np.fromiter(map(places.__getitem__, ends), np.int64, len(ends)) for ends in (u, v))
        graph = make_graph(source, len(places), first, second, complement=complement, line=None)
        return GraphFile(graph, Names(tuple(labels)), by_edges=len(labels) != layout.n)
    n, first, second, names = _numbered(source, u, v, layout.n)
    graph = make_graph(source, n, first, second, complement=complement, line=None)
    return GraphFile(graph, names, by_edges=n != layout.n)


def check_edge_list(table: Table) -> None:
    """Check that the rows can be an edge list.

    Raises
    ------
    InputError
        If the list is malformed, with the line; a `MisfitError` if the rows cannot be an edge list.
    """
    _layout(Source("", b""), table, None, strict=True)


def _layout(source: Source, table: Table, counts: bool | None, strict: bool) -> _Layout:
    layout = _Layout(n=table.range_end)
    _header(source, table, layout)
    _counts(source, table, layout, counts)
    _widths(source, table, layout, strict)
    return layout


def _header(source: Source, table: Table, layout: _Layout) -> None:
    if table.title is not None:
        said = table.title
        source.assume(f"line {said.line}, {shown(','.join(said.words))}, is a header")
        layout.columns, layout.headed = said.columns, True
        return
    if table.words is None or not len(table) or table.widths[0] < 2:
        return
    first = table.words[0]
    columns = header_columns(first)
    behind = _behind_row_names(source, table, first)
    if behind is not None:
        columns = behind
    elif columns is not None:
        ends = {first[column] for column in columns}
        inside = any(not ends.isdisjoint(table.column(column, 1)) for column in range(int(table.widths.min())))
        columns = None if inside else columns
    elif not any(any(c.isdigit() for c in word) for word in first[:2]):
        # Words over numbers only.
        below = [] if (table.widths[1:] < 2).any() else [table.column(column, 1) for column in (0, 1)]
        whole = [ends for ends in below if isinstance(ends, list) and ends and whole_numbers(ends) is not None]
        columns = (0, 1) if len(whole) == 2 else None
    if columns is None:
        return
    source.assume(f"line {table.line(0)}, {shown(','.join(first))}, is a header")
    layout.start, layout.columns, layout.headed = 1, columns, True


def _behind_row_names(source: Source, table: Table, first: list[str]) -> tuple[int, int] | None:
    """The columns of the ends below a header in tables whose first column names the rows, as pandas and R write them.

    The first word of the header is then empty, `index` or `Unnamed: 0`; or it has a word less than the rows, and their
    names are in quotes.
    """
    named = _OF_ROWS.fullmatch(first[0]) is not None and len(first) > 2
    words = first[1:] if named else first
    if whole_numbers(words[:2]) is not None or not (named or _has_quoted_names(source, table)):
        return None
    one, two = header_columns(words) or (0, 1)
    return one + 1, two + 1


def _has_quoted_names(source: Source, table: Table) -> bool:
    if len(table) < 2 or (table.widths[1:] != table.widths[0] + 1).any():
        return False
    lines = source.lines
    return len(lines) >= table.line(1) and all(lines[table.line(at) - 1].lstrip()[:1] == '"' for at in (0, 1))


def _counts(source: Source, table: Table, layout: _Layout, counts: bool | None) -> None:
    """Find the rows of counts in front of the edges; there are none after a comment with the vertices."""
    at = layout.start
    if layout.n is not None and not counts:
        return
    heads: list[list[int]] = []
    for row in range(at, min(at + 2, len(table))):
        values = whole_numbers(table.row(row))
        heads.append([] if values is None or (values < 0).any() else values.tolist())
    if not heads or not heads[0] or layout.headed:
        if counts:
            raise InputError("the first row does not give the numbers of vertices and edges", line=_line(table, at))
        return
    if len(heads[0]) == 1:
        single = len(heads) > 1 and len(heads[1]) == 1
        _alone(source, table, layout, heads[0][0], heads[1][0] if single else None)
        return
    if counts is False or len(heads[0]) > 3:
        return
    if len(heads[0]) == 3 and heads[0][0] != heads[0][1] and not counts:
        return
    n, m = heads[0][0], heads[0][-1]
    below = _below(table, at + 1)
    if below is None:
        return
    rows = below.rows
    # No file may have this many vertices: then it is an edge.
    fits = below.fits(n) and (n <= vertices_for(32 * rows))
    if not rows and not counts:
        if m == 0:
            raise _doubtful(table, at, rows)
        return
    shaped = bool((table.widths[at + 1 :] != table.widths[at]).all())
    if counts or (m == rows and (fits or below.apart(n, m))) or (shaped and fits):
        layout.start, layout.n = at + 1, n
        told = "" if m == rows else f", though there are {rows:,}"
        source.assume(f"line {table.line(at)} gives {n:,} vertices and {m:,} edges{told}")
        return
    near = m == rows and rows > 2 and n + 1 >= below.distinct
    if near or (fits and (m == 2 * rows or 2 * m == rows or m > n or (m < rows and m == below.pairs))):
        _widths(Source("", b""), table, _Layout(at + 1), strict=True)
        raise _doubtful(table, at, rows)


def _doubtful(table: Table, at: int, rows: int) -> InputError:
    return InputError(
        f"{shown(' '.join(table.row(at)))} may be an edge or the numbers of vertices and edges ({rows:,} rows "
        "follow). Maybe say which with --set instance.counts=true or instance.counts=false?", line=table.line(at)
    )  # fmt: skip


def _alone(source: Source, table: Table, layout: _Layout, first: int, second: int | None) -> None:
    """Interpret a first row of one number, possibly followed by another such row."""
    at = layout.start
    below = _below(table, at + (1 if second is None else 2))
    wrong = MisfitError("1 numbers where a pair of vertices belongs", line=table.line(at))
    if below is None or (not below.rows and second != 0):
        raise wrong
    rows = below.rows
    known = second is None or second in (rows, 2 * rows, below.distinct) or 2 * second == rows
    if known and (below.fits(first) or (below.distinct <= first and below.strange)):
        layout.start, layout.n = at + (1 if second is None else 2), first
        told = "" if second is None else f", and the next one {second:,} edges"
        source.assume(f"line {table.line(at)} gives {first:,} vertices{told}")
    elif second is None and first == rows:
        layout.start = at + 1
        source.assume(f"line {table.line(at)} gives the number of edges")
    else:
        raise wrong


class _Below:
    """Facts about the rows below counts."""

    def __init__(self, u: Words, v: Words) -> None:
        self.rows = len(u)
        self.least: int | None = None  # least number; None if the vertices are words
        self.most = 0
        numbers = whole_numbers(u + v) if isinstance(u, list) and isinstance(v, list) else None
        if numbers is not None:
            u, v = numbers[: self.rows], numbers[self.rows :]
        self._u, self._v = u, v
        if not isinstance(u, list) and not isinstance(v, list):
            self.least = int(min(u.min(initial=1), v.min(initial=1)))
            self.most = int(max(u.max(initial=0), v.max(initial=0)))

    @property
    def distinct(self) -> int:
        """Number of distinct vertices."""
        if isinstance(self._u, list) or isinstance(self._v, list):
            return len({*self._u, *self._v})
        return len(_numbers_of(self._u, self._v, self.least or 0, self.most))

    @property
    def pairs(self) -> int:
        """Number of distinct pairs."""
        return len({frozenset(pair) for pair in zip(self._u, self._v, strict=True)})

    @property
    def strange(self) -> bool:
        """Whether the vertices are words or negative numbers."""
        return self.least is None or self.least < 0

    def fits(self, n: int) -> bool:
        """Whether the vertices are 1 to n, or 0 to n - 1, or up to n words."""
        if self.least is None:
            return self.distinct <= n
        return self.least >= 0 and self.most <= (n if self.least else n - 1)

    def apart(self, n: int, m: int) -> bool:
        """Whether n counts the distinct vertices, though their numbers are larger, and n and m are none of them."""
        if isinstance(self._u, list) or isinstance(self._v, list) or self.distinct > n:
            return False
        return not any((ends == number).any() for ends in (self._u, self._v) for number in (n, m))


def _below(table: Table, start: int) -> _Below | None:
    """Facts about the rows from `start` on; None if one is too short for an edge."""
    return None if (table.widths[start:] < 2).any() else _Below(table.column(0, start), table.column(1, start))


def _numbers_of(u: Numbers, v: Numbers, least: int, most: int) -> Numbers:
    """The distinct numbers, ascending."""
    if least >= 0 and most <= _DENSE * len(u) + 1_000:
        there = np.zeros(most + 1, dtype=bool)
        there[u] = there[v] = True
        return np.flatnonzero(there)
    return distinct(np.concatenate((u, v)))


def _widths(source: Source, table: Table, layout: _Layout, strict: bool) -> None:
    """Check that the rows are those of an edge list."""
    widths = table.widths[layout.start :]
    if not len(widths):
        return
    short = widths < max(2, *(column + 1 for column in layout.columns))
    if short.any():
        at = int(np.argmax(short))
        raise MisfitError(f"{widths[at]} numbers where a pair of vertices belongs", line=table.line(layout.start + at))
    least, most = int(widths.min()), int(widths.max())
    if most == 2:
        return
    if not layout.headed and strict:
        if most > _WIDTH_MAX:
            at = int(np.argmax(widths > _WIDTH_MAX))
            raise MisfitError(f"{widths[at]} words, more than two vertices, a weight and a time",
                         line=table.line(layout.start + at))  # fmt: skip
        if least != most and not _weighted(table, layout.start):
            at = int(np.argmax(widths != widths[0]))
            raise MisfitError(f"{widths[at]} words where the rows before have {widths[0]}",
                         line=table.line(layout.start + at))  # fmt: skip
        _check_values(table, layout.start)
    if layout.headed:
        source.assume("the other columns are ignored here")
    else:
        source.assume("what follows the two vertices of a row (weights, times) is ignored here")


def _weighted(table: Table, start: int) -> bool:
    """Whether a value after the ends is not a whole number, and so cannot be a vertex."""
    return bool(table.head) or (
        table.words is not None
        and any(
            whole_numbers([word]) is None and _VALUE.fullmatch(word) for row in table.words[start:] for word in row[2:]
        )
    )


def _check_values(table: Table, start: int) -> None:
    if table.words is None or table.separated:
        return
    for at, row in enumerate(table.words[start:], start):
        for word in row[2:]:
            if not _VALUE.fullmatch(word):
                raise MisfitError(f"neither a weight nor a time after an edge ({shown(word)})", line=table.line(at))


def _ends(table: Table, start: int, columns: tuple[int, int], words: bool | None) -> tuple[Words, Words]:
    """The ends of all edges, as numbers or as words."""
    u, v = table.column(columns[0], start), table.column(columns[1], start)
    if words:
        return tuple(ends if isinstance(ends, list) else [str(end) for end in ends.tolist()] for ends in (u, v))  # type: ignore[return-value]
    if not isinstance(u, list) or not isinstance(v, list):
        return u, v
    first, second = whole_numbers(u), whole_numbers(v)
    if first is not None and second is not None:
        return first, second
    if words is None and u and whole_numbers([u[0], v[0]]) is not None:
        for at, pair in enumerate(zip(u, v, strict=True), start):
            for end in pair:
                # Numbers that are too long, or have leading zeros, are names.
                if whole_numbers([end]) is None and not end.removeprefix("-").isdigit():
                    raise InputError(
                        f"not a whole number ({shown(end)}), as the vertices before it are. "
                        "Maybe --set instance.names=true?", line=table.line(at)
                    )  # fmt: skip
    return u, v


def _numbered(source: Source, u: Numbers, v: Numbers, n: int | None) -> tuple[int, Numbers, Numbers, Names | None]:
    """Number of vertices, ends from 0, and names unless they are 1 to n."""
    if not len(u):
        return n or 0, u, v, None
    least, most = int(min(u.min(), v.min())), int(max(u.max(), v.max()))
    if n is not None and least >= 1 and most <= n:
        return n, u - 1, v - 1, None
    if n is not None and least == 0 and most < n:
        return n, u, v, Names(np.arange(n, dtype=np.int64))
    labels = _numbers_of(u, v, least, most)
    count = len(labels)
    if most - least + 1 == count:
        names = None if least == 1 else Names(labels)
        return count, u - least, v - least, names
    source.assume(f"the vertices are the {count:,} numbers that edges name")
    if least >= 0 and most <= _DENSE * len(u) + 1_000:
        rank = np.zeros(most + 1, dtype=np.int64)
        rank[labels] = np.arange(count)
        return count, rank[u], rank[v], Names(labels)
    return count, np.searchsorted(labels, u), np.searchsorted(labels, v), Names(labels)


def _line(table: Table, at: int) -> int | None:
    return table.line(at) if at < len(table) else None


def edge_list_chunks(graph: AnyGraph, comment: str = "", *, complement: bool = False) -> Iterator[bytes]:
    """A graph (or its complement) as pairs, counted from 1, smaller end first, so that few rows look like counts.

    A comment `# vertices: 1 to N` precedes the pairs if some vertices have no edge, or the first row may be counts.
    """
    yield from (f"# {line}\n".encode() for line in comment.splitlines())
    degrees = graph.n - 1 - graph.degrees if complement else graph.degrees
    rows = lower_rows(graph, complement, smaller_first=True)
    first = next(filter(None, rows), b"")
    below = edge_count(graph, complement) - 1
    counted = below > 2 and int(first[: first.index(b"\n")].split()[1]) == below
    if graph.n and (counted or not degrees.all()):
        yield f"# vertices: 1 to {graph.n}\n".encode()
    yield first
    yield from rows
