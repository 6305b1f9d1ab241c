"""The cheapest party by branch and bound over Lagrangian bounds: the search itself, without operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.branching import BranchOptions, Tree
from matheur.problems.party.operators.lagrangian import Lagrangian, Subproblem
from matheur.problems.party.operators.reduction import undominated

__all__ = ["Found", "SearchOptions", "dual_of", "find"]

Party = NDArray[np.int32]
_MIB = 1 << 20
_roots: WeakKeyDictionary[Instance, tuple[Lagrangian, Subproblem]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Limits and shape of a search.

    Attributes
    ----------
    share
        Values with at least this share of a slot become subproblems of their own; the others stay together.
    enumeration
        Steps of the enumeration near the dual point, which finds parties and finishes small subproblems.
    gap
        Parties are sought first that exceed the bound of the whole puzzle by this part of it, then by twice as much and
        so on: a search without a good upper bound would drown in subproblems.
    memory
        MiB for the open subproblems.
    """

    share: float = option(0.2, above=0, below=1)
    enumeration: int = option(2_000, minimum=1)
    gap: float = option(0.1, above=0)
    memory: int = option(4096, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has shown.

    Attributes
    ----------
    party, price
        The cheapest party met that is cheap enough, or None.
    bound
        No party of the puzzle costs less; None if nothing is proved, or there is no party at all. Where parties below
        a price were sought, it is never more than that price.
    complete
        Whether no cheaper party exists than the one found, or none that is cheap enough.
    facts
        What stands behind that, as plain values.
    """

    party: Party | None
    price: int | None
    bound: int | None
    complete: bool
    facts: Mapping[str, Any]


def find(problem: Any, budget: Budget, below: int | None, options: SearchOptions | None = None) -> Found:
    """The cheapest party, by subproblems that are bounded by the dual of all demands and split by values of traits.

    Parameters
    ----------
    problem
        A `Party`.
    budget
        One work unit is a subproblem bounded; improvements are offered on the way, and the target ends the search.
    below
        Only parties that cost less are sought; None for any.
    options
        The defaults if None.
    """
    chosen = SearchOptions() if options is None else options
    instance: Instance = problem.instance
    budget.spend(work=1)
    candidates = undominated(instance)
    facts: dict[str, Any] = {"backend": "Lagrangian branch and bound"}
    if any(not len(items) for items in candidates):
        return Found(None, None, below, True, {**facts, "statement": "a slot has no candidates"})
    lagrangian, root = dual_of(instance, budget)
    if lagrangian.impossible:
        return Found(None, None, below, True, {**facts, "statement": "a demand cannot be met at all"})
    if root is None:
        return Found(None, None, None, False, facts)

    def evaluate(party: Party) -> int | None:
        evaluation = problem.evaluate(party)
        return int(evaluation.objective) if evaluation.feasible else None

    shape = BranchOptions(share=chosen.share, enumeration=chosen.enumeration)
    most = lagrangian.price_max if below is None else lagrangian.round_down(below - 1)
    gap = max(float(lagrangian.step), chosen.gap * abs(root.bound))
    expanded, least = 0, lagrangian.round_up(root.bound)
    while True:
        tree = Tree(lagrangian, evaluate, min(most, lagrangian.round_down(root.bound + gap)), shape, root)
        _grow(tree, budget, chosen.memory)
        expanded, least = expanded + tree.expanded, max(least, tree.bound)
        if not tree.closed or tree.best is not None or tree.price_max >= most:
            break
        gap *= 2
    facts |= {"subproblems": expanded, "step": lagrangian.step, "tolerance": lagrangian.tolerance(tree.price_max)}
    ceilings = [price for price in (below, tree.price) if price is not None]
    bound = min([least, *ceilings]) if ceilings or not tree.closed else None
    return Found(tree.best, tree.price, bound, tree.closed, facts)


def dual_of(instance: Instance, budget: Budget) -> tuple[Lagrangian, Subproblem | None]:
    """The dual of the puzzle with good multipliers, made once for each instance object; None if the budget ended."""
    known = _roots.get(instance)
    if known is not None:
        return known
    lagrangian = Lagrangian(instance, undominated(instance))
    if lagrangian.impossible:
        return lagrangian, None
    most = lagrangian.price_max
    root = lagrangian.root(interrupt=lambda: budget.exhausted, enough=most + lagrangian.tolerance(most))
    if budget.exhausted:
        return lagrangian, None
    _roots[instance] = lagrangian, root
    return lagrangian, root


def _grow(tree: Tree, budget: Budget, memory: int) -> None:
    known: int | None = None
    while not (tree.closed or budget.exhausted or tree.nbytes >= memory * _MIB):
        tree.expand()
        budget.spend(work=1)
        if tree.price is not None and tree.price != known and tree.best is not None:
            known = tree.price
            budget.offer(tree.best, known)
            if budget.reached(known):
                return
