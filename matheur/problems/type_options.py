"""Shared checks of reader and generator options, with uniform messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, ClassVar, Self, TypeVar

from matheur.errors import ConfigurationError, nearest

__all__ = ["FileOptions", "check_known", "check_seed", "grid_size", "whole"]

Instance = TypeVar("Instance")


class FileOptions:
    """Options of a reader. Problems derive a frozen dataclass that checks its fields; the base class has no options.

    Attributes
    ----------
    files
        Name of the files in messages, such as `rubik files`.
    """

    __slots__ = ()
    files: ClassVar[str] = "files of this kind"

    @classmethod
    def from_mapping(cls, options: Mapping[str, Any]) -> Self:
        """Create the options from a mapping of the command line or a configuration file; an unknown key is an error."""
        known = _fields(cls)
        for key in options if not known else ():
            raise ConfigurationError(f"unknown option {key!r}: {cls.files} have none")
        check_known(options, known, cls.files)
        return cls(**options)

    def applied(self, instance: Instance) -> Instance:
        """Copy of the instance in which the given options replace the fields of the same name."""
        one: Any = instance
        given = {name: getattr(self, name) for name in set(_fields(self)) & set(_fields(one))}
        changed = {name: value for name, value in given.items() if value is not None}
        return replace(one, **changed) if changed else instance


def _fields(one: Any) -> list[str]:
    return [field.name for field in fields(one)] if is_dataclass(one) else []


def check_known(options: Mapping[str, Any], known: Iterable[str], of: str) -> None:
    """Reject unknown options.

    Parameters
    ----------
    of
        Owner of the options, such as `the rubik generator` or `rubik files`.

    Raises
    ------
    ConfigurationError
        If an option is unknown; the message suggests the nearest known one.
    """
    known = list(known)
    for key in options:
        if key not in known:
            raise ConfigurationError(f"unknown option {key!r} of {of}. {nearest(str(key), known)}")


def check_seed(seed: Any) -> int:
    """Return the seed if it is a non-negative integer.

    Raises
    ------
    ConfigurationError
        If it is not one.
    """
    if type(seed) is not int or seed < 0:
        raise ConfigurationError(f"the seed must be a whole number from 0 ({seed!r})")
    return seed


def whole(options: Mapping[str, Any], key: str, digits: int = 7) -> int | None:
    """Integer option, also given as a text of at most `digits` digits; None if it is missing.

    Raises
    ------
    ConfigurationError
        If the value is not an integer.
    """
    value = options.get(key)
    if value is None or type(value) is int:
        return value
    if isinstance(value, str) and re.fullmatch(f"[0-9]{{1,{digits}}}", value):
        return int(value)
    raise ConfigurationError(f"{key} must be a whole number ({value!r})")


def grid_size(options: Mapping[str, Any], default: int, example: str) -> tuple[int, int]:
    """Rows and columns from the option `size`: `5x8`, `5,8`, or one number for both.

    Parameters
    ----------
    default
        Rows and columns if the option is missing.
    example
        Example value in the error message.

    Raises
    ------
    ConfigurationError
        If the value has another form.
    """
    value = options.get("size", default)
    match = re.fullmatch(r"\s*([0-9]{1,4})(?:\s*[xX,]\s*([0-9]{1,4}))?\s*", str(value))
    if match is None:
        raise ConfigurationError(f"size must be N or ROWSxCOLUMNS ({value!r}). Maybe '{example}'?")
    return int(match[1]), int(match[2] or match[1])
