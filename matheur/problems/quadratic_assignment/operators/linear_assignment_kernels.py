"""Kernel of the linear assignment problem with real costs, row by row, so that a caller can stop between rows.

Shortest augmenting paths after Crouse (2016), doi 10.1109/TAES.2016.140952, with the scan order of SciPy's
`linear_sum_assignment` (1.17), so that the same assignment is found among those of equal cost. The caller provides all
arrays: `u`, `v` the dual variables, `path[j]` the row before column j, `column_of`, `row_of` the matching (-1 for
none), `reach[j]` the length of the shortest path to column j. Cost: O(n^2) for a row.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["assign_rows"]


@kernel
def assign_rows(first, last, cost, u, v, path, column_of, row_of, reach, scanned_row, scanned_column, remaining):  # type: ignore[no-untyped-def]
    """Match the rows from `first` to `last` (exclusive); all rows before `first` are already matched."""
    n = cost.shape[0]
    for current in range(first, last):
        for j in range(n):
            remaining[j] = n - j - 1
            scanned_row[j] = False
            scanned_column[j] = False
            reach[j] = np.inf
        left = n
        shortest = 0.0
        row = current
        sink = -1
        while sink < 0:
            scanned_row[row] = True
            index = -1
            lowest = np.inf
            for k in range(left):
                j = remaining[k]
                length = shortest + cost[row, j] - u[row] - v[j]
                if length < reach[j]:
                    path[j] = row
                    reach[j] = length
                if reach[j] < lowest or (reach[j] == lowest and row_of[j] < 0):
                    lowest = reach[j]
                    index = k
            shortest = lowest
            j = remaining[index]
            if row_of[j] < 0:
                sink = j
            else:
                row = row_of[j]
            scanned_column[j] = True
            left -= 1
            remaining[index] = remaining[left]
        u[current] += shortest
        for i in range(n):
            if scanned_row[i] and i != current:
                u[i] += shortest - reach[column_of[i]]
        for j in range(n):
            if scanned_column[j]:
                v[j] -= shortest - reach[j]
        j = sink
        while True:
            i = path[j]
            row_of[j] = i
            before = column_of[i]
            column_of[i] = j
            j = before
            if i == current:
                break
