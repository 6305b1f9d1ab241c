"""MILPs of maximum clique, for `matheur export model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from matheur.models.max_clique import build
from matheur.problems.max_clique.operators.milp_full import check_entries

__all__ = ["CliqueCover", "Edge"]


@dataclass(frozen=True, slots=True)
class _Model:
    """One MILP formulation."""

    formulation: ClassVar[str]

    def build(self, problem: Any) -> tuple[Any, int]:
        """The Pyomo model, and the constant to be added to its objective, which is 0."""
        check_entries(problem.graph, self.formulation)
        return build(problem.graph, self.formulation, weights=problem.weights).model, 0


class CliqueCover(_Model):
    """Rows are sets of pairwise non-adjacent vertices."""

    formulation = "clique-cover"


class Edge(_Model):
    """One row per pair of non-adjacent vertices."""

    formulation = "edge"
