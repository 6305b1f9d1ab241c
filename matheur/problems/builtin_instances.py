"""Built-in instances by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from matheur.errors import InputError, nearest

__all__ = ["Builtins"]

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Builtins(Generic[Made]):
    """Makes the built-in instance of a name, once it is known that there is one.

    Attributes
    ----------
    problem
        Name of the problem.
    lines
        Names, with a line each.
    make
        The instance of one of these names.
    """

    problem: str
    lines: Mapping[str, str]
    make: Callable[[str], Made]

    def __call__(self, name: str) -> Made:
        """The instance of a name.

        Raises
        ------
        InputError
            If there is none of this name, with the nearest one.
        """
        if name not in self.lines:
            raise InputError(f"{self.problem} has no built-in instance {name!r}. {nearest(name, self.lines)}")
        return self.make(name)
