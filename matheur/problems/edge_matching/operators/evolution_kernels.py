"""Kernels of the evolution of boards: random boards, the exchange of regions, mutations, and the count of mismatches.

Individuals are rows of an int32 array (individuals, cells) of placements, complete boards that respect frame and hints.
`turns[kinds[cell], piece]` tells what fits in a cell: bit r for rotation r, 0 for a piece that does not fit (see
`board_tools.Layout`; a hinted cell has a kind of its own, which no other piece fits). `order` lists the cells whose
pieces may change places, group by group; the group of a cell is `order[low[cell]:high[cell]]`, empty for a hinted cell.

A crossover takes a rectangle from the second parent. A piece that then occurs twice keeps its new place. Its old place
gets the piece that the first parent had in the new place; if that piece also occurs twice, the piece that the first
parent had in *its* new place, and so on (as in the partially mapped crossover of Goldberg and Lingle 1985). The chain
ends with a piece that has become free, and stays within a group. A child of 256 cells takes about 2 microseconds.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import xorshift_below, xorshift_uniform

__all__ = ["breed", "scatter"]

TRIES = 8  # maximum draws of a region to move until one fits


@kernel
def _happens(state, chance):  # type: ignore[no-untyped-def]
    """True with the given probability."""
    return xorshift_uniform(state) < chance


@kernel
def _turn(cell, piece, board, fitted, neighbours, kinds, turns, sides, state):  # type: ignore[no-untyped-def]
    """A placement of the piece in the cell in a random rotation; with `fitted`, in one with the fewest mismatches."""
    bits = np.int64(turns[kinds[cell], piece])
    least, ties = np.int64(5), np.int64(0)
    found = np.int64(0)
    for rotation in range(4):
        if not (bits >> rotation) & 1:
            continue
        count = np.int64(0)
        if fitted:
            for side in range(4):
                beside = neighbours[cell, side]
                if beside >= 0 and sides[4 * piece + rotation, side] != sides[board[beside], (side + 2) & 3]:
                    count += 1
        if count < least:
            least, ties, found = count, np.int64(1), np.int64(rotation)
        elif count == least:
            ties += 1
            if xorshift_below(state, ties) == 0:
                found = np.int64(rotation)
    return 4 * np.int64(piece) + found


@kernel
def _fits(cell, placement, kinds, turns):  # type: ignore[no-untyped-def]
    """Whether frame and hints allow a placement in a cell."""
    return (turns[kinds[cell], placement >> 2] >> (placement & 3)) & 1 == 1


@kernel
def _mismatches(board, neighbours, sides):  # type: ignore[no-untyped-def]
    """Number of joints of a complete board whose two sides differ."""
    count = np.int64(0)
    for cell in range(board.size):
        own = board[cell]
        right, below = neighbours[cell, 1], neighbours[cell, 2]
        if right >= 0 and sides[own, 1] != sides[board[right], 3]:
            count += 1
        if below >= 0 and sides[own, 2] != sides[board[below], 0]:
            count += 1
    return count


@kernel
def scatter(boards, begin, order, low, high, neighbours, kinds, turns, sides, state, objectives):  # type: ignore[no-untyped-def]
    """Make every row a random board: the pieces of `begin`, shuffled within their groups, in random rotations."""
    for number in range(len(boards)):
        board = boards[number]
        board[:] = begin
        for place in range(order.size - 1, -1, -1):
            cell = order[place]
            other = order[low[cell] + xorshift_below(state, place - low[cell] + 1)]
            kept = board[other]
            board[other] = board[cell]
            board[cell] = kept
        for cell in range(board.size):
            board[cell] = _turn(cell, board[cell] >> 2, board, False, neighbours, kinds, turns, sides, state)
        objectives[number] = _mismatches(board, neighbours, sides)


@kernel
def _cross(first, second, child, columns, longest, fitted, neighbours, kinds, turns, sides, state, at, other, inside):  # type: ignore[no-untyped-def]
    """Copy a random rectangle of the second parent into the child, a copy of the first parent.

    `at` and `other` hold the cells of the pieces in both parents, `inside` the mask of the rectangle; all are scratch.
    """
    rows = child.size // columns
    height, width = 1 + xorshift_below(state, min(longest, rows)), 1 + xorshift_below(state, min(longest, columns))
    top, left = xorshift_below(state, rows - height + 1), xorshift_below(state, columns - width + 1)
    inside[:] = False
    for row in range(top, top + height):
        inside[row * columns + left : row * columns + left + width] = True
    for cell in range(child.size):
        at[first[cell] >> 2] = cell
        other[second[cell] >> 2] = cell
        if inside[cell]:
            child[cell] = second[cell]
    for turning in range(2):  # first all pieces, then their rotations
        for row in range(top, top + height):
            for cell in range(row * columns + left, row * columns + left + width):
                vacated = at[second[cell] >> 2]
                if inside[vacated]:
                    continue
                if turning:
                    child[vacated] = _turn(
                        vacated, child[vacated] >> 2, child, fitted, neighbours, kinds, turns, sides, state
                    )
                    continue
                piece = first[cell] >> 2
                while inside[other[piece]]:
                    piece = first[other[piece]] >> 2
                child[vacated] = 4 * piece


@kernel
def _exchange(board, fitted, order, low, high, neighbours, kinds, turns, sides, state):  # type: ignore[no-untyped-def]
    """Exchange two pieces of a group."""
    a = order[xorshift_below(state, order.size)]
    b = order[low[a] + xorshift_below(state, high[a] - low[a])]
    one, two = board[a] >> 2, board[b] >> 2
    board[a], board[b] = 4 * two, 4 * one
    board[a] = _turn(a, two, board, fitted, neighbours, kinds, turns, sides, state)
    board[b] = _turn(b, one, board, fitted, neighbours, kinds, turns, sides, state)


@kernel
def _turn_region(board, columns, longest, kinds, turns, state, room):  # type: ignore[no-untyped-def]
    """Turn a random square of 2 x 2 to `longest` x `longest` cells with its pieces, if frame and hints allow one."""
    rows = board.size // columns
    longest = min(longest, rows, columns)
    if longest < 2:
        return
    for _ in range(TRIES):
        size = 2 + xorshift_below(state, longest - 1)
        top, left = xorshift_below(state, rows - size + 1), xorshift_below(state, columns - size + 1)
        quarters = 1 + xorshift_below(state, 3)
        fits = True
        for cell in range(size * size):
            row, column = cell // size, cell % size
            for _quarter in range(quarters):
                row, column = column, size - 1 - row
            placement = board[(top + cell // size) * columns + left + cell % size]
            placement = (placement & ~3) | ((placement + quarters) & 3)
            room[row * size + column] = placement
            if not _fits((top + row) * columns + left + column, placement, kinds, turns):
                fits = False
                break
        if fits:
            for cell in range(size * size):
                board[(top + cell // size) * columns + left + cell % size] = room[cell]
            return


@kernel
def _exchange_regions(board, columns, longest, kinds, turns, state):  # type: ignore[no-untyped-def]
    """Exchange two random rectangles that do not overlap, rotations kept, if frame and hints allow two."""
    rows = board.size // columns
    for _ in range(TRIES):
        height, width = 1 + xorshift_below(state, min(longest, rows)), 1 + xorshift_below(state, min(longest, columns))
        top, left = xorshift_below(state, rows - height + 1), xorshift_below(state, columns - width + 1)
        down, right = xorshift_below(state, rows - height + 1) - top, xorshift_below(state, columns - width + 1) - left
        if abs(down) < height and abs(right) < width:
            continue
        step = down * columns + right
        fits = True
        for row in range(top, top + height):
            for cell in range(row * columns + left, row * columns + left + width):
                there = cell + step
                fits &= _fits(cell, board[there], kinds, turns) and _fits(there, board[cell], kinds, turns)
        if fits:
            for row in range(top, top + height):
                for cell in range(row * columns + left, row * columns + left + width):
                    kept = board[cell]
                    board[cell] = board[cell + step]
                    board[cell + step] = kept
            return


@kernel
def breed(  # type: ignore[no-untyped-def]
    boards, first, second, crossover, mutation, longest, fitted, columns, order, low, high, neighbours, kinds, turns,
    sides, state, children, objectives,
):  # fmt: skip
    """Make a child of each pair of parents.

    Parameters
    ----------
    boards
        int32, shape (individuals, cells): the parents.
    first, second
        Rows of the parents of each child.
    crossover
        Probability that a child takes a region from its second parent; otherwise, it is a copy of the first.
    mutation
        Probability that a child is mutated, and of another mutation after each one; less than 1.
    longest
        Longest side of a region.
    fitted
        Whether single pieces that change places take one of their best rotations instead of a random one.
    children, objectives
        Output: the children, shape (children, cells), and their mismatches.
    """
    cells = boards.shape[1]
    at, other = np.empty(cells, dtype=np.int64), np.empty(cells, dtype=np.int64)
    inside, room = np.empty(cells, dtype=np.bool_), np.empty(cells, dtype=np.int64)
    for number in range(len(children)):
        child = children[number]
        one, two = boards[first[number]], boards[second[number]]
        child[:] = one
        if _happens(state, crossover):
            _cross(one, two, child, columns, longest, fitted, neighbours, kinds, turns, sides, state, at, other, inside)
        while _happens(state, mutation):
            kind = xorshift_below(state, 4)
            if kind == 0:
                cell = xorshift_below(state, cells)
                child[cell] = _turn(cell, child[cell] >> 2, child, False, neighbours, kinds, turns, sides, state)
            elif kind == 1 and order.size:
                _exchange(child, fitted, order, low, high, neighbours, kinds, turns, sides, state)
            elif kind == 2:
                _turn_region(child, columns, longest, kinds, turns, state, room)
            elif kind == 3:
                _exchange_regions(child, columns, longest, kinds, turns, state)
        objectives[number] = _mismatches(child, neighbours, sides)
