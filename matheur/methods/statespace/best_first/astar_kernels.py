"""Kernels of A*: a store of nodes, an open list of buckets, and the loop over both.

Nodes are stored in the order of their creation in one flat uint64 array, each with `words` words of key and one word of
data, so that a visit costs one cache miss. Data: parent in the bits 0-31, g in 32-47, h in 48-62 (all ones: a dead
end), closed in 63. Nodes are found through hashed slots, built as in `matheur.kernels.state_table`.

The open list is a matrix of stacks: a row for each value of f (scaled by the weight), a column for each class of h,
with a mask of the filled columns of a row. A stack is a chain of chunks of 16 uint32: the last place of the chunk
below, then 15 nodes. Its cursor is the place of its last node, 0 if it is empty. If states of equal f are first in,
first out, column 0 of a row holds the last place of a queue and column 1 the first.

A node that gets a smaller g is entered again. The older entry has a larger f, so the node is already closed when this
entry comes out, and the entry is dropped.

Blocks of up to 8 nodes of one stack are expanded together, so that their successors' cache misses overlap: first all
slots are prefetched, then the nodes that they point to, then each successor is looked up. Only new states are
estimated, in one call per block. The block size grows with the number of expansions and never depends on the clock.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import prefetch, trailing_zeros
from matheur.kernels.state_table import look_ahead, same
from matheur.methods.statespace.heuristics.base import INFINITE
from matheur.methods.statespace.pointers import call_estimate, call_expand

__all__ = ["BLOCK", "COLUMNS", "F_LIMIT", "H_DEAD", "H_LIMIT", "Field", "Status", "refill", "run"]

BLOCK = 8
COLUMNS = 128
F_LIMIT = 1 << 18
H_DEAD = (1 << 15) - 1
H_LIMIT = H_DEAD - 1
_G_LIMIT = 1 << 16
_CHUNK = 16
_CLOSED = np.uint64(1 << 63)


class Field:
    """Places of the numbers that a search keeps between slices (int64)."""

    COUNT, EXPANDED, GENERATED, CHUNKS, FREE, LOWEST, BEST, GOAL, DUE, DONE, DROPPED, REOPENED, DEAD = range(13)
    SIZE = 13


class Status:
    """Why a slice ended."""

    SLICE, FINISHED, ROOM, ROWS, COSTLY = range(5)


# Numba reads module globals.
_COUNT, _EXPANDED, _GENERATED, _CHUNKS, _FREE, _LOWEST = range(6)
_BEST, _GOAL, _DUE, _DONE, _DROPPED, _REOPENED, _DEAD = range(6, 13)
_SLICE, _FINISHED, _ROOM, _ROWS, _COSTLY = range(5)


@kernel(inline="always")
def _is_goal(keys, at, goal, mask, words):  # type: ignore[no-untyped-def]
    differ = np.uint64(0)
    for word in range(words):
        differ |= (keys[at + word] & mask[word]) ^ goal[word]
    return differ == 0


@kernel(inline="always")
def _new_chunk(chunks, field):  # type: ignore[no-untyped-def]
    chunk = field[_FREE]
    if chunk != 0:
        field[_FREE] = np.int64(chunks[chunk * _CHUNK])
        return chunk
    field[_CHUNKS] += 1
    return field[_CHUNKS]


@kernel(inline="always")
def _free_chunk(chunks, field, chunk):  # type: ignore[no-untyped-def]
    chunks[chunk * _CHUNK] = field[_FREE]
    field[_FREE] = chunk


@kernel(inline="always")
def _push(node, row, column, queue, heads, filled, chunks, field):  # type: ignore[no-untyped-def]
    """Push a node to its stack, or to the end of the row's queue."""
    stack = row * COLUMNS + column
    cursor = np.int64(heads[stack])
    if cursor == 0 or cursor % _CHUNK == _CHUNK - 1:
        chunk = _new_chunk(chunks, field)
        if not queue:
            chunks[chunk * _CHUNK] = cursor
        elif cursor == 0:
            heads[stack + 1] = chunk * _CHUNK + 1
        else:
            chunks[cursor - _CHUNK + 1] = chunk
        cursor = chunk * _CHUNK
    chunks[cursor + 1] = node
    heads[stack] = cursor + 1
    filled[2 * row + column // 64] |= np.uint64(1) << np.uint64(column % 64)
    field[_LOWEST] = min(field[_LOWEST], row)


@kernel(inline="always")
def _pop(row, column, queue, heads, filled, chunks, field):  # type: ignore[no-untyped-def]
    """Pop a node from a nonempty stack or queue."""
    stack = row * COLUMNS + column
    last = np.int64(heads[stack])
    if queue:
        first = np.int64(heads[stack + 1])
        node = np.int64(chunks[first])
        chunk = first // _CHUNK
        if first == last:
            _free_chunk(chunks, field, chunk)
            heads[stack], heads[stack + 1] = 0, 0
        elif first % _CHUNK == _CHUNK - 1:
            heads[stack + 1] = chunks[chunk * _CHUNK] * np.uint32(_CHUNK) + np.uint32(1)
            _free_chunk(chunks, field, chunk)
        else:
            heads[stack + 1] = first + 1
    else:
        node = np.int64(chunks[last])
        if last % _CHUNK == 1:
            heads[stack] = chunks[last - 1]
            _free_chunk(chunks, field, last // _CHUNK)
        else:
            heads[stack] = last - 1
    if heads[stack] == 0:
        filled[2 * row + column // 64] &= ~(np.uint64(1) << np.uint64(column % 64))
    return node


@kernel(inline="always")
def _lowest_row(filled, field):  # type: ignore[no-untyped-def]
    """First row that is not empty, or the number of rows."""
    row, rows = field[_LOWEST], len(filled) // 2
    while row < rows and filled[2 * row] == 0 and filled[2 * row + 1] == 0:
        row += 1
    field[_LOWEST] = row
    return row


@kernel(inline="always")
def _enter(node, at, nodes, setup, heads, filled, open_at, chunks, field):  # type: ignore[no-untyped-def]
    """Add a node to the open list, or close it if no better plan leads through it; False if more rows are needed."""
    data = nodes[at]
    g = np.int64((data >> np.uint64(32)) & np.uint64(0xFFFF))
    h = np.int64((data >> np.uint64(48)) & np.uint64(0x7FFF))
    least = g + h if setup[3] else g
    if least >= field[_BEST] or h == H_DEAD:
        nodes[at] = data | _CLOSED
        return True
    row = setup[1] * g + setup[0] * h
    if row >= len(open_at):
        return False
    column = min(h >> setup[5], COLUMNS - 1)
    if setup[4] == 1:
        column = COLUMNS - 1 - column
    elif setup[4] == 2:
        column = 0
    open_at[least] += 1
    _push(node, row, column, setup[4] == 2, heads, filled, chunks, field)
    return True


@kernel
def refill(words, setup, nodes, heads, filled, open_at, chunks, field, room_chunks, start):  # type: ignore[no-untyped-def]
    """Enter all nodes from `start` on that are not closed, after a change of the weight; returns where it ended."""
    for node in range(start, field[_COUNT]):
        at = node * (words + 1) + words
        if nodes[at] & _CLOSED != 0:
            continue
        if field[_CHUNKS] >= room_chunks or not _enter(node, at, nodes, setup, heads, filled, open_at, chunks, field):
            return node
    return field[_COUNT]


@kernel
def run(  # type: ignore[no-untyped-def]
    expand, expand_data, estimate, estimate_data, setup, goal, mask, slots, nodes, heads, filled, open_at, chunks,
    field, due, room_nodes, room_bytes, slice_end, work_end,
):  # fmt: skip
    """Expand until the caller must act; returns a `Status`.

    Parameters
    ----------
    setup
        Numerator and denominator of the weight of h, words per key, whether h is a lower bound, ties (0 large g, 1
        small g, 2 first in, first out), right shift of h that gives the column, branching, largest block.
    heads, filled, open_at
        uint32[rows * COLUMNS] cursors, uint64[rows * 2] masks, int64[rows] open entries by the least cost of a plan
        through them.
    due
        int64[BLOCK * branching]: nodes to be entered into the open list.
    room_nodes, room_bytes
        Number of nodes for which there are slots, and the bytes that nodes and chunks may take together.
    slice_end, work_end
        Numbers of expansions: the first block that reaches `slice_end` ends the slice, `work_end` is never exceeded.
    """
    numerator, denominator, words, trusted = setup[0], setup[1], setup[2], setup[3] != 0
    queue, branching = setup[4] == 2, setup[6]
    record = words + 1
    slot_mask, low = np.uint64(len(slots) - 1), np.uint32(len(slots) - 1)
    popped = np.empty(BLOCK, dtype=np.int64)
    children = np.empty(BLOCK * branching * words, dtype=np.uint64)
    parents = np.empty(BLOCK * branching, dtype=np.int64)
    moves = np.empty(BLOCK * branching, dtype=np.int32)
    costs = np.empty(BLOCK * branching, dtype=np.int32)
    hashes = np.empty(BLOCK * branching, dtype=np.uint64)
    guesses = np.empty(BLOCK * branching, dtype=np.int32)
    found = False
    while True:
        while field[_DONE] < field[_DUE]:
            node = due[field[_DONE]]
            if not _enter(node, node * record + words, nodes, setup, heads, filled, open_at, chunks, field):
                return _ROWS
            field[_DONE] += 1
        field[_DUE], field[_DONE] = 0, 0
        row = _lowest_row(filled, field)
        if row == len(open_at) or row >= denominator * field[_BEST]:
            return _FINISHED
        if found or field[_EXPANDED] >= slice_end or field[_EXPANDED] >= work_end:
            return _SLICE

        many = min(setup[7], 1 + field[_EXPANDED] // 1024, work_end - field[_EXPANDED])
        while True:
            news = many * branching
            in_use = (field[_COUNT] + news) * record * 8 + (field[_CHUNKS] + news) * _CHUNK * 4
            if field[_COUNT] + news <= room_nodes and in_use <= room_bytes:
                break
            if many == 1:
                return _ROOM
            many = 1

        column = trailing_zeros(filled[2 * row]) if filled[2 * row] != 0 else 64 + trailing_zeros(filled[2 * row + 1])
        taken = 0
        while taken < many and heads[row * COLUMNS + column] != 0:
            popped[taken] = _pop(row, column, queue, heads, filled, chunks, field)
            prefetch(nodes, popped[taken] * record)
            taken += 1
        size = 0
        for i in range(taken):
            at = popped[i] * record
            data = nodes[at + words]
            g = np.int64((data >> np.uint64(32)) & np.uint64(0xFFFF))
            h = np.int64((data >> np.uint64(48)) & np.uint64(0x7FFF))
            then = (row - numerator * h) // denominator
            open_at[then + h if trusted else then] -= 1
            if data & _CLOSED != 0:
                field[_DROPPED] += 1
                continue
            nodes[at + words] = data | _CLOSED
            if (g + h if trusted else g) >= field[_BEST]:
                continue
            more = call_expand(
                expand, nodes[at : at + words], expand_data, children[size * words :], moves[size:], costs[size:]
            )
            parents[size : size + more] = popped[i]
            size += more
            field[_EXPANDED] += 1
        field[_GENERATED] += size

        look_ahead(slots, nodes, record, words, children, 0, size, hashes)

        count, first = field[_COUNT], field[_COUNT]
        for i in range(size):
            parent = parents[i]
            g = np.int64((nodes[parent * record + words] >> np.uint64(32)) & np.uint64(0xFFFF)) + costs[i]
            if g >= field[_BEST]:
                continue
            if g >= _G_LIMIT:
                return _COSTLY
            slot = hashes[i] & slot_mask
            tag = np.uint32(hashes[i] >> np.uint64(32)) & ~low
            data = np.uint64(parent) | (np.uint64(g) << np.uint64(32))
            better = False
            while True:
                entry = slots[slot]
                if entry == 0:
                    for word in range(words):
                        nodes[count * record + word] = children[i * words + word]
                        # The new states move to the front, where they are estimated together.
                        children[(count - first) * words + word] = children[i * words + word]
                    nodes[count * record + words] = data
                    node = count
                    count += 1
                    slots[slot] = tag | np.uint32(count)
                    better = True
                    break
                if entry & ~low == tag:
                    node = np.int64(entry & low) - 1
                    if same(nodes, node * record, children, i * words, words):
                        old = nodes[node * record + words]
                        if g < np.int64((old >> np.uint64(32)) & np.uint64(0xFFFF)):
                            kept = old & (np.uint64(0x7FFF) << np.uint64(48))
                            nodes[node * record + words] = data | kept
                            better = True
                            if node < first:
                                due[field[_DUE]] = node
                                field[_DUE] += 1
                                field[_REOPENED] += np.int64(old >> np.uint64(63))
                        break
                slot = (slot + np.uint64(1)) & slot_mask
            if better and _is_goal(nodes, node * record, goal, mask, words):
                field[_BEST], field[_GOAL], found = g, node, True
        field[_COUNT] = count

        if count > first:
            call_estimate(estimate, children, count - first, estimate_data, guesses)
        for node in range(first, count):
            guess = int(guesses[node - first])
            kept_guess = max(0, min(guess, H_LIMIT))
            if guess >= INFINITE:
                kept_guess = H_DEAD
                field[_DEAD] += 1
            nodes[node * record + words] |= np.uint64(kept_guess) << np.uint64(48)
            due[field[_DUE]] = node
            field[_DUE] += 1
