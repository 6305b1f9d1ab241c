"""What the command line needs to know of a kind of problem: how to recognise, read, make and draw it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source

__all__ = ["STEM", "Generated", "Holding", "Linking", "ProblemType", "Recognition", "Source", "Stating"]

STEM = "STEM"
"""Begins the name of a generated companion file until the instance's own name is known."""


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
        Score of this solution.
    companions
        Texts of further files of the instance, by name. A name begins with `STEM` and stands in `instance` as it is
        here; `named` puts the name of the instance's file, without its ending, in its place.
    forms
        Texts of the instance in other forms, by the ending of the file's name that asks for them, such as `.lp`.
    """

    instance: str
    solution: Any
    score: int | float
    companions: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[str, Callable[[], str]] = field(default_factory=dict)

    def named(self, stem: str, ending: str = "") -> tuple[str, dict[str, str]]:
        """The instance and its further files for a file name; characters of it that need care become `_`.

        Examples
        --------
        >>> Generated("cards = STEM-cards.csv", None, 0, {"STEM-cards.csv": "id"}).named("one")
        ('cards = one-cards.csv', {'one-cards.csv': 'id'})
        """
        text, files = self.forms[ending]() if ending in self.forms else self.instance, {}
        for name, content in self.companions.items():
            file = re.sub(r"[^\w.()+-]", "_", stem) + name.removeprefix(STEM)
            text = text.replace(name, file)
            files[file] = content
        return text, files


class ProblemType(Protocol):
    """A kind of problem. Every method that reads raises `InputError` on bad input and never anything else."""

    name: str
    summary: str

    def recognises(self, source: Source) -> Recognition | bool:
        """How surely the file holds an instance of this problem (True: it fits); never raises."""

    def read(self, source: Source, options: Mapping[str, Any]) -> Any:
        """The `Problem` in a file; `options` are the reader's own (`sides`, `hints`, ...).

        What the reader has to take for granted is noted by `source.assume`, and may be kept as `assumptions` of the
        problem, which results and the screen show.
        """

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
class Stating(Protocol):
    """A kind of problem whose files of solutions say what these are worth."""

    def stated_objective(self, source: Source) -> float | None:
        """What the file says, in the sense of the problem; None if it says nothing."""


@runtime_checkable
class Holding(Protocol):
    """A kind of problem whose files may hold an instance and a solution of it, which `read_solution` reads."""

    def holds_solution(self, problem: Any, source: Source) -> bool:
        """Whether the file from which the problem was read holds a solution as well."""


@runtime_checkable
class Linking(Protocol):
    """A kind of problem whose solutions a viewer in the web shows."""

    def url(self, problem: Any, solution: Any) -> str:
        """The URL of a solution; `InputError` if it cannot be put into one."""
