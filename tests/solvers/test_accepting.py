"""What is refused before a solve, and what is rewritten."""

from __future__ import annotations

from typing import Any

import pyomo.environ as pyo
import pytest
from pyomo.gdp import Disjunction

from matheur.errors import SolverError
from matheur.solvers import MilpStatus, SolveRequest, get_backend

NAMES = ("highs", "scip", "cp-sat", "pyomo:cbc", "pyomo:glpk", "pyomo:appsi_highs")


@pytest.fixture(params=NAMES)
def backend(request: pytest.FixtureRequest) -> Any:
    try:
        return get_backend(request.param)
    except SolverError as error:
        pytest.skip(str(error))


def one(domain: Any, *, sense: int = pyo.maximize, **options: Any) -> pyo.ConcreteModel:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=domain, **options)
    model.row = pyo.Constraint(expr=model.x <= 7)
    model.cost = pyo.Objective(expr=model.x, sense=sense)
    return model


@pytest.mark.parametrize(
    "domain",
    [
        pyo.Set(initialize=[0, 5, 10]),
        pyo.Set(initialize=[0, 5, 7]),
        pyo.Set(initialize=[0.5, 1.5, 2.5]),
        pyo.RangeSet(0, 10, 2),
        pyo.RangeSet(0, 10, 0.5),
        pyo.RangeSet(0.5, 3.5, 1),
        pyo.RangeSet(0, 2) | pyo.RangeSet(5, 9),
        pyo.RangeSet(0, 0) | pyo.RangeSet(2, 5, 0),
        pyo.Any,
    ],
    ids=["steps", "set", "halves", "even", "half-steps", "shifted", "gap", "semi-continuous", "any"],
)
def test_domains_that_no_backend_knows_are_refused_by_name(backend: Any, domain: Any) -> None:
    """Unless the variable is fixed, or nothing mentions it."""
    model = pyo.ConcreteModel()
    if domain is not pyo.Any:
        domain.construct()
    model = one(domain)
    with pytest.raises(SolverError, match="the domain of the variable x"):
        backend.solve(model, SolveRequest())
    model.x.set_value(3, skip_validation=True)
    model.x.fix()
    answer = backend.solve(model, SolveRequest())
    assert (answer.status, answer.objective, answer.values[model.x]) == (MilpStatus.OPTIMAL, 3.0, 3.0)


@pytest.mark.parametrize("domain", [pyo.Set(initialize=[3, 4, 5]), pyo.RangeSet(5, 3, -1), pyo.RangeSet(3, 5)])
def test_sets_of_whole_numbers_in_a_row_are_integers(backend: Any, domain: Any) -> None:
    """They are nothing else."""
    domain.construct()
    assert backend.solve(one(domain), SolveRequest()).objective == 5.0
    assert backend.solve(one(domain, sense=pyo.minimize), SolveRequest()).objective == 3.0


@pytest.mark.parametrize("bounds", [(0, 0), (1, 1), (-2, 0), (1, 9), (0.5, 1.5)])
def test_bounds_of_binaries_are_kept(backend: Any, bounds: tuple[float, float]) -> None:
    """Also where a file format has a word for binaries that forgets them."""
    low, high = max(0, bounds[0]), min(1, bounds[1])
    low = 1 if low > 0 else 0
    for sense, best in ((pyo.minimize, low), (pyo.maximize, int(high))):
        answer = backend.solve(one(pyo.Binary, sense=sense, bounds=bounds), SolveRequest())
        assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, best)


def test_unused_variable_rests_within_domain_and_bounds(backend: Any) -> None:
    """Next to 0, whatever the domain."""
    model = one(pyo.Integers, bounds=(0, 9))
    model.few = pyo.Set(initialize=[-7, -5, 12])
    model.u = pyo.Var(domain=model.few)
    model.v = pyo.Var(bounds=(None, -4))
    model.w = pyo.Var(domain=pyo.Integers, bounds=(None, -3.5))
    model.z = pyo.Var(domain=pyo.NegativeIntegers)
    answer = backend.solve(model, SolveRequest())
    assert [answer.values[v] for v in (model.u, model.v, model.w, model.z)] == [-5.0, -4.0, -4.0, -1.0]


def test_contradicting_bounds_are_infeasible(backend: Any) -> None:
    """Of any variable, used or not."""
    for bounds, domain in (((2, 1), pyo.Reals), ((0.4, 0.6), pyo.Integers), ((2, 3), pyo.Binary)):
        model = one(pyo.Integers, bounds=(0, 9))
        model.w = pyo.Var(domain=domain, bounds=bounds)
        answer = backend.solve(model, SolveRequest())
        assert (answer.status, answer.message) == (MilpStatus.INFEASIBLE, "no value is within the bounds of w")


@pytest.mark.parametrize("shown", [7, 2.5, -1])
def test_fixed_variable_is_a_constant(backend: Any, shown: float) -> None:
    """Outside its bounds, and outside its domain."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(0, 5))
    model.y = pyo.Var(domain=pyo.Integers, bounds=(0, 20))
    model.x.set_value(shown, skip_validation=True)
    model.x.fix()
    model.row = pyo.Constraint(expr=2 * model.x + 2 * model.y >= 19)
    model.cost = pyo.Objective(expr=2 * model.x + model.y)
    answer = backend.solve(model, SolveRequest())
    best = -(-(19 - 2 * shown) // 2)
    assert (answer.status, answer.values[model.y]) == (MilpStatus.OPTIMAL, best)
    assert answer.objective == 2 * shown + best
    model.x.set_value(None)
    with pytest.raises(SolverError, match="x is fixed, but has no value"):
        backend.solve(model, SolveRequest())


def test_what_a_backend_does_not_declare_is_refused_by_name(backend: Any) -> None:
    """Rows and objectives that are not linear, and components that are no rows."""
    declared = backend.capabilities
    model = one(pyo.Integers, bounds=(0, 5))
    model.cost.set_value(model.x**2 - 3 * model.x)
    model.cost.sense = pyo.minimize
    if declared.quadratic_objective:
        assert backend.solve(model, SolveRequest()).objective == pytest.approx(-2)
    else:
        with pytest.raises(SolverError, match="the objective cost is quadratic"):
            backend.solve(model, SolveRequest())
    model = one(pyo.Integers, bounds=(0, 5))
    model.square = pyo.Constraint(expr=model.x**2 <= 10)
    if declared.quadratic_rows:
        assert backend.solve(model, SolveRequest()).objective == pytest.approx(3)
    else:
        with pytest.raises(SolverError, match="the row square is quadratic"):
            backend.solve(model, SolveRequest())
    model = one(pyo.Integers, bounds=(0, 5))
    model.either = Disjunction(expr=[model.x <= 1, model.x >= 9])
    with pytest.raises(SolverError, match="either"):
        backend.solve(model, SolveRequest())
