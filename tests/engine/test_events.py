"""The values of events."""

from __future__ import annotations

import json

import numpy as np

from matheur.engine.events import plain


def test_plain_values_are_json() -> None:
    """numpy values, tuples and infinities become what JSON can say."""
    value = {1: np.int32(3), "a": (np.float64(0.5), [np.bool_(True)]), "b": np.arange(2), "c": float("inf"), "d": None}
    assert plain(value) == {"1": 3, "a": [0.5, [True]], "b": [0, 1], "c": None, "d": None}
    assert plain([np.float64("nan"), float("-inf")]) == [None, None]
    assert json.dumps(plain(value))
