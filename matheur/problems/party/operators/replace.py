"""Neighbourhood `replace`: another item in one slot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome
from matheur.problems.party.operators import move_kernels as kernels
from matheur.problems.party.operators.climbing import climb
from matheur.problems.party.operators.descending import descend
from matheur.problems.party.operators.move_state import Puzzle, State

__all__ = ["Replace"]


@dataclass(frozen=True, slots=True)
class Replace:
    """Descent: slot by slot the cheapest item with which all demands hold, until no single replacement is cheaper.

    Work: slots examined, each with all its candidates.
    """

    def explore(
        self, problem: Any, incumbent: NDArray[np.int32], budget: Budget, rng: Generator
    ) -> Outcome[NDArray[np.int32]]:
        """Descend to a local optimum, proved by a full scan; climb to one if the objective is not a sum."""
        if not problem.instance.additive:
            return climb(problem, incumbent, budget, rng, "replacements")
        return descend(problem, incumbent, budget, rng, "slots", _replace)


def _replace(
    order: NDArray[np.int64], first: int, idle: int, limit: int, state: State, puzzle: Puzzle
) -> tuple[int, int, int]:
    found: tuple[int, int, int] = kernels.descend(order, first, idle, limit, kernels.NONE, state, puzzle)
    return found
