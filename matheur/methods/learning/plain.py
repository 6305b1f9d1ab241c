"""Networks in the form used for inference: only weights and biases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.heuristics import INFINITE

__all__ = ["EPSILON", "estimate_limits", "folded"]

EPSILON = 1e-5
"""Added to the variance in a batch normalisation."""


_LARGEST = 1 << 20
_BELOW_INFINITE = INFINITE - 64  # the next number in single precision


def estimate_limits(scale: int) -> tuple[int, int]:
    """Least and largest estimate of a state that is not a goal; the least is 1 for whole numbers, else 0."""
    return int(scale == 1), min(_LARGEST * scale, _BELOW_INFINITE)


def folded(arrays: Mapping[str, Any]) -> dict[str, NDArray[np.float32]]:
    """The same function without batch normalisation, which is folded into the weights and biases."""
    plain: dict[str, NDArray[np.float32]] = {}
    for name, array in arrays.items():
        layer, _, part = name.rpartition(".")
        if part not in ("weight", "bias"):
            continue
        value = np.asarray(array)
        if f"{layer}.scale" in arrays:
            factor = np.asarray(arrays[f"{layer}.scale"]) / np.sqrt(np.asarray(arrays[f"{layer}.variance"]) + EPSILON)
            value = value * factor
            if part == "bias":
                value = value + np.asarray(arrays[f"{layer}.shift"]) - np.asarray(arrays[f"{layer}.mean"]) * factor
        plain[name] = value.astype(np.float32)
    return plain
