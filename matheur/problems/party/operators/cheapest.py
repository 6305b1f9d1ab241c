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
    """Options of a search.

    Attributes
    ----------
    share
        Minimum share of a slot from which a value becomes a subproblem of its own; the other values stay together.
    enumeration
        Maximum number of steps of the enumeration near the dual point, which finds parties and closes small
        subproblems.
    gap
        Initial relative gap: the search first looks for parties whose price exceeds the bound of the whole puzzle by at
        most this share, then doubles the gap until a party is found. Without a good upper bound, the number of
        subproblems would explode.
    memory
        Memory limit for the open subproblems, in MiB.
    """

    share: float = option(0.2, above=0, below=1)
    enumeration: int = option(2_000, minimum=1)
    gap: float = option(0.1, above=0, maximum=1_000_000)
    memory: int = option(4096, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)


@dataclass(frozen=True, slots=True)
class Found:
    """Result of a search.

    Attributes
    ----------
    party, price
        Cheapest party found below the given price, and its price; None if there is none.
    bound
        Lower bound of the price of any party, at most the given price; None if nothing is proved or no party exists.
    complete
        Whether the search is complete: no party is cheaper than the one found, or none is below the given price.
    facts
        Facts about the proof, as plain values.
    """

    party: Party | None
    price: int | None
    bound: int | None
    complete: bool
    facts: Mapping[str, Any]


def find(problem: Any, budget: Budget, below: int | None, options: SearchOptions | None = None) -> Found:
    """Find the cheapest party by branch and bound, with the dual of all demands as bound and a split by trait values.

    Parameters
    ----------
    problem
        A `Party`.
    budget
        Budget of the search, which receives each improvement; its target ends the search. One work unit is one
        subproblem bounded.
    below
        Upper limit: only cheaper parties are sought; None for no limit.
    options
        Options of the search; the defaults if None.
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
    """Return the dual and its root, computed once per instance object; the root is None if the budget ends first."""
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
