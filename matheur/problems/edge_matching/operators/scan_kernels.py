"""Kernel of the structured clique search: one placement for every cell in a fixed order, with few slips.

A maximum clique of the placement graph has one vertex of each cell, and a vertex is compatible with earlier ones if its
piece is unused and its colours match the cells above and on the left. The candidates of a cell are therefore read from
a table by these two colours, without looking up conflicts. A slip is a mismatched joint or, alternatively, an empty
cell; a schedule allows slips only late (slip arrays, after Verhaard).

Memory layout, all arrays owned by the caller:

- `exact[cell, key]` to `exact[cell, key + 1]`: places in `entries` of the placements without a slip, for
  key = above * colours + left; `slipped` is the same for placements with one slip. Sides without an earlier cell, or
  next to an empty cell, have colour 0 in the key, which allows all colours.
- `above[cell]`, `left[cell]`: the places in the order of the cells whose colours form the key, -1 for none.
- per depth: `choice` (placement, -1 for an empty cell, which has the last entries of `down_side`, `right_side` and
  `used`), `cursor` (place in `entries`), `stage` (0 exact, 1 slipped), `slips` made before it.
- `allowed[depth]`: slips that may have been made when that cell is filled.

Cost: 20 to 40 nanoseconds per node, which is a placement that was tried and fits.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["advance"]

DEPTH, NODES, FOUND, DEEPEST = 0, 1, 2, 3
EMPTY, NONE = -1, -2
STATE_LENGTH = 4


@kernel
def advance(  # type: ignore[no-untyped-def]
    limit, holes, colours, exact, slipped, entries, above, left, down_side, right_side, allowed, choice, cursor, stage,
    slips, used, state,
):  # fmt: skip
    """Search until `state[NODES]` reaches `limit`, a filling is found (FOUND = 1), or none is left (DEPTH = -1)."""
    cells = len(above)
    depth = state[DEPTH]
    nodes = state[NODES]
    state[FOUND] = 0
    if depth == cells:  # after a filling, continue at its last cell
        depth -= 1
        used[choice[depth] >> 2] = 0
    while depth >= 0 and nodes < limit:
        if slips[depth] > allowed[cells]:
            found = NONE
        else:
            key = np.int64(0)
            if above[depth] >= 0:
                key = np.int64(down_side[choice[above[depth]]]) * colours
            if left[depth] >= 0:
                key += right_side[choice[left[depth]]]
            found = NONE
            at = cursor[depth]
            if stage[depth] == 0:
                end = exact[depth, key + 1]
                if at < 0:
                    at = exact[depth, key]
                while at < end:
                    one = entries[at]
                    at += 1
                    if used[one >> 2] == 0:
                        found = one
                        break
                if found == NONE and slips[depth] < allowed[depth]:
                    stage[depth] = 1
                    at = -1
            if found == NONE and stage[depth] == 1 and holes:
                if at < 0:
                    found = EMPTY
                    at = 0
            elif found == NONE and stage[depth] == 1:
                end = slipped[depth, key + 1]
                if at < 0:
                    at = slipped[depth, key]
                while at < end:
                    one = entries[at]
                    at += 1
                    if used[one >> 2] == 0:
                        found = one
                        break
            cursor[depth] = at
        if found == NONE:
            depth -= 1
            if depth >= 0:
                used[choice[depth] >> 2] = 0
            continue
        nodes += 1
        choice[depth] = found
        if found >= 0:
            used[found >> 2] = 1
        after = slips[depth] + stage[depth]
        depth += 1
        state[DEEPEST] = max(state[DEEPEST], depth)
        if depth == cells:
            state[FOUND] = 1
            break
        slips[depth] = after
        cursor[depth] = -1
        stage[depth] = 0
    state[DEPTH] = depth
    state[NODES] = nodes
