"""Errors that a user can cause. The command line prints each of them as one line."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import partial
from typing import Any

__all__ = [
    "ConfigurationError",
    "FailedSolveError",
    "InputError",
    "MatheurError",
    "OperatorError",
    "SolverError",
    "UnboundedError",
    "UnwrittenError",
    "nearest",
    "printable",
    "shortened",
    "shown",
]

_MOST = 1000  # maximum length of a message, since a wrong value may be a whole file
_NAME_MOST = 300


def shortened(text: str, most: int = _MOST) -> str:
    """A text of at most about `most` characters; a longer one loses its middle.

    Examples
    --------
    >>> shortened("abcdefgh", 4)
    'ab ... gh'
    """
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-(most // 2) :]}"


class MatheurError(Exception):
    """Base class of errors that the user can fix, with a one-line message."""

    def __str__(self) -> str:
        return shortened(super().__str__())


class InputError(MatheurError):
    """A file, URL or text cannot be read or understood.

    Parameters
    ----------
    message
        Description of the fault, with the offending value.
    source
        Name of the file (or `<url>`, `<stdin>`), which precedes the message.
    line
        1-based line number in that source.
    """

    def __init__(self, message: str, *, source: str | None = None, line: int | None = None) -> None:
        self.message: str = message
        self.source: str | None = source
        self.line: int | None = line
        super().__init__(message, source, line)

    def __str__(self) -> str:
        source = None if self.source is None else shortened(self.source, _NAME_MOST)
        place = [part for part in (source, None if self.line is None else str(self.line)) if part]
        return ": ".join([":".join(place), shortened(self.message)] if place else [shortened(self.message)])

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(InputError, source=self.source, line=self.line), (self.message,)

    def located(self, source: str) -> InputError:
        """The same error with a file name, for parsers that receive only text."""
        return InputError(self.message, source=self.source or source, line=self.line)


class UnwrittenError(InputError):
    """Part of the output of a run could not be written; the run itself has ended with a result."""


class ConfigurationError(MatheurError):
    """An unknown name, option or value in a configuration."""


class OperatorError(MatheurError):
    """An operator (or the solver behind it) claimed something that the evaluator refutes."""


class SolverError(MatheurError):
    """A solver is missing, refuses a model or an option, or returns an invalid answer."""


class FailedSolveError(SolverError):
    """A solve failed although the request was valid; another attempt may succeed."""


class UnboundedError(SolverError):
    """The objective of a model is unbounded."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for an unknown name: the nearest known name, or the list of all.

    Examples
    --------
    >>> nearest("higs", ["highs", "scip"])
    "Maybe 'highs'?"
    """
    names = sorted(known)
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    return f"Maybe '{close[0]}'?" if close else f"Maybe one of: {', '.join(names)}."


def shown(value: str | bytes, most: int = 40) -> str:
    """Part of a file for a message: quoted, on one line, with control characters escaped, and truncated if long.

    Examples
    --------
    >>> shown("a\\x1b[31m"), shown(b"caf\\xe9"), shown("x" * 50, most=5)
    ("'a\\\\x1b[31m'", "'caf\\\\xe9'", "'xxxxx'...")
    """
    cut = value[:most]
    if isinstance(cut, str):
        quoted = repr(cut)
    else:
        quoted = repr(cut.decode("utf-8", "backslashreplace")).replace("\\\\x", "\\x")
    return quoted if len(value) <= most else f"{quoted}..."


def printable(text: str) -> str:
    """The text with all control and other non-printable characters escaped.

    Examples
    --------
    >>> printable("a\\x1b[31m, caf\xe9")
    'a\\\\x1b[31m, caf\xe9'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
