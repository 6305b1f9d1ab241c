"""What is checked of claims, one by one; `test_loop` has what becomes of them in a search."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from engine import toy

from matheur.engine.budget import Budget
from matheur.engine.checks import check_incumbent, check_neighbour, check_solution, raise_bound, record_infeasible
from matheur.engine.outcome import Evaluation, Outcome, Status
from matheur.engine.state import SearchState
from matheur.errors import ConfigurationError, OperatorError

PROBLEM = toy.SmallSum(3)


def make() -> SearchState[toy.Digits]:
    """A search at 2 + 1 + 1, with a best objective of 3 and the trivial bound 1."""
    state: SearchState[toy.Digits] = SearchState(
        best=np.array([1, 1, 1]), best_objective=3, bound=1, bound_source="trivial", operator="one"
    )
    state.move(PROBLEM, np.array([2, 1, 1]), 4)
    return state


def test_a_neighbour_is_new_or_none() -> None:
    """The objective of another solution; None where there is none, and for the current one, whatever it claims."""
    state = make()
    assert check_neighbour(PROBLEM, state, Outcome(Status.NO_IMPROVEMENT, np.array([0, 1, 1])), 4) == 2
    assert check_neighbour(PROBLEM, state, Outcome(Status.NO_IMPROVEMENT, np.array([5, 5, 5])), 4) == 15
    assert check_neighbour(PROBLEM, state, Outcome(Status.LOCAL_OPTIMUM), 4) is None
    assert check_neighbour(PROBLEM, state, Outcome(Status.EXHAUSTED, np.array([2, 1, 1]), 0), 4) is None


class Coarse(toy.SmallSum):
    """Solutions whose places differ by less than ten have one digest, as near values of continuous columns have."""

    def digest(self, solution: toy.Digits) -> bytes:
        return super().digest(np.asarray(solution) // 10)


def test_what_is_better_by_less_than_a_digest_tells_is_the_current_solution() -> None:
    """It is no error of the operator, which has compared objectives; no gain, or what is not even that, is one."""
    coarse, state = Coarse(3), make()
    state.move(coarse, np.array([2, 1, 1]), 4)
    assert check_neighbour(coarse, state, Outcome(Status.IMPROVED, np.array([1, 1, 1]), 3), 4) is None
    for worse in ([2, 1, 1], [3, 1, 1]):
        with pytest.raises(OperatorError, match="'one' claims an improvement but returns the incumbent"):
            check_neighbour(coarse, state, Outcome(Status.IMPROVED, np.array(worse)), 4)


def test_bounds_only_rise() -> None:
    """Only a higher bound counts; an equal one with a certificate replaces the trivial one's, once."""
    state = make()
    assert not raise_bound(PROBLEM, state, None, "one")
    assert not raise_bound(PROBLEM, state, 0, "one", {"by": "a"})
    assert state.certificate is None
    assert not raise_bound(PROBLEM, state, 1, "one", {"by": "b"})
    assert (state.bound_source, state.certificate) == ("trivial", {"method": "one", "by": "b"})
    assert raise_bound(PROBLEM, state, 2, "other")
    assert (state.bound, state.bound_source, state.certificate) == (2, "other", {"method": "other"})
    assert not raise_bound(PROBLEM, state, 2, "one", {"by": "c"})
    assert state.certificate == {"method": "other"}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda state: check_solution(PROBLEM, state, np.array([0, 0, 0]), 0),  # below the bound
        lambda state: check_solution(PROBLEM, state, np.array([1, 1, 1]), 2),
        lambda state: check_neighbour(PROBLEM, state, Outcome(Status.IMPROVED, np.array([3, 3, 3])), 4),
        lambda state: check_neighbour(PROBLEM, state, Outcome(Status.IMPROVED), 4),
        lambda state: raise_bound(PROBLEM, state, 4, "one", {"by": "a"}),
        lambda state: raise_bound(PROBLEM, state, float("inf"), "one"),
        lambda state: raise_bound(PROBLEM, state, "3", "one"),
        lambda state: record_infeasible(state, Outcome(Status.INFEASIBLE, reason="so it says")),
    ],
)
def test_a_refused_claim_leaves_no_trace(wrong: Callable[[SearchState[toy.Digits]], Any]) -> None:
    """Objective, bound, certificate and infeasibility are as they were."""
    state = make()
    before = deepcopy(state).to_plain(PROBLEM, seconds=0.0, work=0)
    with pytest.raises(OperatorError, match=r"'one'|'trivial'"):
        wrong(state)
    assert state.to_plain(PROBLEM, seconds=0.0, work=0) == before


