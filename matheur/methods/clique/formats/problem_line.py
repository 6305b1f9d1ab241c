"""The line `p [WORD] N [M [MORE]]` of DIMACS and PACE files, and what its word says about the edges."""

from __future__ import annotations

from dataclasses import dataclass

from matheur.errors import InputError, shown

__all__ = ["OTHERS", "PACE_WORDS", "ProblemLine", "first_problem_line", "read_problem_line"]

PACE_WORDS = frozenset("td tdp tw tww vc ds hs cep".split())  # noqa: SIM905
"""Words of the PACE challenges 2016 to 2025 whose files are graphs."""

OTHERS = {
    "cnf": "a formula", "wcnf": "a formula", "sat": "a formula", "qbf": "a formula", "knf": "a formula",
    "pmc": "a formula", "ocr": "a two-layer drawing, whose sides are numbered apart",
}  # fmt: skip
"""Words of files that are not graphs."""

_DIGITS = 18


@dataclass(frozen=True, slots=True)
class ProblemLine:
    """Contents of a p line: its word in lower case (empty if there is none), vertices, and edges if given.

    `line` is the line number, `end` is the start of the next line, and `next_word` is the first word after the line,
    without comments (empty at the end of the file).
    """

    word: str
    n: int
    edges: int | None
    line: int
    end: int
    next_word: bytes


def first_problem_line(text: bytes) -> ProblemLine | None:
    """The p line of a text that begins with one after comments; None if there is none, or it is malformed."""
    try:
        return read_problem_line(text)
    except InputError:
        return None


def read_problem_line(text: bytes) -> ProblemLine:
    """The p line of a text.

    Raises
    ------
    InputError
        If anything but comments precedes the line, it is malformed, or its word belongs to a file that is not a graph.
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
        if words[0].lower() != b"p":
            raise InputError(f"a line {shown(b' '.join(words))} before the p line", line=number)
        return _parsed(words, number, at, _word_after(text, at))
    raise InputError("no line 'p edge NODES EDGES'. Maybe not a DIMACS file?")


def _parsed(words: list[bytes], number: int, at: int, next_word: bytes) -> ProblemLine:
    named = len(words) > 1 and not words[1].isdigit()
    word = words[1].lower().decode("ascii", "replace") if named else ""
    rest = words[2:] if named else words[1:]
    if word in OTHERS:
        raise InputError(f"'p {word}' is {OTHERS[word]}, not a graph", line=number)
    alpha = not named or (words[1].isascii() and words[1][:1].isalpha())
    if not alpha or not 1 <= len(rest) <= 3 or not all(one.isdigit() and len(one) <= _DIGITS for one in rest):
        raise InputError(f"not a line 'p edge NODES EDGES' ({shown(b' '.join(words))})", line=number)
    edges = int(rest[1]) if len(rest) > 1 else None
    return ProblemLine(word, int(rest[0]), edges, number, at, next_word)


def _word_after(text: bytes, at: int) -> bytes:
    while at < len(text):
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        words = text[at:end].split(None, 1)
        if words and not words[0].startswith(b"c"):
            return words[0]
        at = end + 1
    return b""
