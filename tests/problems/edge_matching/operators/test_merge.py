"""Merging two boards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.edge_matching.operators.boards import check, framed, problems, random_board

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching import Board, EdgeMatching
from matheur.problems.edge_matching.backtracking.operator import Backtracking
from matheur.problems.edge_matching.builtin import builtin, builtin_solution
from matheur.problems.edge_matching.operators.board_tools import count_mismatches
from matheur.problems.edge_matching.operators.merge import Merge
from matheur.problems.edge_matching.operators.orientation import turned_board

METHODS = [
    Merge(method="exact"),
    Merge(method="milp"),
    Merge(method="structured"),
    Merge(method="clique", iterations=20),
]


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed)


def with_elites(problem: EdgeMatching, *boards: Board, **limits: int) -> Budget:
    budget = Budget(**limits)  # type: ignore[arg-type]
    for board in boards:
        budget.elites.add(problem.orbit(board), board, problem.evaluate(board).objective)
    return budget


def scrambled(cells: list[int]) -> Board:
    """The hidden perfect board with some inner pieces moved on by one cell and turned."""
    board = builtin_solution("6x6").copy()
    board[cells] = np.roll(board[cells], 1) ^ 1
    return board


@pytest.mark.parametrize("operator", METHODS, ids=lambda one: one.method)
def test_faults_in_different_places_mend_each_other(operator: Merge) -> None:
    """Two boards, each spoilt in another place, make the perfect one: what they agree on stays."""
    problem = EdgeMatching(builtin("6x6"))
    mine, theirs = scrambled([7, 8, 13]), scrambled([22, 27, 28])
    budget = with_elites(problem, theirs)
    outcome = operator.explore(problem, mine, budget, rng())
    assert outcome.status is Status.IMPROVED
    assert check(problem, outcome) == 0
    assert problem.orbit(outcome.solution) in budget.elites  # type: ignore[arg-type]


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_turned_elite_is_turned_back(quarters: int) -> None:
    """The other board is compared as it lies best, and a mere turn of the incumbent is no other board."""
    problem = EdgeMatching(builtin("6x6"))
    mine = scrambled([14, 15, 20])
    budget = with_elites(problem, turned_board(scrambled([28]), 6, 6, quarters))
    assert check(problem, Merge().explore(problem, mine, budget, rng())) == 0
    alone = Merge().explore(problem, mine, with_elites(problem, turned_board(mine, 6, 6, quarters)), rng())
    assert (alone.status, alone.solution) == (Status.NO_IMPROVEMENT, None)


def test_nothing_to_merge_with() -> None:
    """Without another board nothing happens, and no proof is claimed."""
    problem = framed(4, 4)
    board = random_board(problem)
    for budget in (Budget(), with_elites(problem, board)):
        outcome = Merge().explore(problem, board, budget, rng())
        assert (outcome.status, outcome.solution) == (Status.NO_IMPROVEMENT, None)


@settings(max_examples=40)
@given(problems(), st.integers(0, 99), st.integers(2, 20), st.sampled_from([0.0, 0.2]))
def test_never_worse_than_the_better_parent(problem: EdgeMatching, seed: int, cells: int, empty: float) -> None:
    """Whatever the puzzle, hints and empty cells: feasible, hints in place, better than both parents or not taken."""
    mine, theirs = (random_board(problem, seed + i, empty) for i in range(2))
    before, other = (count_mismatches(problem.instance, board) for board in (mine, theirs))
    outcome = Merge(cells=cells, iterations=1, nodes=2_000).explore(
        problem, mine, with_elites(problem, theirs), rng(seed)
    )
    if outcome.solution is None:
        assert outcome.status is not Status.IMPROVED
        return
    objective = check(problem, outcome)
    if outcome.status is Status.IMPROVED:
        assert objective < min(before, other)
    else:
        assert objective == before <= other
    changed = [
        np.count_nonzero(np.asarray(outcome.solution) != board)
        for parent in (mine, theirs)
        for board in (turned_board(parent, problem.instance.rows, problem.instance.columns, q) for q in range(4))
        if board.size
    ]
    assert min(changed) <= cells


def test_a_proved_pair_is_not_solved_again() -> None:
    """The second call finds the proof and spends one unit a pair."""
    problem = framed(5, 5, seed=2)
    mine, theirs = Backtracking(nodes=20_000).build(problem, Budget(), rng()).solution, None
    assert mine is not None
    theirs = mine.copy()
    theirs[[6, 7, 8]] = theirs[[7, 8, 6]]
    budget = with_elites(problem, theirs)
    first = Merge(sideways=False).explore(problem, mine, budget, rng())
    assert len(budget.proofs) >= 1
    board = mine if first.solution is None else first.solution
    again = budget.child()
    Merge(sideways=False, iterations=3).explore(problem, board, again, rng(9))
    assert again.spent_work == 3


def test_backtracking_fills_the_pool() -> None:
    """Its full boards and those of starts that it gave up: different, feasible, with their true objectives."""
    problem = framed(8, 8, seed=1)
    budget = Budget(work=400)
    best = Backtracking(restart=20_000, quota="none", mismatches=2).build(problem, budget, rng(1)).solution
    assert best is not None
    elites = budget.elites.entries()
    assert len(elites) > 2
    assert problem.orbit(best) == elites[0].key
    for elite in elites:
        evaluation = problem.evaluate(elite.solution)
        assert evaluation.feasible
        assert evaluation.objective == elite.objective
    assert len({problem.orbit(elite.solution) for elite in elites}) == len(elites)


@pytest.mark.parametrize("options", [{"cells": 1}, {"iterations": 0}, {"cells": 65}])
def test_impossible_options_are_refused(options: dict[str, int]) -> None:
    """The message names the value."""
    with pytest.raises(ConfigurationError, match=str(next(iter(options.values())))):
        Merge(**options)  # type: ignore[arg-type]