@pytest.mark.parametrize(
    ("evaluation", "message"),
    [
        (None, "evaluate of 'small-sum' must return an Evaluation, not NoneType"),
        ((3, True), "evaluate of 'small-sum' must return an Evaluation, not tuple"),
        (Evaluation("3", True), r"the objective of 'small-sum' is not a number \('3'\)"),  # type: ignore[arg-type]
        (Evaluation(Fraction(3), True), r"the objective of 'small-sum' is not a number \(Fraction"),  # type: ignore[arg-type]
        (Evaluation(float("nan"), True), "the objective of 'small-sum' is nan, not a finite number"),
        (Evaluation(np.float32("inf"), True), "the objective of 'small-sum' is inf, not a finite number"),  # type: ignore[arg-type]
        (Evaluation(3, False), r"evaluate of 'small-sum' must name what a solution violates in a list .*, not \(\)"),
        (Evaluation(3, False, "too long"), r"in a list of sentences, not 'too long'"),  # type: ignore[arg-type]
        (Evaluation(3, False, (7,)), r"in a list of sentences, not \(7,\)"),  # type: ignore[arg-type]
    ],
)
def test_an_evaluation_of_another_form_names_the_problem(evaluation: Any, message: str) -> None:
    """The operator is not to blame."""

    class Wrong(toy.SmallSum):
        def evaluate(self, solution: toy.Digits) -> Evaluation:
            found: Evaluation = evaluation
            return found

    with pytest.raises(ConfigurationError, match=message):
        check_solution(Wrong(3), make(), np.array([1, 1, 1]), 3)
    with pytest.raises(ConfigurationError, match=message):
        toy.search(Wrong(3), toy.Lower()).run(Budget(iterations=1), start=np.array([1, 1, 1]))


def test_numbers_of_numpy_become_plain_ones() -> None:
    """So that what a result says goes into any file."""

    class Whole(toy.SmallSum):
        def evaluate(self, solution: toy.Digits) -> Evaluation:
            return Evaluation(np.int64(solution.sum()), True)  # type: ignore[arg-type]

    found = toy.search(Whole(3), toy.Lower()).run(Budget(iterations=1), start=np.array([1, 1, 1]))
    assert type(found.objective) is int
    state = make()
    assert raise_bound(PROBLEM, state, np.float64(2), "one")
    assert type(state.bound) is float


class Rough(toy.SmallSum):
    """Bounds and solutions hold within 1."""

    def noise(self, objective: float) -> float:
        return 1.0


def test_what_is_within_the_noise_is_no_contradiction() -> None:
    """A bound is no more than the best objective, whichever of them comes first; beyond the noise one is wrong."""
    rough, state = Rough(3), make()
    assert raise_bound(rough, state, 4, "one", {"by": "a"})
    assert (state.bound, state.best_objective) == (3, 3)
    assert not raise_bound(rough, state, 4, "other")
    assert check_solution(rough, state, np.array([0, 1, 1]), 2) == 2
    assert (state.bound, state.bound_source) == (2, "one")
    state.best_objective = 2
    with pytest.raises(OperatorError, match="claims the bound 4, but a solution of objective 2 exists"):
        raise_bound(rough, state, 4, "other")
    with pytest.raises(OperatorError, match="claims the bound 2, but 'one' found"):
        check_solution(rough, state, np.array([0, 0, 0]), 0)


def test_a_changed_incumbent_is_replaced() -> None:
    """The error names the operator, and the search stands at the best solution."""
    state = make()
    check_incumbent(PROBLEM, state)
    assert state.current is not None
    state.current[0] = 7
    with pytest.raises(OperatorError, match="'one' changed the incumbent"):
        check_incumbent(PROBLEM, state)
    assert state.current.tolist() == [1, 1, 1]
    assert state.current_objective == 3
