"""Kernel of the layered backtracker for larger boards: up to 128 free pieces inside, lines of 16 cells, 31 colours.

It works like `narrow_kernels`; read that module first. The data of a row takes more space here: a row consists of eight
uint64, one cache line of the processor.

- 0, 1: free inner pieces that fit in the next cell and have not been tried, in two words; frame pieces are in word 0;
- 2, 3: the colour that each column shows below, 5 bits per column, eight columns per word;
- 4, 5: the free inner pieces;
- 6: the free frame pieces; from bit 36, a bit for each inner colour with an odd number of unmatched sides; from bit 56,
  the mismatches so far;
- 7: an eighth of the start of the parent row in `rows`; in bits 21 to 31, the number that a row had at the beginning
  of the line if look-ahead checked the line, else 0; from bit 32, 5 bits per line, the colour that each line shows on
  the right (one for a scan by rows, up to four for the columns of a comb); from bit 52, the number of sides with rare
  colours laid so far.

A colour stays in place until the cell below or on the right is filled. Therefore, neither rows nor columns need a
queue, and the change from rows to columns needs no extra step. The key of a cell is 32 times the colour above it plus
the colour on its left.

Memory layout as in `narrow_kernels`, except:

- `mask[2 * (base[depth] + key) + word]`: pieces that fit.
- `entries[128 * (base[depth] + key) + piece]`: colours that a piece shows: below in bits 0 to 4; the colour on the
  right and the sides with rare colours at the bits of word 7.
- `places[depth]`, uint64, shape (cells + 1, 3): word and bit of the colour above that cell, and bit of the colour on
  its left.
- `looks`: a line has the first words of the pieces that fit, by the colour on the left, then the second words, then the
  first words of the pieces that lead to one of a set of colours, then the second words. Sets consist of four parts of 5
  colours.
- `ahead[ahead_at[depth] + 2 * (number - 1) + word]`: pieces that lead to a colour that the next cell may require.
- `own[depth]`: 6 for cells on the frame, else 4.
- `slips[depth]`: bit 0 if the joint above may slip, bit 1 if the joint on the left may.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import common_bits, opaque, popcount, trailing_zeros
from matheur.problems.edge_matching.backtracking.walk import DEEPEST, DEPTH, FOUND, NODES, TRIES

__all__ = ["ROOM", "advance"]

STATE_LENGTH = 5
WORDS = 8
FRAME = 6
PARENT = 7
ODD_AT, USED_AT, NUMBER_AT, LEFT_AT, SPENT_AT = 36, 56, 21, 32, 52
ORIGIN_BITS, ORIGIN_SCALE = NUMBER_AT, WORDS
COLOURS, SPARE = 32, 8  # words of a line of `looks` by the colour of the previous cell, twice, and after the line
PARTS, PART = 4, 5  # parts of a set of colours, and colours per part
LINE = 2 * (COLOURS + (PARTS << PART)) + SPARE
LANES = 16  # rows that look-ahead checks together
ROOM = 1280
"""Extra rows of a layer above the number at which it counts as full, for the rows that one row may still add."""

at = np.uintp
_ROW = at(WORDS)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FIELD, _COLOUR = np.uint64(5), np.uint64(31)
_ODD, _USED, _SPENT = np.uint64(ODD_AT), np.uint64(USED_AT), np.uint64(SPENT_AT)
_SUBSET, _EVERY = np.uint64((1 << PART) - 1), np.uint64((1 << PARTS * PART) - 1)
_ODD_BITS = np.uint64((1 << (USED_AT - ODD_AT)) - 1)
_HIGH = ~np.uint64(0xFFFF_FFFF)
_NUMBER, _ORIGIN = np.uint64(NUMBER_AT), np.uint64((1 << NUMBER_AT) - 1)
_NUMBERS = ~_HIGH ^ _ORIGIN
_EIGHTH = np.uint64(3)
_PIECES = np.uint64(7)  # bits of a piece
_SECOND = np.uint64(64)  # the first piece of the second word


@kernel
def _lay(  # type: ignore[no-untyped-def]
    rows, mask, entries, here, there, one, other, above, left, same, next_above, next_left, mine, next_mine,
    least, open_below, spread, ahead, e, end, c, last,
):  # fmt: skip
    """Lay pieces on the rows from `e` to `end` until all are tried or `c` is `last`.

    If `spread` is all ones, `_spread` wrote these rows, which contain their own parents; if it is 0, these rows are the
    parents of the new ones. Rows are also kept if their mismatches are below `open_below`. `ahead` is the part of the
    table that starts at the next cell; None if no line was checked.
    """
    numbers = _ZERO if ahead is None else _NUMBERS
    keep, keep_left = ~(_COLOUR << above), (_HIGH | numbers | spread) & ~(_COLOUR << left)
    fit, fit_second = rows[e], rows[e + at(1)]
    following, following_second = rows[e + _ROW], rows[e + _ROW + at(1)]
    made = at(0)
    while True:
        edge = rows[e + one]
        beside = rows[e + other]
        free, free_second, frame = rows[e + at(4)], rows[e + at(5)], rows[e + at(6)]
        tail = rows[e + at(7)]
        first = _ZERO - np.uint64(fit != _ZERO)
        word = fit | (fit_second & ~first)
        low = word & (_ZERO - word)
        piece = np.uint64(trailing_zeros(word)) + (_SECOND & ~first)
        low_first = low & first
        low ^= low_first
        fit ^= low_first
        fit_second ^= low
        key = (((edge >> above) & _COLOUR) << _FIELD) | ((tail >> left) & _COLOUR)
        entry = entries[at(((here + key) << _PIECES) + piece)]
        edge = (edge & keep) | ((entry & _COLOUR) << above)
        said = at((tail & _NUMBERS) >> _NUMBER) << at(1)
        tail = (tail & keep_left) + (entry & _HIGH)
        free ^= low_first & mine
        free_second ^= low
        frame ^= low_first & ~mine
        shown = (edge & same) | (beside & ~same)
        key = (((shown >> next_above) & _COLOUR) << _FIELD) | ((tail >> next_left) & _COLOUR)
        place = at((there + key) << _ONE)
        next_fit = mask[place] & ((free & next_mine) | (frame & ~next_mine))
        next_second = mask[place + at(1)] & free_second
        if ahead is not None:
            next_fit &= ahead[said]
            next_second &= ahead[said + at(1)]
        rows[c] = next_fit
        rows[c + at(1)] = next_second
        rows[c + one] = edge
        rows[c + other] = beside
        rows[c + at(4)] = free
        rows[c + at(5)] = free_second
        rows[c + at(6)] = frame
        rows[c + at(7)] = tail | ((np.uint64(e) >> _EIGHTH) & ~spread)
        meets = at(tail >= least)
        made += meets
        c += (meets & (at((next_fit | next_second) != _ZERO) | at(frame < open_below))) * _ROW
        done = opaque(np.uint64((fit | fit_second) == _ZERO))
        e += at(done) * _ROW
        fit |= following & (_ZERO - done)
        fit_second |= following_second & (_ZERO - done)
        following, following_second = rows[e + _ROW], rows[e + _ROW + at(1)]
        if (e == end) | (c == last):
            break
    if e != end:
        rows[e] = fit
        rows[e + at(1)] = fit_second
    return e, c, made


@kernel
def _spread(  # type: ignore[no-untyped-def]
    rows, mask, more, copied, here, edge, above, left, in_frame, slips, allowed, total, colours, e, end, full, scratch
):  # fmt: skip
    """Write the rows from `e` and their variants with a mismatch to `scratch`, for about `full` placements.

    Each written row has its own key, or one that differs from it by one more mismatch. Returns the first row left, the
    end of the written rows, and the number of words looked up for a mismatch.
    """
    c = scratch
    every = (_ONE << np.uint64(colours)) - _ONE - _ONE
    other = at(5) - edge
    placements = np.int64(0)
    tries = np.int64(0)
    while e != end and placements < full:
        # Common data of the rows is read once and never read back, because stores prevent LLVM from reusing loads.
        shown_below, beside = rows[e + edge], rows[e + other]
        free, free_second, frame = rows[e + at(4)], rows[e + at(5)], rows[e + at(FRAME)]
        tail = (rows[e + at(PARENT)] & _HIGH) | (np.uint64(e) >> _EIGHTH)
        fit, fit_second = rows[e], rows[e + at(1)]
        rows[c], rows[c + at(1)] = fit, fit_second
        rows[c + edge], rows[c + other] = shown_below, beside
        rows[c + at(4)], rows[c + at(5)], rows[c + at(FRAME)] = free, free_second, frame
        rows[c + at(PARENT)] = tail
        c += at((fit | fit_second) != _ZERO) * _ROW
        placements += popcount(fit) + popcount(fit_second)
        used = np.int64(frame >> _USED)
        spare = 2 * (total - used - 1)
        key = (((shown_below >> above) & _COLOUR) << _FIELD) | ((tail >> left) & _COLOUR)
        if used < allowed and spare >= 0 and copied[at(here + key)] == 0:
            shown_below &= ~(_COLOUR << above)
            tail &= ~(_COLOUR << left)
            mine = frame if in_frame else free
            odd = (frame >> _ODD) & _ODD_BITS
            for side in range(2):
                shift = np.uint64(5 - 5 * side)
                wanted = (key >> shift) & _COLOUR
                kept = key ^ (wanted << shift)
                even = odd ^ (_ONE << wanted)
                if (slips >> side) & 1 == 0 or popcount(even) > spare + 1:
                    continue
                # If the odd colours are as many as can still be paired, the colour must be one of them.
                others = every ^ (_ONE << wanted)
                if popcount(even) > spare:
                    others = even & others
                while others != _ZERO:
                    shown = np.uint64(trailing_zeros(others))
                    others &= others - _ONE
                    changed = even ^ (_ONE << shown)
                    tries += 1
                    other_key = kept | (shown << shift)
                    slipped = (frame ^ ((odd ^ changed) << _ODD)) + (_ONE << _USED)
                    while True:
                        place = at((here + other_key) << _ONE)
                        fit, fit_second = mask[place] & mine, mask[place + at(1)] & free_second
                        rows[c], rows[c + at(1)] = fit, fit_second
                        rows[c + edge] = shown_below | ((other_key >> _FIELD) << above)
                        rows[c + other] = beside
                        rows[c + at(4)], rows[c + at(5)], rows[c + at(FRAME)] = free, free_second, slipped
                        rows[c + at(PARENT)] = tail | ((other_key & _COLOUR) << left)
                        c += at((fit | fit_second) != _ZERO) * _ROW
                        placements += popcount(fit) + popcount(fit_second)
                        other_key = more[at(here + other_key)]
                        if other_key == _ZERO:
                            break
        e += _ROW
    return e, c, tries


@kernel
def _step_back(rows, looks, ahead, wanted, e, begin, mine, word, above, here):  # type: ignore[no-untyped-def]
    """One cell of `_look` for `LANES` rows from `e`; see `narrow_kernels`."""
    for lane in range(LANES):
        colours = wanted[at(lane)]
        shown = (rows[e + at(WORDS * lane) + word] >> above) & _COLOUR
        line = begin + at(shown * np.uint64(LINE))
        sets = line + at(2 * COLOURS)
        leading, leading_second = _ZERO, _ZERO
        for part in range(PARTS):
            union = sets + at(part << PART) + at((colours >> np.uint64(PART * part)) & _SUBSET)
            leading |= looks[union]
            leading_second |= looks[union + at(PARTS << PART)]
        ahead[here + at(2 * lane)], ahead[here + at(2 * lane + 1)] = leading, leading_second
        leading &= rows[e + at(WORDS * lane) + mine]
        leading_second &= rows[e + at(WORDS * lane + 5)]
        lower = common_bits(looks, line, leading) | common_bits(looks, line + at(COLOURS), leading_second)
        upper = common_bits(looks, line + at(16), leading) | common_bits(looks, line + at(COLOURS + 16), leading_second)
        wanted[at(lane)] = lower | (upper << np.uint64(16))


@kernel
def _look(rows, looks, ahead, ahead_at, base, own, places, allowed, layer, length, first, c, wanted):  # type: ignore[no-untyped-def]
    """Drop rows whose next line cannot be filled, and write `ahead` for the others; return the new end.

    See `narrow_kernels`.
    """
    perfect = length
    while allowed[at(layer + perfect - 1)] > 0:
        perfect -= 1
    begin = _ONE if perfect == length else _EVERY
    count = at(np.uint64(c - first) // np.uint64(WORDS))
    kept = first
    done = at(0)
    e = first
    while done < count:
        for lane in range(LANES):
            wanted[at(lane)] = begin
        for k in range(perfect, length):
            for lane in range(2 * LANES):
                ahead[at(ahead_at[at(layer + k)]) + done + done + at(lane)] = ~_ZERO
        for k in range(perfect - 1, -1, -1):
            d = at(layer + k)
            _step_back(
                rows, looks, ahead, wanted, e, at((base[d] >> _FIELD) * np.uint64(LINE)), at(own[d]),
                at(places[d, 0]), places[d, 1], at(ahead_at[d]) + done + done,
            )  # fmt: skip
        until = min(done + at(LANES), count)
        while done < until:
            here = at(ahead_at[at(layer)]) + done + done
            fit, fit_second = rows[e] & ahead[here], rows[e + at(1)] & ahead[here + at(1)]
            done += at(1)
            rows[kept], rows[kept + at(1)] = fit, fit_second
            for word in range(2, WORDS - 1):
                rows[kept + at(word)] = rows[e + at(word)]
            rows[kept + at(PARENT)] = (rows[e + at(PARENT)] & ~_NUMBERS) | (np.uint64(done) << _NUMBER)
            kept += at((fit | fit_second) != _ZERO) * _ROW
            e += _ROW
    return kept


@kernel
def _copy(rows, mask, more, there, edge, above, left, in_frame, ahead, first, c, listed):  # type: ignore[no-untyped-def]
    """Copy the rows from `first` to `c` for further rotations of the same pieces; return the new end.

    `ahead` is the part of the table for the cell; None if no line was checked.
    """
    number = np.int64(0)
    mine = at(FRAME) if in_frame else at(4)
    e = first
    while e < c:
        listed[at(number)] = e
        key = (((rows[e + edge] >> above) & _COLOUR) << _FIELD) | ((rows[e + at(PARENT)] >> left) & _COLOUR)
        number += np.int64(more[at(there + key)] != _ZERO)
        e += _ROW
    for i in range(number):
        e = listed[i]
        key = (((rows[e + edge] >> above) & _COLOUR) << _FIELD) | ((rows[e + at(PARENT)] >> left) & _COLOUR)
        further = more[at(there + key)]
        while further != _ZERO:
            place = at((there + further) << _ONE)
            fit, fit_second = mask[place] & rows[e + mine], mask[place + at(1)] & rows[e + at(5)]
            if ahead is not None:
                said = at((rows[e + at(PARENT)] & _NUMBERS) >> _NUMBER) << at(1)
                fit &= ahead[said]
                fit_second &= ahead[said + at(1)]
            if (fit | fit_second) != _ZERO:
                rows[c], rows[c + at(1)] = fit, fit_second
                for word in range(2, WORDS):
                    rows[c + at(word)] = rows[e + at(word)]
                rows[c + edge] ^= ((key ^ further) >> _FIELD) << above
                rows[c + at(PARENT)] ^= ((key ^ further) & _COLOUR) << left
                c += _ROW
            further = more[at(there + further)]
    return c


@kernel
def advance(  # type: ignore[no-untyped-def]
    limit, full, width, total, colours, mask, entries, more, copied, base, own, twins, slips, places, lines,
    looks, ahead, ahead_at, allowed, quota, rows, listed, count, at_row, chain, placed, state,
):  # fmt: skip
    """Search until `state[NODES]` reaches `limit`, boards are full (FOUND: their number), or none is left (DEPTH = -1).

    Full boards are the rows of the last layer; another call continues after them.
    """
    cells = len(own) - 1
    scratch = at(WORDS * width * (cells + 1))
    layer = state[DEPTH]
    nodes = state[NODES]
    tries = state[TRIES]
    deepest = state[DEEPEST]
    state[FOUND] = 0
    while layer >= 0 and nodes < limit:
        if at_row[layer] >= count[layer]:
            layer -= 1
            continue
        d = at(layer)
        below = d + at(1)
        first = layer * width
        fresh = first + width
        here, there = base[d], base[below]
        one = at(places[d, 0])
        other = at(5) - one
        above, left = places[d, 1], places[d, 2]
        next_one, next_above, next_left = at(places[below, 0]), places[below, 1], places[below, 2]
        same = _ZERO - np.uint64(next_one == one)
        mine = _ZERO - np.uint64(own[d] != FRAME)
        next_mine = _ZERO - np.uint64(own[below] != FRAME)
        least = np.uint64(max(quota[d], 0)) << _SPENT  # hints may have spent more than required
        e = at(WORDS * (first + at_row[layer]))
        end = at(WORDS * (first + count[layer]))
        c = at(WORDS * fresh)
        last = at(WORDS * (fresh + full))
        if allowed[d] == 0 and allowed[below] == 0 and layer < cells - 1:
            if ahead_at[below] > 0 and lines[below] == 0:
                leading = ahead[ahead_at[below] - 2 :]
                e, c, made = _lay(
                    rows, mask, entries, here, there, one, other, above, left, same, next_above, next_left, mine,
                    next_mine, least, _ZERO, _ZERO, leading, e, end, c, last,
                )  # fmt: skip
            else:
                e, c, made = _lay(
                    rows, mask, entries, here, there, one, other, above, left, same, next_above, next_left, mine,
                    next_mine, least, _ZERO, _ZERO, None, e, end, c, last,
                )  # fmt: skip
            nodes += np.int64(made)
            placed[d] += np.int64(made)
        else:
            e, ready, looked = _spread(
                rows, mask, more, copied, here, one, above, left, mine == _ZERO, slips[d], allowed[d], total, colours,
                e, end, full, scratch,
            )  # fmt: skip
            tries += looked
            if ready > scratch:
                open_below = ~_ZERO if layer == cells - 1 else np.uint64(allowed[below]) << _USED
                _, c, made = _lay(
                    rows, mask, entries, here, there, one, other, above, left, same, next_above, next_left, mine,
                    next_mine, least, open_below, ~_ZERO, None, scratch, ready, c, at(0),
                )  # fmt: skip
                nodes += np.int64(made)
                placed[d] += np.int64(made)
        at_row[layer] = np.int64(e) // WORDS - first
        laid = np.int64(c) // WORDS - fresh
        if laid == 0:
            continue
        begin = at(WORDS * fresh)
        if lines[below] > 0 and allowed[below] == 0:
            c = _look(
                rows, looks, ahead, ahead_at, base, own, places, allowed, layer + 1, lines[below], begin, c, listed
            )
            laid = np.int64(c) // WORDS - fresh
            if laid == 0:
                continue
        if twins[below]:
            in_frame = next_mine == _ZERO
            if ahead_at[below] > 0:
                leading = ahead[ahead_at[below] - 2 :]
                c = _copy(rows, mask, more, there, next_one, next_above, next_left, in_frame, leading, begin, c, listed)
            else:
                c = _copy(rows, mask, more, there, next_one, next_above, next_left, in_frame, None, begin, c, listed)
        layer += 1
        at_row[layer] = 0
        count[layer] = np.int64(c) // WORDS - fresh
        if layer > deepest:
            deepest = layer
            e = at(WORDS * fresh)
            for k in range(layer, -1, -1):
                for word in range(WORDS):
                    chain[WORDS * k + word] = rows[e + at(word)]
                e = at((rows[e + at(PARENT)] & _ORIGIN) << _EIGHTH)
        if layer == cells:
            state[FOUND] = laid
            layer -= 1
            break
    state[DEPTH] = layer
    state[NODES] = nodes
    state[TRIES] = tries
    state[DEEPEST] = deepest
