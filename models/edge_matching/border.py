"""The outer ring of the board with its inside fixed (border optimisation, BO)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.models.edge_matching import region
from matheur.models.edge_matching.blocks import BuiltModel
from matheur.problems.edge_matching.instance import Board, Instance
from matheur.pyomo_turn import in_turn

__all__ = ["build", "ring"]


def ring(instance: Instance) -> NDArray[np.intp]:
    """The cells that touch the edge of the board."""
    return np.flatnonzero(instance.outside.any(axis=1))


@in_turn
def build(
    instance: Instance,
    board: Board,
    formulation: str = "match",
    *,
    costs: NDArray[np.float64] | None = None,
) -> BuiltModel:
    """A model that refills the outer ring with its own pieces; parameters as for `region.build`."""
    return region.build(instance, board, ring(instance), (), formulation, costs=costs)
