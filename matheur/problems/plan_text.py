"""Read plans from files, as JSON or as plain text with comments; used by all puzzles that are solved by plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.board_text import bare_lines

__all__ = ["by_line", "joined", "read_plan"]

Lines = list[tuple[int, str]]
Moves = NDArray[np.int32]


def read_plan(
    source: Source,
    decode: Callable[[Any], Moves],
    parse: Callable[[Lines], Moves],
    *,
    most: int,
    what: str = "a plan",
    comments: Sequence[str] = ("#", "//"),
    plain: bool = False,
) -> Moves:
    """Read a plan: JSON if the text begins like a list, an object or a string, else plain text.

    Parameters
    ----------
    decode
        Function that reads the JSON value.
    parse
        Function that reads plain text, as line numbers and lines without comments.
    most
        Maximum file size in bytes.
    plain
        Whether to read plain text even if the text looks like JSON.

    Raises
    ------
    InputError
        With the name of the file, and the line if known.
    """
    source.limited(most, what)
    if not plain and source.text.lstrip()[:1] in ('"', "[", "{"):
        read: Callable[[], Moves] = lambda: decode(source.json)  # noqa: E731
    else:
        lines = bare_lines(source, comments=comments)
        read = lambda: parse(lines)  # noqa: E731
    try:
        return read()
    except InputError as error:
        raise error.located(source.name) from None


def joined(decode: Callable[[str], Moves]) -> Callable[[Any], Moves]:
    """Extend a reader of one text to JSON values that are a text or a list of texts such as `["U", "L"]`."""

    def decoded(data: Any) -> Moves:
        listed = isinstance(data, list) and bool(data) and all(isinstance(one, str) for one in data)
        return decode("".join(data) if listed else data)

    return decoded


def by_line(parse: Callable[[str], Moves]) -> Callable[[Lines], Moves]:
    """Extend a parser of one line to several lines; errors get the line number."""

    def parsed(lines: Lines) -> Moves:
        found = [np.zeros(0, dtype=np.int32)]
        for number, text in lines:
            try:
                found.append(parse(text))
            except InputError as error:
                raise InputError(error.message, line=number) from None
        return np.concatenate(found)

    return parsed
