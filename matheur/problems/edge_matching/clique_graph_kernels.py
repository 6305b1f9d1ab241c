"""Kernels that write the conflicts of edge-matching placements straight into compressed rows.

Layout: nodes are sorted by cell, then piece, then rotation; `first[c]` to `first[c + 1]` are the nodes of cell c.
`piece_nodes[piece_first[p]:piece_first[p + 1]]` are the nodes of piece p, ascending. `touching[c]` holds the cells
up, left, right, down of c in ascending order (-1 if there is none) and `touching_side[c]` the side of c that faces
it. `side[v]` holds the four colours of node v as placed.

Cost: one comparison per candidate pair, that is, per (node, node in the same or a touching cell) and per (node, node
of the same piece). Rows are sorted, because cells and nodes are visited in ascending order.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["count_conflicts", "fill_conflicts"]


@kernel
def count_conflicts(begin, end, cell, piece, side, first, piece_first, piece_nodes, touching, touching_side, counts):  # type: ignore[no-untyped-def]
    """Write the number of conflicts of the nodes `begin` to `end - 1` into `counts`."""
    for v in range(begin, end):
        c = cell[v]
        p = piece[v]
        # All nodes of the cell except v itself, and the nodes of the piece in other cells.
        total = np.int64(first[c + 1] - first[c] - 1)
        for k in range(piece_first[p], piece_first[p + 1]):
            if cell[piece_nodes[k]] != c:
                total += 1
        for t in range(4):
            d = touching[c, t]
            if d < 0:
                continue
            s = touching_side[c, t]
            colour = side[v, s]
            opposite = (s + 2) & 3
            for w in range(first[d], first[d + 1]):
                if side[w, opposite] != colour and piece[w] != p:
                    total += 1
        counts[v] = total


@kernel
def fill_conflicts(begin, end, cell, piece, side, first, piece_first, piece_nodes, touching, touching_side, ptr, idx):  # type: ignore[no-untyped-def]
    """Write the conflicts of the nodes `begin` to `end - 1`, ascending, into their rows of `idx`."""
    for v in range(begin, end):
        c = cell[v]
        p = piece[v]
        at = ptr[v]
        k = piece_first[p]
        k_end = piece_first[p + 1]
        for t in range(5):
            # The cells to scan, ascending: up, left, own, right, down.
            if t == 2:
                d = c
                s = -1
            else:
                u = t if t < 2 else t - 1
                d = touching[c, u]
                s = touching_side[c, u]
                if d < 0:
                    continue
            while k < k_end and cell[piece_nodes[k]] < d:
                idx[at] = piece_nodes[k]
                at += 1
                k += 1
            if s < 0:
                for w in range(first[d], first[d + 1]):
                    if w != v:
                        idx[at] = w
                        at += 1
            else:
                colour = side[v, s]
                opposite = (s + 2) & 3
                for w in range(first[d], first[d + 1]):
                    if side[w, opposite] != colour or piece[w] == p:
                        idx[at] = w
                        at += 1
            while k < k_end and cell[piece_nodes[k]] == d:
                k += 1
        while k < k_end:
            idx[at] = piece_nodes[k]
            at += 1
            k += 1
