"""A cube as 20 small numbers, the effect of turns on them, and the 48 symmetries, all derived from the stickers.

Component i < 8 of a state is 3 * (number of the corner in corner place i) + its twist; component 8 + i is 2 * (number
of the edge in edge place i) + its flip. Numbers and conventions follow `matheur.problems.rubik.cubies`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from matheur.problems.rubik.cubies import CORNER_STICKERS, CORNERS, EDGE_STICKERS, EDGES, Cubies, cubies_of
from matheur.problems.rubik.stickers import FACES, MOVES, SOLVED, places, turn

__all__ = ["SOLVED_STATE", "Symmetries", "Turns", "compose", "inverse", "replay", "state_of", "symmetries", "turns_of"]

SOLVED_STATE = np.array([*(3 * i for i in range(8)), *(2 * i for i in range(12))], dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Turns:
    """Effect of the 18 moves.

    Attributes
    ----------
    source
        int64[18, 20]: after move m, place i holds the piece that was at place `source[m, i]` (edges 8 to 19).
    value
        uint8[18, 20, 24]: component i after move m, by the previous component at its source.
    moved
        int64[18, 8]: the four corner places and the four edge places whose pieces a move permutes.
    """

    source: NDArray[np.int64]
    value: NDArray[np.uint8]
    moved: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Symmetries:
    """The 48 symmetries of a cube; the first 16 preserve the axis through U and D, and number 0 is the identity.

    The image of a state by symmetry k has component `value[k, i, s[i]]` at place `place[k, i]`. A state and its image
    are at the same distance from the solved cube: move m becomes move `move[k, m]`.

    Attributes
    ----------
    place
        int64[48, 20]: place of each component in the image.
    value
        uint8[48, 20, 24]: image of each component.
    move
        int64[48, 18]: image of each move.
    axes
        Numbers of three rotations that map the axes U-D, R-L and F-B to U-D.
    """

    place: NDArray[np.int64]
    value: NDArray[np.uint8]
    move: NDArray[np.int64]
    axes: tuple[int, int, int]


def state_of(cubies: Cubies) -> NDArray[np.uint8]:
    """The state uint8[20] of corners and edges."""
    corners = [3 * piece + twist for piece, twist in zip(cubies.corners, cubies.twists, strict=True)]
    edges = [2 * piece + flip for piece, flip in zip(cubies.edges, cubies.flips, strict=True)]
    return np.array(corners + edges, dtype=np.uint8)


def inverse(state: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The inverse of a state, which is solved by the inverse moves in reverse order."""
    other = np.empty(20, dtype=np.uint8)
    for place, value in enumerate(state[:8].tolist()):
        other[value // 3] = 3 * place + -value % 3
    for place, value in enumerate(state[8:].tolist()):
        other[8 + value // 2] = 2 * place + value % 2
    return other


def compose(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The state after moves that bring the solved cube to `first`, then moves that would bring it to `second`.

    Turns act on places: `replay(compose(a, b), moves)` equals `compose(a, replay(b, moves))`.
    """
    corner, twist = np.divmod(second[:8].astype(np.int64), 3)
    edge, flip = np.divmod(second[8:].astype(np.int64), 2)
    under, below = first[:8].astype(np.int64)[corner], first[8:].astype(np.int64)[edge]
    corners = under // 3 * 3 + (under + twist) % 3
    return np.concatenate([corners, below ^ flip]).astype(np.uint8)


def replay(state: NDArray[np.uint8], moves: NDArray[np.int32] | list[int]) -> NDArray[np.uint8]:
    """The state after moves."""
    known, places_ = turns_of(), np.arange(20)
    for move in np.asarray(moves, dtype=np.int64).tolist():
        state = known.value[move, places_, state[known.source[move]]]
    return state


@lru_cache(maxsize=1)
def turns_of() -> Turns:
    """The moves, derived from the solved cube after each move."""
    source = np.empty((len(MOVES), 20), dtype=np.int64)
    value = np.empty((len(MOVES), 20, 24), dtype=np.uint8)
    numbers = np.arange(24)
    for move in range(len(MOVES)):
        after = cubies_of(turn(SOLVED, move))
        source[move] = [*after.corners, *(8 + edge for edge in after.edges)]
        for place, twist in enumerate(after.twists):
            value[move, place] = numbers // 3 * 3 + (numbers + twist) % 3
        for place, flip in enumerate(after.flips):
            value[move, 8 + place] = numbers ^ flip
    moved = np.array([np.flatnonzero(row != np.arange(20)) for row in source], dtype=np.int64)
    return Turns(source, value, moved)


@lru_cache(maxsize=1)
def symmetries() -> Symmetries:
    """All signed permutations of the three axes, applied to stickers and their colours."""
    matrices = [
        np.array([[sign[i] * (order[i] == j) for j in range(3)] for i in range(3)], dtype=np.int64)
        for order in permutations(range(3))
        for sign in product((1, -1), repeat=3)
    ]
    kept = [abs(int(one[1, 1])) == 1 for one in matrices]  # y is the axis through U and D
    order = sorted(range(48), key=lambda k: (not kept[k], not (matrices[k] == np.eye(3)).all(), k))
    matrices = [matrices[k] for k in order]
    images = _images(matrices)
    axes = [0]
    for axis in (0, 2):  # x (R and L), z (F and B)
        axes.append(next(k for k in range(48) if abs(matrices[k][1, axis]) == 1 and _even(matrices[k])))
    place, value, move = (np.array([image[part] for image in images]) for part in range(3))
    return Symmetries(place, value.astype(np.uint8), move, (axes[0], axes[1], axes[2]))


def _images(matrices: list[NDArray[np.int64]]) -> list[tuple[NDArray[np.int64], ...]]:
    """Places, values and moves of all symmetries: derived from the stickers for four that generate the others."""
    numbers = {one.tobytes(): number for number, one in enumerate(matrices)}
    swaps = [[[0, 1, 0], [1, 0, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 1], [0, 1, 0]], [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]]
    makers = [np.array(one, dtype=np.int64) for one in swaps]
    known = [tuple(np.array(part, dtype=np.int64) for part in _image(one)) for one in makers]
    first = np.eye(3, dtype=np.int64)
    found = {numbers[first.tobytes()]: tuple(np.array(part, dtype=np.int64) for part in _image(first))}
    waiting = [first]
    for one in waiting:
        place, value, move = found[numbers[one.tobytes()]]
        for maker, (there, after, becomes) in zip(makers, known, strict=True):
            other = maker @ one
            number = numbers[other.tobytes()]
            if number not in found:
                found[number] = there[place], after[place[:, None], value], becomes[move]
                waiting.append(other)
    return [found[number] for number in range(len(matrices))]


def _even(matrix: NDArray[np.int64]) -> bool:
    """Whether the matrix is a rotation."""
    return round(float(np.linalg.det(matrix))) == 1


def _image(matrix: NDArray[np.int64]) -> tuple[list[int], list[list[int]], list[int]]:
    """Places, values and moves under a signed permutation of the axes."""
    known = {pair: number for number, pair in enumerate(places())}
    moved = {}
    for number, (place, direction) in enumerate(places()):
        there = tuple(tuple((matrix @ np.array(one)).tolist()) for one in (place, direction))
        moved[number] = known[there]  # type: ignore[index]
    colour = {face: FACES[moved[9 * i + 4] // 9] for i, face in enumerate(FACES)}
    place_of: list[int] = []
    value_of: list[list[int]] = []
    for names, stickers, turned in ((CORNERS, CORNER_STICKERS, 3), (EDGES, EDGE_STICKERS, 2)):
        first = len(place_of)
        for own in stickers:
            target = next(i for i, other in enumerate(stickers) if moved[own[0]] in other)
            place_of.append(first + target)
            values = [0] * 24
            for value in range(turned * len(names)):
                name, shift = names[value // turned], value % turned
                shown = {moved[own[(j + shift) % turned]]: colour[letter] for j, letter in enumerate(name)}
                letters = "".join(shown[sticker] for sticker in stickers[target])
                values[value] = _read(letters, names, turned)
            value_of.append(values)
    flips = not _even(matrix)
    move_of = []
    for name in MOVES:
        suffix = {"": "'", "'": "", "2": "2"}[name[1:]] if flips else name[1:]
        move_of.append(MOVES.index(colour[name[0]] + suffix))
    return place_of, value_of, move_of


def _read(letters: str, names: tuple[str, ...], turned: int) -> int:
    """The piece with these colours and its orientation."""
    for piece, name in enumerate(names):
        for shift in range(turned):
            if all(letters[(j + shift) % turned] == letter for j, letter in enumerate(name)):
                return turned * piece + shift
    raise AssertionError(f"no piece shows {letters}")
