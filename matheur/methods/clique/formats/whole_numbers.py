"""Lines of whole numbers, as in METIS, MatrixMarket, PACE and edge list files, and graphs made from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError, MatheurError, shown
from matheur.methods.clique.graph import ENTRIES_MAX, check_size
from matheur.methods.clique.sparse_graph import AnyGraph, graph_of_pairs, is_sparse

__all__ = [
    "check_ends",
    "count_agrees",
    "digits_in",
    "ends_in",
    "entries_for",
    "make_graph",
    "numbers_in",
    "pairs_in",
    "plain_text",
    "vertices_for",
    "whole_numbers",
]

_DIGITS = 17
_PLAIN = b" \t\r\n\v\f0123456789"
_ENTRIES_ANYWAY = 20_000_000
_ENTRIES_PER_BYTE = 1_000
_VERTICES_ANYWAY = 1_000_000
_VERTICES_PER_BYTE = 10
_END_OF_FILE = b"\x1a"

Numbers = NDArray[np.int64]
Ends = NDArray[np.int64] | NDArray[np.int32]


def plain_text(source: Source) -> bytes:
    """The bytes of a text with line feeds as line ends, and without a byte order mark or an end of file mark."""
    text = source.plain
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if _END_OF_FILE in text[-8:]:
        text = text.rstrip(_END_OF_FILE + b" \t\n") + b"\n"
    return text


def entries_for(size: int) -> int:
    """Largest complement that a file of `size` bytes may require: a small file must not take gigabytes."""
    return min(ENTRIES_MAX, max(_ENTRIES_ANYWAY, _ENTRIES_PER_BYTE * size))


def vertices_for(size: int) -> int:
    """Most vertices that a file of `size` bytes may have."""
    return max(_VERTICES_ANYWAY, _VERTICES_PER_BYTE * size)


def whole_numbers(words: list[str]) -> NDArray[np.int64] | None:
    """Words as numbers; None unless each is written as a whole number is, and short enough."""
    try:
        values = list(map(int, words))
        return np.array(values, dtype=np.int64) if list(map(str, values)) == words else None
    except (ValueError, OverflowError):
        return None


def make_graph(source: Source, n: int, u: Ends, v: Ends, *, complement: bool, line: int | None) -> AnyGraph:
    """The graph of the pairs (0-based), or its complement; loops are left out with a note.

    A large graph with few edges is a `SparseGraph`, see `is_sparse`: its memory is linear in the edges.

    Raises
    ------
    InputError
        If the graph would take more memory than `entries_for` allows, has far more vertices than the file has bytes, or
        if a number is not a vertex.
    """
    size = len(source.data)
    try:
        most = vertices_for(size)
        # An edge may be listed in both directions.
        few = not complement and n <= most and is_sparse(n, len(u) // 2)
        room = ENTRIES_MAX if few else entries_for(size)
        check_size(n, 2 * len(u) if complement or few else max(0, n * (n - 1) - 2 * len(u)), entries_max=room)
        if n > most:
            raise InputError(f"{n:,} vertices in a file of {size:,} bytes, which may have {most:,}. Maybe a slip?")
        if (u == v).any():
            source.assume("edges from a vertex to itself are ignored")
        return graph_of_pairs(n, u, v, complement=complement)
    except InputError as error:
        raise InputError(error.message, line=line) from None
    except (MatheurError, ValueError) as error:
        raise InputError(str(error), line=line) from None


def count_agrees(source: Source, where: str, announced: int, lines: int, graph: AnyGraph, *, complement: bool) -> None:
    """Note that the announced number of edges differs from the actual one, unless duplicates explain it."""
    distinct = graph.n * (graph.n - 1) // 2 - graph.edges if complement else graph.edges
    if announced not in (lines, distinct):
        source.assume(f"the edges are those in the file ({lines:,}), though {where} announces {announced:,}")


def numbers_in(text: bytes, *, line: int = 1, comments: bytes = b"#%") -> tuple[Numbers, Numbers]:
    """All whole numbers of a text, and the line of each.

    Parameters
    ----------
    line
        Number of the first line.
    comments
        A line that begins with one of these bytes is skipped.

    Raises
    ------
    InputError
        If a word is not a whole number, or has more than 17 digits, with its line.
    """
    if not text.translate(None, _PLAIN):
        values, lines, longest, _ = digits_in(text, line)
        if longest <= _DIGITS:
            return values, lines
    found: list[int] = []
    places: list[int] = []
    marks = [bytes([mark]) for mark in comments]
    for number, raw in enumerate(text.split(b"\n"), line):
        words = raw.split()
        if not words or words[0][:1] in marks:
            continue
        for word in words:
            if not word.isdigit() or len(word) > _DIGITS:
                raise InputError(f"not a whole number from 0 ({shown(word)})", line=number)
            found.append(int(word))
            places.append(number)
    return np.array(found, dtype=np.int64), np.array(places, dtype=np.int64)


def digits_in(text: bytes, line: int = 1) -> tuple[Numbers, Numbers, int, bool]:
    """The numbers of a text of digits and blanks, without a Python object per number.

    Returns
    -------
    tuple
        The values (invalid if any has more than 17 digits), the line of each, the largest number of digits, and whether
        any has a leading zero.
    """
    data = np.frombuffer(text, dtype=np.uint8)
    if not len(data):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 0, False
    starts, stops, lines = _tokens(data, data >= ord("0"), line)
    longest = int((stops - starts).max(initial=0))
    if longest > _DIGITS:
        return np.zeros(len(starts), dtype=np.int64), lines, longest, False
    values, padded = _values(data, starts, stops)
    return values, lines, longest, padded


def ends_in(text: bytes, line: int = 1) -> tuple[Numbers, Numbers, Numbers] | None:
    """The first two words of each row of a text, as whole numbers; values of any kind may follow them.

    Returns
    -------
    tuple or None
        The numbers, two per row, the line of each row, and its number of words; None if the rows have another form.
    """
    data = np.frombuffer(text, dtype=np.uint8)
    starts, stops, lines = _tokens(data, data > ord(" "), line)
    fresh = np.flatnonzero(np.diff(lines, prepend=line - 1))
    widths = np.diff(np.append(fresh, len(lines)))
    if not len(fresh) or widths.min() < 3:
        return None
    ends = np.stack((fresh, fresh + 1), axis=1).ravel()
    digits = np.cumsum((data >= ord("0")) & (data <= ord("9")))
    first, last = starts[ends], stops[ends]
    whole = digits[last - 1] - digits[first] + 1 == last - first
    others = np.ones(len(starts), dtype=bool)
    others[ends] = False
    begin = data[starts[others]]
    valued = ((begin >= ord("0")) & (begin <= ord("9"))) | np.isin(begin, np.frombuffer(b"+-.", dtype=np.uint8))
    first_digit = (data[first] >= ord("0")) & (data[first] <= ord("9"))
    if not (np.all(whole) and np.all(first_digit) and np.all(valued)) or (last - first).max() > _DIGITS:
        return None
    values, padded = _values(data, first, last)
    return None if padded else (values, lines[fresh], widths)


def _tokens(data: NDArray[np.uint8], inside: NDArray[np.bool_], line: int) -> tuple[Numbers, Numbers, Numbers]:
    """Starts, ends and lines of the words."""
    starts = np.flatnonzero(inside & np.concatenate(([True], ~inside[:-1])))
    stops = np.flatnonzero(inside & np.concatenate((~inside[1:], [True]))) + 1
    return starts, stops, line + np.cumsum(data == ord("\n"), dtype=np.int64)[starts]


def _values(data: NDArray[np.uint8], starts: Numbers, stops: Numbers) -> tuple[Numbers, bool]:
    """The values of words of digits, and whether any has a leading zero."""
    length = stops - starts
    values = np.zeros(len(starts), dtype=np.int64)
    padded = False
    for place in range(int(length.max(initial=0))):
        longer = place < length
        if place == 1:
            padded = bool((values[longer] == 0).any())
        values[longer] = 10 * values[longer] + data[starts[longer] + place] - ord("0")
    return values, padded


def pairs_in(text: bytes, line: int, comments: bytes, n: int) -> tuple[Numbers, Numbers, Numbers]:
    """Pairs of vertices from 1 to n, one on each line, with the line of each.

    Raises
    ------
    InputError
        If a line is not a pair, or an end is not a vertex.
    """
    found, lines = numbers_in(text, line=line, comments=comments)
    fresh = np.flatnonzero(np.diff(lines, prepend=line - 1))
    counts = np.diff(np.append(fresh, len(found)))
    wrong = counts != 2
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(f"{counts[at]} numbers where a pair of vertices belongs", line=int(lines[fresh[at]]))
    u, v, lines = found[fresh], found[fresh + 1], lines[fresh]
    check_ends(u, v, lines, n)
    return u, v, lines


def check_ends(u: Numbers, v: Numbers, lines: Numbers, n: int) -> None:
    """Check that all ends of pairs are from 1 to n.

    Raises
    ------
    InputError
        If an end is not, with the line of the first such pair.
    """
    outside = (u < 1) | (v < 1) | (u > n) | (v > n)
    if outside.any():
        at = int(np.argmax(outside))
        bad = next(int(end) for end in (u[at], v[at]) if not 1 <= end <= n)
        raise InputError(f"no such vertex ({bad}); they are 1 to {n}", line=int(lines[at]))
