"""MILPs of a board, or of a region of a board, for `matheur export model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from matheur.errors import ConfigurationError
from matheur.models.edge_matching import full, region

__all__ = ["Exact", "Gap", "Match"]


@dataclass(frozen=True, slots=True)
class _BoardModel:
    """One formulation.

    Attributes
    ----------
    cells, board
        Cells of a region, and the board around it; without them, the whole board is modelled.
    all_variables
        Whether to include variables for placements that the frame forbids.
    """

    formulation: ClassVar[str]
    cells: tuple[int, ...] | None = None
    board: Any = None
    all_variables: bool = False

    def build(self, problem: Any) -> tuple[Any, int]:
        """The Pyomo model, and the constant to add to its objective."""
        if self.cells is None:
            built = full.build(problem.instance, self.formulation, frame_filter=not self.all_variables)
        elif self.all_variables:
            raise ConfigurationError("--all-variables is for whole boards")
        else:
            built = region.build(problem.instance, self.board, self.cells, formulation=self.formulation)
        return built.model, built.constant


class Gap(_BoardModel):
    """Mismatches counted by gap variables, as in the paper."""

    formulation = "gap"


class Match(_BoardModel):
    """Matched colours counted."""

    formulation = "match"


class Exact(_BoardModel):
    """No mismatch allowed."""

    formulation = "exact"
