"""Operator `exact`: branch and bound with colouring bounds, as a construction and as a neighbourhood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.errors import MatheurError
from matheur.methods.clique.exact import ExactSearch
from matheur.methods.clique.sparse_exact import SparseExact
from matheur.methods.clique.sparse_graph import SparseGraph
from matheur.methods.clique.weighted_exact import WeightedExactSearch, best_search
from matheur.problems.max_clique.operators.driving import drive, goal_of, local_search
from matheur.problems.max_clique.operators.on_core import builds_on_core, explores_on_core
from matheur.version import __version__

__all__ = ["BACKEND", "Exact"]

BACKEND = "branch-and-bound"

_FIRST = 100
_SECONDS = 0.03

Clique = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Exact:
    """Bitset branch and bound with colouring bounds and re-colouring: an optimum with its proof, or a bound.

    For graphs with a few hundred vertices, or a thousand if they are less dense, and for sparse graphs with millions of
    edges, which are searched neighbourhood by neighbourhood. Work: branchings (and neighbourhoods), and selections of
    the local search that begins a construction on a dense graph.

    Attributes
    ----------
    selections
        Number of selections of that local search.
    strength
        Strength of the bounds. 0: colouring bounds; 1: with re-colouring; 2: with re-colouring and the infra-chromatic
        bound. If vertices have weights, the only bound is a colouring that distributes the weights among its classes.
    nodes
        Number of branchings per call; None for the whole budget.
    """

    selections: int = option(5_000, minimum=0)
    strength: Literal[0, 1, 2] = 1
    nodes: int | None = option(None, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    @builds_on_core(weights_only=True)
    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Clique]:
        """Run a local search, then branch and bound from its clique.

        Raises
        ------
        MatheurError
            If the graph is too large for bit matrices.
        """
        if isinstance(problem.graph, SparseGraph):
            return self._search(problem, np.zeros(0, dtype=np.int32), budget, known=False)
        start = local_search(problem, rng)
        goal = goal_of(budget, problem)
        left = budget.work_left
        half = self.selections if left is None else min(self.selections, -(-left // 2))
        drive(start, budget, half, goal)
        if budget.exhausted or start.value >= goal:
            return _answer(problem, start.vertices, None, Status.EXHAUSTED, problem.trivial_bound)
        return self._search(problem, start.vertices, budget, known=False)

    @explores_on_core(weights_only=True)
    def explore(self, problem: Any, incumbent: Clique, budget: Budget, rng: Generator) -> Outcome[Clique]:
        """Search for a larger clique than the incumbent, which is optimal if there is none."""
        if budget.exhausted:
            budget.spend(work=1)
            return Outcome(Status.EXHAUSTED)
        try:
            return self._search(problem, incumbent, budget, known=True)
        except MatheurError:  # too large: leave the run to other neighbourhoods
            budget.spend(work=1)
            return Outcome(Status.NO_IMPROVEMENT)

    def _search(self, problem: Any, start: Clique, budget: Budget, *, known: bool) -> Outcome[Clique]:
        search = best_search(problem.graph, problem.weights, start, strength=self.strength)
        goal, chunk, best, booked = goal_of(budget, problem), _FIRST, search.value, 0
        while not search.done and search.value < goal and not budget.exhausted:
            room = budget.affordable(chunk if self.nodes is None else min(chunk, self.nodes - search.nodes))
            if room <= 0:
                break
            began = budget.clock()
            search.advance(room, goal)
            took = budget.clock() - began
            budget.spend(work=search.nodes - booked)
            booked = search.nodes
            if search.value > best:
                best = search.value
                budget.offer(search.vertices, -best)
            chunk = max(10, int(min(4 * chunk, chunk * _SECONDS / max(took, 1e-6))))
        if booked == 0:
            budget.spend(work=1)
        improved = not known or search.value > problem.value(start)
        proved = Status.IMPROVED if improved else Status.LOCAL_OPTIMUM
        status = proved if search.done else Status.EXHAUSTED
        bound = max(-search.bound, int(problem.trivial_bound))
        return _answer(problem, search.vertices if improved else None, search, status, bound)


def _answer(
    problem: Any,
    vertices: Clique | None,
    search: ExactSearch | SparseExact | WeightedExactSearch | None,
    status: Status,
    bound: int,
) -> Outcome[Clique]:
    return Outcome(
        status,
        vertices,
        None if vertices is None else -problem.value(vertices),
        bound=bound,
        certificate={
            "backend": BACKEND,
            "version": __version__,
            "arithmetic": "exact integers",
            "nodes": 0 if search is None else search.nodes,
        },
    )
