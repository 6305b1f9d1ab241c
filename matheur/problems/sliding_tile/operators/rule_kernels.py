"""Solving a board of sliding tiles by rules, compiled.

The goal has the blank last. Lines are put in order one after the other, the top row or the left column of the rest of
the board, until 2 x 2 cells remain. In a line, every tile except the last two is brought to its place step by step,
while the blank moves around it over unfinished cells. The last two are brought into the block of two by three cells at
the end of the line; its 120 arrangements of two tiles and the blank are searched breadth first. The blank always finds
a path: a rectangle of two or more lines remains connected when any one cell is removed.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["COLUMNS", "RINGS", "ROWS", "solve"]

ROWS, COLUMNS, RINGS = 0, 1, 2
"""Which line is next: rows as long as there are three, columns as long as there are three, or the shorter ones."""

_FAR = 1 << 20


@kernel
def _slide(board, there, columns, plan, count):  # type: ignore[no-untyped-def]
    """Slide the tile in cell `there` into the blank; board[0] holds tiles by cell, board[1] cells by tile."""
    blank = board[1, 0]
    step = there - blank
    if step == columns:
        plan[count] = 0
    elif step == -columns:
        plan[count] = 1
    else:
        plan[count] = 2 if step == 1 else 3
    tile = board[0, there]
    board[0, blank], board[0, there] = tile, 0
    board[1, tile], board[1, 0] = blank, there
    return count + 1


@kernel
def _neighbour(cell, move, rows, columns):  # type: ignore[no-untyped-def]
    """The cell below, above, right or left of a cell, -1 outside the board."""
    if move == 0:
        return cell + columns if cell + columns < rows * columns else -1
    if move == 1:
        return cell - columns if cell >= columns else -1
    if move == 2:
        return cell + 1 if (cell + 1) % columns != 0 else -1
    return cell - 1 if cell % columns != 0 else -1


@kernel
def _spread(wanted, closed, rows, columns, away, queue):  # type: ignore[no-untyped-def]
    """Number of steps over open cells from each cell to the nearest wanted one."""
    head, tail = 0, 0
    for cell in range(rows * columns):
        away[cell] = _FAR
        if wanted[cell] and not closed[cell]:
            away[cell] = 0
            queue[tail] = cell
            tail += 1
    while head < tail:
        cell = queue[head]
        head += 1
        for move in range(4):
            other = _neighbour(cell, move, rows, columns)
            if other >= 0 and not closed[other] and away[other] == _FAR:
                away[other] = away[cell] + 1
                queue[tail] = other
                tail += 1


@kernel
def _walk(board, wanted, closed, rows, columns, plan, count, away, queue):  # type: ignore[no-untyped-def]
    """Move the blank to the nearest wanted cell over open ones; -1 if there is no path."""
    _spread(wanted, closed, rows, columns, away, queue)
    while away[board[1, 0]] > 0:
        blank, best = board[1, 0], -1
        for move in range(4):
            other = _neighbour(blank, move, rows, columns)
            if other >= 0 and not closed[other] and away[other] < away[blank]:
                best = other
        if best < 0:
            return -1
        count = _slide(board, best, columns, plan, count)
    return count


@kernel
def _bring(board, tile, wanted, closed, rows, columns, plan, count, work):  # type: ignore[no-untyped-def]
    """Move a tile to the nearest wanted cell over open ones; -1 if that fails."""
    queue, away, around, front = work[0], work[1], work[2], work[3]
    _spread(wanted, closed, rows, columns, away, queue)
    while away[board[1, tile]] > 0:
        here = board[1, tile]
        closed[here] = True
        front[:] = 0
        front[board[1, 0]] = 1
        _spread(front, closed, rows, columns, around, queue)
        best = -1
        for move in range(4):
            other = _neighbour(here, move, rows, columns)
            if other >= 0 and away[other] < away[here] and (best < 0 or around[other] < around[best]):
                best = other
        if best < 0 or around[best] == _FAR:
            closed[here] = False
            return -1
        front[:] = 0
        front[best] = 1
        count = _walk(board, front, closed, rows, columns, plan, count, around, queue)
        closed[here] = False
        count = _slide(board, here, columns, plan, count)
    return count


@kernel
def _finish_line(board, block, first, second, columns, plan, count):  # type: ignore[no-untyped-def]
    """Bring the last two tiles of a line home within the block, which holds both and the blank.

    block: its cells, two of the line, then two of each of the next lines; the tiles belong in block[0] and block[1].
    """
    place = np.full(board.shape[1], -1, dtype=np.int64)
    for i in range(6):
        place[block[i]] = i
    came = np.full(216, -1, dtype=np.int64)
    queue = np.empty(216, dtype=np.int64)
    # Search backwards from the goal, so that the path can be followed forwards.
    tail = 0
    for blank in range(2, 6):
        state = (0 * 6 + 1) * 6 + blank
        came[state] = state
        queue[tail] = state
        tail += 1
    start = (place[board[1, first]] * 6 + place[board[1, second]]) * 6 + place[board[1, 0]]
    head = 0
    while head < tail and came[start] < 0:
        state = queue[head]
        head += 1
        a, b, blank = state // 36, state // 6 % 6, state % 6
        for step in (-2, 2, 1 - 2 * (blank % 2)):
            other = blank + step
            if not 0 <= other < 6:
                continue
            c = blank if a == other else a
            d = blank if b == other else b
            following = (c * 6 + d) * 6 + other
            if came[following] < 0:
                came[following] = state
                queue[tail] = following
                tail += 1
    state = start
    while came[state] != state:
        state = came[state]
        count = _slide(board, block[state % 6], columns, plan, count)
    return count


@kernel
def solve(tiles, rows, columns, order, plan):  # type: ignore[no-untyped-def]
    """Write a plan for a solvable board.

    Parameters
    ----------
    tiles
        int64[cells], with the goal 1, 2, ..., 0; at least two rows and columns.
    order
        `ROWS`, `COLUMNS` or `RINGS`.
    plan
        int32[...], long enough.

    Returns
    -------
    int64
        Number of slides, -1 if the board could not be solved.
    """
    cells = rows * columns
    board = np.empty((2, cells), dtype=np.int64)
    for cell in range(cells):
        board[0, cell] = tiles[cell]
        board[1, tiles[cell]] = cell
    closed, wanted = np.zeros(cells, dtype=np.int64), np.zeros(cells, dtype=np.int64)
    work = np.empty((4, cells), dtype=np.int64)
    block = np.empty(6, dtype=np.int64)
    top, left, count = 0, 0, 0
    while rows - top > 2 or columns - left > 2:
        high, wide = rows - top, columns - left
        by_row = high > 2 and (wide == 2 or order == ROWS or (order == RINGS and high >= wide))
        origin = top * columns + left
        along, across, length = (1, columns, wide) if by_row else (columns, 1, high)
        for i in range(length - 2):
            cell = origin + i * along
            wanted[:] = 0
            wanted[cell] = 1
            count = _bring(board, cell + 1, wanted, closed, rows, columns, plan, count, work)
            if count < 0:
                return -1
            closed[cell] = 1
        corner = origin + (length - 1) * along
        for i in range(3):
            block[2 * i], block[2 * i + 1] = corner - along + i * across, corner + i * across
        first, second = block[0] + 1, block[1] + 1
        if board[1, first] != block[0] or board[1, second] != block[1]:
            wanted[:] = 0
            wanted[corner] = 1
            count = _bring(board, first, wanted, closed, rows, columns, plan, count, work)
            if count < 0:
                return -1
            closed[corner] = 1
            wanted[:] = 0
            for i in range(6):
                wanted[block[i]] = 1
            count = _bring(board, second, wanted, closed, rows, columns, plan, count, work)
            if count < 0:
                return -1
            there = board[1, second]
            closed[there] = 1
            count = _walk(board, wanted, closed, rows, columns, plan, count, work[1], work[0])
            closed[there] = 0
            if count < 0:
                return -1
            count = _finish_line(board, block, first, second, columns, plan, count)
        closed[block[0]], closed[block[1]] = 1, 1
        if by_row:
            top += 1
        else:
            left += 1
    return _last_four(board, columns, plan, count)


@kernel
def _last_four(board, columns, plan, count):  # type: ignore[no-untyped-def]
    """Rotate the last 2 x 2 cells in the shorter direction; -1 if no rotation solves them."""
    cells = board.shape[1]
    ring = np.array([cells - 1, cells - 2, cells - 2 - columns, cells - 1 - columns])
    place = 0
    while place < 4 and board[0, ring[place]] != 0:
        place += 1
    if place == 4:
        return -1
    best, best_way = _FAR, 0
    for way in (1, 3):
        four = np.empty(4, dtype=np.int64)
        for i in range(4):
            four[i] = board[0, ring[i]]
        at = place
        for steps in range(12):
            if four[0] == 0 and four[1] == ring[1] + 1 and four[2] == ring[2] + 1 and four[3] == ring[3] + 1:
                if steps < best:
                    best, best_way = steps, way
                break
            other = (at + way) % 4
            four[at], four[other] = four[other], 0
            at = other
    if best == _FAR:
        return -1
    for _ in range(best):
        place = (place + best_way) % 4
        count = _slide(board, ring[place], columns, plan, count)
    return count
