"""Construction `portfolio`: annealing, and where it finds nothing the MILP, which knows why."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome
from matheur.errors import ConfigurationError
from matheur.operators.milp import SolverOptions
from matheur.operators.party.annealing import Annealing
from matheur.operators.party.milp_full import MilpFull

__all__ = ["Portfolio"]


@dataclass(frozen=True, slots=True)
class Portfolio:
    """Simulated annealing for a share of the time; then, if there is no party yet, the MILP.

    The latter finds one or proves that there is none, with the demands that contradict each other. Work: that of both.

    Attributes
    ----------
    steps, patience
        Of the annealing.
    share
        Part of the time that is left, after which the annealing ends.
    solver
        The MILP backend.
    """

    steps: int = 60_000
    patience: int = 3
    share: float = 0.1
    solver: SolverOptions = field(default_factory=SolverOptions)

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ConfigurationError(f"share must be more than 0 and at most 1 ({self.share})")
        self._annealing()

    def _annealing(self) -> Annealing:
        return Annealing(steps=self.steps, patience=self.patience)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """One after the other."""
        # On a machine's first run this compiles the kernels, which is not to take up the annealing's share.
        self._annealing().build(problem, Budget(work=2, interrupt=budget.interrupt), np.random.default_rng(0))
        seconds = self.share * budget.seconds_left if budget.timed else None
        work = None if budget.work_left is None else max(1, budget.work_left // 2)
        first = self._annealing().build(problem, budget.child(seconds=seconds, work=work), rng)
        if first.solution is not None or first.reason is not None or budget.exhausted:
            return replace(first, work=budget.spent_work, seconds=budget.elapsed)
        second = MilpFull(solver=self.solver).build(problem, budget, rng)
        return replace(second, work=budget.spent_work, seconds=budget.elapsed)
