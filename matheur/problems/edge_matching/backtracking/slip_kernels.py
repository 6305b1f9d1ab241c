"""Kernel of the slip backtracker: one placement for every cell in a fixed order, with few mismatches, fast.

A *word* of 64 bits belongs to each kind of cell and each pair of colours (below the cell above, right of the cell on
the left). Its low half has a bit for each placement that shows the two colours *and whose piece is unused*; its high
half is the place of the first of them in `entries`. A candidate is thus read from a word by its lowest bit, and none is
rejected because its piece lies elsewhere. Laying or removing a piece flips its bits, usually four. As the word of the
next cell is known, a placement that leaves nothing for that cell is counted but not laid.

Memory layout, all int64 except `flip`, all owned by the caller; a *slot* is a depth, or `cells` for no neighbour, or a
further number for each cell that is fixed from the start:

- `live[address]`: the words. An address is `base[depth] + down[slot above] + right[slot on the left]`; colours below
  are stored multiplied by the number of colours. More than 31 placements continue in another word, represented by
  bit 31, whose entry is an address. `live[base[cells]]` is never empty.
- `entries[place]`: colour on the right (10 bits), colour below times the number of colours (22), placement (14), number
  of sides with colours to exhaust (3).
- `flip`, int32, shape (pieces * flips): the bits of each piece, as address (26 bits) and bit (5).
- `ranges[depth]`: colours that a slip may require above and on the left (first, end; first, end); whether both joints
  may slip at once; the base of the words that ignore fixed cells below and on the right (0 without such cells); and the
  colours required there (-1 for any).
- `corners[depth]`: slots at the upper right and lower left, for the rule that slips must not touch.
- `allowed[depth]`: mismatches that may have been made once that cell is filled; `quota[depth]`: sides to exhaust that
  must have been laid by then.
- `bit[colour]`: a bit for each colour whose sides all meet another side on a full board, else 0; fewer than 64.
- per depth: `mask`, `first` (candidates left and their place), `cursor` (number of the slip being tried, -1 for none),
  `cost` of its candidates, `kind` of slip (1 above, 2 left, 3 both, 4 below or right), `slips` and `spent` (sides)
  before it, `choice` (entry), `odd` (bits of the colours with an odd number of unmatched sides, before it) and `after`
  (the same after a slip).

A match takes two sides of a colour, and no side is left on a full board. A slip therefore switches two colours between
odd and even, and every two odd colours need another slip. A slip is made only if the allowance of the whole board
covers all slips that it entails.

The order of the cells may be any in which each cell comes after the cells above it and on its left.

A node is a placement that fits and meets the quota; it takes 12 to 30 nanoseconds. Indices are cast to unsigned ones
(`at`), which saves numba a test for negative indices and makes the kernel a third faster.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import popcount, trailing_zeros
from matheur.problems.edge_matching.backtracking.walk import DEEPEST, DEPTH, FOUND, NODES, TRIES

__all__ = ["BLOCK", "advance", "lay", "leave"]

OPENED = 5
STATE_LENGTH = 6
BLOCK = 31  # placements per word
RIGHT_BITS, DOWN_BITS, PLACEMENT_BITS = 10, 22, 14
_LOW = 0xFFFFFFFF
_RIGHT = (1 << RIGHT_BITS) - 1
_DOWN = (1 << DOWN_BITS) - 1
_PLACEMENT = (1 << PLACEMENT_BITS) - 1
_DOWN_AT = RIGHT_BITS
_PLACEMENT_AT = RIGHT_BITS + DOWN_BITS
_SIDES_AT = RIGHT_BITS + DOWN_BITS + PLACEMENT_BITS


at = np.uintp


@kernel
def _ones(word):  # type: ignore[no-untyped-def]
    """Number of bits that are set."""
    return np.int64(popcount(np.uint64(word)))


@kernel
def advance(  # type: ignore[no-untyped-def]
    limit, colours, flips, apart, live, entries, flip, base, above, left, corners, ranges, bit, allowed,
    quota, down, right, mask, first, cursor, cost, kind, slips, spent, odd, after, choice, deepest, state,
):  # fmt: skip
    """Search until `state[NODES]` reaches `limit`, a board is full (FOUND = 1), or none is left (DEPTH = -1).

    `deepest` holds the entries of the fullest board since `state[DEEPEST]` was last set to 0.
    """
    cells = len(above) - 1
    depth = state[DEPTH]
    nodes = state[NODES]
    record = state[DEEPEST]
    state[FOUND] = 0
    if depth < 0:
        return
    if state[OPENED] == 0:
        state[OPENED] = 1
        word = live[base[0] + down[above[0]] + right[left[0]]]
        mask[0], first[0], cursor[0], cost[0], kind[0] = word & _LOW, word >> 32, -1, 0, 0
        slips[0] = spent[0] = 0
    d = at(depth)
    here = mask[d]
    place = first[d]
    slipped = slips[d]
    extra = cost[d]
    sides = spent[d]
    while nodes < limit:
        if here == 0:
            if slipped < allowed[d] and depth < cells:  # the next word that matches on at most one side
                state[TRIES] += 1
                north = down[at(above[d])]
                west = right[at(left[d])]
                low = ranges[d, 0]
                low_left = ranges[d, 2]
                number = ranges[d, 1] - low
                end = number + ranges[d, 3] - low_left
                step = cursor[d] + 1
                if apart:
                    if step < number and (kind[at(above[d])] != 0 or (kind[at(corners[d, 0])] & 2) != 0):
                        step = number
                    if number <= step < end and (kind[at(left[d])] != 0 or (kind[at(corners[d, 1])] & 1) != 0):
                        step = end
                address = at(base[d] + west)
                spare = 2 * (allowed[cells] - slipped - 1)  # odd colours that can still be made even
                above_even = odd[d] ^ bit[at(north // colours)]
                if _ones(above_even) > spare + 1:
                    step = max(step, number)
                while step < number:
                    changed = above_even ^ bit[at(low + step)]
                    if _ones(changed) <= spare:
                        wanted = (low + step) * colours
                        if wanted != north and (live[address + at(wanted)] & _LOW) != 0:
                            after[d] = changed
                            break
                    step += 1
                if step < number:
                    address += at((low + step) * colours)
                    kind[d] = 1
                    extra = 1
                else:
                    address = at(base[d] + north)
                    left_even = odd[d] ^ bit[at(west)]
                    if _ones(left_even) > spare + 1:
                        step = max(step, end)
                    while step < end:
                        wanted = low_left + step - number
                        changed = left_even ^ bit[at(wanted)]
                        if _ones(changed) <= spare and wanted != west and (live[address + at(wanted)] & _LOW) != 0:
                            after[d] = changed
                            break
                        step += 1
                    if step < end:
                        address += at(low_left + step - number)
                        kind[d] = 2
                        extra = 1
                    elif ranges[d, 5] != 0 and step == end and not apart:  # mismatch with a fixed cell below or right
                        address = at(ranges[d, 5] + north + west)
                        kind[d] = 4
                        extra = 1
                        end = step + 1
                    elif ranges[d, 4] != 0 and slipped + 1 < allowed[d] and not apart:
                        beside = end - number
                        end += 1
                        step = max(step, end)
                        both_even = left_even ^ bit[at(north // colours)]
                        if _ones(both_even) > spare:
                            step = end + number * beside
                        row = (step - end) // max(1, beside)
                        column = (step - end) % max(1, beside)
                        while step < end + number * beside:
                            changed = both_even ^ bit[at(low + row)] ^ bit[at(low_left + column)]
                            if _ones(changed) <= spare - 2:
                                wanted = (low + row) * colours
                                other = low_left + column
                                address = at(base[d] + wanted + other)
                                if wanted != north and other != west and (live[address] & _LOW) != 0:
                                    after[d] = changed
                                    break
                            step += 1
                            column += 1
                            if column == beside:
                                column = 0
                                row += 1
                        if step < end + number * beside:
                            kind[d] = 3
                            extra = 2
                            end = step + 1
                cursor[d] = step
                cost[d] = extra
                if step < end:
                    here = live[address] & _LOW
                    place = live[address] >> 32
            if here == 0:
                depth -= 1
                if depth < 0:
                    break
                d = at(depth)
                piece = ((choice[d] >> _PLACEMENT_AT) & _PLACEMENT) >> 2
                if flips == 4:  # the usual case; unrolled, it is an eighth faster
                    own = at(4 * piece)
                    one = np.int64(flip[own])
                    live[at(one >> 5)] ^= np.int64(1) << (one & 31)
                    one = np.int64(flip[own + at(1)])
                    live[at(one >> 5)] ^= np.int64(1) << (one & 31)
                    one = np.int64(flip[own + at(2)])
                    live[at(one >> 5)] ^= np.int64(1) << (one & 31)
                    one = np.int64(flip[own + at(3)])
                    live[at(one >> 5)] ^= np.int64(1) << (one & 31)
                else:
                    for i in range(piece * flips, piece * flips + flips):
                        one = np.int64(flip[at(i)])
                        live[at(one >> 5)] ^= np.int64(1) << (one & 31)
                here = mask[d]
                place = first[d]
                slipped = slips[d]
                extra = cost[d]
                sides = spent[d]
                continue
        lowest = np.int64(trailing_zeros(np.uint64(here)))
        here &= here - 1
        entry = entries[at(place + lowest)]
        if lowest == BLOCK:
            here = live[at(entry)] & _LOW
            place = live[at(entry)] >> 32
            continue
        laid = sides + (entry >> _SIDES_AT)
        if laid < quota[d]:
            continue
        right[d] = entry & _RIGHT
        down[d] = (entry >> _DOWN_AT) & _DOWN
        if extra == 1 and kind[d] == 4:
            below_fits = ranges[d, 6] < 0 or ranges[d, 6] == down[d]
            right_fits = ranges[d, 7] < 0 or ranges[d, 7] == right[d]
            if below_fits == right_fits and (below_fits or (ranges[d, 6] >= 0 and ranges[d, 7] >= 0)):
                continue  # both fit, or neither
            if below_fits:
                changed = odd[d] ^ bit[at(ranges[d, 7])] ^ bit[at(right[d])]
            else:
                changed = odd[d] ^ bit[at(ranges[d, 6] // colours)] ^ bit[at(down[d] // colours)]
            if _ones(changed) > 2 * (allowed[cells] - slipped - 1):
                continue
            after[d] = changed
        nodes += 1
        total = slipped + extra
        below = at(depth + 1)
        address = at(base[below] + down[at(above[below])] + right[at(left[below])])
        if (live[address] & _LOW) == 0 and total >= allowed[below]:
            continue
        piece = ((entry >> _PLACEMENT_AT) & _PLACEMENT) >> 2
        if flips == 4:
            own = at(4 * piece)
            one = np.int64(flip[own])
            live[at(one >> 5)] ^= np.int64(1) << (one & 31)
            one = np.int64(flip[own + at(1)])
            live[at(one >> 5)] ^= np.int64(1) << (one & 31)
            one = np.int64(flip[own + at(2)])
            live[at(one >> 5)] ^= np.int64(1) << (one & 31)
            one = np.int64(flip[own + at(3)])
            live[at(one >> 5)] ^= np.int64(1) << (one & 31)
        else:
            for i in range(piece * flips, piece * flips + flips):
                one = np.int64(flip[at(i)])
                live[at(one >> 5)] ^= np.int64(1) << (one & 31)
        choice[d] = entry
        odd[below] = after[d] if extra > 0 else odd[d]
        mask[d] = here
        first[d] = place
        depth += 1
        d = below
        slips[d] = total
        if depth > record:
            record = depth
            for i in range(depth):
                deepest[i] = choice[i]
        slipped = total
        extra = 0
        if depth == cells:  # another call continues at the last cell
            here = 0
            state[FOUND] = 1
            break
        here = live[address] & _LOW
        place = live[address] >> 32
        sides = laid
        spent[d] = laid
        cursor[d] = -1
        cost[d] = 0
        kind[d] = 0
    if depth >= 0:
        mask[d] = here
        first[d] = place
    state[DEPTH] = depth
    state[NODES] = nodes
    state[DEEPEST] = record


@kernel
def leave(depth, flips, live, flip, choice, state):  # type: ignore[no-untyped-def]
    """Remove pieces until `depth` cells are filled; the search continues with the next candidate of that cell."""
    for place in range(state[DEPTH] - 1, depth - 1, -1):
        piece = ((choice[place] >> _PLACEMENT_AT) & _PLACEMENT) >> 2
        for i in range(piece * flips, piece * flips + flips):
            one = np.int64(flip[i])
            live[one >> 5] ^= np.int64(1) << (one & 31)
    state[DEPTH] = depth


@kernel
def lay(order, address, entry, flips, further, live, entries, flip):  # type: ignore[no-untyped-def]
    """Write words, entries and bits of a list of placements.

    Parameters
    ----------
    order
        Numbers of the placements, address by address, in the order in which they are tried.
    address, entry
        Address and entry of each placement by number.
    flips
        Maximum number of bits of a piece; unused ones belong to word 0 and flip nothing.
    further
        First address for continuation words.
    live
        int64: all addresses, followed by enough continuation words.
    entries
        int64, with at least one place per placement and per continuation word.
    flip
        Written: shape (pieces * flips).
    """
    flip[:] = 0
    count = np.zeros(len(flip) // flips, dtype=np.int64)
    place = 0
    i = 0
    while i < len(order):
        end = i
        while end < len(order) and address[order[end]] == address[order[i]]:
            end += 1
        at = address[order[i]]
        while i < end:
            number = min(end - i, BLOCK)
            full = end - i > BLOCK
            live[at] = (place << 32) | ((np.int64(1) << number) - 1)
            for bit in range(number):
                one = entry[order[i + bit]]
                entries[place + bit] = one
                piece = ((one >> _PLACEMENT_AT) & _PLACEMENT) >> 2
                flip[piece * flips + count[piece]] = at << 5 | bit
                count[piece] += 1
            i += number
            place += number
            if full:
                live[at] |= np.int64(1) << BLOCK
                entries[place] = further
                place += 1
                at = further
                further += 1
