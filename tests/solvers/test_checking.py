"""The coat of every backend: what an answer says is held against the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any

import pyomo.environ as pyo
import pytest
from pyomo.common.collections import ComponentMap

from matheur.errors import FailedSolveError, SolverError
from matheur.solvers import Capabilities, MilpSolution, MilpStatus, SolveRequest, get_backend, registry
from matheur.solvers.checked import CheckedBackend
from matheur.testing import models as small

PLAIN = Capabilities(
    warm_start=True, bound=True, seed=True, node_limit=True, target=True, cutoff=True, interrupt=True, trace=True,
    options=True, tolerance=1e-9,
)  # fmt: skip

Answering = Callable[[Any, SolveRequest], MilpSolution]


class Toy:
    """A backend that says what it is told to say."""

    name = "toy"
    capabilities = PLAIN

    def __init__(self, answering: Answering) -> None:
        self.answering = answering

    def available(self) -> bool:
        return True

    def version(self) -> str:
        return "1"

    def solve(self, model: Any, request: SolveRequest) -> MilpSolution:
        return self.answering(model, request)


def says(
    values: list[float], objective: float | None, bound: float | None = None, status: MilpStatus = MilpStatus.OPTIMAL
) -> Answering:
    """The values of the variables in their order, and the rest as it is."""

    def answering(model: Any, _request: SolveRequest) -> MilpSolution:
        variables = list(model.component_data_objects(pyo.Var))
        shown = ComponentMap(zip(variables, values, strict=False))
        return MilpSolution(status, shown, objective, bound, 0, 0.0, "toy", "1")

    return answering


def solve(model: Any, answering: Answering, request: SolveRequest | None = None) -> MilpSolution:
    return CheckedBackend(Toy(answering)).solve(model, request or SolveRequest())


def test_right_answer_passes() -> None:
    """With its values in whole numbers, and the objective recomputed."""
    answer = solve(small.knapsack(), says([1.0000004, 0.9999998, 0.0], 9.0000003, 9.0))
    assert (answer.status, answer.objective, answer.bound) == (MilpStatus.OPTIMAL, 9.0, 9.0)
    assert list(answer.values.values()) == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("values", "objective", "message"),
    [
        ([1, 1, 1], 12, "breaks the row room"),
        ([1, 0.5, 0], 7, r"gives the variable x\[1\] the value 0.5"),
        ([2, 0, 0], 10, r"gives the variable x\[0\] the value 2"),
        ([1, float("nan"), 0], 5, r"gives the variable x\[1\] the value nan"),
        ([1, 1, 0], 10, "claims the objective 10, but its values give 9"),
        ([1, 1, 0], float("nan"), "the objective nan"),
        ([1, 1, 0], None, "without a solution"),
    ],
)
def test_wrong_answer_is_an_error_that_names_backend_and_culprit(
    values: list[float], objective: float | None, message: str
) -> None:
    """Rows, bounds, whole numbers, and the objective; neighbourhoods go on with other parts of the model."""
    with pytest.raises(FailedSolveError, match=f"'toy'.*{message}"):
        solve(small.knapsack(), says(values, objective, 9.0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (None, "the answer is not a MilpSolution, but NoneType. Maybe 'return' is missing"),
        ({"status": "optimal"}, "the status 'optimal' is not a MilpStatus"),
        ({"objective": "9"}, r"the objective is not a number \('9'\)"),
        ({"bound": "9"}, r"the bound is not a number \('9'\)"),
        ({"values": {"x[0]": 1.0}}, "the values are not a ComponentMap of variables, but dict"),
        ({"values": [1.0, 1.0, 0.0]}, "the values are not a ComponentMap of variables, but list"),
    ],
)
def test_an_answer_of_another_form_names_the_backend(change: Any, message: str) -> None:
    """These were tracebacks of the check."""

    def answering(model: Any, request: SolveRequest) -> Any:
        return None if change is None else replace(says([1, 1, 0], 9.0, 9.0)(model, request), **change)

    with pytest.raises(SolverError, match=f"'toy': {message}"):
        solve(small.knapsack(), answering)


def test_values_of_few_digits_are_computed_again() -> None:
    """With the integers that have all their digits; if these are wrong, the answer is an error."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var([0, 1], domain=pyo.Binary)
    model.y = pyo.Var(bounds=(1234567.1234, None))
    model.k = pyo.Var(domain=pyo.NonNegativeIntegers)
    model.cost = pyo.Constraint(expr=model.y == 4567890.1234 * model.x[0] + 5678901.2345 * model.x[1])
    model.many = pyo.Constraint(expr=model.k >= 100 * model.y)
    model.one = pyo.Constraint(expr=model.x[0] + model.x[1] >= 1)
    model.least = pyo.Objective(expr=model.y + 1e-3 * model.k)
    answering = says([1.0, 0.0, 4567890.1, 456789010.0], 4567890.1 + 456789.01, 5024679)
    with pytest.raises(FailedSolveError, match="breaks the row cost"):
        solve(model, answering)
    toy = Toy(answering)
    toy.capabilities = replace(PLAIN, digits=8)
    answer = CheckedBackend(toy).solve(model, SolveRequest())
    assert answer.status is MilpStatus.OPTIMAL
    assert answer.objective == pytest.approx(4567890.1234 + 456789.013, abs=1e-5)
    assert [answer.values[one] for one in (model.x[0], model.x[1], model.k)] == [1, 0, 456789013]
    assert not any(variable.fixed for variable in model.component_data_objects(pyo.Var))
    toy.answering = says([0.0, 0.0, 4567890.1, 456789010.0], 4567890.1 + 456789.01, 5024679)
    with pytest.raises(FailedSolveError, match="breaks the row"):
        CheckedBackend(toy).solve(model, SolveRequest())


