"""Decimal numbers of files, without losing a digit.

A number is stored as a float64, which stands for the decimal that Python prints for it: every decimal of up to 15
digits is printed exactly for its nearest float. Longer ones are checked, and stored as text if they are not.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

__all__ = ["LENGTH_SAFE", "decimal_of", "exact", "float_of", "nearest_float", "plain"]

LENGTH_SAFE = 15
"""Characters of a number that surely is the decimal that is printed for its float64."""

_LENGTH_MAX = 400
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eEdD][+-]?[0-9]{1,4})?", re.ASCII)
_EXPONENT_MAX = 400


def float_of(text: str) -> float | None:
    """The nearest float64 of a finite decimal number; None for other texts, and for numbers too large or small for it.

    Exponents may be written with D, as Fortran does.
    """
    try:
        value = float(text)
    except ValueError:
        if not _DECIMAL.fullmatch(text):
            return None
        value = float(re.sub("[dD]", "e", text))
    if not math.isfinite(value) or "_" in text or not text.isascii() or len(text) > _LENGTH_MAX:
        return None
    if value == 0 and any(digit in "123456789" for digit in re.split("[eEdD]", text)[0]):
        return None  # smaller than any float64
    return value


def decimal_of(text: str, value: float) -> Fraction | None:
    """The number in a text, if it is not the decimal that is printed for its float64; else None."""
    if len(text) <= LENGTH_SAFE:
        return None
    found = exact(text)
    return None if found == exact(value) else found


def exact(number: float | str) -> Fraction:
    """The exact decimal for a float64 or a text.

    Examples
    --------
    >>> exact(0.1), exact("1e-3")
    (Fraction(1, 10), Fraction(1, 1000))
    """
    text = repr(float(number)) if isinstance(number, float) else number
    mantissa, _, power = text.lower().replace("d", "e").partition("e")
    exponent = int(power or 0)
    if abs(exponent) > _EXPONENT_MAX:  # below float64: avoids a fraction of millions of digits
        return Fraction(0)
    whole, _, behind = mantissa.partition(".")
    digits = int(whole + behind)
    exponent -= len(behind)
    return Fraction(digits * 10**exponent) if exponent >= 0 else Fraction(digits, 10**-exponent)


def nearest_float(number: Fraction) -> float:
    """The nearest float64; infinite if the number is too large for it."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def plain(number: Fraction | float) -> str:
    """A number as text that can be read back exactly, whole numbers without a point.

    Raises
    ------
    ValueError
        If it has no finite decimal.
    """
    if not isinstance(number, Fraction):
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    twos, fives, rest = 0, 0, number.denominator
    while rest % 2 == 0:
        twos, rest = twos + 1, rest // 2
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    if rest != 1:
        raise ValueError(f"{number} has no finite decimal")
    decimals = max(twos, fives)
    digits = abs(number.numerator) * 10**decimals // number.denominator
    text = str(digits)
    sign = "-" if number < 0 else ""
    if decimals > 20 or (decimals and len(text) > 40):
        return f"{sign}{text}e-{decimals}"
    text = text.rjust(decimals + 1, "0")
    return f"{sign}{text[:-decimals]}.{text[-decimals:]}" if decimals else sign + text
