"""What a network needs at work: weights and biases alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["EPSILON", "folded"]

EPSILON = 1e-5
"""Added to the variance in a batch normalisation."""


def folded(arrays: Mapping[str, Any]) -> dict[str, NDArray[np.float32]]:
    """The same function without normalisation: its averages go into weights and biases."""
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
