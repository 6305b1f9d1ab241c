"""DIMACS binary graphs: a line with the length L of a preamble, L bytes of preamble, then the lower triangle in bits.

The preamble is the ASCII file's `c`, `p` and `n` lines. Row i has (i + 8) // 8 bytes; its bit j <= i, most significant
bit first, is the edge (i, j). The diagonal and the bits after it have no meaning and are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError, MatheurError
from matheur.methods.clique.formats.dimacs_ascii import Lines, head_of
from matheur.methods.clique.formats.names import GraphFile
from matheur.methods.clique.formats.problem_line import read_problem_line
from matheur.methods.clique.formats.rows import edge_count
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.sparse_graph import AnyGraph

__all__ = ["chunks", "looks_binary", "parse"]

_LETTER = re.compile(rb"\s*[cp](?:\s|\Z)")
_BLOCK = 16_000_000  # bits unpacked at a time


def looks_binary(data: bytes) -> bool:
    """Whether the first line is only a number, and a DIMACS preamble follows.

    A word that begins with c or p may also be a vertex of an edge list, which has no zero bytes.
    """
    head, found, rest = data[:32].partition(b"\n")
    if not found or not head.strip().isdigit():
        return False
    return _LETTER.match(rest) is not None or (rest.lstrip()[:1] in (b"c", b"p") and b"\0" in data)


def parse(source: Source) -> GraphFile:
    """The graph in a file, and the weights of the n lines of its preamble.

    Raises
    ------
    InputError
        If the length, the preamble or the number of bytes is wrong.
    """
    data = source.data
    head, found, _ = data[:32].partition(b"\n")
    if not found or not head.strip().isdigit():
        raise InputError("the first line is not the length of a preamble. Maybe not a binary DIMACS file?", line=1)
    body = len(head) + 1
    length = int(head)
    if body + length > len(data):
        raise InputError(f"the preamble should have {length} bytes, the file ends after {len(data) - body}", line=1)
    try:
        preamble = read_problem_line(data[body : body + length].replace(b"\r\n", b"\n"))
    except InputError as error:
        raise InputError(error.message, line=(error.line or 0) + 1) from None
    n, line = preamble.n, preamble.line
    lines = Lines(n)
    for number, row in enumerate(data[body : body + length].split(b"\n"), 2):
        if row[:1] in b"nN" and row[1:2].isspace():
            lines.read(row, number)
    sizes = _offset(n)
    if len(data) - body - length != sizes:
        rest = len(data) - body - length
        raise InputError(f"{n} vertices need {sizes} bytes after the preamble, the file has {rest}", line=line + 1)
    rows = np.frombuffer(data, dtype=np.uint8, offset=body + length)

    def lower() -> Iterator[tuple[int, NDArray[np.bool_]]]:
        first = 0
        while first < n:
            last = min(n, first + max(1, _BLOCK // n))
            width = (last + 7) // 8
            packed = np.zeros((last - first, width), dtype=np.uint8)
            lengths = (np.arange(first, last) + 8) // 8
            packed[np.arange(width) < lengths[:, None]] = rows[_offset(first) : _offset(last)]
            joined = np.unpackbits(packed, axis=1, count=last).view(np.bool_)
            yield first, ~joined & np.tri(last - first, last, first - 1, dtype=bool)
            first = last

    try:
        return GraphFile(Graph.from_lower_blocks(n, lower), weights=lines.weights(source))
    except MatheurError as error:
        raise InputError(str(error), line=line + 1) from None


def chunks(
    graph: AnyGraph, comment: str = "", *, complement: bool = False, weights: Sequence[str] | None = None
) -> Iterator[bytes]:
    """A graph (or its complement) as bytes, a block of rows at a time."""
    text = head_of(graph, comment, edge_count(graph, complement), weights)
    yield b"%d\n" % len(text) + text
    for first, block in graph.blocks(cells=_BLOCK):
        last = first + len(block)
        lower = (~block if complement else block)[:, :last] & np.tri(last - first, last, first - 1, dtype=bool)
        packed = np.packbits(lower, axis=1)
        lengths = (np.arange(first, last) + 8) // 8
        yield packed[np.arange(packed.shape[1]) < lengths[:, None]].tobytes()


def _offset(row: int) -> int:
    """Bytes of the rows before `row`: those of rows 8q to 8q + 7 have q + 1 bytes each."""
    full, rest = divmod(row, 8)
    return 8 * (full * (full + 1) // 2) + rest * (full + 1)
