"""Tests of whether differences between variants exceed chance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Comparison", "compare", "holm", "signed_rank"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of two variants on the same pairs; small values are good.

    Attributes
    ----------
    first, second
        Names of the variants.
    pairs, wins, ties, losses
        Number of pairs, and the numbers of pairs where the first is better, equal and worse.
    difference
        Median of first minus second; not finite if it lies between a finite and an infinite value.
    effect
        Matched-pairs rank-biserial correlation, from -1 (the first is always better) to 1.
    p, adjusted
        P-values of the two-sided test, before and after Holm's correction.
    """

    first: str
    second: str
    pairs: int
    wins: int
    ties: int
    losses: int
    difference: float
    effect: float
    p: float
    adjusted: float


def signed_rank(first: NDArray[np.float64], second: NDArray[np.float64]) -> tuple[float, float]:
    """Wilcoxon's signed-rank test: the two-sided p-value and the rank-biserial correlation.

    Pairs without a difference are left out, as Wilcoxon did; if no pair is left, p is 1. Computed with SciPy.
    F. Wilcoxon, Individual comparisons by ranking methods, 1945; D. S. Kerby, The simple difference formula, 2014.
    """
    from scipy import stats

    difference = _differences(first, second)
    difference = difference[difference != 0]
    if len(difference) == 0:
        return 1.0, 0.0
    ranks = stats.rankdata(np.abs(difference))
    effect = float((np.sign(difference) * ranks).sum() / ranks.sum())
    distinct = len(np.unique(np.abs(difference))) == len(difference)
    method = "exact" if distinct and len(difference) <= 50 else "approx"
    correction = method == "approx"
    return float(stats.wilcoxon(difference, method=method, correction=correction).pvalue), effect


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for the number of tests; the order is kept.

    S. Holm, A simple sequentially rejective multiple test procedure, 1979: the k-th smallest of m is multiplied by m -
    k + 1, and no adjusted value is below that of a smaller p-value.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, number in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[number]))
        adjusted[number] = largest
    return adjusted


def compare(values: Mapping[str, Mapping[object, float]]) -> list[Comparison]:
    """Test all pairs of variants, with a correction for multiple tests.

    Parameters
    ----------
    values
        Variant -> paired item (such as an instance) -> value, minimised. Two variants are compared on their common
        items; infinite values rank behind all others.
    """
    found = []
    for first, second in combinations(values, 2):
        keys = [key for key in values[first] if key in values[second]]
        if not keys:
            continue
        a, b = (_finite(values[name], keys, values) for name in (first, second))
        p, effect = signed_rank(a, b)
        difference = _differences(a, b)
        better, worse = int((difference < 0).sum()), int((difference > 0).sum())
        median = _median(values[first], values[second], keys)
        found.append(
            Comparison(first, second, len(keys), better, len(keys) - better - worse, worse, median, effect, p, math.nan)
        )
    adjusted = holm([one.p for one in found])
    return [replace(one, adjusted=value) for one, value in zip(found, adjusted, strict=True)]


def _differences(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """First minus second; 0 where the two differ only by rounding."""
    found: NDArray[np.float64] = np.round(np.asarray(first, dtype=float) - np.asarray(second, dtype=float), 12)
    return found


def _median(first: Mapping[object, float], second: Mapping[object, float], keys: Sequence[object]) -> float:
    """Median difference; two infinite values are equal."""
    pairs = [(first[key], second[key]) for key in keys]
    with np.errstate(invalid="ignore"):  # the median of opposite infinities is not a number
        return float(np.median(_differences(*np.array([(0, 0) if a == b else (a, b) for a, b in pairs], float).T)))


def _finite(
    of: Mapping[object, float], keys: Sequence[object], values: Mapping[str, Mapping[object, float]]
) -> NDArray[np.float64]:
    """Values in the order of the keys, with infinite values replaced by one that is worse than all others."""
    largest = max((abs(x) for one in values.values() for x in one.values() if math.isfinite(x)), default=0.0)
    found = np.array([of[key] for key in keys], dtype=float)
    return np.where(np.isfinite(found), found, 2 * largest + 1)
