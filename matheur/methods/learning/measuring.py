"""Quality of a network: how it ranks states with known distances, and how many states greedy search solves with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.domain import Domain

__all__ = ["Errors", "Evaluate", "greedy_solved", "rank_correlation"]

Evaluate = Callable[[NDArray[np.uint8]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of estimates of exact distances.

    Attributes
    ----------
    states
        Number of states that were compared.
    absolute, square
        Mean absolute error, and the root of the mean square.
    bias
        Mean of estimate minus distance.
    over
        Share of estimates that, rounded to whole numbers, exceed the distance.
    correlation
        Rank correlation of estimates and distances.
    """

    states: int
    absolute: float
    square: float
    bias: float
    over: float
    correlation: float

    @classmethod
    def of(cls, estimates: NDArray[np.floating], distances: NDArray[np.integer]) -> Errors:
        """Compare the estimates and distances of at least one state."""
        found = np.asarray(estimates, dtype=np.float64)
        errors = found - distances
        return cls(
            len(errors),
            float(np.abs(errors).mean()),
            float(np.sqrt((errors**2).mean())),
            float(errors.mean()),
            float((np.rint(found) > distances).mean()),
            rank_correlation(found, distances),
        )

    @staticmethod
    def by_distance(estimates: NDArray[np.floating], distances: NDArray[np.integer]) -> dict[int, dict[str, Any]]:
        """For each distance: number of states, mean of estimate minus distance, root of the mean square."""
        errors = np.asarray(estimates, dtype=np.float64) - distances
        return {
            int(distance): {
                "states": int((distances == distance).sum()),
                "bias": float(errors[distances == distance].mean()),
                "square": float(np.sqrt((errors[distances == distance] ** 2).mean())),
            }
            for distance in np.unique(distances)
        }


def rank_correlation(values: NDArray[np.floating], distances: NDArray[np.integer]) -> float:
    """Spearman's coefficient, with average ranks for ties; 0 if one of the two is constant."""
    from scipy.stats import rankdata

    one, other = rankdata(values), rankdata(distances)
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])


def greedy_solved(
    domain: Domain, keys: NDArray[np.uint64], evaluate: Evaluate, steps: int, *, policy: bool = False
) -> float:
    """Share of states [n, words] from which the goal is reached by always taking the best move, within this many steps.

    The best move has the least cost plus estimate, or is the most likely one if the network is a policy.
    """
    waiting = np.asarray(keys)[~domain.is_goal(keys)]
    solved = len(keys) - len(waiting)
    for _ in range(steps):
        if not len(waiting):
            break
        successors = domain.expand(waiting)
        if policy:
            chances = evaluate(domain.packing.unpack(waiting))
            values = -chances[successors.parents, successors.moves]
        else:
            values = successors.costs + evaluate(domain.packing.unpack(successors.keys))[:, 0]
            values[domain.is_goal(successors.keys)] = -np.inf
        order = np.lexsort((values, successors.parents))
        first = np.unique(successors.parents[order], return_index=True)[1]  # none for a dead end
        waiting = successors.keys[order[first]]
        done = domain.is_goal(waiting)
        solved += int(done.sum())
        waiting = waiting[~done]
    return solved / len(keys) if len(keys) else 1.0
