"""Graphs as pairs of vertices: MatrixMarket, plain edge lists, and the `.gr` files of PACE.

`matrix-market`
    `%%MatrixMarket matrix coordinate FIELD SYMMETRY`, comments `%`, a line `N N ENTRIES`, then `I J` from 1; values of
    the entries mean nothing, nor does the triangle in which an entry stands.
`edge-list`
    `U V` on each line, with comments `#` and `%`; what follows on a line is ignored. Vertices count from 0 if one is 0,
    else from 1, up to the largest that is named.
`pace`
    Comments `c`, a line `p td N M` (or another word), then `U V` from 1. A vertex cover of such a file leaves a clique
    of its complement, so the file is read as the conflicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from matheur.errors import InputError
from matheur.problems.max_clique.graph import Graph
from matheur.problems.max_clique.whole_numbers import Numbers, make_graph, numbers_in, shown

__all__ = ["edge_list_chunks", "matrix_market_chunks", "pace_chunks", "parse_edge_list", "parse_matrix_market",
           "parse_pace"]  # fmt: skip

_WORDS = (b"pattern", b"real", b"integer", b"double", b"unsigned-integer")
_SYMMETRIES = (b"symmetric", b"general", b"skew-symmetric")


def parse_matrix_market(text: bytes, *, complement: bool = False) -> Graph:
    """The graph whose edges are the entries off the diagonal of a square matrix.

    Raises
    ------
    InputError
        With the line of what is wrong.
    """
    head, _, rest = text.partition(b"\n")
    words = head.lower().split()
    if not words or words[0] != b"%%matrixmarket":
        raise InputError("not a line '%%MatrixMarket matrix coordinate pattern symmetric'", line=1)
    if words[1:3] != [b"matrix", b"coordinate"] or len(words) != 5:
        raise InputError(f"a graph is a 'matrix coordinate', not '{shown(b' '.join(words[1:3]))}'", line=1)
    if words[3] not in _WORDS or words[4] not in _SYMMETRIES:
        raise InputError(f"cannot be a graph ('{shown(b' '.join(words[3:]))}')", line=1)
    number, at = 2, 0
    while at < len(rest):
        end = rest.find(b"\n", at)
        end = len(rest) if end < 0 else end
        line = rest[at:end]
        if line.strip() and not line.lstrip().startswith(b"%"):
            break
        at, number = end + 1, number + 1
    else:
        raise InputError("no line 'N N ENTRIES'", line=number)
    sizes, _ = numbers_in(line, line=number, comments=b"%")
    if len(sizes) != 3:
        raise InputError(f"not a line 'N N ENTRIES' ('{shown(line)}')", line=number)
    if sizes[0] != sizes[1]:
        raise InputError(f"the matrix of a graph is square (not {sizes[0]} x {sizes[1]})", line=number)
    n = int(sizes[0])
    u, v, _ = _pairs(rest[end + 1 :], number + 1, b"%", 1, n, plain=words[3] == b"pattern")
    return make_graph(n, u - 1, v - 1, complement=complement, size=len(text), line=number)


def parse_edge_list(text: bytes, *, complement: bool = False) -> Graph:
    """The graph of all pairs.

    Raises
    ------
    InputError
        With the line of what is wrong.
    """
    text = text.removeprefix(b"\xef\xbb\xbf").replace(b",", b" ")
    u, v, _ = _pairs(text, 1, b"#%", 0, None, plain=False)
    if not len(u):
        if text.strip():
            raise InputError("no pair of vertices in it. Maybe not an edge list?")
        return make_graph(0, u, v, complement=complement, size=0, line=None)
    base = min(1, int(u.min()), int(v.min()))
    n = int(max(u.max(), v.max())) + 1 - base
    return make_graph(n, u - base, v - base, complement=complement, size=len(text), line=None)


def parse_pace(text: bytes, *, complement: bool = True) -> Graph:
    """The complement of the graph in a file (the graph itself if not `complement`).

    Raises
    ------
    InputError
        With the line of what is wrong.
    """
    number, at = 1, 0
    while at < len(text):
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        words = text[at:end].split()
        if words and not words[0].startswith(b"c"):
            break
        at, number = end + 1, number + 1
    else:
        raise InputError("no line 'p td N M'. Maybe not a PACE file?")
    if words[0] != b"p" or len(words) != 4 or not all(word.isdigit() and len(word) <= 17 for word in words[2:]):
        raise InputError(f"not a line 'p td N M' ('{shown(text[at:end])}')", line=number)
    n = int(words[2])
    u, v, _ = _pairs(text[end + 1 :], number + 1, b"c", 1, n, plain=True)
    return make_graph(n, u - 1, v - 1, complement=complement, size=len(text), line=number)


def _pairs(
    text: bytes, line: int, comments: bytes, least: int, most: int | None, *, plain: bool
) -> tuple[Numbers, Numbers, Numbers]:
    """Pairs with the line of each; two words a line, or at least two if not `plain`."""
    only_numbers = plain or not text.translate(None, b" \t\r\n0123456789")
    values, lines = numbers_in(text, line=line, comments=comments, columns=None if only_numbers else 2)
    fresh = np.flatnonzero(np.diff(lines, prepend=line - 1))
    counts = np.diff(np.append(fresh, len(values)))
    wrong = counts != 2 if plain else counts < 2
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(f"{counts[at]} numbers where a pair of vertices belongs", line=int(lines[fresh[at]]))
    u, v, lines = values[fresh], values[fresh + 1], lines[fresh]
    outside = (u < least) | (v < least)
    if most is not None:
        outside |= (u > most) | (v > most)
    if outside.any():
        at = int(np.argmax(outside))
        bad = next(int(end) for end in (u[at], v[at]) if end < least or (most is not None and end > most))
        raise InputError(f"no such vertex ({bad}); they are {least} to {most}", line=int(lines[at]))
    return u, v, lines


def matrix_market_chunks(graph: Graph, comment: str = "", *, complement: bool = False) -> Iterator[bytes]:
    """A graph (or its complement) as the lower triangle of a symmetric pattern."""
    yield b"%%MatrixMarket matrix coordinate pattern symmetric\n"
    yield from (f"%{line}\n".encode() for line in comment.splitlines())
    yield f"{graph.n} {graph.n} {_count(graph, complement)}\n".encode()
    yield from _lower(graph, complement, lambda v: b"%d " % v)


def edge_list_chunks(graph: Graph, comment: str = "", *, complement: bool = False) -> Iterator[bytes]:
    """A graph (or its complement) as pairs, counted from 1; vertices after the last edge are lost."""
    yield from (f"# {line}\n".encode() for line in comment.splitlines())
    yield from _lower(graph, complement, lambda v: b"%d " % v)


def pace_chunks(graph: Graph, comment: str = "", *, complement: bool = True) -> Iterator[bytes]:
    """The complement of a graph, whose vertex covers leave its cliques (the graph itself if not `complement`)."""
    yield from (f"c {line}\n".encode() for line in comment.splitlines())
    yield f"p td {graph.n} {_count(graph, complement)}\n".encode()
    yield from _lower(graph, complement, lambda v: b"%d " % v)


def _count(graph: Graph, complement: bool) -> int:
    return len(graph.idx) // 2 if complement else graph.edges


def _lower(graph: Graph, complement: bool, start: Callable[[int], bytes]) -> Iterator[bytes]:
    """Each edge once, the larger end first, a block of rows at a time."""
    names = np.array([b"%d" % vertex for vertex in range(1, graph.n + 1)], dtype=object)
    for first, block in graph.blocks():
        rows = []
        for vertex, row in enumerate(block, first):
            lower = ~row[:vertex] if complement else row[:vertex]
            others = names[:vertex][lower].tolist()
            if others:
                begin = start(vertex + 1)
                rows.append(begin + (b"\n" + begin).join(others) + b"\n")
        yield b"".join(rows)
