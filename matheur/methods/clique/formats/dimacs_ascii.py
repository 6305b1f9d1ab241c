"""DIMACS ASCII graphs: `c` comments, one line `p WORD NODES EDGES`, `e U V` lines, 1-based.

The reader accepts the variants of real files: any word after `p` or none, a third number there, capital letters, tabs
and doubled blanks, end points in either order, duplicate edges, a wrong edge count, a weight on each `e` line, arcs (`a
U V ...`), and lines about vertices: weights `n V WEIGHT`, and `d`, `v`, `x`, which are ignored. Lines `v V WEIGHT`, one
for each vertex, are weights, too, as in instances of minimum weight vertex cover; in files with `d` lines, they are
coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.methods.clique.formats.names import GraphFile
from matheur.methods.clique.formats.problem_line import read_problem_line
from matheur.methods.clique.formats.rows import edge_count, lower_rows
from matheur.methods.clique.formats.whole_numbers import count_agrees, make_graph, plain_text
from matheur.methods.clique.sparse_graph import AnyGraph

__all__ = ["Lines", "chunks", "head_of", "parse"]

_CHUNK = 1 << 22
_OTHER_THAN_EDGES = bytes(set(range(256)) - set(b"e \t\r\n0123456789"))


def parse(source: Source, *, complement: bool = False) -> GraphFile:
    """The graph in a file, or its complement (`.mis` files hold the conflicts), and the weights of its n lines.

    Raises
    ------
    InputError
        If the file is malformed, with the line; or if the graph has more non-edges than fit in memory.
    """
    text = plain_text(source)
    head = read_problem_line(text)
    n, at, number = head.n, head.end, head.line + 1
    ends: list[NDArray[Any]] = []
    lines = Lines(n)
    while at < len(text):
        end = len(text) if at + _CHUNK >= len(text) else text.find(b"\n", at + _CHUNK) + 1 or len(text)
        chunk = text[at:end]
        pairs = None if lines.weighted else _edges_fast(chunk)
        if pairs is None:
            pairs = lines.read(chunk, number)
        elif pairs.size:
            if not (pairs.min() >= 1 and pairs.max() <= n):
                lines.read(chunk, number)  # raises, with the line
            lines.weighted = False
        if pairs.size:
            ends.append((pairs - 1).astype(np.int32) if n < 1 << 31 else pairs - 1)
        number += chunk.count(b"\n")
        at = end
    both: NDArray[Any] = np.concatenate(ends) if ends else np.zeros((0, 2), dtype=np.int32)
    ends.clear()
    if lines.weighted:
        source.assume("the third number of the e lines is a weight, which is ignored here")
    if lines.arcs:
        source.assume("the arcs (a lines) are edges, their values are ignored here")
    u, v = both[:, 0], both[:, 1]
    graph = make_graph(source, n, u, v, complement=complement, line=head.line)
    if head.edges is not None:
        count_agrees(source, f"line {head.line}", head.edges, len(u), graph, complement=complement)
    return GraphFile(graph, weights=lines.weights(source), demands=bool(lines.weighted))


def _edges_fast(chunk: bytes) -> NDArray[np.int64] | None:
    """End points of a chunk of only well-formed edge lines, shape (edges, 2); None for other chunks."""
    if chunk.translate(None, _OTHER_THAN_EDGES) != chunk:
        return None
    data = np.frombuffer(chunk, dtype=np.uint8)
    blank = data <= 32
    starts = np.flatnonzero(~blank & np.concatenate(([True], blank[:-1])))
    stops = np.flatnonzero(~blank & np.concatenate((blank[1:], [True])))
    letters = np.flatnonzero(data == ord("e"))
    tokens = len(starts)
    # Tokens must be e, number, number, ..., with one edge on each line and no line break within an edge.
    if tokens % 3 or len(letters) * 3 != tokens or not np.array_equal(starts[::3], letters):
        return None
    if not np.array_equal(stops[::3], letters) or (stops - starts).max(initial=0) > 17:
        return None
    line = np.cumsum(data == ord("\n"), dtype=np.int32)[starts]
    if (line[::3] != line[2::3]).any() or (np.diff(line[::3]) == 0).any():
        return None
    numbers = np.delete(np.arange(tokens), np.s_[::3])
    start, length = starts[numbers], (stops - starts)[numbers] + 1
    values = np.zeros(len(numbers), dtype=np.int64)
    for digit in range(length.max(initial=0)):
        longer = digit < length
        values[longer] = 10 * values[longer] + data[start[longer] + digit] - ord("0")
    return values.reshape(-1, 2)


def head_of(graph: AnyGraph, comment: str, edges: int, weights: Sequence[str] | None) -> bytes:
    """The comment, the p line, and an n line for every weight."""
    said = "".join(f"c {line}\n" for line in comment.splitlines()) + f"p edge {graph.n} {edges}\n"
    return (said + "".join(f"n {vertex} {weight}\n" for vertex, weight in enumerate(weights or (), start=1))).encode()


class Lines:
    """Reads chunks of lines after the p line, and remembers whether earlier e lines had weights (None: no line yet)."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.weighted: bool | None = None
        self.arcs = False
        self._of_vertices: dict[int, tuple[str, int]] = {}
        self._v_lines: dict[int, tuple[str, int]] | None = {}  # None if they are no weights
        self._other_line: tuple[int, bytes] | None = None  # the first that begins with n but is no weight

    def weights(self, source: Source) -> dict[int, tuple[str, int]] | None:
        """The weights of vertices (0-based) and their lines; None, with a note, if n lines have another meaning."""
        if self._other_line is not None:
            line, text = self._other_line
            source.assume(f"the n lines are ignored, since line {line} is no weight of a vertex ({shown(text)})")
            return None
        if not self._of_vertices and self._v_lines is not None and len(self._v_lines) == self.n:
            return self._v_lines or None
        return self._of_vertices or None

    def read(self, chunk: bytes, number: int) -> NDArray[np.int64]:
        """End points of the edges of a chunk whose first line has the given number."""
        pairs: list[tuple[int, int]] = []
        for line, raw in enumerate(chunk.split(b"\n"), number):
            words = raw.split()
            if not words or words[0].startswith(b"c"):
                continue
            letter = words[0].lower()
            if letter == b"p":
                raise InputError("a second p line", line=line)
            if letter in (b"e", b"a"):
                pairs.append(self._ends(words, line, arc=letter == b"a"))
            elif letter == b"n":
                self._weight(words, line)
            elif letter in (b"v", b"d"):
                self._line_of_vertex(words, line)
            elif letter != b"x":
                raise InputError(f"neither c, p, n nor e at the start of a line ({shown(b' '.join(words))})", line=line)
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    def _line_of_vertex(self, words: list[bytes], line: int) -> None:
        """Store the weight on a line `v V WEIGHT`; a `d` line, or a `v` line of another form, means coordinates."""
        vertex = int(words[1]) - 1 if self._gives_value(words) else None
        if self._v_lines is None or words[0].lower() == b"d" or vertex is None or vertex in self._v_lines:
            self._v_lines = None
        else:
            self._v_lines[vertex] = words[2].decode(), line

    def _gives_value(self, words: list[bytes]) -> bool:
        """Whether a number of a vertex and a value follow the letter."""
        fine = len(words) == 3 and words[1].isdigit() and len(words[1]) <= 18 and _value(words[2])
        return fine and 1 <= int(words[1]) <= self.n

    def _weight(self, words: list[bytes], line: int) -> None:
        """Store the weight on a line `n V WEIGHT`."""
        if not self._gives_value(words):
            self._other_line = self._other_line or (line, b" ".join(words))
            return
        vertex, said = int(words[1]) - 1, (words[2].decode(), line)
        before = self._of_vertices.setdefault(vertex, said)
        if before[0] != said[0]:
            raise InputError(
                f"a second weight of vertex {vertex + 1} ({shown(said[0])}; line {before[1]} has {shown(before[0])})",
                line=line,
            )

    def _ends(self, words: list[bytes], line: int, *, arc: bool) -> tuple[int, int]:
        ends, more = words[1:3], words[3:]
        fine = len(ends) == 2 and all(word.isdigit() and len(word) <= 18 for word in ends) and all(map(_value, more))
        if arc:
            self.arcs = True
        else:
            # Either all lines have a weight or none: else two lines may have been merged.
            self.weighted = bool(more) if self.weighted is None else self.weighted
            fine = fine and len(more) == self.weighted
        if not fine:
            raise InputError(f"not a line 'e U V' ({shown(b' '.join(words))})", line=line)
        u, v = int(ends[0]), int(ends[1])
        for end in (u, v):
            if not 1 <= end <= self.n:
                raise InputError(f"no such vertex ({end}); they are 1 to {self.n}", line=line)
        return u, v


def _value(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def chunks(
    graph: AnyGraph, comment: str = "", *, complement: bool = False, weights: Sequence[str] | None = None
) -> Iterator[bytes]:
    """A graph (or its complement) as text, a block of rows at a time; each edge once, the larger end first."""
    yield head_of(graph, comment, edge_count(graph, complement), weights)
    yield from lower_rows(graph, complement, before=b"e ")
