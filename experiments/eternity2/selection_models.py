"""Predictors for `learnt_selection.py`: gains and costs of neighbourhoods, from rows of calls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["DENSITY", "LATE", "Array", "Linear", "Models", "Rows", "chosen_penalties", "fit"]

MISMATCHES, DENSITY = 4, 6
"""Which features are the logarithm of one more than the mismatches, and their share of the joints."""
LATE = 0.15
"""Of the joints mismatched, at most: all but the first descent from a random board."""

_HORIZON = 1.0  # seconds after which a gain that follows counts e times less
_PENALTIES = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
_USUAL = 10.0  # mismatches of a row of weight 1

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear predictor for every operator: weights common to all, and weights of its own on top.

    Attributes
    ----------
    mean, scale
        Of the features.
    shared
        Constant and weights of all operators.
    own
        The same for each operator.
    """

    mean: Array
    scale: Array
    shared: Array
    own: Array

    def of_all(self, features: Array) -> Array:
        """One value for each operator, from one row of features for each."""
        rows = (features - self.mean) / self.scale
        weights = self.shared + self.own
        return np.clip(weights[:, 0] + (weights[:, 1:] * rows).sum(axis=1), -20, 20)

    def of_rows(self, features: Array, operators: NDArray[np.int64]) -> Array:
        """One value for each row, from its operator's weights."""
        rows = (features - self.mean) / self.scale
        weights = (self.shared + self.own)[operators]
        return np.clip(weights[:, 0] + (weights[:, 1:] * rows).sum(axis=1), -20, 20)


def fit(rows: Rows, target: Array, exposure: Array, penalty: float, count: int, *, constant: bool = False) -> Linear:
    """Poisson regression of the logarithm of what is expected per unit of exposure, by Newton's method.

    A row weighs the less the more mismatches there are: the first descent from a random board, where anything gains,
    would else count for more than all the rest.

    Parameters
    ----------
    count
        Of the operators.
    constant
        With nothing but a constant for each operator, for comparison.
    """
    width = rows.features.shape[1]
    mean, scale = rows.features.mean(axis=0), rows.features.std(axis=0)
    scale = np.where(scale > 1e-9, scale, np.inf)
    plain = np.concatenate([np.ones((len(target), 1)), (rows.features - mean) / scale * (not constant)], axis=1)
    design = np.zeros((len(target), (1 + count) * (1 + width)))
    design[:, : 1 + width] = plain
    for operator in range(count):
        chosen = rows.operators == operator
        design[chosen, (1 + operator) * (1 + width) : (2 + operator) * (1 + width)] = plain[chosen]
    ridge = np.full(design.shape[1], penalty)
    ridge[0] = 1e-6
    ridge[1 + width :: 1 + width] = 0.1  # the constants of the operators
    came, exposed = target * rows.weights, exposure * rows.weights
    weights = np.zeros(design.shape[1])
    weights[0] = math.log(came.sum() / exposed.sum())

    def loss(at: Array) -> float:
        line = np.clip(design @ at, -20, 20)
        return float((exposed * np.exp(line) - came * line).sum() + (ridge * at**2).sum() / 2)

    for _ in range(40):
        rate = exposed * np.exp(np.clip(design @ weights, -20, 20))
        slope = design.T @ (rate - came) + ridge * weights
        step = np.linalg.solve((design.T * rate) @ design + np.diag(ridge), slope)
        before, length = loss(weights), 1.0
        while length > 1e-4 and loss(weights - length * step) > before:
            length /= 2
        weights -= length * step
        if before - loss(weights) < 1e-6 * abs(before):
            break
    table = weights.reshape(1 + count, 1 + width)
    return Linear(mean, scale, table[0], table[1:])


