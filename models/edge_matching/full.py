"""The whole puzzle: equations (1)-(14) of Salassa et al. 2017."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.models.edge_matching.blocks import BuiltModel, assemble, hinted
from matheur.problems.edge_matching.instance import EMPTY, Instance
from matheur.pyomo_turn import in_turn

__all__ = ["build"]


@in_turn
def build(
    instance: Instance,
    formulation: str = "gap",
    *,
    frame_filter: bool = True,
    costs: NDArray[np.float64] | None = None,
) -> BuiltModel:
    """A model of the whole board.

    Parameters
    ----------
    instance
        The puzzle.
    formulation
        `gap` (the paper's), `match` or `exact`; see `matheur.models.edge_matching.blocks`.
    frame_filter
        Leave out the placements that the frame forbids. Without it the model has every placement in every cell and the
        frame constraints (8)-(11), which gives the sizes of the paper's Table 1.
    costs
        Extra cost of each placement, shape (placements,) or (placements, cells).
    """
    return assemble(
        instance,
        np.full(instance.cells, EMPTY, dtype=np.int32),
        np.arange(instance.cells),
        np.arange(instance.cells),
        instance.fits if frame_filter else hinted(instance),
        formulation,
        frame_rows=not frame_filter,
        costs=costs,
    )
