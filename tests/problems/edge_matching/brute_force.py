"""What is plain enough to be right: boards by trying everything."""

from __future__ import annotations

import numpy as np

from matheur.problems.edge_matching import Instance


def perfect_boards(instance: Instance) -> int:
    """How many perfect boards there are, by trying all placements cell by cell."""

    def below(cell: int, board: list[int], used: frozenset[int]) -> int:
        if cell == instance.cells:
            return 1
        total = 0
        for one in np.flatnonzero(instance.fits[:, cell]).tolist():
            if one >> 2 in used:
                continue
            row, column = divmod(cell, instance.columns)
            if row and instance.sides[one, 0] != instance.sides[board[cell - instance.columns], 2]:
                continue
            if column and instance.sides[one, 3] != instance.sides[board[cell - 1], 1]:
                continue
            total += below(cell + 1, [*board, one], used | {one >> 2})
        return total

    return below(0, [], frozenset())
