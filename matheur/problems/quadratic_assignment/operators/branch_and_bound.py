"""Operator `branch-and-bound`: the optimum with its proof, or a bound; as a construction and as a neighbourhood."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.operators.exchange_state import objective
from matheur.problems.quadratic_assignment.operators.starting import best_local_optimum
from matheur.problems.quadratic_assignment.operators.tree import ROOM, SIZE_MAX, Tree, magnitude
from matheur.problems.quadratic_assignment.restriction import Restriction, restrict
from matheur.version import __version__

__all__ = ["BACKEND", "BranchAndBound", "facts_of", "takes", "tree_chunk"]

BACKEND = "branch-and-bound"
ASSIGNMENTS_PER_WORK = 100


@dataclass(frozen=True, slots=True)
class BranchAndBound:
    """Branch and bound with the dual ascent of Hahn and Grant (1998) at every node, in exact integers.

    Symmetric parts of the tree are searched only once. The root bound, which is computed first, is near the bound of
    the linear relaxation of Adams and Johnson. For up to 45 facilities; up to about 15 (25 for structured instances)
    the proof takes seconds or minutes.

    Attributes
    ----------
    starts
        Number of local optima of `swap` from random permutations; a construction starts from the best of them.
    rounds, root_rounds
        Largest number of rounds of the dual ascent at a node and at the root.
    effort
        Limit of linear assignments per call, in thousands; None for no limit.
    """

    starts: int = option(50, minimum=1)
    rounds: int = option(8, minimum=1)
    root_rounds: int = option(100, minimum=1)
    effort: int | None = option(None, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Search from the best of several local optima. Work: their moves, and linear assignments / 100.

        Raises
        ------
        ConfigurationError
            If the instance is too large.
        """
        one = _whole(problem.instance)
        why = _refusal(one)
        if why is not None:
            raise ConfigurationError(f"'{BACKEND}' {why}. Maybe 'genetic'?")
        start, value = best_local_optimum(problem, self.starts, budget, rng)
        outcome = self._search(one, value, budget)
        if outcome.solution is None:
            status = Status.EXHAUSTED if outcome.status is Status.EXHAUSTED else Status.IMPROVED
            return replace(outcome, status=status, solution=start, objective=value)
        return outcome

    def explore(
        self, problem: Any, incumbent: NDArray[np.int32], budget: Budget, rng: Generator
    ) -> Outcome[NDArray[np.int32]]:
        """Search for a solution better than the incumbent, which is optimal if there is none. Work: as in `build`."""
        one = _whole(problem.instance)
        if _refusal(one) is not None:
            budget.spend(work=1)
            return Outcome(Status.NO_IMPROVEMENT)
        return self._search(one, objective(problem.instance, incumbent), budget)

    def _search(self, one: Restriction, upper: int, budget: Budget) -> Outcome[NDArray[np.int32]]:
        """The best permutation below `upper`; LOCAL_OPTIMUM if the search finished and found none."""
        tree = Tree(one, upper, rounds=self.rounds, root_rounds=self.root_rounds, thorough=True)
        chunk, booked, value = tree_chunk(len(one.facilities)), 0, upper
        limit = None if self.effort is None else 1000 * self.effort
        while not (tree.done or budget.exhausted or budget.reached(value) or (limit and tree.work >= limit)):
            tree.search(budget.affordable(chunk, ASSIGNMENTS_PER_WORK))
            order = tree.best
            if order is not None and one.cost(order) < value:
                value = one.cost(order)
                budget.offer(one.complete(order), value)
            budget.spend(work=tree.work // ASSIGNMENTS_PER_WORK - booked)
            booked = tree.work // ASSIGNMENTS_PER_WORK
        if booked == 0:
            budget.spend(work=1)
        order = tree.best
        status = Status.LOCAL_OPTIMUM if order is None else Status.IMPROVED
        if not tree.done:
            status = Status.EXHAUSTED
        return Outcome(
            status,
            None if order is None else one.complete(order),
            None if order is None else value,
            bound=min(value, tree.bound),
            certificate=facts_of(tree),
        )


def facts_of(tree: Tree) -> dict[str, Any]:
    """Facts about a proof by the search, as plain values."""
    return {
        "backend": BACKEND,
        "version": __version__,
        "arithmetic": "exact integers",
        "nodes": tree.nodes,
        "linear_assignments": tree.work,
    }


def tree_chunk(size: int) -> int:
    """Linear assignments between two checks of the budget: about 10 ms, but at least one round of the dual ascent."""
    return max(1, 8_000_000 // size**3)


def takes(instance: Instance) -> bool:
    """Whether the search accepts an instance, judged by its size and the magnitude of its numbers."""
    return _refusal(_whole(instance)) is None


def _whole(instance: Instance) -> Restriction:
    return restrict(instance, np.full(instance.n, -1))


def _refusal(one: Restriction) -> str | None:
    """Reason why the search refuses an instance, or None."""
    size = len(one.facilities)
    if size > SIZE_MAX:
        return f"takes up to {SIZE_MAX} facilities, not {size}"
    return "takes no costs as large as these" if magnitude(one) >= ROOM else None
