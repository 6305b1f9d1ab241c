"""A region of the board with everything around it fixed: equations (15)-(16) of Salassa et al. 2017."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from matheur.models.edge_matching.blocks import BuiltModel, assemble
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.pyomo_turn import in_turn

__all__ = ["build"]


@in_turn
def build(
    instance: Instance,
    board: Board,
    cells: Iterable[int],
    spare: Iterable[int] = (),
    formulation: str = "match",
    *,
    costs: NDArray[np.float64] | None = None,
) -> BuiltModel:
    """A model that refills some cells.

    Candidates are the pieces that currently lie in these cells and the spare pieces. Joints to empty cells outside the
    region are ignored; hints and the frame are respected.

    Parameters
    ----------
    instance
        The puzzle.
    board
        The board, which may have empty cells anywhere.
    cells
        The free cells: any set, not only a rectangle.
    spare
        More pieces (0-based) that may be used; with fewer pieces than cells the model is infeasible.
    formulation
        `match`, `gap` or `exact`; see `matheur.models.edge_matching.blocks`.
    costs
        Extra cost of each placement, shape (placements,) or (placements, cells).

    Raises
    ------
    ValueError
        If there is no cell, a cell lies outside the board, or a spare piece lies on the board outside the region.
    """
    free = np.unique(np.fromiter(cells, dtype=np.intp))
    if not free.size or free[0] < 0 or free[-1] >= instance.cells:
        raise ValueError(f"a region needs cells of the board, 0 to {instance.cells - 1} ({free.tolist()})")
    inside = np.asarray(board)[free]
    own = inside[inside != EMPTY] // 4
    extra = np.unique(np.fromiter(spare, dtype=np.intp))
    outside = np.delete(np.asarray(board), free)
    clash = np.intersect1d(extra, outside[outside != EMPTY] // 4)
    if clash.size:
        raise ValueError(f"spare piece {clash[0]} lies on the board outside the region")
    return assemble(instance, board, free, np.union1d(own, extra), instance.fits, formulation, costs=costs)
