"""Graphs in graph6 and sparse6, as nauty, SageMath and the House of Graphs write them: one graph on each line.

Formats: B. D. McKay, https://users.cecs.anu.edu.au/~bdm/data/formats.html. Vertices are numbered from 0.
"""

from __future__ import annotations

import numpy as np

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.methods.clique.formats.names import GraphFile, Names
from matheur.methods.clique.formats.whole_numbers import Numbers, make_graph, plain_text

__all__ = ["parse_graph6", "parse_sparse6"]

_HEADERS = (b">>graph6<<", b">>sparse6<<", b">>digraph6<<")
_OFFSET, _BITS = 63, 6  # of a character
_CHARACTERS = bytes(range(_OFFSET, _OFFSET + (1 << _BITS)))


def parse_graph6(source: Source, *, complement: bool = False) -> GraphFile:
    """The graph on a line of graph6; `FILE#3` is the third.

    Raises
    ------
    InputError
        With the line of what is wrong, or if there is no line of this number.
    """
    line, text = _line_of(source)
    if text[:1] in (b":", b";", b"&"):
        raise InputError("a line of sparse6 or digraph6 among graph6. Maybe --format sparse6?", line=line)
    n, digits = _size(text, line)
    pairs = n * (n - 1) // 2
    if len(digits) != -(-pairs // _BITS):
        raise InputError(f"{len(digits):,} characters for {n:,} vertices, not {-(-pairs // _BITS):,}", line=line)
    joined = np.flatnonzero(_bits(digits)[:pairs])
    # Pairs (u, v) with u < v stand in the order of v; those of v begin at v (v - 1) / 2.
    begins = np.arange(n, dtype=np.int64) * np.arange(-1, n - 1, dtype=np.int64) // 2
    v = np.searchsorted(begins, joined, side="right") - 1
    return _graph(source, n, joined - begins[v], v, line, complement=complement)


def parse_sparse6(source: Source, *, complement: bool = False) -> GraphFile:
    """The graph on a line of sparse6; see `parse_graph6`."""
    line, text = _line_of(source)
    if not text.startswith(b":"):
        raise InputError("a line of sparse6 begins with ':'. Maybe --format graph6?", line=line)
    n, digits = _size(text[1:], line)
    width = max(1, (n - 1).bit_length())
    bits = _bits(digits)
    bits = bits[: len(bits) // (width + 1) * (width + 1)].reshape(-1, width + 1)
    steps = bits[:, 0].tolist()
    values = (bits[:, 1:].astype(np.int64) @ (1 << np.arange(width - 1, -1, -1, dtype=np.int64))).tolist()
    ends: list[int] = []
    current = 0
    for step, value in zip(steps, values, strict=True):
        current += step
        if value > current:
            current = value
        elif current < n:  # bits behind the last edge fill the last character
            ends += (value, current)
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return _graph(source, n, pairs[:, 0], pairs[:, 1], line, complement=complement)


def _graph(source: Source, n: int, u: Numbers, v: Numbers, line: int, *, complement: bool) -> GraphFile:
    return GraphFile(make_graph(source, n, u, v, complement=complement, line=line), Names(np.arange(n, dtype=np.int64)))


def _line_of(source: Source) -> tuple[int, bytes]:
    """The line of the graph that is asked for, without its header, and its number."""
    lines = [(number, text.strip()) for number, text in enumerate(plain_text(source).split(b"\n"), 1) if text.strip()]
    if lines and lines[0][1] in _HEADERS:  # on a line of its own
        lines = lines[1:]
    if not lines:
        raise InputError("no graph in it")
    number, text = lines[source.chosen(len(lines), "graph")]
    for header in _HEADERS:
        text = text.removeprefix(header)
    if text[1 if text[:1] in b":;&" else 0 :].translate(None, _CHARACTERS):
        raise InputError("a character that graph6 and sparse6 do not have", line=number)
    return number, text


def _size(text: bytes, line: int) -> tuple[int, bytes]:
    """The number of vertices, and what follows it."""
    digits = 1 if text[:1] != b"~" else 3 if text[1:2] != b"~" else 6
    skipped = {1: 0, 3: 1, 6: 2}[digits]
    found = text[skipped : skipped + digits]
    if len(found) < digits:
        raise InputError("the number of vertices is missing", line=line)
    n = 0
    for code in found:
        n = n << _BITS | code - _OFFSET
    return n, text[skipped + digits :]


def _bits(digits: bytes) -> np.ndarray:
    """Six bits for each character, the highest first."""
    values = np.frombuffer(digits, dtype=np.uint8) - np.uint8(_OFFSET)
    return np.unpackbits(values[:, np.newaxis], axis=1)[:, 2:].ravel()
