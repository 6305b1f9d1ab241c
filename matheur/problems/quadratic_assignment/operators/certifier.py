"""A second proof of a claimed optimum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, permutations
from typing import Any, ClassVar

import numpy as np

from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError, OperatorError, SolverError
from matheur.problems.quadratic_assignment.operators.branch_and_bound import BACKEND, facts_of, tree_chunk
from matheur.problems.quadratic_assignment.operators.region_methods import by_enumeration
from matheur.problems.quadratic_assignment.operators.tree import ROOM, SIZE_MAX, Tree, magnitude
from matheur.problems.quadratic_assignment.restriction import Restriction, restrict
from matheur.version import __version__

__all__ = ["ExactCertifier"]

_ENUMERATION = "enumeration"
_ALL_MAX = 9  # facilities up to which all permutations of the general form are tried
_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class ExactCertifier:
    """Searches by a second exact method, in exact integers, for a solution better than the claimed optimum.

    Branch and bound with dual ascent confirms the proof of a MILP solver; enumeration with the bound of Gilmore and
    Lawler, which shares no code with it, confirms a proof by branch and bound. In the general form all permutations of
    up to 9 facilities are tried.

    Attributes
    ----------
    enumeration_max
        Largest number of facilities for which the enumeration is tried: nug15 takes about 5 seconds, and each
        additional facility multiplies the time by about ten.
    """

    bounds_are_computed: ClassVar[bool] = True  # the Gilmore-Lawler bound: it needs a proof like any other
    enumeration_max: int = 18

    def certify(
        self, problem: Any, objective: int | None, *, first: str, interrupt: Callable[[], bool]
    ) -> dict[str, Any]:
        """Prove that no permutation costs less than `objective`.

        Parameters
        ----------
        first
            The search (or MILP backend) whose proof is to be confirmed.

        Returns
        -------
        dict
            The second proof as plain values.

        Raises
        ------
        OperatorError
            If the second search finds something better.
        ConfigurationError
            If the general form has too many facilities.
        SolverError
            If the second search could not finish, or the instance is too large for it.
        """
        if objective is None:
            raise OperatorError(f"'{first}' claims that there is no solution, but every permutation is one")
        one = restrict(problem.instance, np.full(problem.instance.n, -1))
        search = self._branch_and_bound
        if first == BACKEND:
            search = self._enumerate if one.pairs is None else self._try_all
        found, facts = search(one, objective, interrupt)
        if found is not None:
            raise OperatorError(f"'{first}' claims the optimum {objective}, but '{facts['backend']}' found {found}")
        return {"method": f"{facts['backend']}, nothing better exists", **facts}

    def _branch_and_bound(
        self, one: Restriction, objective: int, interrupt: Callable[[], bool]
    ) -> tuple[int | None, dict[str, Any]]:
        size = len(one.facilities)
        if size > SIZE_MAX or magnitude(one) >= ROOM:
            raise SolverError(f"'{BACKEND}' cannot confirm an optimum of {size} facilities and numbers of this size")
        tree = Tree(one, objective)
        while not tree.done and tree.best is None:
            if interrupt():
                raise SolverError(f"'{BACKEND}' could not confirm the optimum {objective} (interrupted)")
            tree.search(tree_chunk(size))
        return None if tree.best is None else one.cost(tree.best), facts_of(tree)

    def _enumerate(
        self, one: Restriction, objective: int, interrupt: Callable[[], bool]
    ) -> tuple[int | None, dict[str, Any]]:
        size = len(one.facilities)
        if size > self.enumeration_max:
            raise SolverError(
                f"'{_ENUMERATION}' confirms optima of up to {self.enumeration_max} facilities, not of {size}"
            )
        budget = Budget(interrupt=interrupt)
        found = by_enumeration(one, objective, budget, None)
        if found.order is None and not found.proved:
            raise SolverError(f"'{_ENUMERATION}' could not confirm the optimum {objective} (interrupted)")
        facts = {
            "backend": _ENUMERATION,
            "version": __version__,
            "arithmetic": "exact integers",
            "nodes": 1000 * budget.spent_work,
        }
        return None if found.order is None else one.cost(found.order), facts

    def _try_all(
        self, one: Restriction, objective: int, interrupt: Callable[[], bool]
    ) -> tuple[int | None, dict[str, Any]]:
        size = len(one.facilities)
        if size > _ALL_MAX:
            raise ConfigurationError(
                f"a second proof of the general form takes up to {_ALL_MAX} free facilities, not {size}"
            )
        assert one.pairs is not None
        rows, least, tried = np.arange(size), None, 0
        orders = permutations(range(size))
        while chunk := list(islice(orders, _AT_ONCE)):
            if interrupt():
                raise SolverError(f"'{_ENUMERATION}' could not confirm the optimum {objective} (interrupted)")
            q = np.array(chunk)
            costs = one.linear[rows, q].sum(axis=1)
            costs += one.pairs[rows[:, None], q[:, :, None], rows, q[:, None, :]].sum(axis=(1, 2))
            least = int(costs.min()) if least is None else min(least, int(costs.min()))
            tried += len(chunk)
        facts = {
            "backend": _ENUMERATION, "version": __version__, "arithmetic": "exact integers", "permutations": tried,
        }  # fmt: skip
        best = one.constant + (0 if least is None else least)
        return (best if best < objective else None), facts
