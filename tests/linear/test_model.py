"""What a linear program refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from matheur.linear.model import LinearModel


def model(**changes: Any) -> LinearModel:
    """Two columns and a row, with changes."""
    given: dict[str, Any] = {
        "starts": np.array([0, 2]), "columns": np.array([0, 1], dtype=np.int32), "data": np.array([1.0, 2.0]),
        "row_lower": np.array([-np.inf]), "row_upper": np.array([5.0]), "lower": np.zeros(2), "upper": np.full(2, 9.0),
        "cost": np.array([-1.0, -1.0]), "integral": np.array([True, True]), "row_names": ("r",),
        "column_names": ("a", "b"),
    }  # fmt: skip
    return LinearModel(**{**given, **changes})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"data": np.array([1.0, np.nan])}, "the coefficient of b in the row r is nan"),
        ({"data": np.array([np.inf, 1.0])}, "the coefficient of a in the row r is inf"),
        ({"cost": np.array([0.0, -np.inf])}, "the cost of b is -inf"),
        ({"offset": float("nan")}, "the constant of the objective is nan"),
        ({"lower": np.array([np.nan, 0.0])}, "a limit of a is not a number"),
        ({"row_upper": np.array([np.nan])}, "a limit of r is not a number"),
        ({"columns": np.array([0, 7], dtype=np.int32)}, "'columns' names a column that is not one of 2"),
        ({"starts": np.array([0, 3])}, "'starts' does not lead from 0 to the 2 coefficients"),
        ({"cost": np.array([1.0])}, "'lower' has 2 entries, not 1"),
        ({"row_names": ()}, "'row_names' has 0 entries, not 1"),
        ({"file_order": np.array([0])}, "'file_order' has 1 entries, not 2"),
        ({"file_order": np.array([0, 0])}, "'file_order' does not name every coefficient once, column by column"),
        ({"file_order": np.array([1, 0])}, "'file_order' does not name every coefficient once, column by column"),
    ],
)
def test_numbers_and_lengths_are_checked(changes: dict[str, Any], said: str) -> None:
    """The error names what is wrong, before any solver sees it."""
    assert model().height == 1
    with pytest.raises(ValueError, match=said):
        model(**changes)
