"""Kernel of the layered backtracker: many partial boards of one depth at once, which avoids unpredictable branches.

A backtracker that continues one board at a time tests, for each placement, whether another one fits and whether
anything fits afterwards. The processor cannot predict these branches, and mispredictions take most of the time. Here, a
*row* is a partial board and a *layer* the rows of one depth. The open rows of the deepest layer are continued together
until the next layer is full or none is left: depth first, but some hundred boards wide. Each iteration of the inner
loop lays one piece and writes the new row after the last one. It then advances by one row, or by none if nothing fits
in the next cell or the quota is missed, with arithmetic instead of branches.

The kernel takes puzzles with a frame whose lines, pieces and colours fit in words (`layer_tables`), row by row, column
by column, or as a comb.

A row consists of five uint64:

- 0: free pieces that fit in the next cell and have not been tried;
- 1: the edge of the filled part, 4 bits per cell: the colour that the next cell requires towards the previous cell,
  then towards the previous line, then the colours for the cells after it, for one line of the board; in the columns of
  a comb, the colours of the last row follow those of one column; from bit `spent_at`, the number of sides with rare
  colours laid so far;
- 2: the free inner pieces;
- 3: the free frame pieces; from bit 40, a bit for each inner colour with an odd number of unmatched sides; from bit 56,
  the mismatches so far;
- 4: the start of the parent row in `rows`; from bit 32, the number, from 1, that a row had at the beginning of the
  line if look-ahead checked the line, else 0.

At the beginning of a line, look-ahead goes through its cells from last to first to find the colours that each may
require of the previous one; a piece must lead to one of them. This takes about 20 nanoseconds per row, and drops every
second row and about every second placement (decision 65).

Memory layout, all owned by the caller; `key` is the lowest byte of a row's word 1:

- `mask[base[depth] + key]`: pieces that fit; `base[cells]` is a kind of cell that takes all pieces.
- `entries[64 * (base[depth] + key) + piece]`: value that laying a piece adds to word 1.
- `more[base[depth] + key]`: another key, which no pair of colours has, for further rotations of the same pieces; 0 for
  none. A row with the first key is copied with the other one, which is flagged in `copied`.
- `twins[depth]`: 1 if some key of that cell has another key, else 0.
- `own[depth]`: 2 or 3, the word of a row with the pieces for that cell.
- `slips[depth]`: bit 0 if the joint with the previous line may slip, bit 1 if the joint with the previous cell may.
- `queue[depth]`, uint64, shape (cells + 1, 4), how the edge advances when that cell is laid: the mask of the bits that
  are kept after a shift by one colour; the mask of the bits that stay in place; and, where a comb continues in the next
  column, the shift that fetches the colour of the last row above that column, and the mask 15; else 0 and 0.
- `bend`: the depth at which the columns of a comb begin, -1 for none. There, the colours of the last row move up to
  bit `bend_at`, and the bits `bend_spent` stay: those from `spent_at`, or none if the colours need all bits.
- `there_by_depth[depth]`: `base[depth + 1]`, but before the bend that of a cell that takes all pieces.
- `lines[depth]`: the number of cells of the line that begins there, if look-ahead checks it; else 0.
- `looks`, aligned to cache lines: for each kind of cell and each colour of the previous line, numbered as in
  `base[depth] + 16 * colour`, the pieces that fit, by the colour of the previous cell (`ASKED` words), and the pieces
  that lead to one of a set of colours of the next cell: by the lower half of the set, then by the upper half. Half a
  set is 6 colours if `many` is None, else 8.
- `ahead[ahead_at[depth] + number - 1]`, for rows with this number: pieces that lead to a colour that the next cell may
  require. `ahead_at[depth]` is 0 if lines are not checked; otherwise, the word before it is all ones.
- `allowed`, `quota`: as in `slip_kernels`.
- `rows`, shape (cells + 1, `width`, 5), followed by `full` + `ROOM` rows for `_spread`: the layers;
  `count[depth]`, `at_row[depth]`: number of rows of a layer, and its first open row.
- `listed`, uint64, shape (`width`,): scratch.
- `chain`, shape (cells + 1, 5): the fullest board since `state[DEEPEST]` was last set to 0.
- `placed[depth]`: number of placements in that cell, incremented.

A node is a placement that fits and meets the quota; it takes 4 to 5 nanoseconds. Where mismatches are allowed, rows are
copied with each key that results from a mismatch, and pieces are laid on the copies.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import common_bits, opaque, popcount, trailing_zeros
from matheur.problems.edge_matching.backtracking.walk import DEEPEST, DEPTH, FOUND, NODES, TRIES

__all__ = ["ROOM", "advance"]

STATE_LENGTH = 5
WORDS = 5  # words per row
ODD_AT, USED_AT, NUMBER_AT = 40, 56, 32
ORIGIN_BITS, ORIGIN_SCALE = NUMBER_AT, 1
ASKED, SPARE = 16, 8  # words of a line of `looks` by the colour of the previous cell, and after the line
FEW, MANY = 6, 8  # colours of half a set, including the frame colour
LANES = 16  # rows that look-ahead checks together
KEYS = 256
ROOM = 640
"""Extra rows of a layer above the number at which it counts as full, for the rows that one row may still add."""

at = np.uintp
_ROW = at(WORDS)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FIELD = np.uint64(4)
_COLOUR, _KEY = np.uint64(15), np.uint64(KEYS - 1)
_ODD, _USED = np.uint64(ODD_AT), np.uint64(USED_AT)
_ODD_BITS = np.uint64(0xFFFF)
_NUMBER, _PARENT = np.uint64(NUMBER_AT), np.uint64((1 << NUMBER_AT) - 1)
_FEW, _MANY = np.uint64(FEW), np.uint64(MANY)


@kernel
def _lay(  # type: ignore[no-untyped-def]
    rows, mask, entries, mine, other, same, moved, kept, turn, turned, least, open_below, spread, ahead, e, end, c,
    last,
):  # fmt: skip
    """Lay pieces on the rows from `e` to `end` until all are tried or `c` is `last`: 12 to 16 cycles each.

    A separate function has more registers. It is free of branches, except at the end of the loop. It is compiled once
    for each combination of arguments that are None, without the corresponding code: `same` if this cell and the next
    are both inner cells, `turn` without a comb, `open_below` and `spread` without mismatches, `ahead` if no line was
    checked.

    Parameters
    ----------
    mask, entries
        Parts of the tables, starting at the next cell for `mask` and at this cell for `entries`.
    open_below
        Rows are also kept if their mismatches are below this number.
    spread
        True for rows written by `_spread`, which contain their own parents; otherwise, these rows are the parents of
        the new ones.
    ahead
        Part of the table that starts at the next cell.
    """
    in_free = _ZERO - np.uint64(mine == at(3))
    halves = rows.view(np.uint32)
    fit = rows[e]
    following = rows[e + _ROW]
    made = at(0)
    while True:
        edge = rows[e + at(1)]
        if same is None:
            free, beside = rows[e + at(2)], rows[e + at(3)]
        else:
            free, beside = rows[e + mine], rows[e + other]
        piece = np.uint64(trailing_zeros(fit))
        others = fit & (fit - _ONE)
        entry = entries[at(((edge & _KEY) << np.uint64(6)) + piece)]
        shown = edge
        edge = ((shown >> _FIELD) & moved) + entry + (shown & kept)
        if turn is not None:
            edge += (shown >> turn) & turned
        free ^= fit ^ others
        next_fit = mask[at(edge & _KEY)]
        if ahead is not None:
            number = halves[e + e + at(9)]
            next_fit &= ahead[at(number)]
        if same is None:
            next_fit &= free
            rows[c + at(2)], rows[c + at(3)] = free, beside
        else:
            next_fit &= (free & same) | (beside & ~same)
            rows[c + mine], rows[c + other] = free, beside
        rows[c] = next_fit
        rows[c + at(1)] = edge
        if ahead is not None:
            halves[c + c + at(8)], halves[c + c + at(9)] = np.uint32(e), number
        else:
            rows[c + at(4)] = np.uint64(e) if spread is None else rows[e + at(4)]
        meets = at(edge >= least)
        made += meets
        kept_on = at(next_fit != _ZERO)
        if open_below is not None:
            kept_on |= at(((free & in_free) | (beside & ~in_free)) < open_below)
        c += (meets & kept_on) * _ROW
        done = opaque(np.uint64(others == _ZERO))
        e += at(done) * _ROW
        fit = others | (following & (_ZERO - done))
        following = rows[e + _ROW]
        if (e == end) | (c == last):
            break
    if e != end:
        rows[e] = fit
    return e, c, made


@kernel
def _spread(  # type: ignore[no-untyped-def]
    rows, mask, more, copied, here, mine, slips, allowed, total, colours, e, end, full, scratch
):  # fmt: skip
    """Write the rows from `e` and their variants with a mismatch to `scratch`, for about `full` placements.

    Each written row has its own key, or one that differs from it by one more mismatch. Returns the first row left, the
    end of the written rows, and the number of words looked up for a mismatch.
    """
    c = scratch
    every = (_ONE << np.uint64(colours)) - _ONE - _ONE
    placements = np.int64(0)
    tries = np.int64(0)
    while e != end and placements < full:
        # Common data of the rows is read once and never read back, because stores prevent LLVM from reusing loads.
        fit, edge, inside, frame = rows[e], rows[e + at(1)], rows[e + at(2)], rows[e + at(3)]
        free = rows[e + mine]
        rows[c], rows[c + at(1)], rows[c + at(2)], rows[c + at(3)] = fit, edge, inside, frame
        rows[c + at(4)] = np.uint64(e)
        c += at(fit != _ZERO) * _ROW
        placements += popcount(fit)
        used = np.int64(frame >> _USED)
        spare = 2 * (total - used - 1)
        key = edge & _KEY
        if used < allowed and spare >= 0 and copied[at(here + key)] == 0:
            rest = edge ^ key
            odd = (frame >> _ODD) & _ODD_BITS
            for side in range(2):
                shift = np.uint64(4 - 4 * side)
                wanted = (key >> shift) & _COLOUR
                beside = key ^ (wanted << shift)
                even = odd ^ (_ONE << wanted)
                if (slips >> side) & 1 == 0 or popcount(even) > spare + 1:
                    continue
                # If the odd colours are as many as can still be paired, the colour must be one of them.
                left = every ^ (_ONE << wanted)
                if popcount(even) > spare:
                    left = even & left
                while left != _ZERO:
                    shown = np.uint64(trailing_zeros(left))
                    left &= left - _ONE
                    changed = even ^ (_ONE << shown)
                    tries += 1
                    other_key = beside | (shown << shift)
                    slipped = (frame ^ ((odd ^ changed) << _ODD)) + (_ONE << _USED)
                    while True:
                        fit = mask[at(here + other_key)] & free
                        rows[c], rows[c + at(1)], rows[c + at(2)] = fit, rest | other_key, inside
                        rows[c + at(3)], rows[c + at(4)] = slipped, np.uint64(e)
                        c += at(fit != _ZERO) * _ROW
                        placements += popcount(fit)
                        other_key = more[at(here + other_key)]
                        if other_key == _ZERO:
                            break
        e += _ROW
    return e, c, tries


@kernel
def _copy(rows, mask, more, there, own, ahead, first, c, listed):  # type: ignore[no-untyped-def]
    """Copy the rows from `first` to `c` for further rotations of the same pieces; return the new end.

    `ahead` is the part of the table for the cell; None if no line was checked.
    """
    number = np.int64(0)
    e = first
    while e < c:
        listed[at(number)] = e
        number += np.int64(more[at(there + (rows[e + at(1)] & _KEY))] != _ZERO)
        e += _ROW
    for i in range(number):
        e = listed[i]
        key = rows[e + at(1)] & _KEY
        further = more[at(there + key)]
        while further != _ZERO:
            fit = mask[at(there + further)] & rows[e + own]
            if ahead is not None:
                fit &= ahead[at(rows[e + at(4)] >> _NUMBER)]
            if fit != _ZERO:
                rows[c] = fit
                rows[c + at(1)] = rows[e + at(1)] ^ key ^ further
                for word in range(2, WORDS):
                    rows[c + at(word)] = rows[e + at(word)]
                c += _ROW
            further = more[at(there + further)]
    return c


@kernel
def _turn_down(rows, mask, there, own, bend_at, spent, stay, first, c):  # type: ignore[no-untyped-def]
    """Move the colours of the last row to their place where the columns of a comb begin; return the new end.

    The bits `spent` stay in place. Rows in whose next cell nothing fits are dropped, unless they may `stay`.
    """
    kept = first
    e = first
    while e < c:
        shown = (rows[e + at(1)] & ~spent) >> _FIELD
        edge = (shown << bend_at) | (shown & _COLOUR) | (rows[e + at(1)] & spent)
        fit = mask[at(there + (edge & _KEY))] & rows[e + own]
        if fit != _ZERO or stay:
            rows[kept] = fit
            rows[kept + at(1)] = edge
            for word in range(2, WORDS):
                rows[kept + at(word)] = rows[e + at(word)]
            kept += _ROW
        e += _ROW
    return kept


@kernel
def _step_back(rows, looks, ahead, wanted, e, begin, half, mine, field, here):  # type: ignore[no-untyped-def]
    """One cell of `_look` for `LANES` rows from `e`.

    The rows do not depend on each other, so the processor works on several at once: 2 nanoseconds each.
    """
    size = _ONE << half
    low = size - _ONE
    stride = size + size + np.uint64(ASKED + SPARE)
    for lane in range(LANES):
        colours = wanted[at(lane)]
        shown = (rows[e + at(WORDS * lane + 1)] >> field) & _COLOUR
        here_looks = begin + at(shown * stride)
        unions = here_looks + at(ASKED)
        leading = looks[unions + at(colours & low)] | looks[unions + at(size) + at(colours >> half)]
        asked = common_bits(looks, here_looks, leading & rows[e + mine + at(WORDS * lane)])
        ahead[here + at(lane)] = leading
        wanted[at(lane)] = asked


@kernel
def _look(rows, looks, many, ahead, ahead_at, base, own, allowed, layer, length, first, c, wanted):  # type: ignore[no-untyped-def]
    """Drop rows whose next line cannot be filled, and write `ahead` for the others; return the new end.

    Backwards from the end of the line, this finds the colours that a cell may require of the previous one so that the
    rest of the line can be filled with free pieces, where a piece may occur twice. All dropped rows fail, but not all
    failing rows are dropped. From the first cell in which a mismatch is allowed, everything is accepted.

    Parameters
    ----------
    many
        None for up to 12 colours, including the frame colour.
    """
    half = _FEW if many is None else _MANY
    stride = (_ONE << half) + (_ONE << half) + np.uint64(ASKED + SPARE)
    perfect = length
    while allowed[at(layer + perfect - 1)] > 0:
        perfect -= 1
    # The last cell of a line shows the frame, which is colour 0.
    begin = _ONE if perfect == length else (_ONE << (half + half)) - _ONE
    count = at(np.uint64(c - first) // np.uint64(WORDS))
    kept = first
    done = at(0)
    e = first
    while done < count:
        for lane in range(LANES):
            wanted[at(lane)] = begin
        for k in range(perfect, length):
            for lane in range(LANES):
                ahead[at(ahead_at[at(layer + k)]) + done + at(lane)] = ~_ZERO
        for k in range(perfect - 1, -1, -1):
            d = at(layer + k)
            _step_back(
                rows, looks, ahead, wanted, e, at((base[d] >> _FIELD) * stride), half, at(own[d]),
                np.uint64(4 * (k + 1)), at(ahead_at[d]) + done,
            )  # fmt: skip
        until = min(done + at(LANES), count)
        while done < until:
            fit = rows[e] & ahead[at(ahead_at[at(layer)]) + done]
            done += at(1)
            rows[kept] = fit
            for word in range(1, WORDS - 1):
                rows[kept + at(word)] = rows[e + at(word)]
            rows[kept + at(WORDS - 1)] = (rows[e + at(WORDS - 1)] & _PARENT) | (np.uint64(done) << _NUMBER)
            kept += at(fit != _ZERO) * _ROW
            e += _ROW
    return kept


@kernel
def advance(  # type: ignore[no-untyped-def]
    limit, full, width, total, colours, mask, entries, more, copied, base, there_by_depth, own, twins, slips, queue,
    bend, bend_at, bend_spent, spent_at, lines, looks, many, ahead, ahead_at, allowed, quota, rows, listed, count,
    at_row, chain, placed, state,
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
        first = layer * width
        fresh = first + width
        here, there = base[d], there_by_depth[d]
        mine, other = at(own[d]), at(5 - own[d])
        same = _ZERO - np.uint64(own[d] == own[d + at(1)])
        moved, kept, turn, turned = queue[d, at(0)], queue[d, at(1)], queue[d, at(2)], queue[d, at(3)]
        least = np.uint64(max(quota[d], 0)) << np.uint64(spent_at)  # hints may have spent more than required
        e = at(WORDS * (first + at_row[layer]))
        end = at(WORDS * (first + count[layer]))
        c = at(WORDS * fresh)
        last = at(WORDS * (fresh + full))
        fits, adds = mask[there:], entries[here << np.uint64(6) :]
        if allowed[d] == 0 and allowed[d + at(1)] == 0 and layer < cells - 1:
            plain = turned == _ZERO and mine == at(2) and same != _ZERO
            if ahead_at[d + at(1)] > 0 and lines[d + at(1)] == 0:
                leading = ahead[ahead_at[d + at(1)] - 1 :]
                if plain:
                    e, c, made = _lay(
                        rows, fits, adds, None, None, None, moved, kept, None, None, least, None, None, leading, e, end,
                        c, last,
                    )  # fmt: skip
                else:
                    e, c, made = _lay(
                        rows, fits, adds, mine, other, same, moved, kept, turn, turned, least, None, None, leading, e,
                        end, c, last,
                    )  # fmt: skip
            elif plain:
                e, c, made = _lay(
                    rows, fits, adds, None, None, None, moved, kept, None, None, least, None, None, None, e, end, c,
                    last,
                )  # fmt: skip
            else:
                e, c, made = _lay(
                    rows, fits, adds, mine, other, same, moved, kept, turn, turned, least, None, None, None, e, end, c,
                    last,
                )  # fmt: skip
            nodes += np.int64(made)
            placed[d] += np.int64(made)
        else:
            e, ready, looked = _spread(
                rows, mask, more, copied, here, mine, slips[d], allowed[d], total, colours, e, end, full, scratch
            )
            tries += looked
            if ready > scratch:
                open_below = ~_ZERO if layer == cells - 1 else np.uint64(allowed[d + at(1)]) << _USED
                _, c, made = _lay(
                    rows, fits, adds, mine, other, same, moved, kept, turn, turned, least, open_below, True, None,
                    scratch, ready, c, at(0),
                )  # fmt: skip
                nodes += np.int64(made)
                placed[d] += np.int64(made)
        at_row[layer] = np.int64(e) // WORDS - first
        if layer + 1 == bend:
            there = base[bend]
            stay = allowed[bend] > 0
            c = _turn_down(
                rows, mask, there, at(own[bend]), np.uint64(bend_at), np.uint64(bend_spent), stay, at(WORDS * fresh), c
            )  # fmt: skip
        made = np.int64(c) // WORDS - fresh
        if made == 0:
            continue
        length = lines[d + at(1)]
        if length > 0 and allowed[d + at(1)] == 0:
            begins = at(WORDS * fresh)
            c = _look(rows, looks, many, ahead, ahead_at, base, own, allowed, layer + 1, length, begins, c, listed)
            made = np.int64(c) // WORDS - fresh
            if made == 0:
                continue
        if twins[d + at(1)]:
            mine = at(own[d + at(1)])
            if ahead_at[d + at(1)] > 0:
                leading = ahead[ahead_at[d + at(1)] - 1 :]
                c = _copy(rows, mask, more, there, mine, leading, at(WORDS * fresh), c, listed)
            else:
                c = _copy(rows, mask, more, there, mine, None, at(WORDS * fresh), c, listed)
        layer += 1
        at_row[layer] = 0
        count[layer] = np.int64(c) // WORDS - fresh
        if layer > deepest:
            deepest = layer
            e = at(WORDS * fresh)
            for k in range(layer, -1, -1):
                for word in range(WORDS):
                    chain[WORDS * k + word] = rows[e + at(word)]
                e = at(rows[e + at(4)] & _PARENT)
        if layer == cells:
            state[FOUND] = made
            layer -= 1
            break
    state[DEPTH] = layer
    state[NODES] = nodes
    state[TRIES] = tries
    state[DEEPEST] = deepest
