"""Board URLs in pasted text: plain text, mails, Markdown, HTML, JSON, redirects, broken lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any, TypeVar
from urllib.parse import unquote

from matheur.errors import InputError

__all__ = ["found_in", "has_board_url", "is_board_url"]

T = TypeVar("T")

_KEY = re.compile(r"board_edges(?:=|%(?:25)*3d)", re.IGNORECASE)
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|quot|lt|gt|apos|nbsp);")
_ENCLOSED = re.compile(r"<\s*(https?://[^<>\"]*)>|(?<==)\"([^<>\"]*)\"|(?<==)'([^<>\"']*)'", re.IGNORECASE)
_CITED = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_CHUNK = re.compile(r"[^\s<>\"`{}|\\^\[\]\u00ab\u00bb\u2018-\u201f]+")
_MORE = re.compile(r"[ \t]*(?:\r\n|\n|\r)[ \t]*([-\w%&=#?+.~:/]+[,;!)\]]*)[ \t]*(?=[\r\n<>\"'`\]]|\Z)", re.ASCII)
_AFTER = ".,;:!?*_'~-)"
_LINES_MAX = 200


def has_board_url(text: str) -> bool:
    """Whether a text contains such a URL, or at least the start of one."""
    return is_board_url(text) or _SCHEME.match(text.lstrip()) is not None


def is_board_url(text: str) -> bool:
    """Whether a text contains such a URL, possibly broken into lines."""
    if _KEY.search(text) is not None:
        return True
    return _SCHEME.search(text) is not None and _KEY.search(re.sub(r"[\s>]+", "", text)) is not None


def found_in(text: str, parse: Callable[[str], T]) -> list[T]:
    """The parsed board URLs in a text, without duplicates.

    Parameters
    ----------
    text
        Any text; white space inside a URL marks a line break.
    parse
        Function that parses a URL or raises `InputError`, which determines where a broken URL ends.

    Raises
    ------
    InputError
        If `parse` rejects a URL with any number of following lines.
    """
    found: list[T] = []
    for part in _texts(text):
        for versions in _urls(_plain(part)):
            said = _best(versions, parse)
            if said not in found:
                found.append(said)
    return found


def _texts(text: str) -> list[str]:
    """The strings of a JSON value that contain a URL, or the text itself."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            return [one for one in _strings(json.loads(text)) if _KEY.search(one)]
        except (ValueError, RecursionError):
            pass
    for escape, character in (("\\/", "/"), ("\\u0026", "&"), ("\\u003d", "="), ("\\u003D", "=")):
        text = text.replace(escape, character)
    return [text]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


def _plain(text: str) -> str:
    """The text without the characters that mails and HTML add around and inside a URL."""
    if "board_edges=3D" in text:  # quoted-printable
        text = re.sub(r"=[ \t]*(?:\r\n|\n|\r)", "", text).replace("=3D", "=")
    for _ in range(2):
        text = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    text = _CITED.sub("", text)
    return _ENCLOSED.sub(lambda one: f" {''.join((one[1] or one[2] or one[3] or '').split())} ", text)


def _urls(text: str) -> Iterator[list[str]]:
    """The candidates for each URL: as it stands, and with one more line each."""
    done = 0
    for chunk in _CHUNK.finditer(text):
        if chunk.start() < done:
            continue
        scheme = _SCHEME.search(chunk[0])
        if scheme is None and _KEY.search(chunk[0]) is None:
            continue
        begin = scheme.start() if scheme else len(chunk[0]) - len(chunk[0].lstrip("(*_'"))
        opener = chunk[0][begin - 1 : begin]
        versions = [_cut(chunk[0][begin:], opener)]
        ends = [chunk.end()]
        if len(versions[0].rstrip(_AFTER)) >= len(chunk[0][begin:].rstrip(_AFTER)):  # nothing closes it
            while len(ends) < _LINES_MAX and (more := _MORE.match(text, ends[-1])) and not _SCHEME.match(more[1]):
                versions.append(versions[-1] + more[1])
                ends.append(more.end())
        with_board = [at for at, version in enumerate(versions) if _KEY.search(version)]
        if with_board:
            yield [_decoded(versions[at]).rstrip(_AFTER) for at in with_board]
            done = ends[with_board[0]]


def _cut(url: str, opener: str) -> str:
    """The URL up to a closing bracket or quote that belongs to the surrounding text."""
    depth = 0
    for index, character in enumerate(url):
        depth += (character == "(") - (character == ")")
        if depth < 0 or (character == "'" and opener == "'"):
            return url[:index]
    return url


def _decoded(url: str) -> str:
    """Decode a URL that was a parameter of another URL."""
    for _ in range(3):
        if "board_edges=" not in url:
            url = unquote(url, errors="replace")
    return url


def _best(versions: list[str], parse: Callable[[str], T]) -> T:
    """Parse the shortest version that is readable and does not continue on the next line."""
    first: InputError | None = None
    readable: list[tuple[T, str]] = []
    for url, longer in zip(versions, [*versions[1:], ""], strict=True):
        try:
            readable.append((parse(url), url))
        except InputError as error:
            first = first or error
            continue
        unfinished = url.endswith("=") or "=" not in re.split("[&?#]", url)[-1]
        if not longer or not (unfinished or longer[len(url) :].lstrip(_AFTER)[:1] == "&"):
            return readable[-1][0]
    if readable:
        return readable[-1][0]
    assert first is not None
    raise first
