"""Decimal numbers, exact."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.problems.decimals import decimal_parts, fraction_of, written


@given(st.integers(-(10**18) + 1, 10**18 - 1), st.integers(0, 18))
def test_written_and_read(whole: int, decimals: int) -> None:
    """Every decimal of 18 digits is written so that the same number is read."""
    number = Fraction(whole, 10**decimals)
    text = written(number)
    assert text is not None
    assert Fraction(text) == number
    assert fraction_of(text) == number


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15, places=9))
def test_as_fractions_read_it(number: object) -> None:
    """Plain and exponent forms mean what `Fraction` says, with the fewest decimals."""
    for text in (str(number), f"{number:e}", f"{number:E}", f"0{number}" if str(number)[0] != "-" else str(number)):
        parts = decimal_parts(text)
        assert parts is not None
        whole, decimals = parts
        assert Fraction(whole, 10**decimals) == Fraction(text)
        assert decimals == 0 or whole % 10


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("0", (0, 0)),
        ("-0.0", (0, 0)),
        ("0e99999", (0, 0)),
        (".5", (5, 1)),
        ("5.", (5, 0)),
        ("+1e3", (1000, 0)),
        ("0.8000000000000000000000000", (8, 1)),
        ("1e-18", (1, 18)),
    ],
)
def test_odd_forms(text: str, parts: tuple[int, int]) -> None:
    """Signs, missing digits and zeros without value."""
    assert decimal_parts(text) == parts


NONE = ["", ".", "-", "e5", "1e", "1e+", "nan", "inf", "-inf", "1_0", "0x1", "1,5", "٣", "1 0", "1e18", "1e-19"]
TOO_LONG = ["9" * 19, "1" + "0" * 200, "1e99999", "1e999999999", "0." + "3" * 19]


@pytest.mark.parametrize("text", [*NONE, *TOO_LONG])
def test_what_is_no_number(text: str) -> None:
    """Nothing, words, other scripts, and numbers that are too large or too fine."""
    assert decimal_parts(text) is None
    assert fraction_of(text) is None


def test_what_cannot_be_written() -> None:
    """A third has no decimals that end, and 10**18 too many digits."""
    assert written(Fraction(1, 3)) is None
    assert written(Fraction(10**18)) is None
    assert written(Fraction(1, 10**19)) is None
