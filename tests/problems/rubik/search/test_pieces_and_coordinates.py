"""Pieces, symmetries and coordinates of the cube, against its stickers."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from matheur.problems.rubik import parse_moves
from matheur.problems.rubik.cubies import cubies_of
from matheur.problems.rubik.search.automaton import automaton
from matheur.problems.rubik.search.coordinates import coordinates, corner_moves, twist_moves
from matheur.problems.rubik.search.deepening import sums_of
from matheur.problems.rubik.search.pieces import SOLVED_STATE, compose, inverse, replay, state_of, symmetries
from matheur.problems.rubik.stickers import MOVES, SOLVED, turn


def walks(many: int, length: int = 30) -> list[list[int]]:
    """Sequences of random moves."""
    rng = np.random.default_rng(8)
    return [rng.integers(0, len(MOVES), length).tolist() for _ in range(many)]


def corner_rank(state: np.ndarray) -> int:
    """Number of the corner permutation."""
    one, pieces = coordinates(), int(sums_of(state)[0]) >> 36
    return int(one.heads[pieces & 4095]) + int(one.tails[pieces >> 12])


def image(symmetry: int, state: np.ndarray) -> np.ndarray:
    """The image of a state."""
    known, other = symmetries(), np.empty(20, dtype=np.uint8)
    other[known.place[symmetry]] = known.value[symmetry, np.arange(20), state]
    return other


def test_moves_agree_with_the_stickers() -> None:
    """Random sequences end in the same cube whether pieces or stickers are turned."""
    for moves in walks(20):
        facelets = SOLVED
        for move in moves:
            facelets = turn(facelets, move)
        assert (replay(SOLVED_STATE, moves) == state_of(cubies_of(facelets))).all()


def test_published_solutions_solve_their_cubes(data: Path) -> None:
    """The stored solution of each of the 1000 cubes, replayed on pieces."""
    with (data / "state_space" / "deepcubea_cube3_test.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1000
    for row in rows:
        moves = parse_moves(row["optimal_solution"])
        assert len(moves) == int(row["optimal_len_qtm"])
        assert (replay(state_of(cubies_of(row["facelets_urfdlb"])), moves) == SOLVED_STATE).all()


def test_inverse_and_composition() -> None:
    """The inverse is what the moves taken back make; composition is one sequence after another."""
    for first, second in pairwise(walks(10)):
        back = [move if move >= 12 else move ^ 1 for move in first[::-1]]
        a, b = replay(SOLVED_STATE, first), replay(SOLVED_STATE, second)
        assert (inverse(a) == replay(SOLVED_STATE, back)).all()
        assert (compose(a, b) == replay(SOLVED_STATE, first + second)).all()
        assert (compose(a, inverse(a)) == SOLVED_STATE).all()


def test_symmetries_map_moves_to_moves() -> None:
    """The image of a cube is the cube of the images of its moves, for all 48; the first 16 keep U and D."""
    known = symmetries()
    assert len({tuple(row) for row in known.move.tolist()}) == 48
    assert (image(0, replay(SOLVED_STATE, [0, 5])) == replay(SOLVED_STATE, [0, 5])).all()
    assert {MOVES[known.move[k, 0]][0] for k in range(16)} == {"U", "D"}
    for moves in walks(4):
        for k in range(48):
            there = [int(known.move[k, move]) for move in moves]
            assert (image(k, replay(SOLVED_STATE, moves)) == replay(SOLVED_STATE, there)).all()


def test_sums_follow_the_moves() -> None:
    """The changes of the sums of a cube and of its inverse, move by move, and the ranks and twists that they hold."""
    one = coordinates()
    for moves in walks(5, 12):
        state = replay(SOLVED_STATE, moves)
        words = [int(word) for word in sums_of(state)]
        for move in range(len(MOVES)):
            changed = list(words)
            for k in range(4):
                for side in range(2):
                    changed[2 * side] += int(one.corner_change[move, k, state[one.source[move, k]], side])
                    changed[2 * side + 1] += int(one.edge_change[move, k, state[one.source[move, 4 + k]], side])
            after = replay(state, [move])
            assert [word % (1 << 64) for word in changed] == sums_of(after).tolist()
            assert corner_moves()[corner_rank(state), move] == corner_rank(after)
            assert twist_moves()[move, words[0] & 4095] == int(sums_of(after)[0]) & 4095


def test_sums_hold_the_coordinates_along_all_axes() -> None:
    """Twist, flip and slice about an axis are those of the image that has the axis at U and D."""
    one = coordinates()
    for moves in walks(10):
        state = replay(SOLVED_STATE, moves)
        corner, edge = (int(word) for word in sums_of(state)[:2])
        masks = [edge >> 33 & 4095, edge >> 45 & 4095]
        masks.append(4095 & ~(masks[0] | masks[1]))
        for axis, symmetry in enumerate(symmetries().axes):
            other_corner, other_edge = (int(word) for word in sums_of(image(symmetry, state))[:2])
            assert corner >> 12 * axis & 4095 == other_corner & 4095
            assert edge >> 11 * axis & 2047 == other_edge & 2047
            assert one.placing[axis, masks[axis]] == one.placing[0, other_edge >> 33 & 4095]


@pytest.mark.parametrize(("metric", "counts"), [("quarter", (1, 12, 114, 1068)), ("half", (1, 18, 243, 3240))])
def test_automaton_reaches_every_state_by_a_shortest_way(metric: str, counts: tuple[int, ...]) -> None:
    """The sequences left reach as many cubes as there are within three moves, each state in its own depth."""
    table = automaton(metric)
    seen = {SOLVED_STATE.tobytes()}
    layer = [(0, SOLVED_STATE)]
    for many in counts[1:]:
        following = []
        for last, state in layer:
            for move in np.flatnonzero(table[last] >= 0).tolist():
                following.append((int(table[last, move]), replay(state, [move])))
        fresh = {state.tobytes() for _, state in following} - seen
        assert len(fresh) == many
        seen |= fresh
        layer = following
