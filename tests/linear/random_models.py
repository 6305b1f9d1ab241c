"""Random linear models with everything that files can hold."""

from __future__ import annotations

import numpy as np

from matheur.linear.building import ModelBuilder
from matheur.linear.decimals import exact, float_of, plain
from matheur.linear.model import LinearModel

TEXTS = (
    "1",
    "-1",
    "2",
    "0.1",
    "-2.5",
    "1e-3",
    "123456.789",
    "0.30000000000000004",
    "1234567890.1234567891",
    "-1e5",
    "7",
)
"""Numbers as they stand in files; two have more digits than a float64."""


def random_model(seed: int, *, simple: bool = False) -> LinearModel:
    """A small model; `simple` ones have no number that a float64 cannot show."""
    rng = np.random.default_rng(seed)
    texts = [text for text in TEXTS if not simple or len(text) < 12]
    made = ModelBuilder()
    made.maximise = bool(rng.integers(2))
    made.title, made.objective_name = "random", "cost"
    height, width = int(rng.integers(1, 6)), int(rng.integers(1, 7))
    for column in range(width):
        made.add_column(f"x_{column}", integral=bool(rng.integers(2)))
        _bound(made, column, rng)
        text = str(rng.choice(texts))
        if rng.random() < 0.7:
            made.put("cost", column, _number(text), text)
    if rng.random() < 0.5:
        made.put("offset", 0, 3.25)
    for row in range(height):
        made.add_row(f"r{row}", -np.inf, np.inf)
        kind = rng.integers(4)
        low, high = float(rng.integers(-9, 5)), float(rng.integers(5, 20))
        if kind in (0, 2, 3):
            made.put("row_lower", row, low)
        if kind in (1, 2):
            made.put("row_upper", row, high)
        if kind == 3:
            made.put("row_upper", row, low)
        for column in range(width):
            if rng.random() < 0.6 or not column:
                text = str(rng.choice(texts))
                made.add_entry(row, column, _number(text), text)
    return made.made()


def _bound(made: ModelBuilder, column: int, rng: np.random.Generator) -> None:
    kind = rng.integers(7)
    if kind == 0:
        made.put("lower", column, -np.inf)
    if kind in (1, 2):
        made.put("upper", column, float(rng.integers(1, 9)))
    if kind == 2:
        made.put("lower", column, -3.0)
    if kind == 3:
        made.put("lower", column, 2.0)
        made.put("upper", column, 2.0)
    if kind == 4:
        made.put("lower", column, -np.inf)
        made.put("upper", column, -1.0)
    if kind == 5:
        made.put("upper", column, 1.0)
    if kind == 6:
        made.put("lower", column, 1.0)


def _number(text: str) -> float:
    value = float_of(text)
    assert value is not None
    return value


NUMBERS = (
    "1", "-1", "2", "3", "-7", "0.1", "-2.5", "1e-3", "123456.789", "1e-7", "-3e-10", "1e12", "-98765432109876",
    "0.30000000000000004", "0.1234567890123456", "1e5", "-0.000123456789012345",
)  # fmt: skip
LIMITS = ("0", "-9", "4.5", "17", "1e6", "-0.125", "1e-5", "123456789.25")
_ROWS = ("L", "G", "E", "range", "narrow", "free")
_COLUMNS = (
    "usual", "usual", "free", "minus", "up", "negative-up", "fixed", "box", "binary", "low", "below", "fraction",
)  # fmt: skip
_ODD = ("x(1,2)", "a.b", "_y", "x#1", "t~3", "q'", "z|2", "w{1}", "v;", "u@home", "Big_Name_That_Goes_On_" + "9" * 60)


def any_model(seed: int, *, short: bool = False, tame: bool = False) -> LinearModel:
    """A small model with all that a file can say: rows and columns of every kind, also empty ones, and all numbers.

    `short` ones have numbers and names that fit into the fields of the fixed form of MPS, `tame` ones no very large or
    small numbers, so that all solvers find the same optimum.
    """
    rng = np.random.default_rng((seed, 49))
    made = ModelBuilder()
    made.maximise = bool(rng.integers(2))
    made.title, made.objective_name = "any", ("obj", "cost", "total")[rng.integers(3)]
    height, width = int(rng.integers(0, 8)), int(rng.integers(1, 9))
    odd = rng.random() < 0.3 and not short
    numbers = [text for text in NUMBERS if not short or len(plain(exact(text))) <= 12]
    if tame:
        numbers = [text for text in numbers if 1e-3 <= abs(float(text)) <= 1e4]
    for column in range(width):
        kind = str(rng.choice(_COLUMNS))
        made.add_column(
            _ODD[column] if odd else f"x{column}",
            integral=kind == "binary" or (kind != "fixed" and rng.random() < 0.4),
        )
        _any_bounds(made, column, kind)
        if rng.random() < 0.6:
            _put(made, "cost", column, str(rng.choice(numbers)))
    if rng.random() < 0.4:
        _put(made, "offset", 0, str(rng.choice(numbers)))
    for row in range(height):
        made.add_row(f"r({row})" if odd else f"r{row}", -np.inf, np.inf)
        kind, low = str(rng.choice(_ROWS)), str(rng.choice(LIMITS[:4] if tame else LIMITS[:-1] if short else LIMITS))
        if kind in ("G", "E", "range", "narrow"):
            _put(made, "row_lower", row, low)
        if kind in ("L", "E"):
            _put(made, "row_upper", row, low)
        if kind in ("range", "narrow"):
            made.copy("row_lower", "row_upper", row)
            made.add("row_upper", row, exact("12.5" if kind == "range" else "0.001"))
        empty = rng.random() < 0.08
        for column in range(width):
            if not empty and rng.random() < 0.5:
                text = str(rng.choice(numbers))
                made.add_entry(row, column, _number(text), text)
    return made.made()


def _any_bounds(made: ModelBuilder, column: int, kind: str) -> None:
    bounds = {
        "free": ("-inf", "inf"), "minus": ("-inf", "0"), "up": ("0", "12"), "negative-up": ("-inf", "-3"),
        "fixed": ("2.5", "2.5"), "box": ("-4", "7"), "binary": ("0", "1"), "low": ("1", "inf"),
        "below": ("-8", "-2"), "fraction": ("-1.5", "3.25"),
    }  # fmt: skip
    for side, text in zip(("lower", "upper"), bounds.get(kind, ("0", "inf")), strict=True):
        if text.endswith("inf"):
            made.put(side, column, float(text))
        else:
            _put(made, side, column, text)


def _put(made: ModelBuilder, array: str, index: int, text: str) -> None:
    made.put(array, index, _number(text), text)
