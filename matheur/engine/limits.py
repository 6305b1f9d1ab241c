"""Options with limits: dataclass fields that declare their valid values, and a check of all of them.

Examples
--------
>>> from dataclasses import dataclass
>>> @dataclass(frozen=True, slots=True)
... class BlockSwap:
...     side: int = option(3, minimum=1, maximum=64)
...     def __post_init__(self) -> None:
...         check_options(self)
>>> BlockSwap(side=0)
Traceback (most recent call last):
matheur.errors.ConfigurationError: 'BlockSwap.side' must be from 1 to 64 (0)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from matheur.errors import ConfigurationError, nearest

__all__ = ["Limits", "check_options", "check_order", "limits_of", "option"]

T = TypeVar("T")
Number = int | float

_KEY = "limits"
_WHOLE_MAX = 1 << 63  # as in TOML; kernels take no larger numbers


@dataclass(frozen=True, slots=True)
class Limits:
    """Valid values of an option.

    Attributes
    ----------
    minimum, above, maximum, below
        Limits of a number, or of each of several numbers; None for no such limit. `above` and `below` exclude the limit
        itself.
    choices
        All valid values; empty for any.
    optional
        Whether None is valid, too.
    """

    minimum: Number | None = None
    above: Number | None = None
    maximum: Number | None = None
    below: Number | None = None
    choices: tuple[Any, ...] = ()
    optional: bool = False

    def __str__(self) -> str:
        if self.choices:
            return f"one of {', '.join(map(str, self.choices))}"
        if self.minimum is not None and self.maximum is not None:
            return f"from {_written(self.minimum)} to {_written(self.maximum)}"
        named = {"at least": self.minimum, "above": self.above, "at most": self.maximum, "below": self.below}
        return " and ".join(f"{words} {_written(limit)}" for words, limit in named.items() if limit is not None)

    def to_dict(self) -> dict[str, Any]:
        """The limits that are set, as plain values."""
        values = {"minimum": self.minimum, "above": self.above, "maximum": self.maximum, "below": self.below}
        found: dict[str, Any] = {name: limit for name, limit in values.items() if limit is not None}
        return {**found, "choices": list(self.choices)} if self.choices else found

    def check(self, name: str, value: Any) -> None:
        """Raise a `ConfigurationError` that states the valid values of the named option if `value` is not valid."""
        if value is None and self.optional:
            return
        if self.choices:
            if value not in self.choices:
                raise ConfigurationError(f"'{name}' cannot be {value!r}. {nearest(str(value), map(str, self.choices))}")
        elif isinstance(value, list | tuple):
            for one in value:
                self.check(name, one)
        elif isinstance(value, int) and not -_WHOLE_MAX <= value < _WHOLE_MAX:
            raise ConfigurationError(f"'{name}' is too large for a whole number of 64 bits")
        elif not self._holds(name, value):
            raise ConfigurationError(f"'{name}' must be {self}{', or none' if self.optional else ''} ({value!r})")

    def _holds(self, name: str, value: Any) -> bool:
        try:  # written so that NaN is outside of any limit
            return bool(
                (self.minimum is None or value >= self.minimum)
                and (self.above is None or value > self.above)
                and (self.maximum is None or value <= self.maximum)
                and (self.below is None or value < self.below)
            )
        except TypeError:
            raise ConfigurationError(f"'{name}' must be a number ({value!r})") from None


def _written(limit: Number) -> str:
    return f"{limit:,}" if isinstance(limit, int) else f"{limit:g}"


def option(
    default: T,
    *,
    minimum: Number | None = None,
    above: Number | None = None,
    maximum: Number | None = None,
    below: Number | None = None,
    choices: Sequence[Any] = (),
) -> T:
    """A dataclass field with a default and limits, see `Limits`; None is valid if the type allows it.

    `configure` checks the limits. Objects made in Python are checked if the `__post_init__` of the class calls
    `check_options`. A field of the same name in a subclass must repeat its limits.
    """
    limits = Limits(minimum, above, maximum, below, tuple(choices))
    return dataclasses.field(default=default, metadata={_KEY: limits})


def limits_of(cls: Any) -> dict[str, Limits]:
    """Limits of the options of a dataclass, by name; options without limits are left out."""
    return _limits_of(cls)


@cache
def _limits_of(cls: Any) -> dict[str, Limits]:
    found = {}
    for field in dataclasses.fields(cls):
        if _KEY in field.metadata:
            optional = field.default is None or "None" in str(field.type)
            found[field.name] = dataclasses.replace(field.metadata[_KEY], optional=optional)
    return found


def check_options(options: Any) -> None:
    """Raise a `ConfigurationError` with the name and the value of an option that is not within its limits.

    Constraints between two options belong in the `__post_init__` of the class, which calls this first.
    """
    cls: Any = type(options)
    for name, limits in limits_of(cls).items():
        limits.check(f"{cls.__name__}.{name}", getattr(options, name))


def check_order(options: Any, lower: str, upper: str) -> None:
    """Raise a `ConfigurationError` if the option `upper` is less than the option `lower`; None is not compared."""
    least, most = getattr(options, lower), getattr(options, upper)
    if least is not None and most is not None and not least <= most:
        raise ConfigurationError(f"'{type(options).__name__}.{upper}' must be at least {lower} ({most} < {least})")
