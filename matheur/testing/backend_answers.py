"""Contracts on a backend's answers for models with known solutions."""

from __future__ import annotations

import pyomo.environ as pyo

from matheur.errors import SolverError
from matheur.solvers import MilpStatus
from matheur.testing import models
from matheur.testing.backend_case import LONG, BackendCase, near, require_optimum
from matheur.testing.contract import Contract, raises, require

__all__ = ["ANSWERS"]


def capabilities_are_declared(case: BackendCase) -> None:
    """A backend that can be used says so, and which version it is."""
    require(case.backend.available(), "it says that it is not available")
    version = case.backend.version()
    require(isinstance(version, str) and version, f"the version is not a text, or is empty: {version!r}")


def minimum_is_proved(case: BackendCase) -> None:
    """An optimum comes with objective, bound, values and the name of who says so."""
    model = models.odd_cycle_cover()
    answer = case.solve(model)
    require_optimum(answer, 14, bound=14 if case.backend.capabilities.bound else None)
    signed = answer.backend, answer.version
    require(signed == (case.backend.name, case.backend.version()), f"the answer is signed {signed}")
    chosen = [answer.values[model.x[i]] > 0.5 for i in range(7)]
    cover = sum(chosen) == 4 and all(chosen[i] or chosen[(i + 1) % 7] for i in range(7))
    require(cover, f"the values are not a cover of the cycle: {chosen}")


def maximum_keeps_its_sense(case: BackendCase) -> None:
    """Objective and bound of a maximisation are not negated."""
    require_optimum(case.solve(models.knapsack()), 9, bound=9 if case.backend.capabilities.bound else None)


def linear_programme_is_solved(case: BackendCase) -> None:
    """Without integer variables the optimum is also its bound."""
    case.needs_continuous()
    model = models.odd_cycle_cover()
    for variable in model.x.values():
        variable.domain = pyo.UnitInterval
    require_optimum(case.solve(model, LONG), 13.5, bound=13.5 if case.backend.capabilities.bound else None)


def infeasible_model_is_told(case: BackendCase) -> None:
    """A proof of infeasibility has no solution and no bound."""
    answer = case.solve(models.infeasible())
    require(answer.status is MilpStatus.INFEASIBLE, f"the status is '{answer.status.value}', not 'infeasible'")
    empty = (answer.objective, answer.bound, len(answer.values)) == (None, None, 0) and not answer.has_solution
    require(empty, f"there is an objective, a bound or a value: {answer}")


def unbounded_model_is_told(case: BackendCase) -> None:
    """Unbounded is told from infeasible, or no claim is made."""
    case.needs_continuous()
    answer = case.solve(models.unbounded(), LONG)
    told = answer.status in (MilpStatus.UNBOUNDED, MilpStatus.UNKNOWN)
    require(told, f"the status is '{answer.status.value}', not 'unbounded'")
    empty = (answer.objective, answer.bound) == (None, None)
    require(empty, f"there is an objective or a bound: {answer.objective}, {answer.bound}")


def model_is_left_alone(case: BackendCase) -> None:
    """A solve reads the variables' values and never writes them."""
    model = models.odd_cycle_cover()
    model.x[0].value, model.x[1].value = 1, None
    model.x[2].fix(1)
    answer = case.solve(model)
    require_optimum(answer, 14)
    require(near(answer.values[model.x[2]], 1), f"a variable that is fixed to 1 has {answer.values[model.x[2]]}")
    kept = [model.x[i].value for i in range(4)]
    require(kept == [1, None, 1, None] and model.x[2].fixed, f"the model has other values after the solve: {kept}")


def trivial_rows_refute_or_pass(case: BackendCase) -> None:
    """A row without variables is either true, and ignored, or makes the model infeasible."""
    model = models.odd_cycle_cover()
    model.p = pyo.Param(initialize=1.0, mutable=True)
    model.fine = pyo.Constraint(expr=model.p <= 2)
    require_optimum(case.solve(model), 14)
    require(model.fine.active, "a row is not active any more after the solve")
    model.p = 3.0
    status = case.solve(model).status
    require(status is MilpStatus.INFEASIBLE, f"with the row 3 <= 2 the status is '{status.value}'")


def unused_variables_have_values(case: BackendCase) -> None:
    """`values` holds every variable of the model, within its bounds."""
    model = models.odd_cycle_cover()
    model.idle = pyo.Var(domain=pyo.Integers, bounds=(2.5, 9))
    answer = case.solve(model)
    require(model.idle in answer.values, "a variable that is in no row has no value")
    found = answer.values[model.idle]
    require(found in range(3, 10), f"an integer from 2.5 to 9 that is in no row has the value {found}")


def feasibility_is_answered(case: BackendCase) -> None:
    """Models that only ask for a solution get one."""
    model = models.odd_cycle_cover()
    model.del_component("cost")
    status = case.solve(model).status
    require(status is MilpStatus.OPTIMAL, f"without an objective the status is '{status.value}'")
    model.cost = pyo.Objective(expr=3.0)
    require_optimum(case.solve(model), 3.0)


def empty_model_is_solved(case: BackendCase) -> None:
    """A model without variables has its constant as optimum."""
    model = pyo.ConcreteModel()
    model.cost = pyo.Objective(expr=5.0)
    require_optimum(case.solve(model), 5.0)


def two_objectives_are_refused(case: BackendCase) -> None:
    """A backend takes one active objective."""
    model = models.odd_cycle_cover()
    model.other = pyo.Objective(expr=model.x[0])
    error = raises(SolverError, lambda: case.solve(model), "a model with two objectives is solved")
    require("2 active objectives" in str(error), f"the error does not say that there are 2 active objectives: {error}")


ANSWERS: tuple[Contract, ...] = (
    capabilities_are_declared, minimum_is_proved, maximum_keeps_its_sense, linear_programme_is_solved,
    infeasible_model_is_told, unbounded_model_is_told, model_is_left_alone, trivial_rows_refute_or_pass,
    unused_variables_have_values, feasibility_is_answered, empty_model_is_solved, two_objectives_are_refused,
)  # fmt: skip
"""Contracts about answers."""
