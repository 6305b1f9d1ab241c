"""The constructions that ask a MILP solver."""

from __future__ import annotations

import numpy as np
import pytest

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.methods.milp import SolverOptions
from matheur.problems.edge_matching import EMPTY, EdgeMatching, Hint, Instance
from matheur.problems.edge_matching.backtracking.perfect_search import count_boards
from matheur.problems.edge_matching.builtin import builtin, builtin_solution
from matheur.problems.edge_matching.generator import generate
from matheur.problems.edge_matching.operators.milp_backtracking import MilpBacktracking
from matheur.problems.edge_matching.operators.milp_full import MilpFull
from matheur.problems.edge_matching.operators.milp_greedy import MilpGreedy, Regions

SOLVERS = ["highs", "scip", "cp-sat"]


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.fixture
def small() -> EdgeMatching:
    return EdgeMatching(builtin("4x4"))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("formulation", ["match", "gap", "exact"])
def test_full_model_solves_a_small_board(small: EdgeMatching, solver: str, formulation: str) -> None:
    """Every formulation finds the perfect board of a solvable puzzle, and the certificate names the solver."""
    outcome = MilpFull(formulation=formulation, solver=SolverOptions(solver)).build(small, Budget(), rng())
    assert outcome.objective == 0
    assert small.evaluate(outcome.solution).feasible
    assert outcome.certificate is not None
    assert outcome.certificate["backend"] == solver


def unsolvable() -> EdgeMatching:
    """A 2 x 2 puzzle of four corners, of which the colours allow one match at most."""
    pieces = np.array([[0, 0, 1, 2], [0, 0, 3, 4], [0, 0, 5, 6], [0, 0, 2, 7]])
    return EdgeMatching(Instance(2, 2, pieces))


@pytest.mark.parametrize("solver", SOLVERS)
def test_full_model_proves_an_optimum_above_the_trivial_bound(solver: str) -> None:
    """Where the colour counts do not decide, the solver's bound does, and it equals the brute-force optimum."""
    problem = EdgeMatching(Instance(2, 2, np.array([[0, 0, 1, 1], [0, 0, 2, 2], [0, 0, 1, 2], [0, 0, 1, 2]])))
    best = brute_force(problem)
    outcome = MilpFull(solver=SolverOptions(solver)).build(problem, Budget(), rng())
    assert outcome.objective == outcome.bound == best


def brute_force(problem: EdgeMatching) -> int:
    """The optimum of a 2 x 2 puzzle by trying everything."""
    from itertools import permutations, product

    instance = problem.instance
    found = []
    for pieces in permutations(range(4)):
        for turns in product(range(4), repeat=4):
            board = np.array([4 * piece + turn for piece, turn in zip(pieces, turns, strict=True)], dtype=np.int32)
            if instance.fits[board, np.arange(4)].all():
                found.append(problem.evaluate(board).objective)
    return min(found)


def test_exact_formulation_proves_that_no_board_is_perfect() -> None:
    """An infeasible exact model is a bound of 1, not an infeasible puzzle."""
    outcome = MilpFull(formulation="exact").build(unsolvable(), Budget(), rng())
    assert outcome.status is Status.EXHAUSTED
    assert outcome.solution is None
    assert outcome.bound == 1


def test_full_model_says_that_hints_block_each_other() -> None:
    """A corner hinted into the inside is proved infeasible, with a reason."""
    instance = builtin("4x4")
    problem = EdgeMatching(Instance(4, 4, instance.pieces, (Hint(5, 0),)))
    outcome = MilpFull().build(problem, Budget(), rng())
    assert outcome.status is Status.INFEASIBLE
    assert outcome.reason


@pytest.mark.parametrize("shape", ["rows", "columns", "blocks"])
@pytest.mark.parametrize("order", ["forward", "backward", "inward", "random"])
@pytest.mark.parametrize("height", [1, 2, 3])
def test_regions_cover_every_cell_once(shape: str, order: str, height: int) -> None:
    """However a board is cut, each cell lies in exactly one region."""
    instance = generate(5, 7, seed=3)[0]
    cells = np.concatenate(Regions(shape, height, 3, order).cut(instance, rng()))
    assert sorted(cells.tolist()) == list(range(35))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "options", [{}, {"height": 2}, {"shape": "columns"}, {"shape": "blocks", "height": 2, "width": 3}]
)
def test_greedy_makes_a_complete_board(solver: str, options: dict[str, object]) -> None:
    """Rows, pairs of rows, columns and blocks all end in a valid board of the claimed objective."""
    problem = EdgeMatching(builtin("5x5"))
    outcome = MilpGreedy(solver=SolverOptions(solver), **options).build(problem, Budget(), rng())  # type: ignore[arg-type]
    evaluation = problem.evaluate(outcome.solution)
    assert evaluation.feasible
    assert evaluation.objective == outcome.objective
    assert (outcome.solution != EMPTY).all()
    assert outcome.objective < problem.score_max / 3


