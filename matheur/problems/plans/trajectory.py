"""A plan together with the states along it and the cost up to each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of

__all__ = ["Trajectory", "matching_edges"]


def matching_edges(
    domain: Domain, keys: NDArray[np.uint64], moves: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int32]]:
    """Make one move in each of many states, if it is possible there.

    Returns
    -------
    tuple
        The rows of `keys` [n, words] in which the move is possible, the states it leads to, and its costs.
    """
    found = domain.expand(keys)
    fitting = np.flatnonzero(found.moves == moves[found.parents])
    # Successors come in the order of the domain; of equal moves the first counts, as in `apply`.
    rows, first = np.unique(found.parents[fitting], return_index=True)
    chosen = fitting[first]
    return rows, found.keys[chosen], found.costs[chosen]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A plan that is possible from the domain's start.

    Attributes
    ----------
    plan
        int32[n]: the moves.
    states
        uint8[n + 1, size]: the states from the start to the end of the plan.
    keys
        uint64[n + 1, words]: the same states, packed.
    spent
        int64[n + 1]: entry i is the cost of the first i moves.
    """

    domain: Domain
    plan: NDArray[np.int32]
    states: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    spent: NDArray[np.int64]

    @staticmethod
    def of(domain: Domain, plan: Sequence[int] | NDArray[np.int32]) -> Trajectory:
        """Play a plan from the start; raises `IllegalMoveError` if a move is not possible."""
        moves = np.array(plan, dtype=np.int32).ravel()
        states = domain.apply(domain.start, moves)
        keys = domain.packing.pack(states)
        spent = np.arange(len(states), dtype=np.int64)
        if not domain.unit_costs and moves.size:
            spent[1:] = np.cumsum(matching_edges(domain, keys[:-1], moves)[2])
        return Trajectory(domain, moves, states, keys, spent)

    @staticmethod
    def through(problem: Any, solution: NDArray[np.int32]) -> Trajectory:
        """Trajectory of a solution, written in the moves of its problem's domain.

        A problem may accept more moves than its domain has, such as half turns of a cube whose moves are quarter turns.
        Its method `spelt` then rewrites a solution in the domain's moves.
        """
        spelt = getattr(problem, "spelt", None)
        return Trajectory.of(domain_of(problem), solution if spelt is None else spelt(solution))

    def __len__(self) -> int:
        return len(self.plan)

    @property
    def cost(self) -> int:
        """Cost of the whole plan."""
        return int(self.spent[-1])

    def replaced(self, first: int, last: int, part: NDArray[np.int32]) -> Trajectory:
        """The plan with other moves from state `first` to state `last`."""
        return Trajectory.of(self.domain, np.concatenate([self.plan[:first], part, self.plan[last:]]))
