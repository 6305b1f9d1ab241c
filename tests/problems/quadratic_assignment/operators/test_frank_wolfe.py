"""The fast approximate quadratic assignment in pieces: the same as scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.optimize import quadratic_assignment as of_scipy

from matheur.engine import Budget
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.operators import faq, frank_wolfe
from matheur.problems.quadratic_assignment.operators.frank_wolfe import linear_assignment, quadratic_assignment
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment


@pytest.mark.parametrize("seed", range(40))
def test_assignments_are_those_of_scipy(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also among many of equal cost, and however many rows are matched at a time."""
    monkeypatch.setattr(frank_wolfe, "_PIECE", [1, 2000, 10**7][seed % 3])
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    costs = [rng.random((n, n)), rng.integers(0, 3, (n, n)), rng.integers(-50, 50, (n, n)), np.ones((n, n))]
    cost = costs[seed % 4].astype(float)
    assert (linear_assignment(cost) == linear_sum_assignment(cost)[1]).all()
    assert (linear_assignment(-cost) == linear_sum_assignment(cost, maximize=True)[1]).all()


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("start", ["barycenter", "randomized"])
def test_permutations_are_those_of_scipy(seed: int, start: str) -> None:
    """The same permutation after as many steps, with the same use of random numbers.

    Equal costs would be told apart by the rounding of matrix products, which differs between processors.
    """
    rng = np.random.default_rng(seed)
    n, highest = int(rng.integers(2, 35)), [10, 2, 100][seed % 3]
    flows, distances = (rng.random((n, n)) * highest for _ in range(2))
    if seed % 2:
        flows, distances = flows + flows.T, distances + distances.T
    first, second = np.random.default_rng(seed), np.random.default_rng(seed)
    expected = of_scipy(flows, distances, method="faq", options={"P0": start, "maxiter": 30, "rng": first})
    places, steps = quadratic_assignment(flows, distances, steps=30, rng=second if start == "randomized" else None)
    assert places.tolist() == expected.col_ind.tolist()
    assert steps == expected.nit
    assert first.bit_generator.state == second.bit_generator.state


def test_one_assignment_is_stopped_between_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start that the user wants to stop in the middle of its first linear assignment does not finish that."""
    matched: list[int] = []
    real = frank_wolfe.assign_rows

    def slow(first: int, last: int, *arrays: object) -> None:
        real(first, last, *arrays)
        matched.append(last)
        while len(matched) > 3:  # until somebody ends this
            pass

    monkeypatch.setattr(frank_wolfe, "assign_rows", slow)
    monkeypatch.setattr(frank_wolfe, "_PIECE", 1)
    rng = np.random.default_rng(0)
    flows, distances = rng.integers(0, 9, (2, 30, 30))
    problem = QuadraticAssignment(Instance(flows, distances))
    budget = Budget(interrupt=lambda: len(matched) > 3)
    outcome = faq.Faq().build(problem, budget, rng)
    assert matched == [1, 2, 3, 4]
    assert outcome.solution is not None
    assert problem.evaluate(outcome.solution).feasible
