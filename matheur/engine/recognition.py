"""Recognise the problem type of a file, from its content and from headers such as `# goal: blank-first`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from enum import IntEnum

from matheur.engine.source import Source
from matheur.errors import InputError, nearest, shown

__all__ = ["Recognition", "headers", "names_header"]

_HEADER = re.compile(r"#+[ \t]*([A-Za-z][A-Za-z_-]*)[ \t]*[:=][ \t]*(.*)")
_NEAR = 0.75
_DESCRIPTIVE = frozenset(
    "author authors by collection comment comments copyright created credit credits date description difficulty email "  # noqa: SIM905
    "example file from generated generator http https id licence license name no note notes number origin puzzle "
    "rating reference references remark remarks see solution source title url version".split()
)
"""Words in front of a colon that describe a file and never change what it means."""


class Recognition(IntEnum):
    """Certainty that a file holds an instance of a problem.

    `PROVED` means that the file itself identifies the problem: by a header, a magic word, consistent counts, or its
    ending. `FITS` only means that the content can be read as such an instance.
    """

    NO = 0
    FITS = 1
    PROVED = 2


def names_header(source: Source, keys: Sequence[str]) -> bool:
    """Whether a line such as `# pattern: king` begins with one of the keys, possibly misspelt; never raises."""
    try:
        return any(_meant(match[1], keys) for _, match in _matches(source))
    except InputError:
        return False


def headers(source: Source, known: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, int]]:
    """The headers of a text, `# KEY: VALUE` lines: value and line number by key.

    Other lines that look like headers count as comments. This is recorded as an assumption unless the word merely
    describes the file (`# title: ...`).

    Parameters
    ----------
    known
        Allowed values by key; an empty list allows all. Comparison ignores case, spaces, hyphens and underscores.

    Raises
    ------
    InputError
        If a key is misspelt, occurs with two different values, or has a value that is not allowed.
    """
    found: dict[str, tuple[str, int]] = {}
    for number, match in _matches(source):
        word, value = match[1], match[2]
        key = _meant(word, list(known))
        if key is None:
            if word.lower() not in _DESCRIPTIVE and value:
                source.assume(f"line {number}, {shown(match[0])}, is a comment")
            continue
        if _squeezed(word) != _squeezed(key):
            raise source.error(f"unknown header {shown(word)}. {nearest(word.lower(), list(known))}", number)
        allowed = known[key]
        same = [one for one in allowed if _squeezed(one) == _squeezed(value)]
        if allowed and not same:
            raise source.error(f"unknown {key} {shown(value)}. {nearest(value.lower()[:40], allowed)}", number)
        value = same[0] if allowed else value
        if found.setdefault(key, (value, number))[0] != value:
            raise source.error(f"a second {key} ({shown(value)}), first in line {found[key][1]}", number)
    return found


def _matches(source: Source) -> list[tuple[int, re.Match[str]]]:
    pairs = ((number, _HEADER.fullmatch(line.strip())) for number, line in enumerate(source.lines, start=1))
    return [(number, match) for number, match in pairs if match is not None]


def _meant(word: str, keys: Sequence[str]) -> str | None:
    """Key that a word equals or probably misspells; None if there is none."""
    if word.lower() in _DESCRIPTIVE:
        return None
    close = get_close_matches(_squeezed(word), {_squeezed(key): key for key in keys}, n=1, cutoff=_NEAR)
    return next((key for key in keys if close and _squeezed(key) == close[0]), None)


def _squeezed(text: str) -> str:
    return re.sub(r"[\s_-]", "", text.lower())
