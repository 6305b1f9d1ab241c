"""Pruning of move sequences that another sequence replaces (Taylor and Korf 1993).

Two different sequences of moves may have the same effect anywhere on the board: six steps around a block of 2 x 2 cells
clockwise, or six counter-clockwise. Only one of them needs to be searched. A breadth-first search on an unbounded board
finds the sequences. A sequence is forbidden if an earlier one (shorter, or of equal length and alphabetically first)
has the same effect and needs no more space, so that it is possible wherever the forbidden one is. An automaton (Aho and
Corasick 1975) recognises the forbidden sequences move by move.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["automaton", "forbidden_sequences"]

_STEP = ((1, 0), (-1, 0), (0, 1), (0, -1))  # of the blank, by the move of the tile: U D L R
_Word = tuple[int, ...]


def forbidden_sequences(length: int) -> list[_Word]:
    """Shortest sequences of at most `length` moves that need not be searched, none contained in another."""
    known: dict[tuple[object, ...], list[tuple[int, int, int, int]]] = {}
    forbidden: list[_Word] = []
    bad: set[_Word] = set()
    frontier: list[tuple[_Word, tuple[int, int], dict[tuple[int, int], tuple[int, int]], tuple[int, int, int, int]]]
    frontier = [((), (0, 0), {}, (0, 0, 0, 0))]
    known[((0, 0),)] = [(0, 0, 0, 0)]
    for _ in range(length):
        following = []
        for word, (row, column), moved, (top, bottom, left, right) in frontier:
            for move, (down, across) in enumerate(_STEP):
                longer = (*word, move)
                if any(longer[i:] in bad for i in range(len(longer))):
                    continue
                there = row + down, column + across
                places = dict(moved)
                # The tile at `there` slides to the blank's former cell; places hold the original cell of each tile.
                places[row, column] = places.get(there, there)
                places.pop(there, None)
                if places[row, column] == (row, column):
                    del places[row, column]
                box = min(top, there[0]), max(bottom, there[0]), min(left, there[1]), max(right, there[1])
                key = (there, *sorted(places.items()))
                boxes = known.setdefault(key, [])
                if any(b[0] >= box[0] and b[1] <= box[1] and b[2] >= box[2] and b[3] <= box[3] for b in boxes):
                    forbidden.append(longer)
                    bad.add(longer)
                    continue
                boxes.append(box)
                following.append((longer, there, places, box))
        frontier = following
    return forbidden


@lru_cache(maxsize=4)
def automaton(length: int = 8) -> NDArray[np.int32]:
    """int32[states, 4]: next state by move, -1 for a move that completes a forbidden sequence; state 0 is the start."""
    words = forbidden_sequences(length)
    prefixes = sorted({word[:i] for word in words for i in range(len(word))}, key=lambda word: (len(word), word))
    numbers = {prefix: number for number, prefix in enumerate(prefixes)}
    bad = set(words)
    table = np.zeros((len(prefixes), 4), dtype=np.int32)
    for prefix, number in numbers.items():
        for move in range(4):
            longer = (*prefix, move)
            if any(longer[i:] in bad for i in range(len(longer))):
                table[number, move] = -1
            else:
                table[number, move] = next(numbers[longer[i:]] for i in range(len(longer) + 1) if longer[i:] in numbers)
    return table
