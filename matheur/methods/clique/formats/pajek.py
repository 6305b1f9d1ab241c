"""Pajek networks: `*Vertices N`, a line `NUMBER "LABEL"` for each vertex, then `*Edges`, `*Arcs`, lists or a matrix."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.methods.clique.formats.names import GraphFile, names_of
from matheur.methods.clique.formats.whole_numbers import make_graph, vertices_for

__all__ = ["parse_pajek"]

_LABEL = re.compile(r'\s*([0-9]{1,17})(?:\s+(?:"([^"]*)"|(\S+)))?')
_Line = tuple[int, str]


def parse_pajek(source: Source, *, complement: bool = False) -> GraphFile:
    """The first network in a file; arcs are read as edges.

    Raises
    ------
    InputError
        With the line of what is wrong.
    """
    reader = _Reader(source)
    for head, rows in _sections(source):
        if not reader.take(head, rows):
            break
    if reader.n is None:
        raise InputError("no line '*Vertices N'. Maybe not a Pajek file?")
    ends = np.array(reader.ends, dtype=np.int64).reshape(-1, 2) - 1
    rank, names = names_of(source, list(range(1, reader.n + 1)), reader.labels)
    graph = make_graph(source, reader.n, rank[ends[:, 0]], rank[ends[:, 1]], complement=complement, line=None)
    return GraphFile(graph, names)


def _sections(source: Source) -> Iterator[tuple[_Line, list[_Line]]]:
    """The lines that begin with a star, each with the lines up to the next one; without comments."""
    head: _Line | None = None
    rows: list[_Line] = []
    for number, text in enumerate(source.lines, 1):
        if not text.strip() or text.lstrip().startswith("%"):
            continue
        if text.lstrip().startswith("*"):
            if head is not None:
                yield head, rows
            head, rows = (number, text.strip()), []
        elif head is None:
            raise InputError(f"a line before '*Vertices' ({shown(text)})", line=number)
        else:
            rows.append((number, text))
    if head is not None:
        yield head, rows


class _Reader:
    """What was read so far.

    Attributes
    ----------
    n
        Number of vertices; None before it is known.
    labels
        Label of each vertex, None if it has none.
    ends
        Both ends of each edge, one after the other, from 1.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.n: int | None = None
        self.labels: list[str | None] = []
        self.ends: list[int] = []

    def take(self, head: _Line, rows: list[_Line]) -> bool:
        """Read a section; False if a second network begins."""
        number, text = head
        words = text.lower().split()
        kind = words[0]
        if kind in ("*network", "*vertices") and self.n is not None:
            self.source.assume(f"the first network of the file; line {number} begins another one")
            return False
        if kind == "*network":
            return True
        if kind == "*vertices":
            self._vertices(number, words, rows)
            return True
        if self.n is None:
            raise InputError(f"no '*Vertices' before {shown(text)}", line=number)
        if rows and kind.startswith(("*arcs", "*matrix")):
            self.source.assume("arcs are read as edges")
        if kind in ("*edges", "*arcs"):
            for line, row in rows:
                self._join(line, row.split()[:2])
        elif kind in ("*edgeslist", "*arcslist"):
            for line, row in rows:
                first, *others = row.split()
                for other in others:
                    self._join(line, [first, other])
        elif kind == "*matrix":
            self._matrix(number, rows)
        else:
            self.source.assume(f"line {number}: the section {shown(text.split()[0])} is skipped")
        return True

    def _vertices(self, number: int, words: list[str], rows: list[_Line]) -> None:
        if len(words) < 2 or not re.fullmatch("[0-9]{1,17}", words[1]):
            raise InputError("no number of vertices after '*Vertices'", line=number)
        self.n = int(words[1])
        if self.n > vertices_for(len(self.source.data)):
            raise InputError(f"{self.n:,} vertices in a file of {len(self.source.data):,} bytes", line=number)
        self.labels = [None] * self.n
        for line, row in rows:
            found = _LABEL.match(row)
            if found is None:
                raise InputError(f"not a line 'NUMBER \"LABEL\"' ({shown(row.strip())})", line=line)
            label = found[2] if found[2] is not None else found[3]
            self.labels[self._vertex(line, found[1]) - 1] = label

    def _vertex(self, line: int, word: str) -> int:
        vertex = int(word) if re.fullmatch(r"[0-9]{1,17}", word) else 0
        if not 1 <= vertex <= (self.n or 0):
            raise InputError(f"no such vertex ({shown(word)}); they are 1 to {self.n}", line=line)
        return vertex

    def _join(self, line: int, words: list[str]) -> None:
        if len(words) < 2:
            raise InputError("one vertex where an edge has two", line=line)
        self.ends += (self._vertex(line, words[0]), self._vertex(line, words[1]))

    def _matrix(self, number: int, rows: list[_Line]) -> None:
        if len(rows) != self.n:
            raise InputError(f"{len(rows)} rows of a matrix for {self.n} vertices", line=number)
        for vertex, (line, row) in enumerate(rows, 1):
            entries = row.split()
            if len(entries) != self.n:
                raise InputError(f"{len(entries)} entries for {self.n} vertices", line=line)
            for other, entry in enumerate(entries, 1):
                try:
                    joined = float(entry) != 0
                except ValueError:
                    raise InputError(f"not a number ({shown(entry)})", line=line) from None
                if joined:
                    self.ends += (vertex, other)
