"""Interface of a problem type for the command line: recognise, read, generate and draw instances."""

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
        A solution, as returned by `Problem.encode`.
    score
        Score of this solution.
    companions
        Texts of further files of the instance, by name. Each name begins with `STEM` and appears in `instance`
        unchanged; `named` replaces `STEM` by the file name of the instance without its ending.
    forms
        Functions that return the text of the instance in another form, by the file ending that selects it, such as
        `.lp`.
    options
        Options of the reader that the text does not hold, and with which the score was computed.
    """

    instance: str
    solution: Any
    score: int | float
    companions: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def named(self, stem: str, ending: str = "") -> tuple[str, dict[str, str]]:
        """The instance and its further files for a file name; characters that need quoting become `_`.

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
    """A problem type. Every method that reads raises `InputError` on bad input and no other exception."""

    name: str
    summary: str

    def recognises(self, source: Source) -> Recognition | bool:
        """Certainty that the file holds an instance of this problem (True: it fits); never raises."""

    def read(self, source: Source, options: Mapping[str, Any]) -> Any:
        """Read the `Problem` in a file; `options` are the options of the reader (`sides`, `hints`, ...).

        The reader records its assumptions by `source.assume`. The problem may keep them as `assumptions`, which results
        and the screen show.
        """

    def builtins(self) -> Mapping[str, str]:
        """Names of the built-in instances, each with a one-line description."""

    def builtin(self, name: str, options: Mapping[str, Any]) -> Any:
        """A built-in `Problem` by name; takes the same options as `read` where they apply (hints)."""

    def read_solution(self, problem: Any, source: Source) -> Any:
        """Read a solution in any format of the field (the caller unpacks result files of matheur)."""

    def generate(self, options: Mapping[str, Any], seed: int) -> Generated:
        """Generate a random solvable instance."""

    def picture(self, problem: Any, solution: Any | None, kind: str) -> bytes:
        """Draw the instance or the solution as `svg`, `png`, `html` or `text` (for a terminal)."""


@runtime_checkable
class Stating(Protocol):
    """A problem type whose solution files state an objective."""

    def stated_objective(self, source: Source) -> float | None:
        """Objective stated in the file, in the sense of the problem; None if the file states none."""


@runtime_checkable
class Holding(Protocol):
    """A problem type whose instance files may also hold a solution, which `read_solution` reads."""

    def holds_solution(self, problem: Any, source: Source) -> bool:
        """Whether the file of the instance also holds a solution."""


@runtime_checkable
class Linking(Protocol):
    """A problem type whose solutions can be shown by a web viewer."""

    def url(self, problem: Any, solution: Any) -> str:
        """URL that shows a solution; raises `InputError` if the solution does not fit into a URL."""
