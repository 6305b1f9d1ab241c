"""Graphs in the workbench."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from matheur.errors import InputError, shown
from matheur.methods.clique.formats.dimacs_ascii import chunks
from matheur.problems.max_clique.exporting import said_weights
from matheur.problems.workbench import Choice, Position, Workbench

__all__ = ["WORKBENCH"]

_VERTICES_MAX = 300  # largest graph that is shown as text
_CANDIDATES = 60


class _MaxCliqueWorkbench(Workbench):
    plays = True

    def text(self, problem: Any) -> str | None:
        if problem.graph.n > _VERTICES_MAX or problem.names is not None:  # names would be lost in the text
            return None
        weights = None if problem.weights is None else said_weights(problem)
        return b"".join(chunks(problem.graph, "", weights=weights)).decode()

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """The clique so far and the vertices adjacent to all of it, those with most neighbours among them first."""
        graph = problem.graph
        chosen: list[int] = []
        for move in moves:
            vertex = problem.vertex_of(move)
            if vertex is None:
                raise InputError(f"no such vertex ({shown(move, 20)})")
            if vertex in chosen:
                chosen.remove(vertex)
            else:
                chosen.append(vertex)
        joined = np.ones(graph.n, dtype=bool)
        for vertex in chosen:
            joined[graph.non_neighbours(vertex)] = False
        joined[chosen] = False
        candidates = np.flatnonzero(joined)
        degrees = graph.degrees[candidates]
        best = candidates[np.argsort(-degrees, kind="stable")][:_CANDIDATES]
        said = {vertex: str(problem.name_of(vertex)) for vertex in (*best.tolist(), *chosen)}
        choices = tuple(Choice(said[vertex], f"add {said[vertex]}") for vertex in best.tolist())
        choices = (*(Choice(said[vertex], f"remove {said[vertex]}") for vertex in chosen), *choices)
        few = len(candidates) > _CANDIDATES
        words = f"{len(chosen)} vertices, all joined; {len(candidates)} are joined to all of them"
        words += f": here are the {_CANDIDATES} with the most neighbours." if few else "."
        return Position(problem.encode(np.array(sorted(chosen), dtype=np.int32)) or None, words, choices=choices)


WORKBENCH = _MaxCliqueWorkbench()
