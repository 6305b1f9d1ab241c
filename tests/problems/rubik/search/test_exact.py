"""Cosets with the order of the slice's edges, and the exact search on them, against definitions and other searches."""

from __future__ import annotations

import numpy as np
import pytest

from matheur.engine import Budget, OutOfBudgetError
from matheur.errors import ConfigurationError
from matheur.problems.rubik import Rubik
from matheur.problems.rubik.domain import rubik_domain
from matheur.problems.rubik.generator import generate, uniform
from matheur.problems.rubik.search.automaton import automaton
from matheur.problems.rubik.search.classes import classes
from matheur.problems.rubik.search.coordinates import TWISTS, coordinates
from matheur.problems.rubik.search.coset import BASES, BYTES, CosetTable
from matheur.problems.rubik.search.coset_kernels import close, count, pack
from matheur.problems.rubik.search.deepening import cube_tables, ida_star_cube
from matheur.problems.rubik.search.exact import ExactTables, exact_cube, exact_tables
from matheur.problems.rubik.search.ordered import (
    ENTRIES,
    ORDERS,
    cosets_of,
    home,
    ordered,
    row_moves,
    row_symmetries,
    twist_maps,
    words_of,
)
from matheur.problems.rubik.search.pieces import SOLVED_STATE, replay, state_of


@pytest.fixture(scope="module")
def small() -> ExactTables:
    """The table of phase 1 alone, from the session's cache."""
    found = exact_tables("quarter")
    assert found is not None
    return found


def states(many: int, length: int = 30) -> list[np.ndarray]:
    """Cubes after random moves."""
    rng = np.random.default_rng(9)
    return [replay(SOLVED_STATE, rng.integers(0, 12, length).tolist()) for _ in range(many)]


def test_words_change_as_the_pieces_do() -> None:
    """After every move, the changed words of a cube and of its inverse are those of the new cube."""
    one, source = ordered(), coordinates().source
    for state in states(5):
        for move in range(18):
            words = words_of(state)
            with np.errstate(over="ignore"):
                for k in range(4):
                    words[[0, 2]] += one.corner_change[move, k, state[source[move, k]]]
                    words += one.edge_change[move, k, state[source[move, 4 + k]]]
            assert (words == words_of(replay(state, [move]))).all()


def test_rows_and_twists_after_moves_are_those_of_the_cube() -> None:
    """The neighbours of a coset by the tables are those of a cube in it, up to the symmetries that keep its row."""
    known = classes()
    moves, maps, orders = row_moves(12), twist_maps(known), row_symmetries(known)

    def least(place: int) -> int:
        row, twist = divmod(place, TWISTS)
        kind, order = divmod(row, ORDERS)
        kept = [k for k in range(16) if known.stabiliser[kind] >> k & 1]
        return min(
            (kind * ORDERS + int(orders[kind, k, order])) * TWISTS + int(known.twist_image[k, twist]) for k in kept
        )

    assert cosets_of(words_of(SOLVED_STATE)) == [home()] * 6
    for state in [*states(20), *states(10, 3)]:
        row, twist = divmod(cosets_of(words_of(state))[0], TWISTS)
        there = [divmod(int(moves[row, move]), 16) for move in range(12)]
        by_table = [least(to * TWISTS + int(maps[move, k, twist])) for move, (to, k) in enumerate(there)]
        by_cube = [least(cosets_of(words_of(replay(state, [move])))[0]) for move in range(12)]
        assert sorted(by_table) == sorted(by_cube)


def test_turns_about_the_axis_keep_the_coset_of_the_inverse() -> None:
    """U and D stay in the goal's coset, so before an inverse they change nothing."""
    for state in states(5):
        for axis, moves in enumerate(((0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11))):
            before = cosets_of(words_of(state))[3 + axis]
            assert {cosets_of(words_of(replay(state, [move])))[3 + axis] for move in moves} == {before}


