"""Tokens of an LP file."""

from __future__ import annotations

import re
from collections.abc import Callable

from matheur.errors import InputError, shown

__all__ = ["TERM", "Token", "Tokens"]

# Possessive, so that no text takes more than linear time.
_BLANK = r"(?:[ \t\r\f\v\n]++|\\[^\n]*+)*+"
_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NAME = r"[A-Za-z\x80-\U0010ffff_!\"#$%&(),.;?@'`{}~|][^\s+\-*^<>=:\\\[\]]*(?:\[[^\[\]\s]*\][^\s+\-*^<>=:\\\[\]]*)*"
_SKIP = re.compile(_BLANK)
_LABEL = re.compile(_BLANK + ":(?!:)")
_TOKEN = re.compile(
    rf"(?P<number>{_NUMBER})"
    r"|(?P<sense><=|=<|>=|=>|==|<|>|=)"
    r"|(?P<sign>[+-](?!>))"
    rf"|(?P<name>{_NAME})"
    r"|(?P<other>->|::|[:\[\]*^/])",
    re.ASCII,
)

TERM = re.compile(rf"\s*+([+-]?)[ \t]*+(?:({_NUMBER})[ \t]++)?((?>{_NAME}))(?=\s*+(?:[+<>=]|-(?!>)))", re.ASCII)
"""A term as nearly all of them are written: sign, number and name of a column, with more of the row behind it."""

Token = tuple[str, str, int]
"""Kind, text and place in the file."""


class Tokens:
    """The tokens of a section, one after another.

    Parameters
    ----------
    fault
        Function that returns the error for a message and a place in the text.
    text, start, end
        The text, and the start and end of the section in it.

    Attributes
    ----------
    text, at, end
        The text, the place after the last token taken, and the end of the section.
    """

    def __init__(self, fault: Callable[[str, int], InputError], text: str, start: int, end: int) -> None:
        self._fault = fault
        self.text, self.at, self.end = text, start, end
        self._ahead: Token | None = None
        self._behind = start  # after the token that was peeked at

    @property
    def place(self) -> int:
        """Place of the next token."""
        token = self.peek()
        return max(0, self.end - 1) if token is None else token[2]

    def peek(self) -> Token | None:
        """The next token, without taking it."""
        if self._ahead is None:
            start = _SKIP.match(self.text, self.at, self.end).end()  # type: ignore[union-attr]
            if start == self.end:
                return None
            found = _TOKEN.match(self.text, start, self.end)
            if found is None:
                raise self._fault(f"no such character in an LP file ({shown(self.text[start])})", start)
            self._ahead = (found.lastgroup or "", found[0], start)
            self._behind = found.end()
        return self._ahead

    def next(self) -> Token | None:
        """The next token."""
        token = self.peek()
        if token is not None:
            self.reset(self._behind)
        return token

    def reset(self, place: int) -> None:
        """Continue from a place."""
        self.at, self._ahead = place, None

    def signs(self) -> tuple[bool, bool]:
        """Take the next signs; whether they mean a minus, and whether there are any."""
        negative = signed = False
        while (token := self.peek()) is not None and token[0] == "sign":
            negative, signed = negative ^ (token[1] == "-"), True
            self.next()
        return negative, signed

    def at_label(self) -> bool:
        """Whether a label comes next: a name, possibly a number, with a colon."""
        token = self.peek()
        if token is None or token[0] not in ("name", "number"):
            return False
        return _LABEL.match(self.text, self._behind, self.end) is not None

    def label(self) -> str | None:
        """The name before a colon, if one comes next."""
        if not self.at_label():
            return None
        token = self.next()
        self.next()
        return None if token is None else token[1]
