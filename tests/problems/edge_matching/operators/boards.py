"""Small puzzles and checks that the tests of the edge-matching moves share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome
from matheur.problems.edge_matching import EMPTY, Board, EdgeMatching, Hint, Instance, generate
from matheur.problems.edge_matching.operators.random_board import RandomBoard


def framed(rows: int, columns: int, seed: int = 0, hints: int = 0) -> EdgeMatching:
    """A solvable framed puzzle; the first `hints` of some shuffled cells are given, every other one with its turn."""
    instance, solution = generate(rows, columns, seed=seed, unique=False, frame_colours=3, inner_colours=4)
    cells = np.random.default_rng(seed).permutation(instance.cells)[:hints]
    given = tuple(
        Hint(int(cell), int(solution[cell] >> 2), int(solution[cell] & 3) if place % 2 else None)
        for place, cell in enumerate(cells)
    )
    return EdgeMatching(Instance(rows, columns, instance.pieces, given))


def unframed(rows: int, columns: int, seed: int = 0) -> EdgeMatching:
    """A puzzle without a frame: random pieces of three colours."""
    pieces = np.random.default_rng(seed).integers(1, 4, size=(rows * columns, 4), dtype=np.int16)
    return EdgeMatching(Instance(rows, columns, pieces))


def random_board(problem: EdgeMatching, seed: int = 0, empty: float = 0.0) -> Board:
    """A read-only random board, each free cell emptied with the given probability."""
    rng = np.random.default_rng(seed)
    board = RandomBoard().build(problem, Budget(), rng).solution
    assert board is not None
    board[(rng.random(board.size) < empty) & ~problem.instance.fixed] = EMPTY
    board.setflags(write=False)
    return board


def check(problem: EdgeMatching, outcome: Outcome[Board]) -> int:
    """The outcome's objective, after the evaluator agreed with it and found the board feasible."""
    assert outcome.solution is not None
    assert outcome.solution.dtype == np.int32
    evaluation = problem.evaluate(outcome.solution)
    assert evaluation.feasible, evaluation.violations
    assert evaluation.objective == outcome.objective
    return int(evaluation.objective)


@st.composite
def problems(draw: st.DrawFn) -> EdgeMatching:
    """Framed puzzles with and without hints, and unframed ones, square and not."""
    rows, columns, seed = draw(st.integers(1, 6)), draw(st.integers(1, 6)), draw(st.integers(0, 1000))
    if rows < 2 or columns < 2 or draw(st.booleans()):
        return unframed(rows, columns, seed)
    return framed(rows, columns, seed, hints=draw(st.integers(0, 3)))
