"""Search space of a tuning: choices and ranges of options, and the sampling of candidates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from matheur.errors import ConfigurationError
from matheur.running.earlier_words import key_of_today

__all__ = ["Choices", "Interval", "draw", "parse_ranges"]


@dataclass(frozen=True, slots=True)
class Choices:
    """A choice among given values."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Interval:
    """A number from `low` to `high`. If both are integers, `low` plus a multiple of `step`."""

    low: float
    high: float
    log: bool = False
    step: int = 1

    @property
    def whole(self) -> bool:
        """Whether the interval contains only integers."""
        return isinstance(self.low, int) and isinstance(self.high, int)


def parse_ranges(ranges: Mapping[str, Any]) -> dict[str, Choices | Interval]:
    """The ranges of `[tune.ranges]` by dotted key.

    Raises
    ------
    ConfigurationError
        If there are no ranges, or a range is neither a list nor a table with `low` and `high`.
    """
    if not ranges:
        raise ConfigurationError('nothing to tune. Maybe tune.ranges."neighbourhood.assignment.k" = [8, 16, 32]?')
    return {key_of_today(key, "tune.ranges"): _range(key, value) for key, value in _flat(ranges)}


def _flat(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Dotted keys of nested tables, each with its range."""
    found = []
    for key, value in table.items():
        if isinstance(value, Mapping) and not {"low", "high"} & value.keys():
            found += _flat(value, f"{prefix}{key}.")
        else:
            found.append((prefix + key, value))
    return found


def _range(key: str, value: Any) -> Choices | Interval:
    if isinstance(value, list | tuple) and len(value) > 1:
        return Choices(tuple(value))
    if isinstance(value, Mapping) and {"low", "high"} <= value.keys() <= {"low", "high", "log", "step"}:
        low, high, log, step = value["low"], value["high"], value.get("log", False), value.get("step", 1)
        numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (low, high))
        fits = numbers and -math.inf < low < high < math.inf and (not log or low > 0)
        if fits and isinstance(log, bool) and type(step) is int and step >= 1:
            found = Interval(low, high, log, step)
            if step > 1 and (log or not found.whole):
                raise ConfigurationError(f"tune.ranges.{key}: 'step' is for whole numbers without 'log' ({value!r})")
            return found
    raise ConfigurationError(
        f"tune.ranges.{key}: not a range ({value!r}). Maybe a list of two values or more, or {{ low = 1, high = 8 }}?"
    )


def draw(ranges: Mapping[str, Choices | Interval], rng: np.random.Generator) -> dict[str, Any]:
    """A random value for every key, uniform over choices and intervals; log-uniform for logarithmic intervals."""
    return {key: _draw(one, rng) for key, one in ranges.items()}


def _draw(one: Choices | Interval, rng: np.random.Generator) -> Any:
    if isinstance(one, Choices):
        return one.values[int(rng.integers(len(one.values)))]
    last = end = one.high
    if one.whole:  # each integer stands for the interval up to the next one
        last = int(one.low) + one.step * (int(one.high - one.low) // one.step)
        end = last + one.step
    value = math.exp(rng.uniform(math.log(one.low), math.log(end))) if one.log else float(rng.uniform(one.low, end))
    if not one.whole:
        return min(max(float(f"{value:.4g}"), one.low), one.high)
    return min(int(last), int(one.low) + one.step * int((value - one.low) / one.step))
