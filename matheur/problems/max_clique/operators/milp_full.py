"""Construction `milp-full`: the whole graph as one MILP."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError
from matheur.methods.clique.sparse_graph import AnyGraph
from matheur.methods.milp import SolverOptions, certificate_of, solve_model
from matheur.models.max_clique import build
from matheur.problems.max_clique.operators.driving import drive, goal_of, local_search
from matheur.problems.max_clique.operators.on_core import builds_on_core
from matheur.solvers import MilpStatus
from matheur.solvers.proving import proved_bound

__all__ = ["MilpFull", "check_entries", "check_pairs", "check_weights"]

_PAIRS_MAX = 400_000
_WEIGHT_MAX = 1_000_000_000  # largest total weight, in scaled units


def check_entries(graph: AnyGraph, formulation: str) -> None:
    """Reject graphs whose model would be unreasonably large.

    Raises
    ------
    ConfigurationError
        If the graph has too many pairs of non-adjacent vertices.
    """
    check_pairs(graph.n * (graph.n - 1) // 2 - graph.edges, formulation)


def check_pairs(pairs: int, formulation: str) -> None:
    """Like `check_entries`, for a given number of non-adjacent pairs."""
    if pairs > _PAIRS_MAX:
        raise ConfigurationError(
            f"the model '{formulation}' of {pairs:,} pairs that are not joined is too large. Maybe 'portfolio'?"
        )


def check_weights(problem: Any) -> None:
    """Reject weights that a solver cannot distinguish in floating-point arithmetic.

    Raises
    ------
    ConfigurationError
        If the sum of the weights is too large.
    """
    if problem.value_max > _WEIGHT_MAX:
        raise ConfigurationError(
            f"weights of {problem.value_max:,} in all are too large for a MILP solver, which may take {_WEIGHT_MAX:,}. "
            "Maybe 'portfolio'?"
        )


@dataclass(frozen=True, slots=True)
class MilpFull:
    """A binary variable per vertex, solved to the end or to the limit; for small or very dense graphs.

    Work: selections of the initial local search, and nodes of the solver.

    Attributes
    ----------
    formulation
        MILP formulation. `clique-cover`: rows are sets of pairwise non-adjacent vertices; `edge`: one row per pair of
        non-adjacent vertices.
    selections
        Number of selections of the initial local search.
    nodes
        Limit on branch-and-bound nodes.
    solver
        The MILP backend.
    """

    formulation: Literal["clique-cover", "edge"] = "clique-cover"
    selections: int = option(20_000, minimum=0)
    nodes: int | None = option(None, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    @builds_on_core
    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Build and solve the model.

        Raises
        ------
        ConfigurationError
            If the model would be too large.
        """
        graph = problem.graph
        check_entries(graph, self.formulation)
        check_weights(problem)
        start = local_search(problem, rng)
        drive(start, budget, budget.affordable(self.selections), goal_of(budget, problem))
        best, bound, facts, finished = start.vertices, int(problem.trivial_bound), None, False
        built = None
        reached = -problem.value(best)
        if not (budget.exhausted or budget.reached(reached) or reached <= bound):
            with suppress(OutOfBudgetError), budget.watched():
                built = build(graph, self.formulation, weights=problem.weights)
        if built is not None:
            built.begin_at(best)
            answer = solve_model(built.model, self.solver, budget, rng, nodes=self.nodes, warm_start=True)
            if answer.has_solution:
                found = built.read(answer.values)
                best = found if problem.value(found) > problem.value(best) else best
            solved = proved_bound(answer)
            if solved is not None and (solved := max(-problem.value_max, solved)) > bound:
                bound, facts = solved, {**certificate_of(answer), "formulation": self.formulation}
            finished = answer.status is MilpStatus.OPTIMAL
        return Outcome(
            Status.IMPROVED if finished or not budget.exhausted else Status.EXHAUSTED,
            best,
            -problem.value(best),
            bound=bound,
            certificate=facts,
        )
