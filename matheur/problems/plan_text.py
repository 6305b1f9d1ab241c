"""Plans from files: JSON, or plain text with comments; the one reader of all puzzles that are solved by plans."""

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
    """A plan: a JSON value, if the text begins as a list, an object or a string does, else plain text.

    Parameters
    ----------
    decode
        Reads the JSON value.
    parse
        Reads the plain text: numbers of lines, and what stands there without comments.
    most
        Bytes of the largest file.
    plain
        Whether it is plain text whatever it begins with.

    Raises
    ------
    InputError
        With the file, and the line where it can be said.
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
    """A reader of a JSON text, or of a list of texts such as `["U", "L"]`, from one of a text."""

    def decoded(data: Any) -> Moves:
        listed = isinstance(data, list) and bool(data) and all(isinstance(one, str) for one in data)
        return decode("".join(data) if listed else data)

    return decoded


def by_line(parse: Callable[[str], Moves]) -> Callable[[Lines], Moves]:
    """A parser of lines from a parser of one line, whose errors get the number of the line."""

    def parsed(lines: Lines) -> Moves:
        found = [np.zeros(0, dtype=np.int32)]
        for number, text in lines:
            try:
                found.append(parse(text))
            except InputError as error:
                raise InputError(error.message, line=number) from None
        return np.concatenate(found)

    return parsed
