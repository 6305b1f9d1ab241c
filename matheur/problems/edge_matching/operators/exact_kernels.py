"""Kernels of the exact region search: branch and bound over up to 64 cells and as many pieces.

Pieces of the region are bits of one 64-bit word, so that a few word operations find all pieces with a given number of
matching sides: `masks[side, colour, rotation]` has the bits of the pieces that show the colour at the side when turned
by the rotation. Cells are filled in a fixed order, with the candidates of a cell by increasing number of mismatches.

Bound: let D joints connect filled and empty cells, and I joints connect two empty cells. Among the free pieces, s_k
sides have colour k, and d_k of the D joints require it. At most X = sum min(s_k, d_k) of the D joints and
E = sum floor((s_k - min(s_k, d_k)) / 2) of the I joints can match. A side withheld from the former adds at most one
half to the latter, so at least (D - X) + max(0, I - E) further mismatches are unavoidable.

The state is stored in arrays of the caller (`prepare` fills them), so that another call of `search` continues it.
A node is one candidate tried; it takes 50 to 80 nanoseconds.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["DEPTH", "NODES", "STATE_SIZE", "UPPER", "prepare", "search"]

NONE = -1  # link to the outside of the board
LATER = 1000  # link to a cell that is filled later
DEPTH, UPPER, NODES, ROOT_BOUND, STATE_SIZE = 0, 1, 2, 3, 4  # places in `control`


@kernel
def _bound(depth, supply, demand, open_joints, inner_joints):  # type: ignore[no-untyped-def]
    """Lower bound on further mismatches once `depth` cells are filled; see the module's docstring."""
    served = 0
    paired = 0
    for colour in range(supply.shape[1] - 1):
        have = supply[depth, colour]
        want = demand[depth, colour]
        used = min(have, want)
        served += used
        paired += (have - used) >> 1
    return open_joints[depth] - served + max(0, inner_joints[depth] - paired)


@kernel
def _open(depth, slack, links, colours, shown, fitting, masks, available, dummies, candidates):  # type: ignore[no-untyped-def]
    """List the candidates of the cell at a depth by number of mismatches, for up to `slack` mismatches."""
    free = available[depth]
    spare = free & dummies
    free = (free & ~dummies) | (spare & (~spare + np.uint64(1)))  # empty places are equivalent: one is enough
    known = 0
    for side in range(4):
        if links[depth, side] != NONE and links[depth, side] < LATER:
            known += 1
    for rotation in range(4):
        fit = free & fitting[depth, rotation]
        one = two = three = four = np.uint64(0)
        for side in range(4):
            link = links[depth, side]
            if link != NONE and link < LATER:
                colour = colours[depth, side] if link < NONE else shown[link, (side + 2) & 3]
                word = masks[side, colour, rotation] & fit
                four |= three & word
                three |= two & word
                two |= one & word
                one |= word
        for wrong in range(5):
            right = known - wrong
            if right < 0 or wrong > slack:
                word = np.uint64(0)
            elif right == 0:
                word = fit & ~one
            elif right == 1:
                word = one & ~two
            elif right == 2:
                word = two & ~three
            elif right == 3:
                word = three & ~four
            else:
                word = four
            candidates[depth, wrong, rotation] = word


@kernel
def prepare(  # type: ignore[no-untyped-def]
    cells, board, neighbours, sides, piece_sides, kind, allowed, none, order, links, colours, fitting, masks, supply,
    demand, open_joints, inner_joints,
):  # fmt: skip
    """Choose the order of the cells and fill the tables.

    Parameters
    ----------
    piece_sides
        int16, shape (4 * tiles, 4): colours of the region's tiles in each rotation; `none` for frame and emptiness.
    kind
        int32, shape (none + 1,): the number of each colour in the bound. The two signs of a colour share one.
    allowed
        bool, shape (4 * tiles, cells): whether a turned tile may lie in a cell of the region.
    none
        The colour that matches nothing: the last index of the tables by colour.
    order
        Written: the index in `cells` of the cell filled at each depth.
    """
    size = cells.size
    tiles = piece_sides.shape[0] // 4
    depth_of = np.full(board.size, -1, dtype=np.int32)
    inside = np.zeros(board.size, dtype=np.bool_)
    for cell in cells:
        inside[cell] = True
    for depth in range(size):  # the next cell is the one with most known sides, the outside included
        best = -1
        most = -1
        for i in range(size):
            if depth_of[cells[i]] >= 0:
                continue
            known = 0
            for side in range(4):
                beside = neighbours[cells[i], side]
                if beside < 0 or not inside[beside] or depth_of[beside] >= 0:
                    known += 1
            if known > most:
                most, best = known, i
        order[depth] = best
        depth_of[cells[best]] = depth
    masks[:] = 0
    for tile in range(tiles):
        for rotation in range(4):
            for side in range(4):
                colour = piece_sides[4 * tile + rotation, side]
                if colour != none:
                    masks[side, colour, rotation] |= np.uint64(1) << np.uint64(tile)
    supply[0] = 0
    demand[0] = 0
    for tile in range(tiles):
        for side in range(4):
            supply[0, kind[piece_sides[4 * tile, side]]] += 1
    for depth in range(size):
        cell = cells[order[depth]]
        for rotation in range(4):
            word = np.uint64(0)
            for tile in range(tiles):
                if allowed[4 * tile + rotation, order[depth]]:
                    word |= np.uint64(1) << np.uint64(tile)
            fitting[depth, rotation] = word
        for side in range(4):
            beside = neighbours[cell, side]
            if beside < 0:
                links[depth, side] = NONE
            elif not inside[beside]:
                links[depth, side] = NONE - 1
                lies = board[beside]
                colours[depth, side] = none if lies < 0 else sides[lies, (side + 2) & 3]
                demand[0, kind[colours[depth, side]]] += 1
            elif depth_of[beside] > depth:
                links[depth, side] = LATER + depth_of[beside]
            else:
                links[depth, side] = depth_of[beside]
    open_joints[size] = 0
    inner_joints[size] = 0
    for depth in range(size - 1, -1, -1):
        later = 0
        known = 0
        for side in range(4):
            if links[depth, side] >= LATER:
                later += 1
            elif links[depth, side] != NONE:
                known += 1
        inner_joints[depth] = inner_joints[depth + 1] + later
        open_joints[depth] = open_joints[depth + 1] - later + known


