"""Linear models in whole numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyomo.environ as pyo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from matheur.errors import FailedSolveError, SolverError
from matheur.linear.lp_reader import read_lp
from matheur.solvers.integer_form import IntegerForm
from matheur.solvers.linear_task import LinearTask, Restriction, Rows


def model_of(weights: list[float], right: float, *, sense: int = pyo.minimize) -> pyo.ConcreteModel:
    """Weights on integers from -3 to 5: a row `<= right`, and the same weights plus 0.5 as objective."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(len(weights)), domain=pyo.Integers, bounds=(-3, 5))
    total = sum(weight * model.x[i] for i, weight in enumerate(weights))
    model.row = pyo.Constraint(expr=total <= right)
    model.cost = pyo.Objective(expr=total + 0.5, sense=sense)
    return model


DECIMALS = st.integers(-500, 500).filter(bool).map(lambda n: n / 100)


@given(st.lists(DECIMALS, min_size=1, max_size=4), DECIMALS, st.booleans(), st.data())
def test_rows_and_objective_mean_the_same(
    weights: list[float], right: float, maximise: bool, data: st.DataObject
) -> None:
    """Decimal coefficients are multiplied out: every point satisfies the same rows and has the same objective."""
    model = model_of(weights, right, sense=pyo.maximize if maximise else pyo.minimize)
    form = IntegerForm.of(model, integral=False)
    point = data.draw(st.lists(st.integers(-3, 5), min_size=len(weights), max_size=len(weights)))
    exact = sum((Fraction(str(w)) * x for w, x in zip(weights, point, strict=True)), Fraction(0))
    column = {id(variable): number for number, variable in enumerate(form.variables)}
    values = [0] * len(form.lower)
    for i, x in enumerate(point):
        values[column[id(model.x[i])]] = x
    row = form.rows[0]
    shown = sum(w * values[c] for c, w in zip(row.columns, row.weights, strict=True))
    assert row.upper is not None
    assert (shown <= row.upper) == (exact <= Fraction(str(right)))
    assert form.objective(values) == pytest.approx(float(exact) + 0.5)
    total = sum(w * values[c] for c, w in zip(form.columns, form.weights, strict=True))
    objective = float(exact + Fraction(1, 2))
    assert total == form.as_good(objective) == form.better(objective) + 1


def test_simple_fractions_are_recognised() -> None:
    """A third is a third."""
    form = IntegerForm.of(model_of([1 / 3, 0.5], 1), integral=False)
    assert (form.rows[0].weights, form.rows[0].upper, form.scale) == ([2, 3], 6, 6)


def test_numbers_too_far_apart_are_refused() -> None:
    """Sums must fit in 61 bits."""
    with pytest.raises(SolverError, match="too many digits"):
        IntegerForm.of(model_of([1e-9, 123456789.123456], 1), integral=False)


def test_an_objective_of_many_digits_is_rounded() -> None:
    """The sum is off by no more than the slack, and a bound says so."""
    weights = [0.00012345678912345678, 0.987654321987654, 0.5, 0.314159265358979]
    model = model_of([1.0] * 4, 3)
    model.cost.set_value(sum(weight * model.x[i] for i, weight in enumerate(weights)) + 0.25)
    form = IntegerForm.of(model, integral=False)
    assert form.slack > 0
    point = [3, 1, 0, 2]
    exact = sum(Fraction(weight) * value for weight, value in zip(weights, point, strict=True)) + Fraction(1, 4)
    total = sum(w * point[c] for c, w in zip(form.columns, form.weights, strict=True)) + form.offset
    assert abs(total - exact * form.scale) <= form.slack
    assert form.slack / form.scale < 1e-12
    assert form.better(float(exact)) >= total - form.offset - 1
    assert 0 < 1.0 - form.bound(1.0) < 1e-12


def test_fixed_and_unused_variables_rest() -> None:
    """They are no columns, and keep a value within their bounds."""
    model = model_of([1, 2], 3)
    model.x[0].fix(2)
    model.idle = pyo.Var(domain=pyo.Integers, bounds=(2.5, 9))
    form = IntegerForm.of(model, integral=False)
    assert (len(form.lower), len(form.variables)) == (1, 3)
    assert sorted(form.values([1]).tolist()) == [1, 2, 3]
    assert form.rows[0].upper == 1


@pytest.mark.parametrize(("low", "high"), [(0.2, 0.8), (3, 2)])
def test_bounds_without_a_whole_number_refute(low: float, high: float) -> None:
    """No solver is needed to see it."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(low, high))
    model.cost = pyo.Objective(expr=model.x)
    assert "no whole number" in IntegerForm.of(model, integral=False).impossible


@pytest.mark.parametrize("right", [2, 3.5])
def test_equations_that_no_whole_number_satisfies_refute(right: float) -> None:
    """2x + 4y = 3.5 cannot hold; 2x + 4y = 2 can."""
    model = model_of([2, 4], 9)
    model.equal = pyo.Constraint(expr=2 * model.x[0] + 4 * model.x[1] == right)
    assert bool(IntegerForm.of(model, integral=False).impossible) == (right == 3.5)


def test_rows_of_denominators_without_an_end_are_refused() -> None:
    """Where the least common multiple is beyond all floats, too; an added row leaves the model solvable."""
    primes = [number for number in range(1000, 9000) if all(number % factor for factor in range(2, 95))]
    weights = [1 / prime for prime in primes[:200]]
    with pytest.raises(SolverError, match="the row row have too many digits"):
        IntegerForm.of(model_of(weights, 0.5), integral=False)
    names = " ".join(f"x{i}" for i in range(200))
    model = read_lp(f"min\n o: {' + '.join(names.split())}\nst\n r: x0 + x1 >= 1\nbinary\n {names}\nend\n")
    rows = Rows(csr_array(np.array([weights])), np.array([-np.inf]), np.array([0.5]))
    with pytest.raises(FailedSolveError, match="added 0"):
        IntegerForm.of_task(LinearTask(model, Restriction(rows=rows)), integral=False)
