"""What a reader may be told beside the file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

from matheur.errors import ConfigurationError
from matheur.problems.decimals import fraction_of
from matheur.problems.type_options import check_known

__all__ = ["ReadOptions"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options of the reader.

    Attributes
    ----------
    cards
        Table of items instead of that named in the puzzle; relative to the working directory.
    synergy
        Least synergy instead of that in the puzzle: 0 to 1. Decimals are exact: 0.7, as a number or a text, is 7/10.

    Raises
    ------
    ConfigurationError
        If a value makes no sense.
    """

    cards: str | None = None
    synergy: Fraction | None = None

    def __post_init__(self) -> None:
        if self.cards is not None:
            object.__setattr__(self, "cards", _path(self.cards))
        if self.synergy is not None:
            object.__setattr__(self, "synergy", _share(self.synergy))

    @classmethod
    def from_mapping(cls, options: Mapping[str, Any]) -> ReadOptions:
        """The options of a command line or configuration file; an unknown key is an error."""
        check_known(options, [field.name for field in fields(cls)], "party files")
        return cls(**options)


def _path(value: Any) -> str:
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str) or not path or "\0" in path:
        raise ConfigurationError(f"cards must be the name of a CSV file ({value!r})")
    return path


def _share(value: Any) -> Fraction:
    """A number from 0 to 1 as it is written."""
    exact = None
    if isinstance(value, Fraction):
        exact = value
    elif isinstance(value, int | float | str | Decimal) and not isinstance(value, bool):
        exact = fraction_of(str(value).strip())
    if exact is None or not 0 <= exact <= 1:
        raise ConfigurationError(f"synergy must be a number from 0 to 1 ({str(value)[:40]!r})")
    return exact
