"""Construction `random`: a random permutation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status

__all__ = ["RandomPermutation"]


@dataclass(frozen=True, slots=True)
class RandomPermutation:
    """Every facility on a random location, all permutations equally likely. Work: 1."""

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Draw one."""
        places = rng.permutation(problem.instance.n).astype(np.int32)
        budget.spend(work=1)
        objective = int(problem.evaluate(places).objective)
        return Outcome(Status.IMPROVED, places, objective)
