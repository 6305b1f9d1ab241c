"""Beam search over boards that are filled in a fixed order: the kernel.

Memory layout, all arrays owned by the caller; `words` is the number of 64-bit words that hold a bit for each piece:

- A placement is a bit: bit p % 64 of word r * words + p // 64 for piece p, turned r times. `fits[k]`: placements
  allowed in the cell with k mismatches to fixed pieces below and on the right; `north[c]`, `west[c]`: placements that
  show colour c on that side; `south_of[b]`, `east_of[b]`: colours that placement b shows on the other sides;
  `gain[p]`: value of laying piece p.
- A state is a row of `used` (words of pieces), a row of `edge` (colours below the last piece of each column, then on
  the right of the last piece of each row) and an entry of `key`: `step` for each mismatch, minus the gains.
- `parent[d]`, `choice[d]`: for each state of a layer, its parent state and its placement.

A layer takes two passes over all children. The first counts their keys, which determines the last key that is kept; the
second writes the children. Among the children with the last key, those that fit are chosen with equal probability.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_below

__all__ = ["count", "write"]

BINS = 1 << 14
_ONE = np.uint64(1)
_PRODUCT = np.uint64(0x03F79D71B4CB0A89)
_NUMBERS = np.zeros(64, dtype=np.int64)
for _bit in range(64):
    _NUMBERS[(((1 << _bit) * int(_PRODUCT)) & (2**64 - 1)) >> 58] = _bit


@kernel
def _lowest(word):  # type: ignore[no-untyped-def]
    """Number of the lowest bit that is set (a de Bruijn product)."""
    return np.int64(_NUMBERS[((word & (~word + _ONE)) * _PRODUCT) >> np.uint64(58)])


@kernel
def _children(fits, north, west, up, left, used, level, found):  # type: ignore[no-untyped-def]
    """Write words of free placements with `level` mismatches; return if there is any. `up`, `left`: colour or -1."""
    words = len(used)
    anything = np.uint64(0)
    for i in range(len(fits)):
        free = fits[i] & ~used[i % words]
        a = north[up, i] if up >= 0 else ~np.uint64(0)
        b = west[left, i] if left >= 0 else ~np.uint64(0)
        if level == 0:
            free &= a & b
        elif level == 1:
            free &= a ^ b
        else:
            free &= ~(a | b)
        found[i] = free
        anything |= free
    return anything != 0


@kernel
def count(  # type: ignore[no-untyped-def]
    states, width, column, row, fits, levels, north, west, gain, most, step, used, edge, key, found, bins
):
    """Count the keys of all children of a layer relative to the smallest possible key, which is returned."""
    bins[:] = 0
    lowest = key[0]
    for s in range(states):
        lowest = min(lowest, key[s])
    lowest -= most
    cut = BINS - 1
    kept = np.int64(0)  # children with a key of at most `cut`
    for s in range(states):
        up = edge[s, column] if column >= 0 else -1
        left = edge[s, row] if row >= 0 else -1
        for case in range(levels * len(fits)):
            level, missed = case // len(fits), case % len(fits)
            worth = key[s] + (level + missed) * step
            if worth - most - lowest > cut:
                continue
            if not _children(fits[missed], north, west, up, left, used[s], level, found):
                continue
            for i in range(len(found)):
                word = found[i]
                while word != 0:
                    bit = _lowest(word)
                    word &= word - _ONE
                    piece = (i % used.shape[1]) * 64 + bit
                    mine = worth - gain[piece] - lowest
                    if mine <= cut:
                        bins[mine] += 1
                        kept += 1
        while cut > 0 and kept - bins[cut] >= width:
            kept -= bins[cut]
            cut -= 1
    return lowest


@kernel
def write(  # type: ignore[no-untyped-def]
    states, cut, room, column, row, put_column, put_row, fits, levels, north, west, south_of, east_of, gain, most, step,
    used, edge, key, next_used, next_edge, next_key, parent, choice, found, tied, random,
):  # fmt: skip
    """Write the children with a key below `cut`, and `room` of the `tied` ones with this key; return their number."""
    written = 0
    for s in range(states):
        up = edge[s, column] if column >= 0 else -1
        left = edge[s, row] if row >= 0 else -1
        for case in range(levels * len(fits)):
            level, missed = case // len(fits), case % len(fits)
            worth = key[s] + (level + missed) * step
            if worth - most > cut:
                continue
            if not _children(fits[missed], north, west, up, left, used[s], level, found):
                continue
            for i in range(len(found)):
                word = found[i]
                while word != 0:
                    bit = _lowest(word)
                    word &= word - _ONE
                    piece = (i % used.shape[1]) * 64 + bit
                    mine = worth - gain[piece]
                    if mine > cut:
                        continue
                    if mine == cut:
                        tied -= 1
                        if splitmix_below(random, tied + 1) >= room:
                            continue
                        room -= 1
                    placement = i * 64 + bit
                    next_used[written] = used[s]
                    next_used[written, piece // 64] |= _ONE << np.uint64(piece % 64)
                    next_edge[written] = edge[s]
                    next_edge[written, put_column] = south_of[placement]
                    next_edge[written, put_row] = east_of[placement]
                    next_key[written] = mine
                    parent[written] = s
                    choice[written] = placement
                    written += 1
    return written
