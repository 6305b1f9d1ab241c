"""Exact decimal numbers from files; numbers that are too large or too fine are rejected."""

from __future__ import annotations

import re
from fractions import Fraction

__all__ = ["DECIMALS_MAX", "DIGITS_MAX", "decimal_parts", "fraction_of", "written"]

DIGITS_MAX = 18
DECIMALS_MAX = 18
_NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,5}))?", re.ASCII)
_LENGTH_MAX = 100


def decimal_parts(text: str) -> tuple[int, int] | None:
    """Integer and number of decimals, `number = whole / 10**decimals`, with as few decimals as possible.

    None if the text is not a plain decimal number (an exponent is allowed), or needs more than `DIGITS_MAX` digits
    before or `DECIMALS_MAX` digits after the point. Memory and time are therefore bounded for any text.
    """
    match = _NUMBER.fullmatch(text) if len(text) <= _LENGTH_MAX else None
    if match is None or not (match[2] or match[3]):
        return None
    behind = match[3] or ""
    digits = (match[2] + behind).lstrip("0")
    if not digits:
        return 0, 0
    bare = digits.rstrip("0")
    exponent = int(match[4] or 0) - len(behind) + len(digits) - len(bare)
    if len(bare) + exponent > DIGITS_MAX or exponent < -DECIMALS_MAX:
        return None
    whole = int(bare) * 10 ** max(0, exponent)
    return -whole if match[1] == "-" else whole, max(0, -exponent)


def fraction_of(text: str) -> Fraction | None:
    """Value of a decimal number; None if the text is not one (see `decimal_parts`)."""
    parts = decimal_parts(text)
    return None if parts is None else Fraction(parts[0], 10 ** parts[1])


def written(number: Fraction) -> str | None:
    """Format a number as a plain decimal; None if no decimal can be read back exactly."""
    for decimals in range(DECIMALS_MAX + 1):
        scaled = number * 10**decimals
        if scaled.denominator == 1:
            break
    else:
        return None
    digits = str(abs(scaled.numerator)).rjust(decimals + 1, "0")
    if len(digits) - decimals > DIGITS_MAX:
        return None
    sign = "-" if number < 0 else ""
    return sign + (f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits)
