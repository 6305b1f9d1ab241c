"""The tile assignment neighbourhood."""

from __future__ import annotations

import numpy as np
import pytest
from problems.edge_matching.operators.boards import check, framed, random_board

from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching.operators.assignment import Assignment


@pytest.mark.parametrize(
    "options",
    [{"k": 1}, {"k": 65}, {"iterations": 0}, {"bias": -1}, {"bias": 101}, {"temperature": -0.1}, {"cooled": 0}],
    ids=str,
)
def test_bad_options_are_refused(options: dict[str, float]) -> None:
    """The error names the option and the value."""
    with pytest.raises(ConfigurationError, match=next(iter(options))):
        Assignment(**options)


def test_sideways_walks_on_plateaus_and_strict_does_not() -> None:
    """From a board that cannot easily be improved only the sideways variant returns another one."""
    problem = framed(6, 6)
    board = random_board(problem)
    rng = np.random.default_rng(0)
    strict = Assignment(k=4, iterations=3000, sideways=False)
    board = strict.explore(problem, board, Budget(), rng).solution
    for _ in range(5):
        outcome = strict.explore(problem, board, Budget(), rng)
        assert outcome.status is Status.IMPROVED or np.array_equal(outcome.solution, board)
        board = outcome.solution
    walked = Assignment(k=4, iterations=3000).explore(problem, board, Budget(), rng)
    assert check(problem, walked) <= problem.evaluate(board).objective
    assert not np.array_equal(walked.solution, board)


def test_annealing_beats_the_plain_walk() -> None:
    """With equal iterations the annealed walk ends lower on average, over five seeds."""
    problem = framed(8, 8, seed=3)
    board = random_board(problem)

    def mean(move: Assignment) -> float:
        runs = [move.explore(problem, board, Budget(), np.random.default_rng(seed)) for seed in range(5)]
        return float(np.mean([check(problem, run) for run in runs]))

    assert mean(Assignment(iterations=20_000, temperature=0.3)) < mean(Assignment(iterations=20_000))


def test_annealing_cools_down_by_the_deadline() -> None:
    """The temperature follows the clock where the budget has one."""
    now = 0.0
    budget = Budget(seconds=10, clock=lambda: now)
    move = Assignment(temperature=0.4, cooled=0.1)
    assert move._temperature(0.0, budget) == pytest.approx(0.4)
    now = 5.0
    assert move._temperature(0.0, budget) == pytest.approx(0.2)
    now = 20.0
    assert move._temperature(0.5, budget) == pytest.approx(0.1)
