"""Puzzles in text: lines without their comments, and how surely a header such as `# goal: ...` names the puzzle."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from matheur.engine.recognition import Recognition, headers, names_header
from matheur.engine.source import Source
from matheur.errors import InputError, shown

__all__ = ["bare_lines", "check_colon", "claim", "header_of", "quietly", "size_of", "squeezed"]

_SIZE = re.compile(r"([0-9]{1,4})(?:\s*[xX*×,\s]\s*([0-9]{1,4}))?")


def bare_lines(
    source: Source, *, keys: Sequence[str] = (), comments: Sequence[str] = ("#", "//"), indented: bool = False
) -> list[tuple[int, str]]:
    """Lines with content: their numbers, from 1, and their text without comments and outer blanks.

    Parameters
    ----------
    keys
        Words of headers, which must not stand behind something else on a line: there they would be lost.
    comments
        Signs that begin a comment.
    indented
        Keep the blanks in front, which tell in what column a word stands.

    Raises
    ------
    InputError
        If the bytes are no text, or a header shares its line.
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


def header_of(source: Source, key: str, values: Sequence[str]) -> tuple[str, int] | None:
    """Value (as it stands there) and line of a header, None if there is none.

    Parameters
    ----------
    values
        Known ones; with one of them, a header without its colon is no comment.

    Raises
    ------
    InputError
        A misspelt key, two values, or no colon.
    """
    check_colon(source, key, values)
    return headers(source, {key: []}).get(key)


def check_colon(source: Source, key: str, values: Sequence[str]) -> None:
    """Refuse a line such as `# pattern king`, which would be a comment.

    Raises
    ------
    InputError
        If the word behind the key is one of the values.
    """
    for number, line in enumerate(source.lines, start=1):
        match = re.fullmatch(rf"#+\s*{key}\s+(.+)", line.strip(), re.IGNORECASE)
        if match is not None and squeezed(match[1]) in map(squeezed, values):
            raise source.error(f"a header without its colon. Maybe '# {key}: {match[1]}'?", number)


def squeezed(text: str) -> str:
    """A value of a header as it is compared: in small letters, without blanks, hyphens and underscores."""
    return re.sub(r"[\s_-]", "", text.lower())


def size_of(line: str) -> tuple[int, int] | None:
    """Rows and columns, if a line has one whole number (of a square) or two."""
    match = _SIZE.fullmatch(line.strip())
    return None if match is None else (int(match[1]), int(match[2] or match[1]))


def claim(source: Source, key: str, values: Sequence[str], fits: Callable[[Source], bool]) -> Recognition:
    """How surely a text is an instance that a header may name.

    A header with a value that exists proves it, whatever the rest looks like; one with another value only where the
    rest fits, since a word such as `metric` may stand in the comments of any file.

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
    """The same source with a separate list of assumptions, so that a trial reading leaves none behind."""
    return replace(source, assumed=[])
