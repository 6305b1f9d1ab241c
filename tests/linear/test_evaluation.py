"""What values are worth, in exact arithmetic, against sums of fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from linear.random_models import any_model, random_model

from matheur.linear import evaluation
from matheur.linear.decimals import decimal_of, exact, float_of, plain
from matheur.linear.evaluation import Level, assess, rounded, settled
from matheur.linear.lp_reader import read_lp
from matheur.linear.model import LinearModel


def broken(model: LinearModel, values: list[float]) -> set[tuple[str, str]]:
    """Kind and name of everything that does not hold, by plain sums."""
    found = set()
    numbers = [Fraction(repr(value)) for value in values]
    for j, name in enumerate(model.column_names):
        for side, sign in (("lower", 1), ("upper", -1)):
            if np.isfinite(getattr(model, side)[j]) and sign * (model.number(side, j) - numbers[j]) > 0:
                found.add(("bound", name))
        if model.integral[j] and numbers[j].denominator != 1:
            found.add(("integrality", name))
    for row, name in enumerate(model.row_names):
        places = range(model.starts[row], model.starts[row + 1])
        total = sum((model.number("data", place) * numbers[model.columns[place]] for place in places), Fraction(0))
        for side, sign in (("row_lower", 1), ("row_upper", -1)):
            if np.isfinite(getattr(model, side)[row]) and sign * (model.number(side, row) - total) > 0:
                found.add(("row", name))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_violations_are_those_of_exact_sums(seed: int) -> None:
    """Values on and near the limits, by a hair on either side."""
    model = any_model(seed) if seed % 2 else random_model(seed)
    rng = np.random.default_rng(seed)
    for turn in range(8):
        low = np.where(np.isfinite(model.lower), model.lower, -2)
        values = low + rng.integers(0, 3, model.width)
        if turn % 2:  # else whole numbers, if the bounds are
            values = values + rng.choice([0, 0, 1e-12, -1e-12, 0.3], model.width)
        found = assess(model, values)
        assert {(one.kind, one.name) for one in found.violations} == broken(model, values.tolist())
        terms = (model.number("cost", j) * Fraction(repr(value)) for j, value in enumerate(values.tolist()))
        assert found.objective == sum(terms, model.number("offset"))


def test_whole_numbers_are_added_up_in_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are met exactly need no rationals, unless a number has more digits than its float64."""
    asked = []
    monkeypatch.setattr(evaluation, "activity_of", lambda model, row, numbers: asked.append(row) or Fraction(3))
    text = "min\n o: x\nst\n r: 2 x - y + 0.5 z >= 3\n s: 2 x - y <= 3.00000000000000000001\nend\n"
    assert assess(read_lp(text), np.array([2.0, 1.0, 0.0])).violations == ()
    assert asked == [1]


@pytest.mark.parametrize(
    ("value", "level"),
    [(0.3, Level.EXACT), (0.3 + 5e-10, Level.NINE), (0.3 + 5e-7, Level.SIX), (0.3 + 5e-6, Level.BROKEN)],
)
def test_levels(value: float, level: Level) -> None:
    """By how much the worst row is off; 0.1 + 0.2 is 0.3 here."""
    model = read_lp("min\n o: x\nst\n r: 0.1 y + 0.2 z + x <= 0.6\nend\n")
    values = np.zeros(3)
    for name, number in (("y", 1.0), ("z", 1.0), ("x", value)):
        values[model.column_index[name]] = number
    assert assess(model, values).level is level


def test_a_violation_in_words() -> None:
    """Name, value, side and amount."""
    model = read_lp("min\n o: x\nst\n demand: x + y >= 2\nbounds\n y <= 1\ngeneral\n x\nend\n")
    said = [str(one) for one in assess(model, np.array([0.25, 1.5])).violations]
    assert sorted(said) == [
        "column x is 0.25, not a whole number (off by 0.25)",
        "column y is 1.5, not <= 1 (off by 0.5)",
        "row demand is 1.75, not >= 2 (off by 0.25)",
    ]


def test_tiny_amounts_are_readable() -> None:
    """Not as an integer with an exponent."""
    model = read_lp("min\n o: x\nst\n r: 0.1 x + 0.3 y >= 2\nend\n")
    (said,) = (str(one) for one in assess(model, np.array([1e-25, 6.666666666666e0])).violations)
    assert said == "row r is 1.9999999999998, not >= 2 (off by 2e-13)"
    model = read_lp("min\n o: x\nst\n r: x - y <= 0\nend\n")
    (said,) = (str(one) for one in assess(model, np.array([2.3874235921539366e-12, 0.0])).violations)
    assert said == "row r is 2.3874235921539366e-12, not <= 0 (off by 2.39e-12)"


def test_values_must_be_numbers() -> None:
    """One finite number for each column."""
    model = read_lp("min\n o: x\nst\n r: x >= 2\nend\n")
    with pytest.raises(ValueError, match="1 values"):
        assess(model, np.zeros(2))
    with pytest.raises(ValueError, match="value of x is not a number"):
        assess(model, np.array([np.nan]))


def test_rounding_keeps_what_is_far() -> None:
    """Integers that are nearly whole become so; others stay."""
    model = read_lp("min\n o: x + y\nst\n r: x + y >= 2\nbounds\n y <= 1\ngeneral\n x\nend\n")
    assert rounded(model, np.array([1.9999999, 1.0])).tolist() == [2, 1]
    assert rounded(model, np.array([1.9, 1.1])).tolist() == [1.9, 1.1]


@pytest.mark.parametrize("text", ["0", "1", "-12.5", "1e3", "1D-3", ".5", "5.", "123456789012345678", "1e-300"])
def test_decimals(text: str) -> None:
    """A number, and whether its float64 is all of it."""
    value = float_of(text)
    assert value is not None
    digits = decimal_of(text, value)
    number = exact(value) if digits is None else digits
    assert number == Fraction(text.replace("D", "e"))
    assert Fraction(plain(number)) == number


@pytest.mark.parametrize("text", ["", "nan", "inf", "1e999", "1_0", "0x10", "1e-999", "--1", "1.2.3", "١"])
def test_what_is_no_number(text: str) -> None:
    """Too large, too small, or no decimal at all."""
    assert float_of(text) is None


def test_large_whole_numbers_have_no_exponent() -> None:
    """An exact objective may have any number of digits."""
    assert plain(Fraction(-(10**50))) == f"-1{'0' * 50}"


def test_a_cost_that_a_row_defines_is_set_again() -> None:
    """Where a sum of millions is off by more than a check allows, its own continuous column is chosen exactly."""
    model = read_lp(
        "min z\nst\n cost: 90382854.41 x + 15190195.03 y - z = 0\n r: x + y >= 3\nbounds\n z free\ngeneral\n x y\nend"
    )
    names = model.column_index
    values = np.zeros(model.width)
    values[names["x"]], values[names["y"]], values[names["z"]] = 1 - 1e-9, 2, 120763244.47 - 4e-6
    assert assess(model, values).level is Level.BROKEN
    mended = settled(model, values)
    assert assess(model, mended).level is Level.EXACT
    assert mended[names["z"]] == 120763244.47
    values[names["y"]] = 1  # what no column of its own can mend stays broken
    assert assess(model, settled(model, values)).level is Level.BROKEN
