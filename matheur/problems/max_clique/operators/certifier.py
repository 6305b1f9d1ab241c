"""A second proof of a claimed optimum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from matheur.errors import OperatorError, SolverError
from matheur.methods.clique.exact import ExactSearch
from matheur.methods.clique.graph import Graph, colour_classes
from matheur.methods.milp import nothing_better, other_backend
from matheur.models.max_clique import build
from matheur.problems.max_clique.operators.branch_and_bound import BACKEND
from matheur.problems.max_clique.operators.milp_full import check_entries
from matheur.version import __version__

__all__ = ["CliqueCertifier"]

_NODES = 1_000
_SEARCHES = (BACKEND, "exact", "portfolio", "colouring", "trivial")  # also as the command `clique` names them
_COLOURED_MAX = 5_000  # vertices of a graph that is coloured for a proof


@dataclass(frozen=True, slots=True)
class CliqueCertifier:
    """Proves again by another method that no larger clique exists.

    What branch and bound (or a colouring) proved is confirmed by a MILP solver, and what a MILP solver or an external
    program proved by branch and bound. Where a colouring has no more classes, a check of the colouring is enough.
    """

    bounds_are_computed: ClassVar[bool] = True  # by a colouring, which is checked here

    def certify(
        self, problem: Any, objective: int | None, *, first: str, interrupt: Callable[[], bool]
    ) -> dict[str, Any]:
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
        if objective is None:
            raise OperatorError(f"'{first}' claims that there is no solution, but the empty set is a clique")
        label = colour_classes(problem.graph) if problem.graph.n <= _COLOURED_MAX else None
        if label is not None and label.max(initial=-1) < -objective and _is_colouring(problem.graph, label):
            return {"method": "colouring, checked pair by pair", "classes": int(label.max(initial=-1)) + 1}
        if first in _SEARCHES:
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
            read=lambda values: problem.evaluate(built.read(values)),
        )  # fmt: skip
        return {"method": "milp-full, formulation clique-cover, nothing better exists", **facts}


def _is_colouring(graph: Graph, label: NDArray[np.int32]) -> bool:
    """Whether every vertex has a class, and none is joined to another one of its class."""
    if len(label) != graph.n or label.min(initial=0) < 0:
        return False
    sizes = np.bincount(label, minlength=1)
    apart = ((label[graph.non_neighbours(vertex)] == label[vertex]).sum() for vertex in range(graph.n))
    return all(count == sizes[label[vertex]] - 1 for vertex, count in enumerate(apart))
