"""JSON with exact numbers in which every value has its position, so that errors name the key and its line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, NoReturn

from matheur.engine.source import Source
from matheur.errors import InputError, nearest, shown
from matheur.problems.decimals import DIGITS_MAX, fraction_of
from matheur.problems.json_keys import without_repetition

__all__ = ["BYTES_MAX", "Document", "Node", "described", "hint"]

BYTES_MAX = 32_000_000
_HINTS_MAX = 20_000  # maximum number of names compared with a misspelt one
_NAME_MAX = 100
_DEPTH_MAX = 50  # levels of nesting; the format needs less than half of them
_WHOLE_DIGITS_MAX = 100  # ids may be long
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    """A key (with `path` up to itself) or a value of a JSON text."""

    path: Path
    line: int
    text: str
    is_key: bool


class _Refused(Exception):  # noqa: N818 - internal: carries a message out of the decoder's hooks
    pass


class Document:
    """A parsed JSON file.

    Attributes
    ----------
    source
        Source of the file.
    root
        Outermost value.

    Raises
    ------
    InputError
        If it is not JSON, or contains a duplicate key, NaN, infinity, numbers that are too long or too deep nesting.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text: str = source.limited(BYTES_MAX, "a puzzle").text
        self.root: Node = Node(self, self._parse(), ())

    def _parse(self) -> Any:
        try:
            return json.loads(
                self.text,
                parse_constant=_constant,
                parse_float=_decimal,
                parse_int=_whole,
                object_pairs_hook=without_repetition,
            )
        except (_Refused, InputError) as error:
            raise InputError(str(error), source=self.source.name, line=self._line_of_refused()) from None
        except json.JSONDecodeError as error:
            raise InputError(f"not JSON: {error.msg}", source=self.source.name, line=error.lineno) from None
        except RecursionError:
            raise InputError("the JSON is nested too deeply", source=self.source.name) from None

    def _line_of_refused(self) -> int | None:
        """Return the first line with a value that a hook rejects."""
        seen: set[Path] = set()
        for token in self._tokens():
            if token.is_key:
                if token.path in seen:
                    return token.line
                seen.add(token.path)
            elif token.text[0] not in '"[{':
                try:
                    json.loads(token.text, parse_constant=_constant, parse_float=_decimal, parse_int=_whole)
                except _Refused:
                    return token.line
                except ValueError:
                    continue  # invalid JSON for another reason, which was not the first error
        return None

    def line_of(self, path: Path) -> int | None:
        """Return the line of a key or list entry, or of its container."""
        best, line = 0, None
        for token in self._tokens():
            length = len(token.path)
            if best < length <= len(path) and token.path == path[:length]:
                best, line = length, token.line
                if length == len(path):
                    break
        return line

    def _tokens(self) -> Iterator[_Token]:
        """Yield the keys, list entries and values in the text; the text of a container is its opening bracket."""
        stack: list[str] = []
        path: list[str | int | None] = []
        line, done = 1, 0
        for match in _TOKEN.finditer(self.text):
            text = match[0]
            line += self.text.count("\n", done, match.start())
            done = match.start()
            if text == ",":
                if stack and stack[-1] == "[":
                    index = path[-1]
                    path[-1] = index + 1 if isinstance(index, int) else None
                elif stack:
                    path[-1] = None
            elif text in "}]":
                if stack:
                    stack.pop()
                    path.pop()
            elif text != ":":
                is_key = bool(stack) and stack[-1] == "{" and path[-1] is None and text.startswith('"')
                if is_key:
                    try:
                        path[-1] = str(json.loads(text))
                    except ValueError:
                        return
                if len(path) <= _DEPTH_MAX:
                    yield _Token(tuple(part for part in path if part is not None), line, text, is_key)
                if text in "{[":
                    stack.append(text)
                    path.append(0 if text == "[" else None)


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a document."""

    document: Document
    value: Any
    path: Path

    @property
    def where(self) -> str:
        """Path of keys to this value, such as `constraints[0].op`."""
        text = ""
        for part in self.path:
            if isinstance(part, int):
                text += f"[{part}]"
            else:
                text += ("." if text else "") + (part if re.fullmatch(r"\w{1,40}", part) else shown(part))
        return text or "the puzzle"

    def error(self, message: str) -> InputError:
        """Return an error at this value; the message continues a sentence that begins with its path."""
        return InputError(
            f"{self.where} {message}", source=self.document.source.name, line=self.document.line_of(self.path)
        )

    def wrong(self, what: str, advice: str = "") -> InputError:
        """Return an error saying that the value is not of the required kind."""
        return self.error(f"must be {what} ({described(self.value)}). {advice}".removesuffix(". "))

    def __getitem__(self, key: str | int) -> Node:
        return Node(self.document, self.value[key], (*self.path, key))

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def entries(self, known: Iterable[str] | None = None, required: Iterable[str] = ()) -> Node:
        """Check that this is an object with only known keys and all required ones, and return it."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        keys = None if known is None else tuple(known)
        for key in self.value:
            if keys is not None and key not in keys:
                raise Node(self.document, None, (*self.path, key)).error(f"is not a known key. {hint(key, keys)}")
        for key in required:
            if key not in self.value:
                raise self.error(f"has no key '{key}'")
        return self

    def items(self, *, least: int = 0, most: int | None = None) -> list[Node]:
        """Return the entries of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        if len(self.value) < least or (most is not None and len(self.value) > most):
            size = f"at least {least}" if most is None else f"{least}" if least == most else f"{least} to {most}"
            raise self.wrong(f"a list of {size} entries")
        return [self[number] for number in range(len(self.value))]

    def text(self) -> str:
        """Return a non-empty text, trimmed."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.wrong("a text that is not empty")
        return self._encodable(self.value).strip()

    def name(self) -> str:
        """Return a text of 1 to 100 printable characters, not all blank, unchanged."""
        text = self.value
        if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > _NAME_MAX:
            raise self.wrong(f"a name of 1 to {_NAME_MAX} printable characters")
        return text

    def label(self) -> str:
        """Return a text as in a cell of a table; a whole number is converted to its digits."""
        if type(self.value) is int:
            return str(self.value)
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.wrong("a text that is not empty, or a whole number")
        return self._encodable(self.value).strip()

    def number(self) -> Fraction:
        """Return an exact number of at most `DIGITS_MAX` digits before the decimal point."""
        if type(self.value) is int and abs(self.value) < 10**DIGITS_MAX:
            return Fraction(self.value)
        if not isinstance(self.value, Fraction):
            raise self.wrong(f"a number of at most {DIGITS_MAX} digits before the point")
        return self.value

    def share(self) -> Fraction:
        """Return a number from 0 to 1."""
        number = self.number()
        if not 0 <= number <= 1:
            raise self.wrong("a number from 0 to 1")
        return number

    def _encodable(self, text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise self.error("holds half a character (a lone surrogate)") from None
        return text


def described(value: Any) -> str:
    """Describe any JSON value for an error message."""
    if isinstance(value, list | dict):
        return f"a {'list' if isinstance(value, list) else 'object'} of {len(value)} entries"
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, Fraction):
        return f"{float(value):g}"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else shown(str(value))[1:-1]


def hint(name: str, known: Iterable[str]) -> str:
    """Return a sentence with the nearest known name, or all names if they are few; empty if there are too many."""
    names = [" ".join(text[:80].split()) for text in islice(known, _HINTS_MAX + 1)]
    if not names or len(names) > _HINTS_MAX:
        return ""
    said = nearest(name[:80], names)
    return said if len(names) <= 50 or said.startswith("Maybe '") else ""


def _constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is not JSON, and not a number that a puzzle can have")


def _decimal(text: str) -> Fraction:
    exact = fraction_of(text)
    if exact is None:
        raise _Refused(f"the number {shown(text)[1:-1]} is too large or has too many digits")
    return exact


def _whole(text: str) -> int:
    if len(text) > _WHOLE_DIGITS_MAX:
        raise _Refused(f"a whole number has more than {_WHOLE_DIGITS_MAX} digits")
    return int(text)
