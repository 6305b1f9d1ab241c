"""The pool of good solutions that a run keeps for operators that combine two."""

from __future__ import annotations

import numpy as np
import pytest
from engine import toy

from matheur.engine import Budget, ElitePool, Outcome, Status
from matheur.errors import InputError

PROBLEM = toy.SmallSum(6)


def objectives(pool: ElitePool) -> list[int | float]:
    return [elite.objective for elite in pool.entries()]


def test_the_best_are_kept_and_equals_displace_the_oldest() -> None:
    """A full pool gives up its worst solution, the oldest of them, for one that is as good; never for a worse one."""
    pool = ElitePool(capacity=3)
    for key, objective in ((b"a", 5), (b"b", 3), (b"c", 5), (b"d", 4)):
        assert pool.add(key, key, objective)
    assert [elite.key for elite in pool.entries()] == [b"b", b"d", b"c"]
    assert pool.add(b"e", b"e", 5)
    assert [elite.key for elite in pool.entries()] == [b"b", b"d", b"e"]
    assert not pool.add(b"f", b"f", 6)
    assert b"f" not in pool
    assert len(pool) == 3


def test_a_solution_counts_once_and_is_copied() -> None:
    """The same key is refused, and what the caller does to its solution later changes nothing."""
    pool, solution = ElitePool(), np.array([1, 2])
    assert pool.add(b"one", solution, 3)
    assert not pool.add(b"one", solution, 3)
    solution[0] = 9
    assert pool.entries()[0].solution.tolist() == [1, 2]


def test_children_of_a_budget_share_the_pool() -> None:
    """What an operator adds to its share is there for the next one."""
    budget = Budget()
    budget.child(work=1).child().elites.add(b"one", [1], 1)
    assert objectives(budget.elites) == [1]


def test_a_run_keeps_its_incumbents_and_what_it_constructs() -> None:
    """Every new best solution goes into the pool, the best first."""
    budget = Budget(iterations=4)
    result = toy.search(PROBLEM, toy.Lower()).run(budget)
    found = objectives(budget.elites)
    assert found == sorted(found)
    assert found[0] == result.objective
    assert len(found) > 2


def test_the_pool_survives_a_resume() -> None:
    """A resumed run has the elites of the run before, in the same order, those of operators too."""

    def adds(problem: toy.SmallSum, incumbent: toy.Digits, budget: Budget) -> Outcome[toy.Digits]:
        for value in (7, 8):
            other = np.full(problem.length, value)
            budget.elites.add(problem.digest(other), other, int(other.sum()))
        return Outcome(Status.NO_IMPROVEMENT)

    first = Budget(iterations=2)
    state = toy.search(PROBLEM, toy.Lower(), toy.Scripted(adds)).run(first).state
    second = Budget(iterations=2)
    toy.search(PROBLEM, toy.Lower(), toy.Scripted(adds)).run(second, state=state)
    assert [e.key for e in second.elites.entries()] == [e.key for e in first.elites.entries()]
    assert {42, 48} <= set(objectives(second.elites))


def test_numbers_of_operators_survive_a_resume() -> None:
    """A run that goes on has what its operators kept; a damaged state is refused."""

    def counts(problem: toy.SmallSum, incumbent: toy.Digits, budget: Budget) -> Outcome[toy.Digits]:
        budget.child().memory["calls"] = budget.memory.get("calls", 0.0) + 1
        return Outcome(Status.NO_IMPROVEMENT)

    first = toy.search(PROBLEM, toy.Scripted(counts)).run(Budget(iterations=1)).state
    assert first["memory"] == {"calls": 1.0}
    second = Budget(iterations=2)
    toy.search(PROBLEM, toy.Scripted(counts)).run(second, state=first)
    assert second.memory == {"calls": 2.0}
    for damaged in ([], {"calls": "many"}, {"calls": None}):
        with pytest.raises(InputError, match="damaged"):
            toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=2), state={**first, "memory": damaged})


def test_a_solution_taken_over_joins_the_pool() -> None:
    """In a portfolio a member that continues from another's solution keeps its own elites beside it."""
    state = toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=2)).state
    own = len(state["elites"])
    zeros = [0] * PROBLEM.length
    budget = Budget(iterations=2)
    toy.search(PROBLEM, toy.Lower()).run(budget, state={**state, "best": zeros, "best_objective": 0, "current": zeros})
    assert objectives(budget.elites)[0] == 0
    assert len(budget.elites) == own + 1


def test_states_without_a_pool_can_be_resumed() -> None:
    """A state of an earlier version has none."""
    state = toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=2)).state
    del state["elites"]
    assert toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=4), state=state).iterations == 4
