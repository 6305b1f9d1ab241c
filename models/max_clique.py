"""Maximum clique as a MILP: two formulations.

x[v] = 1 if v is a member; the objective to be minimised is minus the number, or minus the weight, of the members.

`edge`: x[u] + x[v] <= 1 for every pair that is not joined. One row per such pair; the linear relaxation is never below
n / 2 in size.

`clique-cover`: sum of x over S <= 1 for sets S of pairwise non-adjacent vertices (cliques of the complement) that cover
all non-adjacent pairs, grown greedily. Fewer rows and far better bounds; if the vertices fall into classes, such as the
cells of a board, the classes are rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray
from pyomo.core.expr import LinearExpression

from matheur.methods.clique.graph import Graph
from matheur.pyomo_turn import in_turn

__all__ = ["FORMULATIONS", "CliqueModel", "build", "covering_sets"]

FORMULATIONS = ("clique-cover", "edge")


@dataclass(frozen=True, slots=True)
class CliqueModel:
    """A model, with the data to read a clique from its solution.

    Attributes
    ----------
    model
        The `pyomo.ConcreteModel`; its objective is minus the size, or the weight.
    x
        The variables by vertex.
    """

    model: Any
    x: Mapping[int, Any]

    def begin_at(self, vertices: NDArray[np.int32]) -> None:
        """Set all variables to a clique, as a start of the solver."""
        chosen = set(vertices.tolist())
        for vertex, variable in self.x.items():
            variable.value = float(vertex in chosen)

    def read(self, values: Mapping[Any, float]) -> NDArray[np.int32]:
        """The vertices chosen by a solver's values (by variable; missing values count as 0), ascending."""
        chosen = [vertex for vertex, variable in self.x.items() if (values.get(variable) or 0.0) > 0.5]
        return np.array(sorted(chosen), dtype=np.int32)


@in_turn
def build(graph: Graph, formulation: str = "clique-cover", weights: NDArray[np.int64] | None = None) -> CliqueModel:
    """A model of a graph, which minimises minus the number of members, or minus their weight.

    Raises
    ------
    ValueError
        If the formulation is unknown.
    """
    if formulation not in FORMULATIONS:
        raise ValueError(f"unknown formulation {formulation!r}; they are {', '.join(FORMULATIONS)}")
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(graph.n), domain=pyo.Binary)
    x = {vertex: model.x[vertex] for vertex in range(graph.n)}
    if formulation == "edge":
        sets = [[vertex, int(other)] for vertex in range(graph.n) for other in graph.non_neighbours(vertex)
                if other > vertex]  # fmt: skip
    else:
        sets = covering_sets(graph)
    rows = pyo.ConstraintList()
    model.exclusive = rows
    for chosen in sets:
        rows.add(_sum(x, chosen) <= 1)
    worth = [-1.0] * graph.n if weights is None else [-float(weight) for weight in weights.tolist()]
    objective = LinearExpression(constant=0, linear_coefs=worth, linear_vars=list(x.values()))
    model.objective = pyo.Objective(expr=objective, sense=pyo.minimize)
    return CliqueModel(model, x)


def _sum(x: Mapping[int, Any], vertices: Any) -> Any:
    variables = [x[vertex] for vertex in vertices]
    return LinearExpression(constant=0, linear_coefs=[1.0] * len(variables), linear_vars=variables)


def covering_sets(graph: Graph) -> list[list[int]]:
    """Sets of pairwise non-adjacent vertices, such that every non-adjacent pair lies in one of them.

    Each set begins with the first uncovered pair. It repeatedly takes the vertex that is compatible with all its
    members and covers the most pairs.
    """
    n = graph.n
    open_pairs = [set(graph.non_neighbours(vertex).tolist()) for vertex in range(n)]
    sets = []
    for first in range(n):
        while open_pairs[first]:
            chosen = [first, min(open_pairs[first])]
            candidates = np.intersect1d(graph.non_neighbours(chosen[0]), graph.non_neighbours(chosen[1]))
            while len(candidates):
                gains = [sum(1 for member in chosen if member in open_pairs[one]) for one in candidates.tolist()]
                best = int(candidates[int(np.argmax(gains))])
                chosen.append(best)
                candidates = np.intersect1d(candidates, graph.non_neighbours(best))
            for one in chosen:
                open_pairs[one].difference_update(chosen)
            sets.append(sorted(chosen))
    return sets
