"""Options of the reader in addition to the file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

from matheur.errors import ConfigurationError, nearest
from matheur.problems.decimals import fraction_of
from matheur.problems.party.instance import OBJECTIVES, Objective
from matheur.problems.type_options import FileOptions

__all__ = ["ReadOptions"]


@dataclass(frozen=True, slots=True)
class ReadOptions(FileOptions):
    """Options of the reader.

    Attributes
    ----------
    cards
        Table of items to use instead of the one named in the puzzle, relative to the working directory.
    synergy
        Minimum synergy to use instead of the one in the puzzle, from 0 to 1. Decimals are exact: 0.7, as a number or a
        text, is 7/10.
    objective
        Objective to use instead of the one in the puzzle: minimum `price`, or maximum `synergy` or `chemistry`.

    Raises
    ------
    ConfigurationError
        If a value is invalid.
    """

    files: ClassVar[str] = "party files"

    cards: str | None = None
    synergy: Fraction | None = None
    objective: Objective | None = None

    def __post_init__(self) -> None:
        if self.cards is not None:
            object.__setattr__(self, "cards", _path(self.cards))
        if self.synergy is not None:
            object.__setattr__(self, "synergy", _share(self.synergy))
        if self.objective is not None and self.objective not in OBJECTIVES:
            raise ConfigurationError(
                f"objective must be one of {', '.join(OBJECTIVES)} ({str(self.objective)[:40]!r}). "
                f"{nearest(str(self.objective)[:40], OBJECTIVES)}"
            )


def _path(value: Any) -> str:
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str) or not path or "\0" in path:
        raise ConfigurationError(f"cards must be the name of a CSV file ({value!r})")
    return path


def _share(value: Any) -> Fraction:
    """Convert a number from 0 to 1 exactly as it is written."""
    exact = None
    if isinstance(value, Fraction):
        exact = value
    elif isinstance(value, int | float | str | Decimal) and not isinstance(value, bool):
        exact = fraction_of(str(value).strip())
    if exact is None or not 0 <= exact <= 1:
        raise ConfigurationError(f"synergy must be a number from 0 to 1 ({str(value)[:40]!r})")
    return exact