def test_greedy_hands_out_partial_boards_that_grow() -> None:
    """After every region the board so far is handed out, each better than the one before."""
    problem = EdgeMatching(builtin("5x5"))
    offered: list[float] = []
    MilpGreedy().build(problem, Budget(on_incumbent=lambda board, objective: offered.append(objective)), rng())
    assert len(offered) == 5
    assert offered == sorted(offered, reverse=True)


def test_more_passes_are_never_worse() -> None:
    """The best of three passes is at least as good as the first of them."""
    problem = EdgeMatching(builtin("6x6"))
    one = MilpGreedy(passes=1).build(problem, Budget(), rng())
    three = MilpGreedy(passes=3).build(problem, Budget(), rng())
    assert three.objective <= one.objective


def test_greedy_keeps_hints() -> None:
    """A piece that is hinted, with or without a rotation, lies where the hint says."""
    instance, solution = builtin("6x6"), builtin_solution("6x6")
    hints = (Hint(14, int(solution[14]) // 4, int(solution[14]) % 4), Hint(0, int(solution[0]) // 4))
    problem = EdgeMatching(Instance(6, 6, instance.pieces, hints))
    outcome = MilpGreedy().build(problem, Budget(), rng())
    assert problem.evaluate(outcome.solution).feasible
    assert outcome.solution[14] == solution[14]


def test_backtracking_turns_a_hint_without_a_rotation() -> None:
    """A perfect board with the hinted piece in another rotation is found, and no bound excludes it."""
    instance, solution = generate(3, 4, seed=9)
    cell, piece = 5, int(solution[5]) // 4
    upright = Instance(3, 4, instance.pieces, (Hint(cell, piece, 0),))
    assert solution[cell] % 4 > 0
    assert count_boards(upright)[0] == 0
    problem = EdgeMatching(Instance(3, 4, instance.pieces, (Hint(cell, piece),)))
    outcome = MilpBacktracking().build(problem, Budget(), rng())
    assert outcome.bound is None
    assert outcome.objective == 0
    assert problem.evaluate(outcome.solution).feasible


def test_backtracking_finds_the_perfect_board() -> None:
    """With time enough, backtracking over perfect rows ends in a perfect board."""
    problem = EdgeMatching(builtin("4x4"))
    outcome = MilpBacktracking(backtracking_seconds=None).build(problem, Budget(), rng())
    assert outcome.objective == 0
    assert problem.evaluate(outcome.solution).feasible


def test_backtracking_completes_greedily_at_the_limit() -> None:
    """After the allowed solves the deepest partial board is completed, no worse than it was."""
    problem = EdgeMatching(builtin("6x6"))
    outcome = MilpBacktracking(backtracking_solves=4).build(problem, Budget(), rng())
    assert (outcome.solution != EMPTY).all()
    assert problem.evaluate(outcome.solution).objective == outcome.objective


def test_backtracking_proves_that_no_board_is_perfect() -> None:
    """When the tree of perfect rows is exhausted, the bound is 1 and a certificate says who proved it."""
    outcome = MilpBacktracking(backtracking_seconds=None).build(unsolvable(), Budget(), rng())
    assert outcome.bound == 1
    assert outcome.certificate is not None


def test_the_time_limit_of_backtracking_applies_to_timed_runs() -> None:
    """A run limited by work is the same on every machine."""
    operator = MilpBacktracking(backtracking_seconds=0)
    assert operator.build(unsolvable(), Budget(work=10**6), rng()).bound == 1
    assert operator.build(unsolvable(), Budget(seconds=100), rng()).bound is None


def test_bad_options_are_refused() -> None:
    """Regions without rows and negative preferences are configuration errors."""
    with pytest.raises(ConfigurationError, match=r"height.*at least 1"):
        MilpGreedy(height=0)
    with pytest.raises(ConfigurationError, match="passes"):
        MilpGreedy(passes=0)
