"""Moves of pieces over vertices, for the model `matheur.models.planning`."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from matheur.problems.plans.relocations import Regions

__all__ = ["cubical_regions"]


def cubical_regions(problem: Any) -> Regions:
    """The regions of a puzzle: the k-faces of the hypercube."""
    d, k = problem.instance.dimension, problem.instance.k
    faces = []
    for free in combinations(range(d), k):
        span = sum(1 << i for i in free)
        for corner in range(1 << d):
            if corner & span == 0:
                faces.append(tuple(vertex for vertex in range(1 << d) if vertex & ~span == corner))
    return Regions(1 << d, tuple(faces))
