"""METIS graphs: comments `%`, a line `N M [FORMAT [CONSTRAINTS]]`, then the neighbours of each vertex on its line.

Vertices count from 1. FORMAT has up to three digits: sizes of vertices, weights of vertices, weights of edges. A single
weight per vertex is kept; sizes, edge weights, and several weights per vertex are ignored. An empty line is a vertex
without neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.methods.clique.formats.names import GraphFile
from matheur.methods.clique.formats.rows import edge_count
from matheur.methods.clique.formats.tables import Table
from matheur.methods.clique.formats.whole_numbers import Numbers, count_agrees, make_graph, numbers_in, plain_text
from matheur.methods.clique.graph import distinct
from matheur.methods.clique.sparse_graph import AnyGraph, SparseGraph

__all__ = ["looks_like_metis", "metis_chunks", "parse_metis"]


def looks_like_metis(source: Source, table: Table) -> bool:
    """Whether the rows are a METIS graph: symmetric, with the numbers of rows and edges given in the first row."""
    first = [] if not len(table) or table.separated else table.row(0)
    if (
        table.title is not None
        or not 2 <= len(first) <= 4
        or not all(word.isascii() and word.isdigit() and len(word) <= 17 for word in first)
    ):
        return False
    if len(table) > int(first[0]) + 1 or not int(first[0]):
        return False
    tried = Source(source.name, source.data)
    try:
        parse_metis(tried)
    except InputError:
        return False
    return not tried.assumed


def parse_metis(source: Source, *, complement: bool = False) -> GraphFile:
    """The graph in a file, and the weights of its vertices.

    Raises
    ------
    InputError
        If the file is malformed, with the line; also if only one vertex of a pair lists the other.
    """
    kept = _without_comments(plain_text(source))
    kept = kept[next((at for at, (_, line) in enumerate(kept) if line.strip()), len(kept)) :]
    lines = [number for number, _ in kept]
    if not kept:
        raise InputError("no line 'N M'. Maybe not a METIS file?")
    number, head = kept[0]
    words = head.split()
    if len(words) not in (2, 3, 4) or not all(word.isdigit() and len(word) <= 17 for word in words):
        raise InputError(f"not a line 'N M' or 'N M FORMAT' ({shown(head)})", line=number)
    n, pattern = int(words[0]), words[2].rjust(3, b"0") if len(words) > 2 else b"000"
    if len(pattern) != 3 or set(pattern) - set(b"01"):
        raise InputError(f"the format has up to three digits 0 and 1 ({shown(words[2])})", line=number)
    constraints = int(words[3]) if len(words) == 4 else 1
    before = (1 if pattern[0:1] == b"1" else 0) + (constraints if pattern[1:2] == b"1" else 0)
    step = 2 if pattern[2:3] == b"1" else 1
    rows = kept[1:]
    if len(rows) < n:
        raise InputError(f"{n} vertices, but {len(rows)} lines of neighbours", line=lines[-1])
    if any(row.strip() for _, row in rows[n:]):
        extra = next(number for number, row in rows[n:] if row.strip())
        raise InputError(f"a line after those of the {n} vertices", line=extra)
    try:
        values, at = numbers_in(b"\n".join(row for _, row in rows[:n]), line=0, comments=b"")
    except InputError as error:  # its line is the number of a row
        raise InputError(error.message, line=rows[error.line or 0][0]) from None
    counts = np.bincount(at, minlength=n).astype(np.int64) if n else np.zeros(0, dtype=np.int64)
    first = np.concatenate(([0], np.cumsum(counts)))
    inside = np.arange(len(values)) - first[at] - before
    bad = (counts > 0) & ((counts < before) | ((counts - before) % step != 0)) if n else np.zeros(0, dtype=bool)
    if bad.any():
        raise InputError("numbers are missing on this line", line=rows[int(np.argmax(bad))][0])
    taken = (inside >= 0) & (inside % step == 0)
    u, v = at[taken], values[taken]
    outside = (v < 1) | (v > n)
    if outside.any():
        where = int(np.argmax(outside))
        raise InputError(f"no such vertex ({v[where]}); they are 1 to {n}", line=rows[int(u[where])][0])
    v = v - 1
    keys, back = distinct(u * max(n, 1) + v), distinct(v * max(n, 1) + u)
    if not np.array_equal(keys, back):
        one = int(np.setdiff1d(keys, back)[0])
        who, whom = divmod(one, n)
        raise InputError(f"vertex {who + 1} names {whom + 1}, but not the other way round", line=rows[who][0])
    lower = u >= v
    graph = make_graph(source, n, u[lower], v[lower], complement=complement, line=number)
    count_agrees(source, f"line {number}", int(words[1]), len(keys) // 2, graph, complement=complement)
    weighted = pattern[1:2] == b"1" and constraints == 1
    place = 1 if pattern[0:1] == b"1" else 0
    return GraphFile(graph, weights=_weights(rows, values, first[:-1], counts, place) if weighted else None)


def _weights(
    rows: list[tuple[int, bytes]], values: Numbers, first: Numbers, counts: Numbers, place: int
) -> dict[int, tuple[str, int]]:
    """The weights by vertex, each with its line; `place` is their position on the line."""
    held = np.flatnonzero(counts > place)  # a vertex with an empty line has no weight
    said = values[first[held] + place].tolist()
    return {vertex: (str(weight), rows[vertex][0]) for vertex, weight in zip(held.tolist(), said, strict=True)}


def _without_comments(text: bytes) -> list[tuple[int, bytes]]:
    """Lines with their numbers; the empty piece after the last line break is not a line."""
    lines = text.split(b"\n")
    if lines and not lines[-1].strip():
        lines.pop()
    return [(number, line) for number, line in enumerate(lines, 1) if not line.lstrip().startswith(b"%")]


def metis_chunks(
    graph: AnyGraph, comment: str = "", *, complement: bool = False, weights: Sequence[str] | None = None
) -> Iterator[bytes]:
    """A graph (or its complement) with one line per vertex: its weight if there are weights, then its neighbours."""
    yield from (f"% {line}\n".encode() for line in comment.splitlines())
    pattern = "" if weights is None else " 10"
    yield f"{graph.n} {edge_count(graph, complement)}{pattern}\n".encode()
    before = [[] if weights is None else [weights[vertex].encode()] for vertex in range(graph.n)]
    if isinstance(graph, SparseGraph) and not complement:
        for vertex in range(graph.n):
            numbers = map(b"%d".__mod__, (graph.neighbours(vertex) + 1).tolist())
            yield b" ".join((*before[vertex], *numbers)) + b"\n"
        return
    names = np.array([b"%d" % vertex for vertex in range(1, graph.n + 1)], dtype=object)
    for first, block in graph.blocks():
        if complement:
            block = ~block
            block[np.arange(len(block)), np.arange(first, first + len(block))] = False
        yield b"".join(
            b" ".join(before[vertex] + names[row].tolist()) + b"\n" for vertex, row in enumerate(block, first)
        )
