"""Puzzles as text: lines without comments, and headers such as `# goal: ...` that identify the puzzle."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate

from matheur.engine.recognition import Recognition, headers, names_header
from matheur.engine.source import Source
from matheur.errors import InputError, shown

__all__ = ["bare_lines", "check_colon", "claim", "gap_between", "header_of", "quietly", "size_of", "squeezed"]

_SIZE = re.compile(r"([0-9]{1,4})(?:\s*[xX*×,\s]\s*([0-9]{1,4}))?")


def bare_lines(
    source: Source, *, keys: Sequence[str] = (), comments: Sequence[str] = ("#", "//"), indented: bool = False
) -> list[tuple[int, str]]:
    """Non-empty lines, as line numbers from 1 and text without comments and surrounding spaces.

    Parameters
    ----------
    keys
        Keys of headers. A header must have its own line, since as a trailing comment it would be lost.
    comments
        Markers that begin a comment.
    indented
        Keep leading spaces, which determine the column of a word.

    Raises
    ------
    InputError
        If the bytes are not text, or a header shares its line.
    """
    cut = re.compile("|".join(map(re.escape, comments)))
    found = []
    for number, line in enumerate(source.lines, start=1):
        match = cut.search(line)
        text = (line if match is None else line[: match.start()]).rstrip()
        text = text if indented else text.lstrip()
        if not text:
            continue
        behind = "" if match is None else f"#{line[match.end() :]}"
        if keys and match is not None and names_header(Source("", behind.encode("utf-8", "replace")), keys):
            raise source.error(f"a header needs a line of its own ({shown(line[match.start() :])})", number)
        found.append((number, text))
    return found


def gap_between(source: Source) -> Callable[[int, int], bool]:
    """A function that tells whether there is an empty line between two lines, given by their numbers from 1."""
    empty = [0, *accumulate(not line.strip() for line in source.lines)]
    return lambda before, after: empty[after - 1] > empty[before]


def header_of(source: Source, key: str, values: Sequence[str]) -> tuple[str, int] | None:
    """Value (as written) and line number of a header; None if there is none.

    Parameters
    ----------
    values
        Known values; a header without a colon but with one of these values is an error, not a comment.

    Raises
    ------
    InputError
        If the key is misspelt, has two different values, or has no colon.
    """
    check_colon(source, key, values)
    return headers(source, {key: []}).get(key)


def check_colon(source: Source, key: str, values: Sequence[str]) -> None:
    """Reject a line such as `# pattern king`, which would otherwise count as a comment.

    Raises
    ------
    InputError
        If the word after the key is one of the values.
    """
    for number, line in enumerate(source.lines, start=1):
        match = re.fullmatch(rf"#+\s*{key}\s+(.+)", line.strip(), re.IGNORECASE)
        if match is not None and squeezed(match[1]) in map(squeezed, values):
            raise source.error(f"a header without its colon. Maybe '# {key}: {match[1]}'?", number)


def squeezed(text: str) -> str:
    """Normalised value of a header: lower case, without spaces, hyphens and underscores."""
    return re.sub(r"[\s_-]", "", text.lower())


def size_of(line: str) -> tuple[int, int] | None:
    """Rows and columns of a line that has one whole number (a square) or two; None for other lines."""
    match = _SIZE.fullmatch(line.strip())
    return None if match is None else (int(match[1]), int(match[2] or match[1]))


def claim(source: Source, key: str, values: Sequence[str], fits: Callable[[Source], bool]) -> Recognition:
    """Certainty that a text is an instance whose type a header may name.

    A header with a known value is a proof. A header with another value proves it only if the rest fits, since a word
    such as `metric` may occur in the comments of any file.

    Parameters
    ----------
    key, values
        Key and values of the header.
    fits
        Whether the text can be read as an instance; may raise `InputError` if not.
    """
    quiet = quietly(source)
    try:
        try:
            if key in headers(quiet, {key: values}):
                return Recognition.PROVED
        except InputError:
            pass
        if not fits(quiet):
            return Recognition.NO
    except InputError:
        return Recognition.NO
    return Recognition.PROVED if names_header(quiet, [key]) else Recognition.FITS


def quietly(source: Source) -> Source:
    """Copy of the source with a separate list of assumptions, so that a trial reading leaves none behind."""
    return replace(source, assumed=[])
