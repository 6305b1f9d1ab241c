"""The fewest presses by elimination and a walk through the coset."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.methods.statespace import astar, heuristic_by_name
from matheur.problems.lights_out import Instance, LightsOut, builtin, generate
from matheur.problems.lights_out.domain import lights_out_domain
from matheur.problems.lights_out.operators.linear_algebra import LinearAlgebra, solve_boards


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.mark.parametrize("seed", range(12))
def test_it_agrees_with_astar(seed: int) -> None:
    """On boards of 16 cells, of both patterns, with kernels and without."""
    rows, columns = ((4, 4), (2, 8), (3, 5))[seed % 3]
    board = generate(rows, columns, seed=seed, pattern="king" if seed % 2 else "plus")[0]
    problem = LightsOut(board)
    outcome = LinearAlgebra().build(problem, Budget(), rng())
    domain = lights_out_domain(problem)
    assert outcome.objective == outcome.bound == astar(domain, heuristic_by_name(domain, "lights")).cost
    assert problem.evaluate(outcome.solution).feasible


@pytest.mark.parametrize("descent", [True, False])
def test_a_large_kernel_within_limits(descent: bool) -> None:
    """19 x 19 has 65,536 solutions: all are visited, or as many as the budget allows, without a claim."""
    problem = LightsOut(builtin("random-19x19"))
    budget, limited = Budget(), Budget(work=1000)
    whole = LinearAlgebra(descent).build(problem, budget, rng())
    assert whole.bound == whole.objective
    assert budget.spent_work == 1 << 16
    part = LinearAlgebra(descent).build(problem, limited, rng())
    assert (part.status, part.bound, limited.spent_work) == (Status.EXHAUSTED, None, 1000)
    assert part.objective >= whole.objective
    assert problem.evaluate(part.solution).feasible


def test_a_board_without_solution() -> None:
    """The answer is a proof, with the cells that show it."""
    outcome = LinearAlgebra().build(LightsOut(builtin("odd-5x5")), Budget(), rng())
    assert outcome.status is Status.INFEASIBLE
    assert "odd number of them" in outcome.reason


def test_many_boards_at_once(data: Path) -> None:
    """The 500 boards of DeepCubeA by one inverse; sizes with a kernel are refused."""
    with (data / "state_space" / "deepcubea_lightsout7_test.csv").open() as file:
        rows = list(csv.DictReader(file))
    boards = np.array([_bits(row["lights"]) for row in rows], dtype=np.uint64)
    presses = solve_boards(7, 7, boards)
    assert presses.tolist() == [_bits(row["optimal_presses"]) for row in rows]
    for size in ((5, 5), (9, 9)):
        with pytest.raises(ConfigurationError):
            solve_boards(*size, boards)


def _bits(text: str) -> int:
    return sum(1 << cell for cell, sign in enumerate(text) if sign == "1")


def test_one_cell() -> None:
    """The smallest board."""
    outcome = LinearAlgebra().build(LightsOut(Instance(1, 1, (True,))), Budget(), rng())
    assert outcome.solution.tolist() == [0]


def test_descents_find_light_solutions_among_too_many_to_visit() -> None:
    """17 x 17 with the pattern `king` has 2^33: local optima from random solutions beat the first part of the walk."""
    problem = LightsOut(generate(17, 17, seed=1, pattern="king")[0])
    budgets = {True: Budget(work=1_500_000), False: Budget(work=1_500_000)}
    found = [LinearAlgebra(descent).build(problem, budget, rng()) for descent, budget in budgets.items()]
    assert found[0].objective <= 100 < found[1].objective
    assert all(problem.evaluate(one.solution).feasible for one in found)
    assert all(budget.spent_work == 1_500_000 for budget in budgets.values())
