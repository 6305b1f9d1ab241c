"""Layers of a beam search for sliding tiles, compiled: children and their scores, and the choice among them.

A row of a layer is a board in bytes: the tile of each cell, the cell of each tile, and the value of every look-up (half
the excess of its pattern's distance over the taxicab distance). A slide changes one tile and therefore one look-up per
partition; a child is scored from these without being built, and only the children that are kept are built. For a block
of parents, the cache lines of all tables are prefetched before the first entry is read; meanwhile the changes in the
values of pairs are summed up.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import popcount, prefetch

__all__ = [
    "CUTOFF",
    "FOUND",
    "GOAL",
    "LIMIT",
    "LOOKED",
    "NUMBERS",
    "UNDER",
    "children",
    "choose",
    "common_cutoff",
    "make",
    "sums_of_lookups",
    "value_of_lookup",
]

LIMIT = 1 << 16
"""Scores are below."""

# Places in `numbers`: children in the list, children examined, the highest score still accepted, how many of the
# list have that score or less, and the child that is the goal (its parent and move, else -1).
FOUND, LOOKED, CUTOFF, UNDER, GOAL = range(5)
NUMBERS = 5

_BLOCK = 16


@kernel
def value_of_lookup(cell_of, lookup, begins, members, maps, offsets, packed):  # type: ignore[no-untyped-def]
    """Half excess of a pattern, from the cells of all tiles."""
    used, rank, one = np.uint64(0), np.int64(0), np.uint64(1)
    radix = np.int64(maps.shape[1])
    for i in range(begins[lookup], begins[lookup + 1]):
        cell = np.int64(maps[lookup, cell_of[members[i]]])
        bit = one << np.uint64(cell)
        rank = rank * radix + cell - popcount(used & (bit - one))
        used |= bit
        radix -= 1
    return np.int64((packed[offsets[lookup] + (rank >> 1)] >> np.uint8(4 * (rank & 1))) & np.uint8(15))


@kernel
def sums_of_lookups(cells_of, begins, members, maps, offsets, packed):  # type: ignore[no-untyped-def]
    """int64[n]: half excess of all patterns of each board, from the cells of all tiles uint8[n, cells]."""
    sums = np.zeros(cells_of.shape[0], dtype=np.int64)
    for board in range(cells_of.shape[0]):
        for lookup in range(offsets.size):
            sums[board] += value_of_lookup(cells_of[board], lookup, begins, members, maps, offsets, packed)
    return sums


@kernel
def children(  # type: ignore[no-untyped-def]
    begin, end, left, width, boards, hashes, away, sums, lasts, adjacent, distance, words, lookup_of, begins, members,
    maps, offsets, packed, weights, changes, unknown, learnt, slots, seen, histogram, found_from, found_score,
    found_hash, found_value, found_learnt, numbers,
):  # fmt: skip
    """Score the children of boards `begin` to `end - 1`, as long as there is room for the children of a block.

    A child is dropped if the bound of any partition exceeds `left`, if its score is above the cutoff (`width` others
    are better), or if its board is already in the list or was in an earlier layer, as far as `seen` remembers.

    Parameters
    ----------
    boards
        uint8[n, stride], stride a multiple of 8: see the module docstring.
    hashes, away, sums, lasts
        uint64[n], int32[n], int32[n, partitions], uint8[n]: hashes, taxicab distances, sum of the values of each
        partition, and last moves (4: none).
    adjacent, distance, words
        Geometry of the board; random words uint64[cells, cells] by tile and cell.
    lookup_of
        int64[partitions, cells]: look-up that contains each tile.
    begins, members, maps, offsets, packed
        Tiles of each look-up, its map of cells (uint8[lookups, cells]), and the beginning of its table.
    weights
        int64[1 + partitions]: weights of the taxicab distance, and of the values of each partition.
    changes, unknown
        int16[tiles * cells * 4 * cells * cells] of `PairValues.changes`, or empty; a tile whose pairs are ignored, or
        -1.
    learnt
        int32[n]: sums of the values of pairs.
    slots
        uint64[power of two]: hashes of the boards in the list, 0 = empty.
    seen
        uint32[power of two]: upper halves of the hashes of boards in earlier layers, at positions given by the lower
        halves; later ones overwrite earlier ones.
    histogram
        int64[LIMIT]: number of children in the list by score.
    found_from, found_score, found_hash, found_value, found_learnt
        uint32 (4 parent + move), int32, uint64, uint8[., partitions], int32: the list.
    numbers
        int64[NUMBERS].

    Returns
    -------
    int64
        Number of the first board that is not expanded.
    """
    cells, partitions = adjacent.shape[0], lookup_of.shape[0]
    top = 4 * _BLOCK
    index = np.empty((top, partitions), dtype=np.int64)
    nearer, gain = np.empty(top, dtype=np.int64), np.empty(top, dtype=np.int32)
    plane = cells * cells
    count, looked, cutoff, under = numbers[FOUND], numbers[LOOKED], numbers[CUTOFF], numbers[UNDER]
    mask, seen_mask = np.uint64(slots.size - 1), np.uint64(seen.size - 1)
    # Unsigned, so that no index is checked for counting from the end.
    wide, one, two, three, four = np.uint64(cells), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    first = begin
    while first < end and count + top <= found_from.size and numbers[GOAL] < 0:
        last = min(first + _BLOCK, end)
        many = 0
        for parent in range(first, last):
            board = boards[parent]
            blank = np.int64(board[cells])
            for move in range(4):
                origin = adjacent[blank, move]
                if origin < 0 or (move ^ 1) == lasts[parent]:
                    continue
                tile = np.int64(board[origin])
                mover = np.uint64(tile)
                for k in range(partitions):
                    lookup = np.uint64(lookup_of[k, mover])
                    used, rank, radix = np.uint64(0), np.uint64(0), wide
                    for i in range(np.uint64(begins[lookup]), np.uint64(begins[lookup + one])):
                        member = np.uint64(members[i])
                        place = np.uint64(blank) if member == mover else np.uint64(board[wide + member])
                        cell = np.uint64(maps[lookup, place])
                        bit = one << cell
                        rank = rank * radix + cell - np.uint64(popcount(used & (bit - one)))
                        used |= bit
                        radix -= one
                    index[many, k] = 2 * offsets[lookup] + np.int64(rank)
                    prefetch(packed, index[many, k] >> 1)
                gain[many] = learnt[parent]
                if changes.size > 0:
                    start = (((np.int64(0) if tile == unknown else tile) * cells + origin) * 4 + move) * plane
                    block, cell_of = changes[start : start + plane], board[cells : 2 * cells]
                    sum_0, sum_1, sum_2, sum_3 = np.int32(0), np.int32(0), np.int32(0), np.int32(0)
                    row, j = np.uint64(0), np.uint64(0)
                    for _ in range(cells >> 2):
                        sum_0 += block[row + np.uint64(cell_of[j])]
                        sum_1 += block[row + wide + np.uint64(cell_of[j + one])]
                        sum_2 += block[row + two * wide + np.uint64(cell_of[j + two])]
                        sum_3 += block[row + three * wide + np.uint64(cell_of[j + three])]
                        row += four * wide
                        j += four
                    for _ in range(cells & 3):
                        sum_0 += block[row + np.uint64(cell_of[j])]
                        row += wide
                        j += one
                    if unknown >= 0:
                        sum_0 -= block[unknown * cells + np.int64(cell_of[unknown])]
                    gain[many] += sum_0 + sum_1 + sum_2 + sum_3
                nearer[many] = away[parent] + distance[tile, blank] - distance[tile, origin]
                here = count + many
                found_from[here] = np.uint32(4 * parent + move)
                word = hashes[parent] ^ words[tile, blank] ^ words[tile, origin]
                found_hash[here] = word
                prefetch(slots, np.int64(word & mask))
                prefetch(seen, np.int64(word & seen_mask))
                many += 1
        looked += many
        start = count
        for i in range(many):
            here = start + i
            owner, way = np.int64(found_from[here] >> np.uint32(2)), np.int64(found_from[here] & np.uint32(3))
            board = boards[owner]
            tile = np.int64(board[adjacent[np.int64(board[cells]), way]])
            if nearer[i] == 0:
                numbers[GOAL] = np.int64(found_from[here])
                break
            score, largest = weights[0] * nearer[i] + np.int64(gain[i]), np.int64(0)
            for k in range(partitions):
                place = index[i, k]
                value = np.int64((packed[place >> 1] >> np.uint8(4 * (place & 1))) & np.uint8(15))
                total = sums[owner, k] + value - np.int64(board[2 * cells + lookup_of[k, tile]])
                largest = max(largest, total)
                score += weights[1 + k] * total
                index[i, k] = value
            if nearer[i] + 2 * largest > left:
                continue
            score = max(np.int64(0), min(score, LIMIT - 1))
            if score > cutoff:
                continue
            word = found_hash[here]
            if seen[word & seen_mask] == np.uint32(word >> np.uint64(32)):
                continue
            slot = word & mask
            while slots[slot] != 0 and slots[slot] != word:
                slot = (slot + one) & mask
            if slots[slot] != 0:
                continue
            slots[slot] = word
            found_from[count], found_hash[count], found_score[count] = found_from[here], word, score
            found_learnt[count] = gain[i]
            for k in range(partitions):
                found_value[count, k] = np.uint8(index[i, k])
            histogram[score] += 1
            count += 1
            under += 1
            while under - histogram[cutoff] >= width:
                under -= histogram[cutoff]
                cutoff -= 1
        first = last
    numbers[FOUND], numbers[LOOKED], numbers[CUTOFF], numbers[UNDER] = count, looked, cutoff, under
    return first


@kernel
def common_cutoff(width, histograms, numbers):  # type: ignore[no-untyped-def]
    """Over several lists: the lowest score at or below which there are at least `width` children, and their number.

    Parameters
    ----------
    histograms, numbers
        int64[lists, LIMIT], int64[lists, NUMBERS]: as filled by `children`; no single list has a lower cutoff.
    """
    lists, cutoff, under = histograms.shape[0], LIMIT - 1, 0
    for one in range(lists):
        cutoff = min(cutoff, numbers[one, CUTOFF])
    for one in range(lists):
        under += numbers[one, UNDER]
        for score in range(cutoff + 1, numbers[one, CUTOFF] + 1):
            under -= histograms[one, score]
    while cutoff > 0:
        here = 0
        for one in range(lists):
            here += histograms[one, cutoff]
        if under - here < width:
            break
        under -= here
        cutoff -= 1
    return cutoff, under


@kernel
def choose(  # type: ignore[no-untyped-def]
    cutoff, chance, room, boards, adjacent, found_from, found_score, found_hash, count, seen, blanks,
):  # fmt: skip
    """Choose the children of a list to keep: those with the lowest scores, ties at random, and no known board.

    Parameters
    ----------
    cutoff, chance
        The highest score that is kept, and the probability of keeping children with this score, in 1/1,024.
    room
        Largest number of children to keep.
    found_from, found_score, found_hash, count, seen
        See `children`. Children that are not kept get the score `LIMIT`; the others are added to `seen`.
    blanks
        int64[cells]: counter of the kept children by the cell of the blank, incremented.

    Returns
    -------
    int64
        Number of children kept.
    """
    cells, kept, mask = adjacent.shape[0], 0, np.uint64(seen.size - 1)
    for i in range(count):
        if i + _BLOCK < count:
            prefetch(seen, np.int64(found_hash[i + _BLOCK] & mask))
        word = found_hash[i]
        upper = np.uint32(word >> np.uint64(32))
        if (
            found_score[i] > cutoff
            or (found_score[i] == cutoff and (word >> np.uint64(40)) & np.uint64(1023) >= chance)
            or seen[word & mask] == upper
            or kept == room
        ):
            found_score[i] = LIMIT
            continue
        seen[word & mask] = upper
        blank = np.int64(boards[np.int64(found_from[i] >> np.uint32(2)), cells])
        blanks[adjacent[blank, np.int64(found_from[i] & np.uint32(3))]] += 1
        kept += 1
    return kept


@kernel
def make(  # type: ignore[no-untyped-def]
    places, boards, away, sums, adjacent, distance, lookup_of, found_from, found_score, found_hash, found_value,
    found_learnt, count, new_boards, new_hashes, new_away, new_sums, new_learnt, new_lasts, new_from,
):  # fmt: skip
    """Build the boards of the children that are kept.

    Boards with the blank in the same cell are stored together, so that processing them in order finds the same values
    of pairs in the processor cache.

    Parameters
    ----------
    places
        int64[cells]: position of the next board with its blank in each cell.
    """
    cells, partitions = np.uint64(adjacent.shape[0]), lookup_of.shape[0]
    words, new_words = boards.view(np.uint64), new_boards.view(np.uint64)
    for i in range(count):
        if found_score[i] == LIMIT:
            continue
        parent, move = np.uint64(found_from[i] >> np.uint32(2)), np.uint64(found_from[i] & np.uint32(3))
        blank = np.uint64(boards[parent, cells])
        origin = np.uint64(adjacent[blank, move])
        tile = np.uint64(boards[parent, origin])
        here = np.uint64(places[origin])
        places[origin] += 1
        for word in range(words.shape[1]):
            new_words[here, word] = words[parent, word]
        other = new_boards[here]
        other[blank], other[origin] = np.uint8(tile), np.uint8(0)
        other[cells + tile], other[cells] = np.uint8(blank), np.uint8(origin)
        for k in range(partitions):
            lookup = cells + cells + np.uint64(lookup_of[k, tile])
            value = np.int64(found_value[i, k])
            new_sums[here, k] = sums[parent, k] + value - np.int64(other[lookup])
            other[lookup] = np.uint8(value)
        new_learnt[here] = found_learnt[i]
        new_away[here] = away[parent] + distance[tile, blank] - distance[tile, origin]
        new_hashes[here], new_lasts[here], new_from[here] = found_hash[i], np.uint8(move), found_from[i]