@dataclass(frozen=True, slots=True)
class Rows:
    """The calls of some runs, in order.

    Attributes
    ----------
    runs, puzzles, rounds
        Of each call: which run, the seed of its puzzle, 0 for random choices and 1 for learnt ones.
    """

    features: Array
    operators: NDArray[np.int64]
    gains: Array
    costs: Array
    runs: NDArray[np.int64]
    puzzles: NDArray[np.int64]
    rounds: NDArray[np.int64]

    def of(self, chosen: NDArray[np.bool_]) -> Rows:
        """Some of them."""
        return Rows(*(getattr(self, name)[chosen] for name in self.__slots__))

    @property
    def weights(self) -> Array:
        """Of the rows in a regression."""
        return _USUAL / np.maximum(1, np.expm1(self.features[:, MISMATCHES]))

    def ahead(self) -> tuple[Array, NDArray[np.bool_]]:
        """Discounted gain from each call on, and the calls after which a run lasted long enough to tell."""
        came, told = np.zeros(len(self.gains)), np.zeros(len(self.gains), dtype=bool)
        following = left = 0.0
        for at in range(len(self.gains) - 1, -1, -1):
            if at + 1 == len(self.gains) or self.runs[at] != self.runs[at + 1]:
                following = left = 0.0
            following = came[at] = math.exp(-self.costs[at] / _HORIZON) * (self.gains[at] + following)
            left += self.costs[at]
            told[at] = left >= _HORIZON
        return came, told


@dataclass(frozen=True, slots=True)
class Models:
    """The predictors of both learnt schedules."""

    rate: Linear
    ahead: Linear

    @staticmethod
    def of(rows: Rows, penalties: Sequence[float], count: int) -> Models:
        """Fitted to rows, with a penalty for the gains now and one for those ahead."""
        came, told = rows.ahead()
        some = rows.of(told)
        return Models(
            fit(rows, rows.gains, rows.costs, penalties[0], count),
            fit(some, came[told], np.ones(len(some.gains)), penalties[1], count),
        )

    def now(self, features: Array) -> Array:
        """Logarithm of the expected gain per second."""
        return self.rate.of_all(features)

    def later(self, features: Array) -> Array:
        """Logarithm of the expected discounted gain."""
        return self.ahead.of_all(features)


def explained(target: Array, predicted: Array) -> float:
    """Share of the variance."""
    return 1 - float(np.mean((target - predicted) ** 2) / np.mean((target - target.mean()) ** 2))


def deviance(target: Array, predicted: Array, weights: Array) -> float:
    """Of a Poisson model: the likelihood that it lacks."""
    rate = np.maximum(predicted, 1e-9)
    lacking = np.where(target > 0, target * np.log(np.maximum(target, 1e-9) / rate), 0) - target + rate
    return 2 * float((weights * lacking).sum())


def crossed(rows: Rows, target: Array, exposure: Array, penalty: float, count: int, *, constant: bool = False) -> Array:
    """Predictions for every row by models of the other puzzles' rows."""
    predicted = np.zeros(len(target))
    for puzzle in np.unique(rows.puzzles):
        apart = rows.puzzles == puzzle
        model = fit(rows.of(~apart), target[~apart], exposure[~apart], penalty, count, constant=constant)
        line = model.of_rows(rows.features[apart], rows.operators[apart])
        predicted[apart] = exposure[apart] * np.exp(line)
    return predicted


def chosen_penalties(rows: Rows, count: int, *, told: bool = False) -> tuple[float, float]:
    """Those with the least deviance on puzzles kept apart; how much is explained there is printed if asked."""
    came, long_enough = rows.ahead()
    later = rows.of(long_enough)
    best = []
    for name, some, target, exposure in (
        ("now", rows, rows.gains, rows.costs),
        ("ahead", later, came[long_enough], np.ones(len(later.gains))),
    ):
        tried = {penalty: crossed(some, target, exposure, penalty, count) for penalty in _PENALTIES}
        lacking = {penalty: deviance(target, one, some.weights) for penalty, one in tried.items()}
        penalty = min(_PENALTIES, key=lacking.__getitem__)
        best.append(penalty)
        if told:
            late = some.features[:, DENSITY] < LATE
            print(f"{name}: {len(target)} rows, {(some.gains > 0).sum()} with a gain, penalty {penalty:g}")
            for which, chosen in (("all", late | True), ("late", late)):
                part = some.of(chosen)
                constant = crossed(part, target[chosen], exposure[chosen], 1.0, count, constant=True)
                texts = [_told(part, target[chosen], one) for one in (tried[penalty][chosen], constant)]
                print(f"  {which}, {chosen.sum()} rows: {texts[0]} (a constant for each operator: {texts[1]})")
    return best[0], best[1]


def _told(rows: Rows, target: Array, predicted: Array) -> str:
    less = deviance(target, predicted, rows.weights)
    less /= deviance(target, np.full(len(target), target.mean()), rows.weights)
    return f"{explained(target, predicted):.1%} of the variance, {1 - less:.1%} of the deviance"
