"""Values of a stored state, checked before use because a file may hold anything."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from matheur.errors import InputError

__all__ = ["Stored", "is_number"]

_COUNT_MAX = 2**63 - 1


class Stored:
    """A table of plain values with checked access by type.

    Every method raises an `InputError` if the value is missing or of another type.

    Examples
    --------
    >>> Stored({"work": 3}).count("work")
    3
    """

    def __init__(self, values: Any) -> None:
        if not isinstance(values, Mapping):
            raise InputError(f"the stored state is damaged ({_shown(values)} is not a table)")
        self._values: Mapping[str, Any] = values

    def value(self, key: str) -> Any:
        """Any value."""
        if key not in self._values:
            raise InputError(f"the stored state is damaged ('{key[:40]}' is missing)")
        return self._values[key]

    def _wrong(self, key: str, value: Any) -> InputError:
        return InputError(f"the stored state is damaged ('{key[:40]}' is {_shown(value)})")

    def number(self, key: str, *, or_none: bool = False) -> int | float | None:
        """A finite number."""
        value = self.value(key)
        if value is None and or_none:
            return None
        if not is_number(value):
            raise self._wrong(key, value)
        found: int | float = value
        return found

    def seconds(self, key: str) -> float:
        """A non-negative number."""
        value = self.value(key)
        if not is_number(value) or value < 0:
            raise self._wrong(key, value)
        return float(value)

    def count(self, key: str) -> int:
        """A non-negative integer."""
        value = self.value(key)
        if not _is_count(value):
            raise self._wrong(key, value)
        found: int = value
        return found

    def text(self, key: str, *, or_none: bool = False) -> str | None:
        """A text."""
        value = self.value(key)
        if not isinstance(value, str) and not (or_none and value is None):
            raise self._wrong(key, value)
        return value

    def table(self, key: str) -> dict[str, Any]:
        """A table."""
        value = self.value(key)
        if not isinstance(value, dict):
            raise self._wrong(key, value)
        return value

    def table_or_none(self, key: str) -> dict[str, Any] | None:
        """A table, or None."""
        return None if self.value(key) is None else self.table(key)

    def flag(self, key: str, *, missing: bool) -> bool:
        """A boolean; `missing` if there is none, as in files of earlier versions."""
        value = self._values.get(key, missing)
        if not isinstance(value, bool):
            raise self._wrong(key, value)
        return value

    def counts(self, key: str) -> list[int]:
        """A list of non-negative integers."""
        value = self.value(key)
        if not isinstance(value, list) or not all(map(_is_count, value)):
            raise self._wrong(key, value)
        return value

    def numbers(self, key: str, *, least: float = -math.inf) -> list[float]:
        """A list of finite numbers, none below `least`."""
        value = self.value(key)
        if not _are_numbers(value, least):
            raise self._wrong(key, value)
        return list(value)

    def rows(self, key: str, *, least: float = -math.inf) -> list[list[float]]:
        """A list of lists of finite numbers, all of one length."""
        value = self.value(key)
        if not isinstance(value, list) or not all(_are_numbers(row, least) for row in value):
            raise self._wrong(key, value)
        if len({len(row) for row in value}) > 1:
            raise InputError(f"the stored state is damaged (the rows of '{key}' differ in length)")
        return [list(row) for row in value]

    def texts(self, key: str) -> list[str]:
        """A list of texts."""
        value = self.value(key)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self._wrong(key, value)
        return value


def is_number(value: Any) -> bool:
    """Whether a plain value is a finite number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _are_numbers(value: Any, least: float) -> bool:
    return isinstance(value, list) and all(is_number(one) and one >= least for one in value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _COUNT_MAX


def _shown(value: Any) -> str:
    """A short form of a value for messages."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _COUNT_MAX:
        return "a number of more than 18 digits"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
