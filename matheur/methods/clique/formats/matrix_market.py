"""MatrixMarket graphs: `%%MatrixMarket matrix coordinate|array FIELD SYMMETRY`, comments `%`, sizes, then the entries.

Vertices count from 1. Every nonzero entry off the diagonal is an edge, in either triangle.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.methods.clique.formats.rows import edge_count, lower_rows
from matheur.methods.clique.formats.whole_numbers import (
    Numbers,
    check_ends,
    count_agrees,
    make_graph,
    numbers_in,
    pairs_in,
    plain_text,
)
from matheur.methods.clique.sparse_graph import AnyGraph

__all__ = ["matrix_market_chunks", "names_matrix_market", "parse_matrix_market"]

_MAGIC = re.compile(rb"\s*%{1,2}[ \t]*matrixmarket\b", re.IGNORECASE)
_FORTRAN = re.compile(rb"([0-9.])[dD]([-+0-9])")
_FIELDS = (b"pattern", b"real", b"double", b"integer", b"unsigned-integer")
_SYMMETRIES = (b"symmetric", b"general", b"skew-symmetric")


def names_matrix_market(text: bytes) -> bool:
    """Whether the first line of a text is that of a MatrixMarket file."""
    return _MAGIC.match(text[:200]) is not None


def parse_matrix_market(source: Source, *, complement: bool = False) -> AnyGraph:
    """The graph whose edges are the entries off the diagonal of a square matrix.

    Raises
    ------
    InputError
        If the file is malformed, with the line.
    """
    text = plain_text(source)
    head, _, rest = text.partition(b"\n")
    if not names_matrix_market(head):
        raise InputError("not a line '%%MatrixMarket matrix coordinate pattern symmetric'", line=1)
    words = head.lower().replace(b"matrixmarket", b"", 1).replace(b"%", b"").split()
    if words[:1] != [b"matrix"] or words[1:2] not in ([b"coordinate"], [b"array"]) or len(words) != 4:
        raise InputError(f"a graph is a 'matrix coordinate' or 'matrix array', not {shown(b' '.join(words))}", line=1)
    form, field, symmetry = words[1:]
    if field not in _FIELDS or symmetry not in _SYMMETRIES or (form == b"array" and field == b"pattern"):
        raise InputError(f"cannot be a graph ({shown(b' '.join(words[1:]))})", line=1)
    number, at = 2, 0
    wanted = "N N ENTRIES" if form == b"coordinate" else "N N"
    while at < len(rest):
        end = rest.find(b"\n", at)
        end = len(rest) if end < 0 else end
        line = rest[at:end]
        if line.strip() and not line.lstrip().startswith(b"%"):
            break
        at, number = end + 1, number + 1
    else:
        raise InputError(f"no line '{wanted}'", line=number)
    sizes, _ = numbers_in(line, line=number, comments=b"%")
    if len(sizes) != len(wanted.split()):
        raise InputError(f"not a line '{wanted}' ({shown(line)})", line=number)
    if sizes[0] != sizes[1]:
        raise InputError(f"the matrix of a graph is square (not {sizes[0]} x {sizes[1]})", line=number)
    n, body = int(sizes[0]), rest[end + 1 :]
    if form == b"array":
        u, v = _array(body, number + 1, n, symmetry)
        return make_graph(source, n, u, v, complement=complement, line=number)
    zeros = 0
    if field != b"pattern":
        u, v, zeros = _entries(body, number + 1, n)
    else:
        u, v, _ = pairs_in(body, number + 1, b"%", n)
    if zeros:
        source.assume(f"the {zeros:,} entries of value 0 are not edges")
    graph = make_graph(source, n, u - 1, v - 1, complement=complement, line=number)
    count_agrees(source, f"line {number}", int(sizes[2]), len(u) + zeros, graph, complement=complement)
    return graph


def _entries(text: bytes, first: int, n: int) -> tuple[Numbers, Numbers, int]:
    """Ends of the nonzero entries, whose values follow the ends, and the number of zero entries."""
    rows: list[tuple[int, int]] = []
    lines: list[int] = []
    zeros = 0
    for line, raw in enumerate(text.split(b"\n"), first):
        words = raw.split()
        if not words or words[0].startswith(b"%"):
            continue
        if len(words) != 3:
            raise InputError(f"{len(words)} numbers where a pair of vertices and its value belong", line=line)
        for word in words[:2]:
            if not word.isdigit() or len(word) > 17:
                raise InputError(f"not a whole number from 0 ({shown(word)})", line=line)
        rows.append((int(words[0]), int(words[1])))
        lines.append(line)
        if not _value(words[2], line):
            u, v = np.array([rows.pop()], dtype=np.int64).T
            check_ends(u, v, np.array([lines.pop()], dtype=np.int64), n)
            zeros += 1
    u, v = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    check_ends(u, v, np.array(lines, dtype=np.int64), n)
    return u, v, zeros


def _array(text: bytes, first: int, n: int, symmetry: bytes) -> tuple[Numbers, Numbers]:
    """Ends (0-based) of the nonzero entries of a whole matrix, column by column."""
    found: list[bool] = []
    for line, raw in enumerate(text.split(b"\n"), first):
        words = raw.split()
        if not words or words[0].startswith(b"%"):
            continue
        found += [_value(word, line) for word in words]
    whole, strict = symmetry == b"general", symmetry == b"skew-symmetric"
    wanted = n * n if whole else n * (n - 1) // 2 if strict else n * (n + 1) // 2
    if len(found) != wanted:
        raise InputError(f"a {symmetry.decode()} array of {n} x {n} has {wanted} values, not {len(found)}. "
                         "Maybe 'matrix coordinate'?", line=1)  # fmt: skip
    if whole:
        place: NDArray[np.int64] = np.flatnonzero(found)
        return place % max(n, 1), place // max(n, 1)
    column, row = np.triu_indices(n, 1 if strict else 0)
    kept = np.array(found, dtype=bool)
    return row[kept].astype(np.int64), column[kept].astype(np.int64)


def _value(word: bytes, line: int) -> bool:
    """Whether a number is not zero; its exponent may be that of Fortran, as in `1.0D+00`."""
    try:
        return float(word) != 0
    except ValueError:
        pass
    try:
        return float(_FORTRAN.sub(rb"\1e\2", word)) != 0
    except ValueError:
        raise InputError(f"not a number ({shown(word)})", line=line) from None


def matrix_market_chunks(graph: AnyGraph, comment: str = "", *, complement: bool = False) -> Iterator[bytes]:
    """A graph (or its complement) as the lower triangle of a symmetric pattern."""
    yield b"%%MatrixMarket matrix coordinate pattern symmetric\n"
    yield from (f"%{line}\n".encode() for line in comment.splitlines())
    yield f"{graph.n} {graph.n} {edge_count(graph, complement)}\n".encode()
    yield from lower_rows(graph, complement)