@pytest.mark.parametrize("status", [MilpStatus.INFEASIBLE, MilpStatus.UNKNOWN, MilpStatus.UNBOUNDED])
def test_status_without_a_solution_has_none(status: MilpStatus) -> None:
    """A solution beside a claim that there is none makes no sense."""
    with pytest.raises(SolverError, match="and a solution"):
        solve(small.knapsack(), says([1, 1, 0], 9.0, 9.0, status))


@pytest.mark.parametrize(("model", "bound"), [(small.knapsack, -9.0), (small.odd_cycle_cover, 20.0)])
def test_bound_on_the_wrong_side_is_dropped_with_the_claim(model: Callable[[], Any], bound: float) -> None:
    """For both senses: the solution stays, since it holds."""
    built = model()
    best = get_backend("highs").solve(built, SolveRequest())
    lie = says([best.values[v] for v in built.component_data_objects(pyo.Var)], best.objective, bound)
    answer = solve(built, lie)
    assert (answer.status, answer.bound, answer.objective) == (MilpStatus.FEASIBLE, None, best.objective)
    assert "wrong side" in answer.message


def test_optimum_with_an_open_gap_is_only_feasible() -> None:
    """Unless the request has allowed the gap."""
    assert solve(small.knapsack(), says([1, 0, 1], 8, 10.0)).status is MilpStatus.FEASIBLE
    asked = SolveRequest(absolute_gap=2.0)
    assert solve(small.knapsack(), says([1, 0, 1], 8, 10.0), asked).status is MilpStatus.OPTIMAL


def test_bound_a_hair_beyond_the_solution_is_the_solution() -> None:
    """So that no certificate holds two numbers that contradict each other."""
    assert solve(small.knapsack(), says([1, 1, 0], 9, 8.9999999)).bound == 9.0


def test_answer_that_is_not_better_than_the_cutoff_is_none() -> None:
    """Only strictly better solutions were asked for."""
    answer = solve(small.knapsack(), says([1, 0, 1], 8, 9.0), SolveRequest(cutoff=8.0))
    assert (answer.status, answer.has_solution) == (MilpStatus.UNKNOWN, False)


