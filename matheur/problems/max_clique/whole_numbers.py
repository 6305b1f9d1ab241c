"""Lines of whole numbers, as METIS, MatrixMarket, PACE and edge list files hold them, and graphs made from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.errors import InputError, MatheurError
from matheur.problems.max_clique.graph import ENTRIES_MAX, Graph, check_size

__all__ = ["entries_for", "make_graph", "numbers_in", "shown"]

_DIGITS = 17
_PLAIN = b" \t\r\n\v\f0123456789"
_ENTRIES_ANYWAY = 20_000_000
_ENTRIES_PER_BYTE = 1_000

Numbers = NDArray[np.int64]
Ends = NDArray[np.int64] | NDArray[np.int32]


def entries_for(size: int) -> int:
    """How large a complement a file of `size` bytes may ask for: a few bytes must not take gigabytes."""
    return min(ENTRIES_MAX, max(_ENTRIES_ANYWAY, _ENTRIES_PER_BYTE * size))


def make_graph(n: int, u: Ends, v: Ends, *, complement: bool, size: int, line: int | None) -> Graph:
    """The graph of the pairs (0-based), or its complement, from a file of `size` bytes.

    Raises
    ------
    InputError
        If it would take more memory than `entries_for` allows, or a number is no vertex.
    """
    try:
        room = entries_for(size)
        check_size(n, 2 * len(u) if complement else max(0, n * (n - 1) - 2 * len(u)), entries_max=room)
        make = Graph.from_complement if complement else Graph.from_edges
        return make(n, u, v)
    except (MatheurError, ValueError) as error:
        raise InputError(str(error), line=line) from None


def numbers_in(
    text: bytes, *, line: int = 1, comments: bytes = b"#%", columns: int | None = None
) -> tuple[Numbers, Numbers]:
    """All whole numbers of a text, and the line of each.

    Parameters
    ----------
    line
        Number of the first line.
    comments
        A line that begins with one of these bytes is skipped.
    columns
        How many words of a line are read; what follows them may be anything. None for all.

    Raises
    ------
    InputError
        If a word is no whole number, or one of more than 17 digits, with its line.
    """
    if columns is None and not text.translate(None, _PLAIN):
        return _fast(text, line)
    values: list[int] = []
    lines: list[int] = []
    for number, raw in enumerate(text.split(b"\n"), line):
        words = raw.split()
        if not words or words[0][:1] in (comments[at : at + 1] for at in range(len(comments))):
            continue
        for word in words[:columns]:
            if not word.isdigit() or len(word) > _DIGITS:
                raise InputError(f"not a whole number from 0 ('{shown(word)}')", line=number)
            values.append(int(word))
            lines.append(number)
    return np.array(values, dtype=np.int64), np.array(lines, dtype=np.int64)


def shown(text: bytes) -> str:
    """The beginning of a text for a message."""
    return text[:40].decode("ascii", "backslashreplace")


def _fast(text: bytes, line: int) -> tuple[Numbers, Numbers]:
    """The same for a text of digits and blanks only, without a Python object per number."""
    data = np.frombuffer(text, dtype=np.uint8)
    if not len(data):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    digit = data >= ord("0")
    starts = np.flatnonzero(digit & np.concatenate(([True], ~digit[:-1])))
    stops = np.flatnonzero(digit & np.concatenate((~digit[1:], [True])))
    length = stops - starts + 1
    lines = line + np.cumsum(data == ord("\n"), dtype=np.int64)[starts]
    if length.max(initial=0) > _DIGITS:
        at = int(np.argmax(length > _DIGITS))
        word = text[starts[at] : stops[at] + 1]
        raise InputError(f"not a whole number from 0 ('{shown(word)}')", line=int(lines[at]))
    values = np.zeros(len(starts), dtype=np.int64)
    for place in range(int(length.max(initial=0))):
        longer = place < length
        values[longer] = 10 * values[longer] + data[starts[longer] + place] - ord("0")
    return values, lines
