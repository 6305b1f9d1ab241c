"""Random linear models with everything that files can hold."""

from __future__ import annotations

import numpy as np

from matheur.linear.building import ModelBuilder
from matheur.linear.decimals import float_of
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


def random_model(seed: int, *, plain: bool = False) -> LinearModel:
    """A small model; `plain` ones have no number that a float64 cannot show."""
    rng = np.random.default_rng(seed)
    texts = [text for text in TEXTS if not plain or len(text) < 12]
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