def test_infeasible_beside_a_cutoff_counts_only_where_differences_show() -> None:
    """A difference of 7 in 10^12 drowns in the arithmetic."""
    for size, status in ((10**6, MilpStatus.INFEASIBLE), (7 * 10**12, MilpStatus.UNKNOWN)):
        model = small.odd_cycle_cover()
        model.cost.set_value(sum(size * v for v in model.x.values()) + model.x[0])
        answer = solve(model, says([], None, None, MilpStatus.INFEASIBLE), SolveRequest(cutoff=4.0 * size))
        assert answer.status is status


def trickle() -> pyo.ConcreteModel:
    """A fixed cost of 1000 for y > 0; with x = 0.0000009 it is nearly nothing."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Binary)
    model.y = pyo.Var(bounds=(0, 10))
    model.link = pyo.Constraint(expr=model.y <= 1e6 * model.x)
    model.need = pyo.Constraint(expr=model.y >= 0.9)
    model.cost = pyo.Objective(expr=1000 * model.x + model.y)
    return model


def test_solution_that_needs_a_little_of_a_whole_number_is_none() -> None:
    """It holds within the tolerance only; with x = 0 there is nothing."""
    answer = solve(trickle(), says([9e-7, 0.9], 0.9009, 0.9009))
    assert (answer.status, answer.has_solution) == (MilpStatus.UNKNOWN, False)
    assert "tolerance of 'toy' only: the row link" in answer.message


def test_continuous_variables_follow_when_whole_numbers_are_made_whole() -> None:
    """The backend is asked again with the integers fixed."""
    model = trickle()
    model.need.set_value(model.y >= 1 - 10 * model.x)

    def answering(model: Any, _request: SolveRequest) -> MilpSolution:
        if model.x.fixed:
            assert model.x.value == 1
            return says([1, 0.0], 1000.0, 1000.0)(model, _request)
        return says([1 - 1e-6, 2.0], 1002.0, 900.0)(model, _request)

    model.more = pyo.Constraint(expr=model.y + 1e6 * (1 - model.x) >= 1.5)
    model.more.deactivate()
    model.equal = pyo.Constraint(expr=model.y == 2e6 * (1 - model.x))
    model.need.deactivate()
    model.link.deactivate()
    answer = solve(model, answering)
    assert (answer.status, answer.objective, answer.values[model.y]) == (MilpStatus.FEASIBLE, 1000.0, 0.0)
    assert not model.x.fixed
    assert model.x.value is None


def test_rows_of_whole_numbers_know_no_tolerance() -> None:
    """12,345,678 is not 12,345,679, whatever the solver's relative tolerance."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(0, 10**9))
    model.row = pyo.Constraint(expr=3 * model.x == 3 * 12_345_678 + 1)
    model.cost = pyo.Objective(expr=model.x)
    answer = solve(model, says([12_345_678], 12_345_678, 12_345_678))
    assert (answer.status, answer.has_solution) == (MilpStatus.UNKNOWN, False)


def test_model_is_left_as_it_was() -> None:
    """Values, bounds, domains and what is stale."""
    model = small.knapsack()
    model.x[0].set_value(1)
    model.idle = pyo.Var(domain=pyo.Integers, bounds=(0.5, 3.5))
    model.away = pyo.Var(domain=pyo.Binary)
    model.away.set_value(2.5, skip_validation=True)
    model.away.fix()
    before = [(v.value, v.stale, v.lb, v.ub, v.domain, v.fixed) for v in model.component_data_objects(pyo.Var)]
    for name in ("highs", "pyomo:cbc"):
        try:
            answer = get_backend(name).solve(model, SolveRequest())
        except SolverError as error:
            pytest.skip(str(error))
        assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, 9.0)
        assert answer.values[model.idle] == 1.0
        assert answer.values[model.away] == 2.5
    assert before == [(v.value, v.stale, v.lb, v.ub, v.domain, v.fixed) for v in model.component_data_objects(pyo.Var)]


