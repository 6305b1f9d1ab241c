"""The words of an LP file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from matheur.errors import InputError, shown

__all__ = ["Token", "Tokens"]

_TOKEN = re.compile(
    r"(?P<blank>[ \t\r\f\v]+|\\[^\n]*)"
    r"|(?P<line>\n)"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<sense><=|=<|>=|=>|<|>|=)"
    r"|(?P<sign>[+-](?!>))"
    r"|(?P<name>[A-Za-z\x80-\U0010ffff_!\"#$%&(),.;?@'`{}~|][^\s+\-*^<>=:\\\[\]]*(?:\[[^\]\s]*\][^\s+\-*^<>=:\\\[\]]*)*)"
    r"|(?P<other>->|::|[:\[\]*^/])",
    re.ASCII,
)

Token = tuple[str, str, int]
"""Kind, text and place in the file."""


class Tokens:
    """The words of a section, one after another.

    Parameters
    ----------
    fault
        The error of a message and a place in the text.
    text, start, end
        The text, and where the section begins and ends in it.
    """

    def __init__(self, fault: Callable[[str, int], InputError], text: str, start: int, end: int) -> None:
        self._fault = fault
        self._found = list(self._read(text, start, end))
        self._at = 0
        self._end = end

    def _read(self, text: str, start: int, end: int) -> Iterator[Token]:
        at = start
        match = _TOKEN.match
        while at < end:
            found = match(text, at, end)
            if found is None:
                raise self._fault(f"no such character in an LP file ({shown(text[at])})", at)
            kind = found.lastgroup
            if kind not in ("blank", "line"):
                yield kind, found[0], at  # type: ignore[misc]
            at = found.end()

    @property
    def place(self) -> int:
        """Where the next token stands."""
        return self._found[self._at][2] if self._at < len(self._found) else max(0, self._end - 1)

    def peek(self) -> Token | None:
        """The next token, which stays."""
        return self._found[self._at] if self._at < len(self._found) else None

    def next(self) -> Token | None:
        """The next token."""
        token = self.peek()
        self._at += 1
        return token

    def mark(self) -> int:
        """A place to come back to."""
        return self._at

    def reset(self, mark: int) -> None:
        """Come back to a place."""
        self._at = mark

    def signs(self) -> tuple[bool, bool]:
        """Whether the signs that come next mean a minus, and whether there are any."""
        negative = signed = False
        while (token := self.peek()) is not None and token[0] == "sign":
            negative, signed = negative ^ (token[1] == "-"), True
            self._at += 1
        return negative, signed

    def at_label(self) -> bool:
        """Whether a name with a colon comes next."""
        return (
            self._at + 1 < len(self._found)
            and self._found[self._at][0] == "name"
            and self._found[self._at + 1][1] == ":"
        )

    def label(self) -> str | None:
        """The name in front of a colon, if one comes next."""
        if not self.at_label():
            return None
        self._at += 2
        return self._found[self._at - 2][1]