def test_packing_cuts_off_on_both_sides() -> None:
    """Four entries a byte, 0 up to the base and 3 for all that is larger, in the same array; counting and closing."""
    entries = np.array([0, 9, 10, 11, 12, 13, 14, 15], dtype=np.uint8)
    assert count(2, 8, 12, entries) == 1
    table = entries.copy()
    pack(0, 2, 10, table)
    packed = table[:2]
    found = [int(packed[i // 4]) >> 2 * (i % 4) & 3 for i in range(8)]
    assert found == [0, 0, 0, 1, 2, 3, 3, 3]
    one = CosetTable("quarter", 10, packed, (), 0.0)
    assert [one.bound(i) for i in range(8)] == [0, 0, 0, 11, 12, 13, 13, 13]
    rows = np.full(ORDERS * TWISTS, 255, dtype=np.uint8)
    rows[5] = 3
    orders = np.tile(np.arange(ORDERS, dtype=np.uint8), (1, 16, 1))
    orders[0, 1, 0] = 7
    images = np.tile(np.arange(TWISTS, dtype=np.int16), (16, 1))
    close(3, 0, 1, np.array([3], dtype=np.uint16), orders, images, rows)
    assert np.flatnonzero(rows == 3).tolist() == [5, 7 * TWISTS + 5]


@pytest.mark.parametrize("threads", [1, 2])
def test_exact_search_finds_the_optima(small: ExactTables, threads: int) -> None:
    """The same lengths as by the other deepening, with plans that do not depend on the threads; limits are kept."""
    other = cube_tables("quarter")
    assert other is not None
    rng = np.random.default_rng(5)
    for length in (0, 1, 2, 3, 5, 9, 13, 14):
        state = replay(SOLVED_STATE, rng.integers(0, 12, length).tolist())
        answer = exact_cube(small, state, threads=threads)
        assert (answer.cost, answer.proved) == (ida_star_cube(other, state).cost, True)
        assert (replay(state, answer.plan) == SOLVED_STATE).all()
        assert (exact_cube(small, state).plan == answer.plan).all()
    far = state_of(uniform(rng).cubies)
    assert small.bounds(far) == list(other.distances(far)[1:])
    bounds: list[int] = []
    cut = exact_cube(small, far, threads=threads, budget=Budget(work=300_000), on_bound=bounds.append)
    assert (cut.plan, cut.limit) == (None, "work")
    assert cut.bound == bounds[-1] >= 12
    none = exact_cube(small, far, threads=threads, most=13)
    assert (none.plan, none.limit) == (None, None)
    assert none.bound > 13
    stopped = exact_cube(small, far, threads=threads, budget=Budget(interrupt=lambda: True))
    assert (stopped.plan, stopped.limit) == (None, "interrupt")


def test_the_large_table_only_prunes_more(small: ExactTables) -> None:
    """A table that says nothing leaves the answers as they are; its entries count as bounds."""
    empty = CosetTable("quarter", BASES["quarter"], np.zeros(BYTES, dtype=np.uint8), (), 0.0)
    tables = ExactTables(small.phase1, empty)
    assert tables.nbytes > BYTES
    for state in states(4, 13):
        answer = exact_cube(tables, state)
        assert (answer.cost, answer.proved) == (exact_cube(small, state).cost, True)
    assert empty.bound(ENTRIES - 1) == 0
    state = states(1, 14)[0]
    place = cosets_of(words_of(state))[0]
    empty.packed[place // 4] |= 3 << 2 * (place % 4)
    assert tables.bounds(state)[0] == BASES["quarter"] + 3


def test_automata_read_the_same_plans_from_both_ends() -> None:
    """A sequence is accepted from its front if and only if its inverse is accepted backwards."""
    rng = np.random.default_rng(1)
    accepted = 0
    for metric, moves in (("quarter", 12), ("half", 18)):
        front, back = automaton(metric), automaton(metric, backwards=True)
        for _ in range(4000):
            word = rng.integers(0, moves, 4).tolist()
            inverse = [move ^ 1 if move < 12 else move for move in reversed(word)]
            answers = []
            for table, letters in ((front, word), (back, inverse)):
                state = 0
                for move in letters:
                    state = int(table[state, move]) if state >= 0 else -1
                answers.append(state >= 0)
            assert answers[0] == answers[1]
            accepted += answers[0]
    assert 0 < accepted < 8000


def test_domain_takes_the_large_table_by_name() -> None:
    """Too little memory is an error that says how much is needed; without time to build it nothing is claimed."""
    domain = rubik_domain(Rubik(generate(seed=3, moves=6)[0]))
    with pytest.raises(ConfigurationError, match="806 MiB"):
        domain.ida_star("large", budget=Budget(), memory=1 << 28)
    with pytest.raises(OutOfBudgetError):
        domain.ida_star("large", budget=Budget(interrupt=lambda: True), memory=1 << 30)