def test_errors_of_other_kinds_become_words() -> None:
    """A backend of another package that stumbles says so in one line; what a callback raises passes."""

    def stumble(_model: Any, _request: SolveRequest) -> MilpSolution:
        raise ValueError("no such thing\nTraceback and more")

    with pytest.raises(SolverError, match=r"^'toy' cannot take this model: no such thing$"):
        solve(small.knapsack(), stumble)

    def calls(_model: Any, request: SolveRequest) -> MilpSolution:
        assert request.interrupt is not None
        request.interrupt()
        raise AssertionError

    def refuse() -> bool:
        raise ZeroDivisionError("as asked")

    with pytest.raises(ZeroDivisionError, match="as asked"):
        solve(small.knapsack(), calls, SolveRequest(interrupt=refuse))


def test_backends_of_other_packages_wear_the_coat(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point is checked like any other backend."""
    point = EntryPoint("mine", "solvers.test_checking:lying", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    with pytest.raises(SolverError, match=r"'toy'.*breaks the row room"):
        get_backend("mine").solve(small.knapsack(), SolveRequest())


def lying() -> Toy:
    """A factory, as an entry point names it."""
    return Toy(says([1, 1, 1], 12, 12))


def test_special_ordered_sets_are_held_against_the_answer() -> None:
    """A backend that declares them is believed no more than any other."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var([1, 2, 3], bounds=(0, 1))
    model.s = pyo.SOSConstraint(var=model.x, sos=1)
    model.cost = pyo.Objective(expr=sum(model.x.values()), sense=pyo.maximize)
    toy = Toy(says([1, 0, 1], 2, 2))
    toy.capabilities = replace(PLAIN, sos=True)
    with pytest.raises(SolverError, match="breaks the SOS constraint s"):
        CheckedBackend(toy).solve(model, SolveRequest())
    with pytest.raises(SolverError, match=r"takes no SOS constraint \(s\)"):
        solve(model, says([1, 0, 0], 1, 1))


def test_start_that_is_a_solution_refutes_infeasibility() -> None:
    """If it is better than the cutoff; else it says nothing."""
    model = small.knapsack()
    for variable, shown in zip(model.x.values(), (1, 1, 0), strict=True):
        variable.set_value(shown)
    lie = says([], None, None, MilpStatus.INFEASIBLE)
    with pytest.raises(SolverError, match="the start is one, of 9"):
        solve(model, lie, SolveRequest(warm_start=True))
    assert solve(model, lie, SolveRequest(warm_start=True, cutoff=9.0)).status is MilpStatus.INFEASIBLE
    model.x[2].set_value(1)
    assert solve(model, lie, SolveRequest(warm_start=True)).status is MilpStatus.INFEASIBLE


def test_infeasibility_of_a_model_with_huge_numbers_is_not_known() -> None:
    """No arithmetic of a solver can hold 10^16; what it says is dropped, without an error."""
    model = small.knapsack()
    for variable, shown in zip(model.x.values(), (1, 1, 0), strict=True):
        variable.set_value(shown)
    model.huge = pyo.Constraint(expr=1e16 * model.x[0] + 0.5 * model.x[1] <= 3e16)
    answer = solve(model, says([], None, None, MilpStatus.INFEASIBLE), SolveRequest(warm_start=True))
    assert (answer.status, answer.bound) == (MilpStatus.UNKNOWN, None)


def test_bound_one_step_beyond_a_large_whole_objective_is_dropped() -> None:
    """A step is more than noise, however large the numbers are."""
    model = small.knapsack()
    model.gain.set_value(10**6 * (5 * model.x[0] + 4 * model.x[1] + 3 * model.x[2]) + model.x[2])
    answer = solve(model, says([1, 1, 0], 9e6, 9e6 - 1))
    assert (answer.status, answer.bound) == (MilpStatus.FEASIBLE, None)
