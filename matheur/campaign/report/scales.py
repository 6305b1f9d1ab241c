"""Map values to positions on a plot, and choose the ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Scale", "linear_ticks", "log_ticks", "scale_of", "tick_label"]

_FACTOR = 5.0  # a logarithmic axis that spans a smaller factor may have a single tick


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear or logarithmic map from `low` to `start` and from `high` to `stop`, with its ticks."""

    low: float
    high: float
    start: float
    stop: float
    log: bool
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        """Position of a value; on a logarithmic axis, values below a thousandth of `low` are raised to it."""
        low, high = self.low, self.high
        if self.log:
            value, low, high = math.log(max(value, self.low * 1e-3)), math.log(low), math.log(high)
        return self.start + (value - low) / (high - low) * (self.stop - self.start)


def scale_of(low: float, high: float, start: float, stop: float, *, log: bool = False, ticks: int = 5) -> Scale:
    """Scale that covers the values, with a small margin if it is linear.

    A logarithmic scale of values that are not all positive, or of less than a factor of five, becomes linear.
    """
    if log and low > 0 and high / low >= _FACTOR:
        return Scale(low, high, start, stop, True, log_ticks(low, high))
    if high <= low:
        wide = 0.5 * max(1.0, abs(low) * 0.02)
        low, high = low - wide, high + wide
    return Scale(low, high, start, stop, False, linear_ticks(low, high, ticks))


def linear_ticks(low: float, high: float, count: int = 5) -> tuple[float, ...]:
    """About `count` round numbers from `low` to `high`, each a multiple of 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> linear_ticks(0, 1), linear_ticks(437, 481)
    ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (440.0, 450.0, 460.0, 470.0, 480.0))
    """
    rough = (high - low) / max(1, count)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.99)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(k * step, 12) for k in range(first, last + 1))


def log_ticks(low: float, high: float) -> tuple[float, ...]:
    """Powers of ten, with 2 and 5 times each if there are few; thinned out if there are many.

    Examples
    --------
    >>> log_ticks(0.02, 30), log_ticks(1, 9)
    ((0.1, 1.0, 10.0), (1.0, 2.0, 5.0))
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    decades = last - first
    factors = (1,) if math.log10(high / low) > 2 else (1, 2, 5)
    step = max(1, round(decades / 6))
    ticks = [
        factor * 10.0**power
        for power in range(first, last + 1)
        if power % step == 0 or len(factors) > 1
        for factor in factors
    ]
    return tuple(float(f"{tick:.3g}") for tick in ticks if low * 0.999 <= tick <= high * 1.001)


def tick_label(value: float, *, percent: bool = False) -> str:
    """Label of a tick.

    Examples
    --------
    >>> tick_label(0.001), tick_label(2500000), tick_label(0.25, percent=True), tick_label(-440.0)
    ('0.001', '2.5M', '25 %', '-440')
    """
    if percent:
        return f"{value * 100:.6g} %"
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= limit:
            scaled = value / {"G": 1e9, "M": 1e6, "k": 1e3}[letter]
            return f"{scaled:.6g}{letter}"
    return f"{value:.6g}"
