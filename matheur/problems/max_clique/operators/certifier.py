"""A second proof of a claimed optimum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, OperatorError, SolverError
from matheur.methods.clique.graph import colour_classes
from matheur.methods.clique.reduction import weighted_reduced
from matheur.methods.clique.sparse_graph import AnyGraph, SparseGraph
from matheur.methods.clique.weighted_exact import best_search
from matheur.methods.milp import nothing_better, other_backend
from matheur.models.max_clique import build
from matheur.problems.max_clique.operators.branch_and_bound import BACKEND
from matheur.problems.max_clique.operators.milp_full import check_entries, check_pairs, check_weights
from matheur.problems.max_clique.operators.on_core import BY_CORES
from matheur.problems.max_clique.problem import MaxClique
from matheur.version import __version__

__all__ = ["CliqueCertifier"]

_NODES = 1_000
_SEARCHES = (BACKEND, BY_CORES, "exact", "portfolio", "colouring", "trivial")  # with names of the command `clique`
_COLOURED_MAX = 5_000  # largest number of vertices of a graph that is coloured for a proof


@dataclass(frozen=True, slots=True)
class CliqueCertifier:
    """Proves again by another method that no larger (or heavier) clique exists.

    A proof by branch and bound (or by a colouring) is confirmed by a MILP solver; a proof by a MILP solver or an
    external program is confirmed by branch and bound. If there is a colouring with no more classes than the clique has
    vertices, checking that colouring suffices.
    """

    bounds_are_computed: ClassVar[bool] = True  # by a colouring, which is checked here

    def certify(
        self, problem: Any, objective: int | None, *, first: str, interrupt: Callable[[], bool]
    ) -> dict[str, Any]:
        """Prove that no clique has more than `-objective` vertices, or more than this weight.

        Parameters
        ----------
        first
            Name of the method or backend whose proof is to be confirmed.

        Returns
        -------
        dict
            The second proof as plain values.

        Raises
        ------
        OperatorError
            If the second method finds a better clique.
        SolverError
            If the second method could not finish.
        """
        if objective is None:
            raise OperatorError(f"'{first}' claims that there is no solution, but the empty set is a clique")
        if problem.weights is not None and isinstance(problem.graph, SparseGraph):
            core = weighted_reduced(problem.graph, problem.weights, -objective)
            if not len(core.vertices):
                return {"method": f"no vertex and its neighbours weigh more than {-objective}"}
            problem = replace(problem, graph=core.graph, weights=problem.weights[core.vertices], names=None)
        label = None if problem.weights is not None else _classes(problem.graph)
        if label is not None and label.max(initial=-1) < -objective and _is_colouring(problem.graph, label):
            return {"method": "colouring, checked pair by pair", "classes": int(label.max(initial=-1)) + 1}
        if isinstance(problem.graph, SparseGraph) and first in _SEARCHES:
            left = _core(problem.graph, -objective)
            if not len(left):
                return {"method": f"cores: no vertices have {-objective} neighbours among each other"}
            check_pairs(len(left) * (len(left) - 1) // 2 - len(problem.graph.edges_among(left)[0]), "clique-cover")
            problem = MaxClique(problem.graph.dense(left))
        if first in _SEARCHES:
            return self._by_milp(problem, objective, first, interrupt)
        search = best_search(problem.graph, problem.weights)
        while not search.done:
            if interrupt():
                raise SolverError(f"'{BACKEND}' could not confirm the optimum {objective} (interrupted)")
            search.advance(_NODES)
        if search.value > -objective:
            raise OperatorError(f"'{first}' claims the optimum {objective}, but '{BACKEND}' found {-search.value}")
        facts = {"backend": BACKEND, "version": __version__, "arithmetic": "exact integers", "nodes": search.nodes}
        return {"method": f"{BACKEND}, nothing better exists", **facts}

    def _by_milp(self, problem: Any, objective: int, first: str, interrupt: Callable[[], bool]) -> dict[str, Any]:
        check_entries(problem.graph, "clique-cover")
        try:
            check_weights(problem)
        except ConfigurationError as error:
            raise SolverError(str(error)) from None
        backend = other_backend(first)
        built = build(problem.graph, weights=problem.weights)
        facts = nothing_better(
            built.model, backend, first=first, objective=objective, interrupt=interrupt,
            read=lambda values: problem.evaluate(built.read(values)),
        )  # fmt: skip
        return {"method": "milp-full, formulation clique-cover, nothing better exists", **facts}


def _classes(graph: AnyGraph) -> NDArray[np.int32] | None:
    """The classes of a colouring; None for a large dense graph."""
    if isinstance(graph, SparseGraph):
        label = np.empty(graph.n, dtype=np.int32)
        label[graph.cores.order] = graph.cores.colour
        return label
    return colour_classes(graph) if graph.n <= _COLOURED_MAX else None


def _core(graph: SparseGraph, size: int) -> NDArray[np.int64]:
    """The `size`-core: vertices that have `size` neighbours among each other, by repeated counting."""
    own = np.repeat(np.arange(graph.n), graph.degrees)
    kept, count = np.ones(graph.n, dtype=bool), graph.n
    while True:
        inside = kept[own] & kept[graph.indices]
        kept &= np.bincount(own[inside], minlength=graph.n) >= size
        if kept.sum() == count:
            return np.flatnonzero(kept)
        count = int(kept.sum())


def _is_colouring(graph: AnyGraph, label: NDArray[np.int32]) -> bool:
    """Whether every vertex has a class, and no two vertices of a class are adjacent."""
    if isinstance(graph, SparseGraph):
        joined = label[np.repeat(np.arange(graph.n), graph.degrees)] == label[graph.indices]
        return len(label) == graph.n and label.min(initial=0) >= 0 and not joined.any()
    if len(label) != graph.n or label.min(initial=0) < 0:
        return False
    sizes = np.bincount(label, minlength=1)
    apart = ((label[graph.non_neighbours(vertex)] == label[vertex]).sum() for vertex in range(graph.n))
    return all(count == sizes[label[vertex]] - 1 for vertex, count in enumerate(apart))
