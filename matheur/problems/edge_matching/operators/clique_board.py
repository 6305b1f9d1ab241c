"""The whole board as a maximum clique."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.clique.local_search import search
from matheur.methods.milp import SolverOptions, solve_model
from matheur.problems.edge_matching import clique_graph as placements
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.problems.edge_matching.operators.board_tools import count_mismatches
from matheur.problems.edge_matching.operators.completion import complete, filling_model

__all__ = ["CliqueBoard"]


@dataclass(frozen=True, slots=True)
class CliqueBoard:
    """Salassa et al. 2017, section 2.2: a clique of placements without conflict, then its holes filled by a MILP.

    Attributes
    ----------
    selections
        Maximum number of selections of the clique search (q in the paper).
    delta, rule
        Strength of a perturbation and choice among candidates; see `matheur.methods.clique.local_search`.
    holes
        Maximum number of holes that a MILP fills; more holes are filled by an assignment.
    seconds, nodes
        Limits of that MILP; the time limit applies to timed runs only.
    solver
        The MILP backend.
    """

    selections: int = option(10_000_000, minimum=0)
    delta: int = 4
    rule: Literal["random", "degree", "penalty", "phased"] = "degree"
    holes: int = 24
    seconds: float | None = option(30.0, minimum=0)
    nodes: int | None = option(None, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Search and complete; in a timed run, offer completions of larger cliques. Work: selections divided by 100."""
        instance: Instance = problem.instance
        empty = np.full(instance.cells, EMPTY, dtype=np.int32)
        try:
            with budget.watched():
                graph = placements.build(instance, hints=instance.hints)
        except OutOfBudgetError:
            return self._without_clique(problem, empty, budget, rng)
        best = instance.joints + 1

        def report(vertices: np.ndarray[Any, np.dtype[np.int32]]) -> None:
            nonlocal best
            board = complete(instance, placements.to_board(graph, vertices, empty), rng)
            objective = count_mismatches(instance, board)
            if objective < best and problem.evaluate(board).feasible:
                best = objective
                budget.offer(board, objective)

        found = search(
            graph.graph,
            rng,
            max_selections=max(1, budget.affordable(self.selections, per_work=100)),
            seconds=budget.seconds_left if budget.timed else None,
            target=instance.cells,
            delta=self.delta,
            rule=self.rule,
            stop=budget.interrupt,
            on_improvement=report if budget.timed else None,
        )
        budget.spend(work=1 + found.selections // 100)
        partial = placements.to_board(graph, found.vertices, empty)
        holes = np.flatnonzero(partial == EMPTY)
        board = complete(instance, partial, rng)
        if 0 < holes.size <= self.holes and not budget.exhausted:
            if problem.evaluate(board).feasible:  # the result if building the model takes too long
                budget.offer(board, count_mismatches(instance, board))
            built = filling_model(instance, partial, holes, "match", budget)
            answer = solve_model(built.model, self.solver, budget, rng, seconds=self.seconds, nodes=self.nodes)
            if answer.has_solution:
                filled = built.read(answer.values)
                board = min(board, filled, key=lambda one: count_mismatches(instance, one))
        return Outcome(Status.IMPROVED, board, count_mismatches(instance, board))

    def _without_clique(self, problem: Any, empty: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        """The board of one assignment: every cell is a hole."""
        budget.spend(work=1)
        board = complete(problem.instance, empty, rng)
        valid = bool(problem.evaluate(board).feasible)
        return Outcome(
            Status.EXHAUSTED,
            board if valid else None,
            count_mismatches(problem.instance, board) if valid else None,
        )
