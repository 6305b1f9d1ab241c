"""DIMACS ASCII graphs: `c` comments, one `p WORD NODES EDGES` line, `e U V` lines, 1-based.

The reader takes what real files hold: any word after `p`, tabs and doubled blanks, end points in either order,
edges named twice, a wrong edge count, `n NODE WEIGHT` lines (weights are ignored).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import InputError
from matheur.problems.max_clique.graph import Graph
from matheur.problems.max_clique.whole_numbers import make_graph

__all__ = ["chunks", "parse", "read_preamble"]

_CHUNK = 1 << 22
_OTHER_THAN_EDGES = bytes(set(range(256)) - set(b"e \t\r\n0123456789"))


def read_preamble(text: bytes) -> tuple[int, int, int]:
    """The number of vertices that the `p` line gives, the number of that line, and where the next one begins.

    Raises
    ------
    InputError
        If there is no well-formed `p` line before the first edge.
    """
    at, number = 0, 0
    while at < len(text):
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        number += 1
        words = text[at:end].split()
        at = end + 1
        if not words or words[0].startswith(b"c"):
            continue
        if words[0] != b"p":
            raise InputError(f"a line '{_shown(words)}' before the p line", line=number)
        if len(words) not in (3, 4) or not all(word.isdigit() and len(word) <= 18 for word in words[2:]):
            raise InputError(f"not a line 'p edge NODES EDGES' ('{_shown(words)}')", line=number)
        return int(words[2]), number, at
    raise InputError("no line 'p edge NODES EDGES'. Maybe not a DIMACS file?")


def parse(text: bytes, *, complement: bool = False) -> Graph:
    """The graph in a file, or the complement of it (`.mis` files hold the conflicts).

    Raises
    ------
    InputError
        If anything is malformed, with its line; or if a graph of so many vertices and so few edges has more
        non-edges than fit in memory.
    """
    n, p_line, at = read_preamble(text)
    number = p_line + 1
    ends: list[NDArray[Any]] = []
    while at < len(text):
        end = len(text) if at + _CHUNK >= len(text) else text.find(b"\n", at + _CHUNK) + 1 or len(text)
        chunk = text[at:end]
        pairs = _edges_fast(chunk)
        if pairs is None:
            pairs = _edges_slow(chunk, number, n)
        elif pairs.size and not (pairs.min() >= 1 and pairs.max() <= n):
            _edges_slow(chunk, number, n)  # raises, with the line
        if pairs.size:
            ends.append((pairs - 1).astype(np.int32) if n < 1 << 31 else pairs - 1)
        number += chunk.count(b"\n")
        at = end
    both: NDArray[Any] = np.concatenate(ends) if ends else np.zeros((0, 2), dtype=np.int32)
    ends.clear()
    return make_graph(n, both[:, 0], both[:, 1], complement=complement, size=len(text), line=p_line)


def _edges_fast(chunk: bytes) -> NDArray[np.int64] | None:
    """End points of a chunk that holds nothing but well-formed edge lines, shape (edges, 2); None if it may not."""
    if chunk.translate(None, _OTHER_THAN_EDGES) != chunk:
        return None
    data = np.frombuffer(chunk, dtype=np.uint8)
    blank = data <= 32
    starts = np.flatnonzero(~blank & np.concatenate(([True], blank[:-1])))
    stops = np.flatnonzero(~blank & np.concatenate((blank[1:], [True])))
    letters = np.flatnonzero(data == ord("e"))
    tokens = len(starts)
    # Tokens must be e, number, number, ... with an e alone, each on a line of its own and no line break within.
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


def _edges_slow(chunk: bytes, number: int, n: int) -> NDArray[np.int64]:
    """End points of any chunk of lines after the p line, of which the first has the given number."""
    pairs: list[tuple[int, int]] = []
    for offset, raw in enumerate(chunk.split(b"\n")):
        words = raw.split()
        if not words or words[0].startswith(b"c"):
            continue
        line = number + offset
        if words[0] == b"p":
            raise InputError("a second p line", line=line)
        if words[0] == b"e":
            if len(words) != 3 or not all(word.isdigit() and len(word) <= 18 for word in words[1:]):
                raise InputError(f"not a line 'e U V' ('{_shown(words)}')", line=line)
            u, v = int(words[1]), int(words[2])
            for end in (u, v):
                if not 1 <= end <= n:
                    raise InputError(f"no such vertex ({end}); they are 1 to {n}", line=line)
            pairs.append((u, v))
        elif words[0] not in (b"n", b"d", b"v", b"x"):
            raise InputError(f"neither c, p, n nor e at the start of a line ('{_shown(words)}')", line=line)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _shown(words: list[bytes]) -> str:
    return b" ".join(words)[:40].decode("ascii", "backslashreplace")


def chunks(graph: Graph, comment: str = "", *, complement: bool = False) -> Iterator[bytes]:
    """A graph (or its complement) as text, a block of rows at a time; each edge once, the larger end first."""
    for line in comment.splitlines():
        yield f"c {line}\n".encode()
    count = len(graph.idx) // 2 if complement else graph.edges
    yield f"p edge {graph.n} {count}\n".encode()
    names = np.array([b"%d" % vertex for vertex in range(1, graph.n + 1)], dtype=object)
    for first, block in graph.blocks():
        rows = []
        for vertex, row in enumerate(block, first):
            lower = ~row[:vertex] if complement else row[:vertex]
            others = names[:vertex][lower].tolist()
            if others:
                start = b"e %d " % (vertex + 1)
                rows.append(start + (b"\n" + start).join(others) + b"\n")
        yield b"".join(rows)
