"""Operators `branch-and-bound`: the whole puzzle by Lagrangian bounds, as construction and below an incumbent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError
from matheur.operators.milp import SolverOptions
from matheur.operators.party.branching import BranchOptions, Tree
from matheur.operators.party.explanation import explain
from matheur.operators.party.lagrangian import Lagrangian
from matheur.operators.party.reduction import undominated
from matheur.problems.party.instance import Instance

__all__ = ["BelowIncumbent", "BranchAndBound"]

Party = NDArray[np.int32]
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class BranchAndBound:
    """The cheapest party, or the proof that there is none. Work: subproblems bounded.

    Candidates that others dominate are left out; subproblems are bounded by the Lagrangian dual of all demands, split
    by the values of traits, and searched for parties near the dual point.

    Attributes
    ----------
    share, enumeration
        See `matheur.operators.party.branching.BranchOptions`.
    gap
        Parties are sought first that exceed the bound of the whole puzzle by this part of it, then by twice as much and
        so on: a search without a good upper bound would drown in subproblems.
    memory
        MiB for the open subproblems.
    """

    share: float = 0.2
    enumeration: int = 2_000
    gap: float = 0.1
    memory: int = 4096

    def __post_init__(self) -> None:
        if self.enumeration < 1 or self.memory < 1:
            raise ConfigurationError(f"enumeration and memory must be at least 1 ({self.enumeration}, {self.memory})")
        if not 0 < self.share < 1 or self.gap <= 0:
            raise ConfigurationError(f"0 < share < 1 and 0 < gap must hold ({self.share}, {self.gap})")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Party]:
        """Search among all parties."""
        found = self.search(problem, budget, None)
        if found.status is Status.INFEASIBLE:
            reason = explain(problem, budget, SolverOptions(), rng)
            return Outcome(
                Status.INFEASIBLE, reason=reason, certificate=found.certificate, work=budget.spent_work,
                seconds=budget.elapsed,
            )  # fmt: skip
        return found

    def search(self, problem: Any, budget: Budget, price: int | None) -> Outcome[Party]:
        """Parties cheaper than `price`; INFEASIBLE if it is None and there are none."""
        instance: Instance = problem.instance
        lagrangian = Lagrangian(instance, undominated(instance))
        budget.spend(work=1)
        if lagrangian.impossible or any(not len(items) for items in instance.candidates):
            return Outcome(Status.INFEASIBLE, certificate=_proof(None), work=budget.spent_work, seconds=budget.elapsed)

        def evaluate(party: Party) -> int | None:
            evaluation = problem.evaluate(party)
            return int(evaluation.objective) if evaluation.feasible else None

        most = lagrangian.price_max if price is None else lagrangian.round_down(price - 1)
        root = lagrangian.root(interrupt=lambda: budget.exhausted, enough=most + lagrangian.tolerance(most))
        if budget.exhausted:
            return Outcome(Status.EXHAUSTED, work=budget.spent_work, seconds=budget.elapsed)
        options = BranchOptions(share=self.share, enumeration=self.enumeration)
        gap = max(float(lagrangian.step), self.gap * abs(root.bound))
        expanded = 0
        while True:
            limit = min(most, lagrangian.round_down(root.bound + gap))
            tree = Tree(lagrangian, evaluate, limit, options, root)
            self._grow(tree, budget)
            expanded += tree.expanded
            if not tree.closed or tree.best is not None or limit == most:
                return _outcome(tree, expanded, budget, price)
            gap *= 2

    def _grow(self, tree: Tree, budget: Budget) -> None:
        known: int | None = None
        while not (tree.closed or budget.exhausted or tree.nbytes >= self.memory * _MIB):
            tree.expand()
            budget.spend(work=1)
            if tree.price is not None and tree.price != known and tree.best is not None:
                known = tree.price
                budget.offer(tree.best, known)
                if budget.reached(known):
                    return


def _outcome(tree: Tree, expanded: int, budget: Budget, price: int | None) -> Outcome[Party]:
    """What the last tree says: those before found nothing."""
    spent: dict[str, Any] = {"work": budget.spent_work, "seconds": budget.elapsed}
    proof = _proof(tree, expanded)
    if tree.best is not None and tree.price is not None:
        bound = min(tree.bound, tree.price)
        return Outcome(Status.IMPROVED, tree.best, tree.price, bound=bound, certificate=proof, **spent)
    if tree.closed and price is None:
        return Outcome(Status.INFEASIBLE, certificate=proof, **spent)
    bound = tree.bound if price is None else min(tree.bound, price)
    status = Status.LOCAL_OPTIMUM if tree.closed else Status.EXHAUSTED
    return Outcome(status, bound=bound, certificate=proof, **spent)


@dataclass(frozen=True, slots=True)
class BelowIncumbent(BranchAndBound):
    """The same for parties cheaper than the incumbent: a better one, or the proof that it is the cheapest.

    A call runs until the proof, or its budget's end: `call_seconds` limits it.

    Attributes
    ----------
    share, enumeration, gap, memory
        As for the construction.
    """

    def explore(self, problem: Any, incumbent: Party, budget: Budget, rng: Generator) -> Outcome[Party]:
        """Search below the price of the incumbent."""
        del rng
        return self.search(problem, budget, int(problem.evaluate(incumbent).objective))


def _proof(tree: Tree | None, expanded: int = 0) -> dict[str, Any]:
    """What stands behind bound or infeasibility, as plain values."""
    if tree is None:
        return {"backend": "Lagrangian branch and bound", "statement": "a demand cannot be met at all"}
    return {
        "backend": "Lagrangian branch and bound",
        "subproblems": expanded,
        "step": tree.lagrangian.step,
        "tolerance": tree.lagrangian.tolerance(tree.price_max),
    }
