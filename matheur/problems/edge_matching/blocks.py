"""Complete squares of a board: alternative measures to matched joints for guiding a search."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from matheur.problems.edge_matching.instance import EMPTY, Board, Instance, matching_joints

__all__ = ["GUIDES", "incomplete_blocks"]

GUIDES = {"blocks-2": 2, "blocks-3": 3}
"""Side length of the squares in cells, by the name of the measure."""


def incomplete_blocks(instance: Instance, board: Board, size: int) -> int:
    """Number of squares of `size` x `size` cells, overlaps included, with a mismatched joint or an empty cell.

    Wauters, Vancroonenburg and Vanden Berghe (2012) guide their search by the complete squares. Boards with fewer than
    `size` rows or columns have no squares.
    """
    if size < 2 or min(instance.rows, instance.columns) < size:
        return 0
    shown = np.where((board == EMPTY)[:, None], -1, instance.sides[board]).reshape(instance.rows, instance.columns, 4)
    across, down = matching_joints(shown)
    complete = sliding_window_view(across, (size, size - 1)).all(axis=(2, 3))
    complete &= sliding_window_view(down, (size - 1, size)).all(axis=(2, 3))
    return int(complete.size - np.count_nonzero(complete))
