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
    """Create built-in instances by name.

    Attributes
    ----------
    problem
        Name of the problem.
    lines
        Names, each with a one-line description.
    make
        Function that creates the instance with one of these names.
    """

    problem: str
    lines: Mapping[str, str]
    make: Callable[[str], Made]

    def __call__(self, name: str) -> Made:
        """Create the instance of a name.

        Raises
        ------
        InputError
            If no instance has this name; the message suggests the nearest name.
        """
        if name not in self.lines:
            raise InputError(f"{self.problem} has no built-in instance {name!r}. {nearest(name, self.lines)}")
        return self.make(name)
