"""The assignment problem in kernels."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from matheur.kernels.assignment import ROOM_ROWS, assign


def test_the_kernel_solves_assignment_problems() -> None:
    """Its matching costs what scipy's costs, on random matrices with ties and dear entries, in room of any size."""
    rng = np.random.default_rng(0)
    for size in (1, 2, 3, 8, 16, 33):
        for more in range(10):
            cost = rng.integers(0, 6, size=(size, size))
            cost[rng.random((size, size)) < 0.1] = 1 << 40
            room = np.zeros((ROOM_ROWS, size + 1 + more), dtype=np.int64)
            assign(size, cost, room, np.zeros(size + 1 + more, dtype=np.bool_))
            row_of = room[2, 1 : size + 1] - 1
            assert sorted(row_of) == list(range(size))
            assert cost[row_of, np.arange(size)].sum() == cost[linear_sum_assignment(cost)].sum()
