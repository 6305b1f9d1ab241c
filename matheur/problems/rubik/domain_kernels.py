"""Turns and estimates of cubes, compiled; each component of a state is a piece with its orientation."""

from __future__ import annotations

import numpy as np

from matheur.methods.statespace.pointers import domain_function, heuristic_function, pointer_to_bytes, pointer_to_words
from matheur.problems.rubik.search.edge_kernels import row_of

__all__ = ["distances", "expand", "korf"]


@domain_function
def expand(key, data, successors, moves, costs):  # type: ignore[no-untyped-def]
    """Successors by all turns.

    data: addresses of the places from which pieces come uint8[18, 20] and of the resulting components uint8[18, 20,
    24], number of moves.
    """
    source, value = pointer_to_bytes(data[0]), pointer_to_bytes(data[1])
    mask = np.uint64(31)
    for move in range(data[2]):
        first, second = np.uint64(0), np.uint64(0)
        for place in range(20):
            origin = np.int64(source[20 * move + place])
            if origin < 12:
                one = (key[0] >> np.uint64(5 * origin)) & mask
            else:
                one = (key[1] >> np.uint64(5 * (origin - 12))) & mask
            after = np.uint64(value[(20 * move + place) * 24 + np.int64(one)])
            if place < 12:
                first |= after << np.uint64(5 * place)
            else:
                second |= after << np.uint64(5 * (place - 12))
        successors[2 * move], successors[2 * move + 1] = first, second
        moves[move] = move
        costs[move] = 1
    return data[2]


@heuristic_function
def distances(keys, count, data, out):  # type: ignore[no-untyped-def]
    """The maximum, or the sum, of table entries.

    data: addresses of the corner table uint8, the phase-1 table uint8, the contributions of corners uint64[8, 24] and
    edges uint64[12, 24], the numbers below as uint64, and the names uint8[2, 24] of corners and edges relative to the
    goal; probes (as bits: 0 corners, 1 to 3 phase 1 along the axes, 4 to 6 the same for the inverse), whether to add.
    The numbers: `heads` [4096], `tails` [4096], `placing` [3, 4096], `class_of` [495 * 2048], `twist_image` [16, 2187].
    """
    corners, phase1 = pointer_to_bytes(data[0]), pointer_to_bytes(data[1])
    corner_sum, edge_sum, numbers = pointer_to_words(data[2]), pointer_to_words(data[3]), pointer_to_words(data[4])
    names = pointer_to_bytes(data[5])
    probes, add = data[6], data[7]
    mask, low = np.uint64(31), np.uint64(4095)
    class_of = np.int64(5 * 4096)
    twist_image = class_of + 495 * 2048
    words = np.empty(4, dtype=np.uint64)
    for number in range(count):
        words[:] = 0
        for place in range(20):
            origin = np.uint64(5 * place if place < 12 else 5 * (place - 12))
            one = np.int64((keys[2 * number + (0 if place < 12 else 1)] >> origin) & mask)
            one = np.int64(names[one if place < 8 else 24 + one])
            if place < 8:
                piece = one // 3
                words[0] += corner_sum[24 * place + one]
                words[2] += corner_sum[24 * piece + 3 * place + (3 * piece + 3 - one) % 3]
            else:
                words[1] += edge_sum[24 * (place - 8) + one]
                words[3] += edge_sum[24 * (one >> 1) + 2 * (place - 8) + (one & 1)]
        best = np.int64(0)
        for probe in range(7):
            if (probes >> probe) & 1 == 0:
                continue
            if probe == 0:
                pieces = words[0] >> np.uint64(36)
                row = numbers[np.int64(pieces & low)] + numbers[4096 + np.int64(pieces >> np.uint64(12))]
                index = np.int64(row) * 2187 + np.int64(words[0] & low)
                byte = corners[index >> 1]
            else:
                axis, side = (probe - 1) % 3, 2 * ((probe - 1) // 3)
                corner, edge = words[side], words[side + 1]
                if axis == 0:
                    places = (edge >> np.uint64(33)) & low
                elif axis == 1:
                    places = edge >> np.uint64(45)
                else:
                    places = ((edge >> np.uint64(33)) | (edge >> np.uint64(45))) & low ^ low
                pair = numbers[(2 + axis) * 4096 + np.int64(places)]
                pair += (edge >> np.uint64(11 * axis)) & np.uint64(2047)
                one = np.int64(numbers[class_of + np.int64(pair)])
                twist = np.int64((corner >> np.uint64(12 * axis)) & low)
                index = (one >> 4) * 2187 + np.int64(numbers[twist_image + (one & 15) * 2187 + twist])
                byte = phase1[index >> 1]
            entry = np.int64((byte >> np.uint8(4 * (index & 1))) & np.uint8(15))
            best = best + entry if add != 0 else max(best, entry)
        out[number] = best
    return np.int64(0)


@heuristic_function
def korf(keys, count, data, out):  # type: ignore[no-untyped-def]
    """The maximum of three table entries: for the corners and for two sets of six edges.

    data: addresses of the corner table uint8, the table of six edges uint8, the contributions of corners uint64[8, 24],
    `heads` and `tails` as uint64[2, 4096], the names uint8[2, 24] of corners and edges relative to the goal, and the
    images of components in the sets of edges uint8[2, 12, 24].
    """
    corners, edges = pointer_to_bytes(data[0]), pointer_to_bytes(data[1])
    corner_sum, halves = pointer_to_words(data[2]), pointer_to_words(data[3])
    names, images = pointer_to_bytes(data[4]), pointer_to_bytes(data[5])
    mask, low = np.uint64(31), np.uint64(4095)
    places, flips = np.empty((2, 6), dtype=np.int64), np.empty(2, dtype=np.int64)
    for number in range(count):
        word = np.uint64(0)
        for place in range(8):
            one = np.int64((keys[2 * number] >> np.uint64(5 * place)) & mask)
            word += corner_sum[24 * place + names[one]]
        pieces = word >> np.uint64(36)
        index = np.int64(halves[np.int64(pieces & low)] + halves[4096 + np.int64(pieces >> np.uint64(12))]) * 2187
        index += np.int64(word & low)
        best = np.int64((corners[index >> 1] >> np.uint8(4 * (index & 1))) & np.uint8(15))
        flips[:] = 0
        for place in range(12):
            origin = place + 8 if place < 4 else place - 4
            one = np.int64((keys[2 * number + (0 if place < 4 else 1)] >> np.uint64(5 * origin)) & mask)
            one = np.int64(names[24 + one])
            for side in range(2):
                said = np.int64(images[24 * (12 * side + place) + one])
                if said != 255:
                    places[side, said >> 5] = (said & 31) >> 1
                    flips[side] |= (said & 1) << (said >> 5)
        for side in range(2):
            index = row_of(places[side]) * 64 + flips[side]
            best = max(best, np.int64((edges[index >> 1] >> np.uint8(4 * (index & 1))) & np.uint8(15)))
        out[number] = best
    return np.int64(0)
