"""What the command line needs to know of a kind of problem: how to recognise, read, make and draw it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from matheur.errors import InputError

__all__ = ["STEM", "Generated", "Linking", "ProblemType", "Source"]

STEM = "STEM"
"""Begins the name of a generated companion file until the instance's own name is known."""


@dataclass(frozen=True, slots=True)
class Source:
    """Bytes with the name that error messages use (a path, `<url>`, `<stdin>`).

    Attributes
    ----------
    name, data
        The name and the bytes.
    part
        Which of several instances in the file is meant (`FILE#3`), from 1; None if nothing was said.
    """

    name: str
    data: bytes
    part: int | None = None

    @property
    def text(self) -> str:
        """The bytes as UTF-8 text (a byte order mark is dropped).

        Raises
        ------
        InputError
            If they are not UTF-8, with the line of the first bad byte.
        """
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.data[: error.start].count(b"\n") + 1
            message = f"not UTF-8 text (byte 0x{self.data[error.start]:02x}). Maybe a binary file?"
            raise InputError(message, source=self.name, line=line) from None


@dataclass(frozen=True, slots=True)
class Generated:
    """A random solvable instance: the text of its file, and its hidden solution as plain JSON values.

    Attributes
    ----------
    instance
        Text of the file.
    solution
        A solution, as `Problem.encode` gives it.
    score
        Of this solution.
    companions
        Texts of further files of the instance, by name. A name begins with `STEM` and stands in `instance` as it is
        here; `named` puts the name of the instance's file, without its ending, in its place.
    """

    instance: str
    solution: Any
    score: int | float
    companions: Mapping[str, str] = field(default_factory=dict)

    def named(self, stem: str) -> tuple[str, dict[str, str]]:
        """The instance and its further files for a file name; characters of it that need care become `_`.

        Examples
        --------
        >>> Generated("cards = STEM-cards.csv", None, 0, {"STEM-cards.csv": "id"}).named("one")
        ('cards = one-cards.csv', {'one-cards.csv': 'id'})
        """
        text, files = self.instance, {}
        for name, content in self.companions.items():
            file = re.sub(r"[^\w.()+-]", "_", stem) + name.removeprefix(STEM)
            text = text.replace(name, file)
            files[file] = content
        return text, files


class ProblemType(Protocol):
    """A kind of problem. Every method that reads raises `InputError` on bad input and never anything else."""

    name: str
    summary: str

    def recognises(self, source: Source) -> bool:
        """Whether the content looks like an instance of this problem; never raises."""

    def read(self, source: Source, options: Mapping[str, Any]) -> Any:
        """The `Problem` in a file; `options` are the reader's own (`sides`, `hints`, ...)."""

    def builtins(self) -> Mapping[str, str]:
        """Names of the built-in instances, with a line each."""

    def builtin(self, name: str, options: Mapping[str, Any]) -> Any:
        """A built-in `Problem` by name; the same options as for `read`, where they make sense (hints)."""

    def read_solution(self, problem: Any, source: Source) -> Any:
        """A solution from any format of the field (result files of matheur are unpacked by the caller)."""

    def generate(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A random solvable instance."""

    def picture(self, problem: Any, solution: Any | None, kind: str) -> bytes:
        """The instance or the solution as `svg`, `png`, `html` or `text` (for a terminal)."""


@runtime_checkable
class Linking(Protocol):
    """A kind of problem whose solutions a viewer in the web shows."""

    def url(self, problem: Any, solution: Any) -> str:
        """The URL of a solution; `InputError` if it cannot be put into one."""