@kernel
def search(  # type: ignore[no-untyped-def]
    limit, first, forbidden, links, colours, fitting, masks, dummies, piece_sides, kind, open_joints, inner_joints,
    supply, demand, candidates, available, cost, shown, placed, best, control,
):  # fmt: skip
    """Continue until `limit` further nodes are tried (returns 0), the tree is exhausted (1) or a board is found (2).

    Parameters
    ----------
    first
        Whether to stop at the first board that costs less than the upper limit.
    forbidden
        int32, by depth: a filling, encoded as in `best`, that does not count, or all -1.
    placed, best
        int32, by depth: 4 * tile + rotation; `best` is the last improvement.
    control
        int64: depth, upper limit (only cheaper boards count), nodes, bound at the root. A fresh search has depth -1.
    """
    size = links.shape[0]
    depth = control[DEPTH]
    upper = control[UPPER]
    stop_at = control[NODES] + limit
    nodes = control[NODES]
    result = 0
    if depth < 0:
        control[ROOT_BOUND] = _bound(0, supply, demand, open_joints, inner_joints)
        depth = np.int64(0)
        cost[0] = 0
        if control[ROOT_BOUND] >= upper:
            return 1
        _open(0, upper - 1, links, colours, shown, fitting, masks, available, dummies, candidates)
    while True:
        # The next candidate of this depth that can still lead below the upper limit.
        wrong = 0
        rotation = 0
        word = np.uint64(0)
        while wrong < 5 and cost[depth] + wrong < upper:
            rotation = 0
            while rotation < 4:
                word = candidates[depth, wrong, rotation]
                if word != 0:
                    break
                rotation += 1
            if word != 0:
                break
            wrong += 1
        if word == 0:
            depth -= 1
            if depth < 0:
                result = 1
                break
            continue
        if nodes >= stop_at:
            break
        nodes += 1
        bit = word & (~word + np.uint64(1))
        candidates[depth, wrong, rotation] = word ^ bit
        tile = 0
        while (bit >> np.uint64(tile)) != 1:
            tile += 1
        turned = 4 * tile + rotation
        below = depth + 1
        spent = cost[depth] + wrong
        for colour in range(supply.shape[1]):
            supply[below, colour] = supply[depth, colour]
            demand[below, colour] = demand[depth, colour]
        for side in range(4):
            colour = piece_sides[turned, side]
            shown[depth, side] = colour
            number = kind[colour]
            supply[below, number] -= 1
            link = links[depth, side]
            if link >= LATER:
                demand[below, number] += 1
            elif link >= 0:
                demand[below, kind[shown[link, (side + 2) & 3]]] -= 1
            elif link < NONE:
                demand[below, kind[colours[depth, side]]] -= 1
        placed[depth] = turned
        if spent + _bound(below, supply, demand, open_joints, inner_joints) >= upper:
            continue
        if below < size:
            available[below] = available[depth] ^ bit
            cost[below] = spent
            _open(below, upper - 1 - spent, links, colours, shown, fitting, masks, available, dummies, candidates)
            depth = below
            continue
        same = True
        for i in range(size):
            if placed[i] != forbidden[i]:
                same = False
        if same:
            continue
        upper = spent
        best[:] = placed
        if first:
            result = 2
            break
        if upper <= control[ROOT_BOUND]:
            result = 1
            break
    control[DEPTH] = depth
    control[UPPER] = upper
    control[NODES] = nodes
    return result
