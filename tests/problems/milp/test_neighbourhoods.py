"""Neighbourhoods that let the MILP solver search a part of the solutions."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from contracts import milp
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine import Budget, LocalSearch, Named, Status
from matheur.linear.lp_reader import read_lp
from matheur.problems.milp import Milp
from matheur.problems.milp.operators.mutation import Mutation
from matheur.problems.milp.operators.neighbourhood import LargeNeighbourhood
from matheur.problems.milp.operators.state import State
from matheur.solvers.linear import Restriction


@cache
def knapsacks() -> Milp:
    """Forty items and three sacks with room for some of them; taking nothing is a solution."""
    rng = np.random.default_rng(7)
    weights, worth = rng.integers(10, 100, size=(3, 40)), rng.integers(10, 100, size=40)

    def total(numbers: NDArray[np.int64]) -> str:
        return " + ".join(f"{number} x{item}" for item, number in enumerate(numbers))

    rows = "\n".join(f" sack{sack}: {total(row)} <= {row.sum() // 3}" for sack, row in enumerate(weights))
    names = " ".join(f"x{item}" for item in range(40))
    return Milp(read_lp(f"maximize\n obj: {total(worth)}\nsubject to\n{rows}\nbinary\n {names}\nend\n"))


def search(problem: Milp, *neighbourhoods: Any) -> LocalSearch[Any]:
    return LocalSearch(problem, None, [Named(f"n{index}", one) for index, one in enumerate(neighbourhoods)])


def test_sizes_follow_what_the_solver_can_do() -> None:
    """Quick proofs make the part larger, until all is free and the incumbent is proved optimal."""
    problem, budget = knapsacks(), Budget(iterations=60)
    operator = Mutation(size=5, nodes=100_000)
    result = search(problem, operator).run(budget, start=np.zeros(40))
    assert result.stopped == "optimal"
    assert result.objective == result.bound
    assert result.bound_source == "n0"
    assert budget.memory[repr(operator)] == 40
    hard = Budget(iterations=1)
    outcome = Mutation(size=40, nodes=1).explore(problem, result.solution, hard, np.random.default_rng(0))
    assert outcome.status in (Status.NO_IMPROVEMENT, Status.LOCAL_OPTIMUM)
    if outcome.status is Status.NO_IMPROVEMENT:
        assert hard.memory[repr(Mutation(size=40, nodes=1))] == 24


def test_a_resumed_run_goes_on_with_the_sizes_that_it_had() -> None:
    """Two halves are one whole, to the last bit."""
    problem = knapsacks()
    operators = [Mutation(size=5, nodes=20), Mutation(size=8, nodes=20)]
    whole = search(problem, *operators).run(Budget(iterations=5), start=np.zeros(40))
    half = search(problem, *operators).run(Budget(iterations=2), start=np.zeros(40))
    both = search(problem, *operators).run(Budget(iterations=5), state=half.state)
    assert both.state["memory"] == whole.state["memory"] != half.state["memory"]
    assert (both.objective, both.work, both.state["proofs"]) == (whole.objective, whole.work, whole.state["proofs"])


def test_a_neighbourhood_of_ones_own_is_one_method() -> None:
    """It says what is to be searched; a proof is remembered by what was free, whoever asks."""

    @dataclass(frozen=True, slots=True)
    class Halves(LargeNeighbourhood):
        asked: int = 0

        def choose(self, state: State, rng: Generator) -> Restriction | None:
            return None if self.asked else state.freed(state.whole[::2])

    problem, budget, rng = milp.problem("knapsack"), Budget(), np.random.default_rng(1)
    best = np.array([0.0, 1, 1, 1, 0])
    assert problem.evaluate(best).objective == milp.optimum(problem)
    assert Halves().explore(problem, best, budget, rng).status is Status.NO_IMPROVEMENT
    known = len(budget.proofs)
    assert known
    assert dataclasses.replace(Halves(), nodes=7).explore(problem, best, budget, rng).solution is None
    assert len(budget.proofs) == known
    assert Halves(asked=1).explore(problem, best, budget, rng).status is Status.NO_IMPROVEMENT
