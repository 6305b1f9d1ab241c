"""Sokoban boards, compiled: successors, predecessors, and walks of reversed pushes from solved boards.

A board has a code in every cell: 0 wall, 1 floor, 2 goal, 3 box, 4 box on a goal, 5 player, 6 player on a goal; a goal
adds 1 to the code of a cell, a box 2, the player 4. Codes take 3 bits, 21 per word.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import xorshift, xorshift_uniform
from matheur.methods.statespace.pointers import domain_function

__all__ = ["expand", "expand_back", "walks_back"]

_STAY = 0.15  # probability that the player walks to a random cell instead of to a box
_AGAIN = 0.5  # probability that the last box is pulled again


@kernel
def _player(key, cells):  # type: ignore[no-untyped-def]
    """Cell of the player, -1 if there is none."""
    for cell in range(cells):
        if (key[cell // 21] >> (np.uint64(3) * np.uint64(cell % 21))) & np.uint64(7) >= np.uint64(5):
            return cell
    return -1


@domain_function
def expand(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """All steps and pushes; data: words, columns, cells."""
    words, columns, cells = data[0], data[1], data[2]
    three, seven = np.uint64(3), np.uint64(7)
    player = _player(key, cells)
    count = 0
    if player < 0:
        return count
    for move in range(4):
        offset = (-columns, columns, -1, 1)[move]
        there = player + offset
        shift = three * np.uint64(there % 21)
        code = (key[there // 21] >> shift) & seven
        if code == 0:
            continue
        for word in range(words):
            successors[count * words + word] = key[word]
        pushed = code >= three
        if pushed:
            beyond = there + offset
            shift_beyond = three * np.uint64(beyond % 21)
            after = (key[beyond // 21] >> shift_beyond) & seven
            if after == 0 or after >= three:
                continue
            # A box enters this cell: floor 1 becomes 3, goal 2 becomes 4; the former cell loses as much.
            successors[count * words + beyond // 21] += np.uint64(2) << shift_beyond
            successors[count * words + there // 21] -= np.uint64(2) << shift
        successors[count * words + there // 21] += np.uint64(4) << shift
        successors[count * words + player // 21] -= np.uint64(4) << (three * np.uint64(player % 21))
        moves[count] = move
        costs[count] = 1
        count += 1
    return count


@domain_function
def expand_back(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """All boards from which a move leads to this one; `moves` is that move. Data as in `expand`."""
    words, columns, cells = data[0], data[1], data[2]
    three, seven = np.uint64(3), np.uint64(7)
    player = _player(key, cells)
    count = 0
    if player < 0:
        return count
    for move in range(4):
        offset = (-columns, columns, -1, 1)[move]
        before, ahead = player - offset, player + offset
        shift, shift_ahead = three * np.uint64(before % 21), three * np.uint64(ahead % 21)
        here = three * np.uint64(player % 21)
        code, box = (key[before // 21] >> shift) & seven, (key[ahead // 21] >> shift_ahead) & seven
        if code == 0 or code >= three:
            continue
        for pulled in range(2):
            if pulled == 1 and (box < three or box > np.uint64(4)):
                continue
            for word in range(words):
                successors[count * words + word] = key[word]
            successors[count * words + before // 21] += np.uint64(4) << shift
            successors[count * words + player // 21] -= np.uint64(4) << here
            if pulled == 1:
                successors[count * words + ahead // 21] -= np.uint64(2) << shift_ahead
                successors[count * words + player // 21] += np.uint64(2) << here
            moves[count] = move
            costs[count] = 1
            count += 1
    return count


@kernel
def _below(state, many):  # type: ignore[no-untyped-def]
    """A random integer in [0, many): the remainder, unlike `xorshift_below`."""
    return np.int64((xorshift(state) >> np.uint64(33)) % np.uint64(many))


@kernel
def _chance(state, share):  # type: ignore[no-untyped-def]
    return xorshift_uniform(state) < share


@kernel
def _reach(board, player, offsets, came, waiting):  # type: ignore[no-untyped-def]
    """Cells that the player can walk to, with the last move to each (-2 at the player, -1 elsewhere)."""
    came[:] = -1
    came[player] = -2
    waiting[0] = player
    filled = 1
    at = 0
    while at < filled:
        cell = waiting[at]
        at += 1
        for move in range(4):
            there = cell + offsets[move]
            if came[there] == -1 and (board[there] == 1 or board[there] == 2):
                came[there] = move
                waiting[filled] = there
                filled += 1
    return filled


@kernel
def walks_back(solved, chosen, players, columns, longest, state, boards, steps, back):  # type: ignore[no-untyped-def]
    """Walks of reversed moves that begin with solved boards.

    The player takes a shortest path to a cell from which a random box can be pulled, or occasionally to any cell, and
    pulls the box. A walk that cannot continue restarts at one of its boards.

    Parameters
    ----------
    solved
        uint8[levels, cells]: boards with all boxes on goals, without the player.
    chosen, players
        int64[walks]: level and cell of the player.
    state
        uint64[1]: state of the random numbers.
    boards, steps, back
        uint8[longest + 1, walks, cells], int32[longest + 1, walks] and the same, written: every board of every walk,
        the number of moves from it to the solved board, and the first of them (-1 at the solved board).
    """
    offsets = np.array([-columns, columns, -1, 1], dtype=np.int64)
    cells = solved.shape[1]
    board = np.empty(cells, dtype=np.uint8)
    came = np.empty(cells, dtype=np.int64)
    waiting = np.empty(cells, dtype=np.int64)
    options = np.empty(4 * cells, dtype=np.int64)
    way = np.empty(cells + 1, dtype=np.int64)
    for walk in range(len(chosen)):
        board[:] = solved[chosen[walk]]
        player = players[walk]
        board[player] += 4
        boards[0, walk] = board
        steps[0, walk], back[0, walk] = 0, -1
        done = 0
        ahead = -1  # the last box pulled and the move that pushes it back
        pushing = -1
        while done < longest:
            # The player's path: moves, and whether the last one pulls a box.
            length = 0
            pulls = False
            again = pushing >= 0 and _chance(state, _AGAIN)
            if again:
                beyond = player - offsets[pushing]
                again = (board[beyond] == 1 or board[beyond] == 2) and ahead == player + offsets[pushing]
            if again:
                way[0] = pushing ^ 1
                length, pulls = 1, True
            else:
                reached = _reach(board, player, offsets, came, waiting)
                goal = -1
                if not _chance(state, _STAY):
                    many = 0
                    for at in range(reached):
                        cell = waiting[at]
                        for move in range(4):
                            box = board[cell + offsets[move]]
                            if (box == 3 or box == 4) and came[cell - offsets[move]] != -1:
                                options[many] = 4 * cell + move
                                many += 1
                    if many > 0:
                        option = options[_below(state, many)]
                        goal, pushing = option // 4, option % 4
                        pulls = True
                if goal < 0:
                    goal, pushing = waiting[_below(state, reached)], -1
                cell = goal
                while cell != player:
                    length += 1
                    cell -= offsets[came[cell]]
                cell = goal
                for at in range(length - 1, -1, -1):
                    way[at] = came[cell]
                    cell -= offsets[came[cell]]
                if pulls:
                    way[length] = pushing ^ 1
                    length += 1
                elif length == 0:
                    if reached == 1 and not _chance(state, 0.5):  # the player is locked in
                        again_at = _below(state, done + 1)
                        done += 1
                        board[:] = boards[again_at, walk]
                        boards[done, walk] = board
                        steps[done, walk], back[done, walk] = steps[again_at, walk], back[again_at, walk]
                        pushing = -1
                        player = 0
                        while board[player] < 5:
                            player += 1
                    continue
            for at in range(length):
                if done == longest:
                    break
                move = way[at]
                there = player + offsets[move]
                board[player] -= 4
                board[there] += 4
                if pulls and at == length - 1:
                    board[player - offsets[move]] -= 2
                    board[player] += 2
                    ahead = player
                player = there
                done += 1
                boards[done, walk] = board
                steps[done, walk], back[done, walk] = steps[done - 1, walk] + 1, move ^ 1
