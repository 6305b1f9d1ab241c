"""Kernel of random exchanges under late acceptance, guided by mismatches or by incomplete blocks.

Positions are the cells of a board followed by its tray (see `board_tools.Layout`). A block is a square of `size` x
`size` cells; it is complete if no cell is empty and every joint inside matches. A move changes the blocks that contain
one of two cells, at most 18 of 3 x 3; each is counted before and after the move. Speed on 10 x 10: about 2.5 million
moves a second by mismatches, 1.3 million by blocks of 2 x 2, and 0.7 to 1.1 million by blocks of 3 x 3.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import xorshift_below

__all__ = ["count_blocks", "wander"]


@kernel
def _differs(first, second, side, sides):  # type: ignore[no-untyped-def]
    """Whether `second`, which lies at the given side of `first`, does not match it; the frame matches nothing."""
    if first < 0 or second < 0:
        return True
    shown = sides[first, side]
    return shown == 0 or shown != sides[second, (side + 2) & 3]


@kernel
def _around(position, skip, placements, neighbours, sides):  # type: ignore[no-untyped-def]
    """Number of mismatched joints of a position, without the joint towards position `skip`."""
    count = np.int64(0)
    for side in range(4):
        beside = neighbours[position, side]
        if beside >= 0 and beside != skip:
            count += np.int64(_differs(placements[position], placements[beside], side, sides))
    return count


@kernel
def _incomplete(row, column, size, columns, placements, sides):  # type: ignore[no-untyped-def]
    """1 if the block with this cell at its top left is incomplete, else 0."""
    for r in range(row, row + size):
        for c in range(column, column + size):
            here = placements[r * columns + c]
            if c + 1 < column + size and _differs(here, placements[r * columns + c + 1], 1, sides):
                return 1
            if r + 1 < row + size and _differs(here, placements[(r + 1) * columns + c], 2, sides):
                return 1
    return 0


@kernel
def count_blocks(first, second, size, rows, columns, placements, sides):  # type: ignore[no-untyped-def]
    """Number of incomplete blocks that contain at least one of two positions; positions of the tray are in no block."""
    count = np.int64(0)
    cells = rows * columns
    for number in range(2):
        cell = second if number else first
        if cell >= cells or (number == 1 and first == second):
            continue
        r, c = cell // columns, cell % columns
        for row in range(max(0, r - size + 1), min(r, rows - size) + 1):
            for column in range(max(0, c - size + 1), min(c, columns - size) + 1):
                if number == 1 and first < cells:
                    down, right = first // columns - row, first % columns - column
                    if 0 <= down < size and 0 <= right < size:
                        continue  # already counted
                count += _incomplete(row, column, size, columns, placements, sides)
    return count


@kernel
def _turned(position, other, placements, neighbours, kinds, turns, sides, state):  # type: ignore[no-untyped-def]
    """The placement of a position's piece with the fewest mismatches, random ties; `other`: another one if possible."""
    placed = placements[position]
    if placed < 0:
        return placed
    bits = np.int64(turns[kinds[position], placed >> 2])
    if other and bits & ~(1 << (placed & 3)):
        bits &= ~(1 << (placed & 3))
    least, ties, found = np.int64(5), np.int64(0), placed
    for turn in range(4):
        if not (bits >> turn) & 1:
            continue
        placements[position] = (placed & ~3) | turn
        count = _around(position, -1, placements, neighbours, sides)
        if count < least:
            least, ties = count, np.int64(0)
        if count == least:
            ties += 1
            if ties == 1 or xorshift_below(state, ties) == 0:
                found = placements[position]
    placements[position] = placed
    return found


@kernel
def _fits(position, placed, kinds, turns):  # type: ignore[no-untyped-def]
    """Whether a piece, or emptiness, may lie in a position in some rotation."""
    return placed < 0 or turns[kinds[position], placed >> 2] != 0


@kernel
def wander(  # type: ignore[no-untyped-def]
    moves, goal, size, rows, columns, members, starts, group, placements, neighbours, kinds, turns, sides, history,
    progress, best, state,
):  # fmt: skip
    """Make `moves` moves, or fewer if the mismatches fall to `goal`.

    Parameters
    ----------
    size
        Side length of a block in cells; 0 for guidance by mismatches.
    members, starts, group
        Positions that may move, group by group; start of each group; group of each of these positions.
    history
        int64: values that late acceptance compares with.
    progress
        int64: value, mismatches, fewest mismatches so far, place in `history`, moves made. Changed.
    best
        int32: the placements with the fewest mismatches. Changed.
    """
    value, mismatches, fewest, place = progress[0], progress[1], progress[2], progress[3]
    made = np.int64(0)
    while made < moves and fewest > goal:
        made += 1
        number = xorshift_below(state, len(members))
        first = members[number]
        low, high = starts[group[number]], starts[group[number] + 1]
        second = members[low + xorshift_below(state, high - low)]
        a, b = placements[first], placements[second]
        if not (_fits(first, b, kinds, turns) and _fits(second, a, kinds, turns)):
            continue  # pieces with as many frame sides, but not on the same sides
        joints = _around(first, -1, placements, neighbours, sides)
        if second != first:
            joints += _around(second, first, placements, neighbours, sides)
        blocks = count_blocks(first, second, size, rows, columns, placements, sides) if size else np.int64(0)
        placements[first], placements[second] = b, a
        placements[first] = _turned(first, first == second, placements, neighbours, kinds, turns, sides, state)
        if second != first:
            placements[second] = _turned(second, False, placements, neighbours, kinds, turns, sides, state)
        joints = _around(first, -1, placements, neighbours, sides) - joints
        if second != first:
            joints += _around(second, first, placements, neighbours, sides)
        change = joints
        if size:
            change = count_blocks(first, second, size, rows, columns, placements, sides) - blocks
        candidate = value + change
        if candidate <= value or candidate <= history[place]:
            value = candidate
            mismatches += joints
            if mismatches < fewest:
                fewest = mismatches
                best[:] = placements
        else:
            placements[first], placements[second] = a, b
        history[place] = min(history[place], value)
        place = place + 1 if place + 1 < len(history) else 0
    progress[0], progress[1], progress[2], progress[3] = value, mismatches, fewest, place
    progress[4] += made
