"""Border optimisation [BO]: the best ring of border pieces around the fixed inside."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.engine.proofs import proof_key
from matheur.methods.milp import SolverOptions, solve_model
from matheur.problems.edge_matching.instance import EMPTY, Board
from matheur.problems.edge_matching.operators.proof_windows import window_key
from matheur.solvers.proving import is_proof

__all__ = ["Border"]


@dataclass(frozen=True, slots=True)
class Border:
    """Lay the border pieces again, all inner ones fixed, by a MILP (Salassa et al. 2017, section 3.3).

    A border that is proved optimal is not solved again until the inside changes.

    Attributes
    ----------
    formulation
        Formulation of the MILP: `match` or `gap`.
    seconds, nodes
        Limits of the solve; the time limit applies to timed runs only.
    solver
        The MILP backend.
    """

    formulation: Literal["match", "gap"] = "match"
    seconds: float | None = option(30.0, minimum=0)
    nodes: int | None = option(None, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def explore(self, problem: Any, incumbent: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Look for a strictly better border. Work: branch-and-bound nodes."""
        from matheur.models.edge_matching import border  # imported here: Pyomo loads slowly

        instance = problem.instance
        cells = border.ring(instance)
        key = proof_key("border", window_key(instance, incumbent, cells))
        if key in budget.proofs:
            return Outcome(Status.LOCAL_OPTIMUM)
        with budget.watched():
            built = border.build(instance, incumbent, self.formulation)
        before = problem.evaluate(incumbent).objective
        cutoff = None if (incumbent[cells] == EMPTY).any() else float(before - built.constant)
        answer = solve_model(
            built.model, self.solver, budget, rng, seconds=self.seconds, nodes=self.nodes, cutoff=cutoff
        )
        better = answer.has_solution
        board = built.read(answer.values) if better else np.array(incumbent)
        after = problem.evaluate(board).objective if better else before
        proved = is_proof(answer)
        if proved:
            budget.proofs.remember(proof_key("border", window_key(instance, board, cells)))
        if after < before:
            return Outcome(Status.LOCAL_OPTIMUM if proved else Status.IMPROVED, board, after)
        return Outcome(Status.LOCAL_OPTIMUM if proved else Status.EXHAUSTED)
