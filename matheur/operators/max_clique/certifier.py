"""A second proof of a claimed optimum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from matheur import __version__
from matheur.clique.exact import ExactSearch
from matheur.errors import OperatorError, SolverError
from matheur.models.max_clique import build
from matheur.operators.max_clique.branch_and_bound import BACKEND
from matheur.operators.max_clique.milp_full import check_entries
from matheur.operators.milp import nothing_better, other_backend

__all__ = ["CliqueCertifier"]

_NODES = 1_000


@dataclass(frozen=True, slots=True)
class CliqueCertifier:
    """Proves again by another method that no larger clique exists.

    What branch and bound (or a colouring) proved is confirmed by a MILP solver, and what a MILP solver or an external
    program proved by branch and bound.
    """

    def certify(self, problem: Any, objective: int, *, first: str, interrupt: Callable[[], bool]) -> dict[str, Any]:
        """Prove that no clique has more than `-objective` vertices.

        Parameters
        ----------
        first
            The method or backend whose proof is to be confirmed.

        Returns
        -------
        dict
            The second proof as plain values.

        Raises
        ------
        OperatorError
            If the second method finds something better.
        SolverError
            If it could not finish.
        """
        if first in (BACKEND, "colouring", "trivial"):
            return self._by_milp(problem, objective, first, interrupt)
        search = ExactSearch(problem.graph)
        while not search.done:
            if interrupt():
                raise SolverError(f"'{BACKEND}' could not confirm the optimum {objective} (interrupted)")
            search.advance(_NODES)
        if search.size > -objective:
            raise OperatorError(f"'{first}' claims the optimum {objective}, but '{BACKEND}' found {-search.size}")
        facts = {"backend": BACKEND, "version": __version__, "arithmetic": "exact integers", "nodes": search.nodes}
        return {"method": f"{BACKEND}, nothing better exists", **facts}

    def _by_milp(self, problem: Any, objective: int, first: str, interrupt: Callable[[], bool]) -> dict[str, Any]:
        check_entries(problem.graph, "clique-cover")
        backend = other_backend(first)
        built = build(problem.graph)
        facts = nothing_better(
            built.model, backend, first=first, objective=objective, interrupt=interrupt,
            better=lambda values: -len(built.read(values)),
        )  # fmt: skip
        return {"method": "milp-full, formulation clique-cover, nothing better exists", **facts}
