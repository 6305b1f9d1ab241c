"""Rows of the layered backtrackers with any number of words, the last of which holds the start of the parent row."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["drop", "lay_out", "remember"]

at = np.uintp
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@kernel
def remember(row, layer, words, bits, scale, rows, chain):  # type: ignore[no-untyped-def]
    """Write a row of a layer and its ancestors into `chain`, shape (at least layer + 1, words), flat.

    Parameters
    ----------
    row
        Number of the row, from 0, among the rows of all layers.
    bits, scale
        The lowest `bits` of the last word, times `scale`, are the start of the parent row.
    """
    origin = (_ONE << np.uint64(bits)) - _ONE
    e = at(row * words)
    for k in range(layer, -1, -1):
        for word in range(words):
            chain[words * k + word] = rows[e + at(word)]
        e = at(rows[e + at(words - 1)] & origin) * at(scale)


@kernel
def drop(allowed, width, words, fits, rows, count, at_row):  # type: ignore[no-untyped-def]
    """Remove rows in whose next cell nothing fits from layers where no mismatch is allowed any more.

    Parameters
    ----------
    words, fits
        Words of a row, and number of first words that hold the fitting pieces.
    """
    cells = len(count) - 1
    for layer in range(cells):
        if allowed[layer] > 0:
            continue
        kept = layer * width + at_row[layer]
        for row in range(kept, layer * width + count[layer]):
            fitting = _ZERO
            for word in range(fits):
                fitting |= rows[words * row + word]
            if fitting != _ZERO:
                for word in range(words):
                    rows[words * kept + word] = rows[words * row + word]
                kept += 1
        count[layer] = kept - layer * width


@kernel
def lay_out(address, piece, shown, counts, bit, free, rare, spent_at, fits, mask, entries):  # type: ignore[no-untyped-def]
    """Write `mask` and `entries` for those placements of a list whose pieces are free, each with its bit.

    Parameters
    ----------
    address, piece, shown
        For each placement: its address in `mask`, its piece, and the value that it adds to the edge.
    counts
        For each placement: whether its sides with rare colours are counted, from bit `spent_at` onwards.
    bit, free, rare
        For each piece: its bit, whether it is free, and its number of such sides.
    fits
        Words per address in `mask`.
    """
    for k in range(len(address)):
        for word in range(fits):
            mask[fits * address[k] + word] = _ZERO
    for k in range(len(address)):
        one = piece[k]
        if not free[one]:
            continue
        mask[fits * address[k] + (bit[one] >> 6)] |= _ONE << np.uint64(bit[one] & 63)
        spent = np.uint64(rare[one]) if counts[k] else _ZERO
        entries[64 * fits * address[k] + bit[one]] = shown[k] | spent << np.uint64(spent_at)
