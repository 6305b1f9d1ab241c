"""Neighbourhood `swap`: two slots exchange their items, or one takes over from the other, and an item is replaced."""

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
from matheur.problems.party.operators.descending import JUDGED, descend
from matheur.problems.party.operators.move_state import Puzzle, State
from matheur.problems.party.operators.moving import effort

__all__ = ["Swap"]


@dataclass(frozen=True, slots=True)
class Swap:
    """Descent over all rearrangements of two slots together with one replacement.

    An exchange alone never changes the price: it can only make room for a cheaper item. So there are two kinds of move:

    - two slots exchange their items, and the item of a third slot is replaced;
    - the item of a slot moves to another slot, the item there is dropped, and a new item fills the first slot (an
      exchange of the two slots and a replacement in one of them, but the dropped item need not fit).

    Work: pairs of slots tried with one of these moves, each with all replacements.
    """

    def explore(
        self, problem: Any, incumbent: NDArray[np.int32], budget: Budget, rng: Generator
    ) -> Outcome[NDArray[np.int32]]:
        """Descend to a local optimum, proved by a full scan; by exchanges only if the objective is not a sum."""
        if not problem.instance.additive:
            return climb(problem, incumbent, budget, rng, "exchanges")
        return descend(problem, incumbent, budget, rng, "pairs", _swap)


def _swap(
    order: NDArray[np.int64], first: int, idle: int, limit: int, state: State, puzzle: Puzzle
) -> tuple[int, int, int]:
    judged = max(1, JUDGED // effort(puzzle))
    found: tuple[int, int, int] = kernels.swap_descend(order, first, idle, limit, judged, state, puzzle)
    return found
