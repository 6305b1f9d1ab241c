"""Successors and estimates of sliding-tile boards, compiled; component c of a state is the tile in cell c."""

from __future__ import annotations

import numpy as np

from matheur.kernels.intrinsics import popcount
from matheur.methods.statespace.pointers import domain_function, heuristic_function, pointer_to_bytes, pointer_to_words

__all__ = ["additive", "expand", "linear_conflict"]


@domain_function
def expand(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """All slides.

    data: address of the cells that slide into a blank uint8[cells, 4] (255 outside the board), cells, words, bits of a
    tile, tiles per word.
    """
    adjacent = pointer_to_bytes(data[0])
    cells, words, width, per_word = data[1], data[2], data[3], data[4]
    mask = np.uint64((1 << width) - 1)
    blank = 0
    for cell in range(cells):
        if (key[cell // per_word] >> np.uint64(width * (cell % per_word))) & mask == 0:
            blank = cell
            break
    blank_word, blank_shift = blank // per_word, np.uint64(width * (blank % per_word))
    count = 0
    for move in range(4):
        origin = np.int64(adjacent[4 * blank + move])
        if origin == 255:
            continue
        word, shift = origin // per_word, np.uint64(width * (origin % per_word))
        tile = (key[word] >> shift) & mask
        for other in range(words):
            successors[count * words + other] = key[other]
        successors[count * words + word] ^= tile << shift
        successors[count * words + blank_word] ^= tile << blank_shift
        moves[count] = move
        costs[count] = 1
        count += 1
    return count


@heuristic_function
def linear_conflict(keys, count, data, out):  # type: ignore[no-untyped-def]
    """Taxicab distances; optionally plus two for every tile that has to leave its line to let others pass.

    In each row (and column), only the tiles whose goals lie in the same row are considered. The smallest number of
    tiles whose removal leaves the rest in order is removed: those outside a longest increasing subsequence of goal
    columns.

    data: address of the goal cell of each tile uint8[cells], rows, columns, words, bits of a tile, tiles per word,
    whether to count conflicts.
    """
    home = pointer_to_bytes(data[0])
    rows, columns, words, width, per_word, conflicts = data[1], data[2], data[3], data[4], data[5], data[6]
    mask = np.uint64((1 << width) - 1)
    longest = np.empty(8, dtype=np.int64)
    places = np.empty(8, dtype=np.int64)
    for number in range(count):
        total = np.int64(0)
        for row in range(rows):
            for column in range(columns):
                cell = row * columns + column
                shift = np.uint64(width * (cell % per_word))
                tile = np.int64((keys[number * words + cell // per_word] >> shift) & mask)
                if tile > 0:
                    goal = np.int64(home[tile])
                    total += abs(goal // columns - row) + abs(goal % columns - column)
        if conflicts != 0:
            for line in range(rows + columns):
                across = line < rows
                steps = columns if across else rows
                many = 0
                for step in range(steps):
                    cell = line * columns + step if across else step * columns + line - rows
                    shift = np.uint64(width * (cell % per_word))
                    tile = np.int64((keys[number * words + cell // per_word] >> shift) & mask)
                    if tile > 0:
                        goal = np.int64(home[tile])
                        here = goal // columns if across else goal % columns
                        if here == (line if across else line - rows):
                            places[many] = goal % columns if across else goal // columns
                            many += 1
                best = 0
                for i in range(many):
                    longest[i] = 1
                    for j in range(i):
                        if places[j] < places[i] and longest[j] >= longest[i]:
                            longest[i] = longest[j] + 1
                    best = max(best, longest[i])
                total += 2 * (many - best)
        out[number] = total
    return np.int64(0)


@heuristic_function
def additive(keys, count, data, out):  # type: ignore[no-untyped-def]
    """Sum of additive pattern databases, the larger of the values for the board and for its mirror image.

    data: addresses of the tables uint8[bytes], of the numbers below as uint64, cells, words, bits of a tile, tiles per
    word, groups, whether there is a mirror. The numbers: taxicab distance of tile t in cell c [cells, cells], tiles of
    all groups [cells - 1], where each group begins [groups + 1], where its table begins [groups], mirrored cell
    [cells], mirrored tile [cells].
    """
    packed, numbers = pointer_to_bytes(data[0]), pointer_to_words(data[1])
    cells, words, width, per_word, groups, mirror = data[2], data[3], data[4], data[5], data[6], data[7]
    mask, one = np.uint64((1 << width) - 1), np.uint64(1)
    members = cells * cells
    begins = members + cells - 1
    offsets = begins + groups + 1
    mirror_cell = offsets + groups
    mirror_tile = mirror_cell + cells
    places = np.empty((2, 64), dtype=np.int64)
    for number in range(count):
        distance = np.int64(0)
        for cell in range(cells):
            shift = np.uint64(width * (cell % per_word))
            tile = np.int64((keys[number * words + cell // per_word] >> shift) & mask)
            places[0, tile] = cell
            distance += np.int64(numbers[tile * cells + cell])
            if mirror != 0:
                places[1, np.int64(numbers[mirror_tile + tile])] = np.int64(numbers[mirror_cell + cell])
        best = np.int64(0)
        for side in range(2 if mirror != 0 else 1):
            excess = np.int64(0)
            for group in range(groups):
                used, rank, radix = np.uint64(0), np.int64(0), cells
                for i in range(np.int64(numbers[begins + group]), np.int64(numbers[begins + group + 1])):
                    cell = places[side, np.int64(numbers[members + i])]
                    bit = one << np.uint64(cell)
                    rank = rank * radix + cell - popcount(used & (bit - one))
                    used |= bit
                    radix -= 1
                byte = packed[np.int64(numbers[offsets + group]) + (rank >> 1)]
                excess += np.int64((byte >> np.uint8(4 * (rank & 1))) & np.uint8(15))
            best = max(best, excess)
        out[number] = distance + 2 * best
    return np.int64(0)
