"""Content of a picture of a graph or a clique, independent of the drawing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.methods.clique.sparse_graph import AnyGraph, SparseGraph
from matheur.problems.max_clique.problem import MaxClique
from matheur.problems.pictures import readable

__all__ = ["CELLS_MAX", "LEVELS", "Scene", "scene_of"]

CELLS_MAX = 96
"""Largest number of rows and columns of a picture; larger graphs are drawn in blocks."""

LEVELS = 12
"""Shade of a block with all edges; 0 is a block without edges."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is drawn.

    Attributes
    ----------
    title, state
        Two lines of text.
    levels
        Density of each block of the adjacency matrix, from 0 for no edges to `LEVELS` for all; members of the clique
        come first, then other vertices by degree. Shape (m, m), int8.
    block
        Number of vertices per row.
    members
        Number of rows of the clique (at least 1 if there is a clique, else 0).
    degrees
        The degrees in ascending order.
    clique
        Names of the vertices of the clique; empty without a clique.
    violations
        Violations that the evaluator reports.
    """

    title: str
    state: str
    levels: NDArray[np.int8]
    block: int
    members: int
    degrees: NDArray[np.int64]
    clique: tuple[int | str, ...]
    violations: tuple[str, ...]


def scene_of(problem: MaxClique, solution: NDArray[np.int32] | None) -> Scene:
    """The scene of a claimed clique, or of the graph alone."""
    graph = problem.graph
    title = f"{readable(problem.title) or problem.name}: {graph.n:,} vertices, {graph.edges:,} edges"
    state, chosen = f"density {graph.density:.4f}", np.zeros(0, dtype=np.int64)
    violations: tuple[str, ...] = ()
    if solution is not None:
        evaluation = problem.evaluate(solution)
        violations = evaluation.violations
        chosen = np.unique(np.asarray(solution, dtype=np.int64))
        chosen = chosen[(chosen >= 0) & (chosen < graph.n)]
        weight = "" if problem.weights is None else f" and weight {problem.score(evaluation.objective)}"
        state = f"clique of {len(chosen)} vertices{weight}, density {graph.density:.4f}"
        if violations:
            state = f"not a clique: {violations[0]}"
    rest = np.ones(graph.n, dtype=bool)
    rest[chosen] = False
    others = np.flatnonzero(rest)
    order = np.concatenate((chosen, others[np.argsort(-graph.degrees[others], kind="stable")]))
    block = max(1, -(-graph.n // CELLS_MAX))
    return Scene(
        title,
        state,
        _levels(graph, order, block),
        block,
        -(-len(chosen) // block),
        np.sort(graph.degrees),
        tuple(map(problem.name_of, chosen.tolist())),
        violations,
    )


def _levels(graph: AnyGraph, order: NDArray[np.int64], block: int) -> NDArray[np.int8]:
    n = graph.n
    m = -(-n // block) if n else 0
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n) // block
    width = np.minimum(block, n - block * np.arange(m))
    pairs = np.outer(width, width)
    pairs[np.arange(m), np.arange(m)] -= width
    if isinstance(graph, SparseGraph):
        cells = np.repeat(place, graph.degrees) * m + place[graph.indices]
        joined = np.bincount(cells, minlength=m * m).reshape(m, m)
    else:
        joined = pairs.copy()
        for row in range(m):
            inside = order[row * block : (row + 1) * block]
            for vertex in inside.tolist():
                joined[row] -= np.bincount(place[graph.non_neighbours(vertex)], minlength=m)
    share = joined / np.maximum(pairs, 1)
    levels = np.where(joined > 0, np.clip(np.ceil(share * LEVELS - 1e-9), 1, LEVELS), 0)
    return levels.astype(np.int8)
