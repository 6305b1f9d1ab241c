"""Steps that all backends share before and after a solve of a Pyomo model."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyomo.common.collections import ComponentMap
from pyomo.core import Constraint, Objective, Var, maximize, value
from pyomo.core.expr import MonomialTermExpression, SumExpression
from pyomo.repn import generate_standard_repn

from matheur.errors import SolverError
from matheur.linear.building import INFINITE
from matheur.solvers.isolated import Ended
from matheur.solvers.port import IMPLIED_INTEGRAL, Backend, MilpSolution, MilpStatus, SolveRequest

__all__ = ["Goal", "answer", "goal_of", "resting_value", "without_trivial_rows"]

ROUNDING = 1e-9  # relative error of an objective, far below a difference that counts
MARGIN = 1e-6  # relative; above the solvers' own tolerance of an objective. Used only if no step of it is known


@dataclass(frozen=True, eq=False)
class Goal:
    """The active objective of a model: `component` is None if the model asks for feasibility only."""

    component: Any
    sense: int  # 1 = minimise, -1 = maximise
    integral: bool = False  # continuous variables are declared to take integral values, see `IMPLIED_INTEGRAL`

    @cached_property
    def lattice(self) -> tuple[float, float] | None:
        """Base and step of the values that the objective can take, None if they are not known to have a step."""
        if self.component is None:
            return None
        form = generate_standard_repn(self.component.expr, quadratic=False)
        weights = [float(weight) for weight in form.linear_coefs if weight]
        if not form.is_linear() or not weights or any(weight % 1 for weight in weights):
            return None
        if not self.integral and not all(variable.is_integer() for variable in form.linear_vars):
            return None
        return float(form.constant), float(math.gcd(*(int(weight) for weight in weights)))

    @cached_property
    def constant(self) -> float | None:
        """Value of a constant or missing objective; None if it depends on variables."""
        if self.component is None:
            return 0.0
        return _constant_of(self.component.expr)

    @cached_property
    def largest(self) -> float:
        """The largest absolute value of a linear term of the objective, among terms with bounds."""
        found = 0.0
        expression: Any = None if self.component is None else self.component.expr
        terms: Any = expression.args if isinstance(expression, SumExpression) else (expression,)
        for term in terms:
            weight, variable = term.args if isinstance(term, MonomialTermExpression) else (1.0, term)
            if getattr(variable, "is_variable_type", bool)() and not variable.fixed:
                reach = max((abs(end) for end in variable.bounds if end is not None), default=0.0)
                found = max(found, abs(float(value(weight))) * reach)
        return found

    def better(self, objective: float) -> float:
        """The worst objective that still counts as strictly better than the given one."""
        if self.lattice is None:
            return objective - self.sense * 10 * MARGIN * max(1.0, abs(objective))
        base, step = self.lattice
        steps = math.ceil(self.sense * (objective - base) / step - MARGIN) - 1
        return base + self.sense * step * (steps + 0.25)  # margin for the solver's tolerance

    def beats(self, objective: float, cutoff: float | None) -> bool:
        """Whether an objective is strictly better than the cutoff, or there is no cutoff."""
        if cutoff is None:
            return True
        if self.lattice is None:
            return self.sense * (objective - cutoff) < -5 * MARGIN * max(1.0, abs(cutoff))
        return self.sense * (objective - self.better(cutoff)) <= 0

    def as_good(self, objective: float) -> float:
        """The worst objective that still counts as at least as good as the given one."""
        if self.lattice is None:
            return objective + self.sense * ROUNDING * max(1.0, abs(objective))
        base, step = self.lattice
        steps = math.floor(self.sense * (objective - base) / step + MARGIN)
        return base + self.sense * step * (steps + 0.25)  # margin for the solver's tolerance


def goal_of(model: Any) -> Goal:
    """The model's only active objective; a `SolverError` if there are several."""
    active = list(model.component_data_objects(Objective, active=True, descend_into=True))
    if len(active) > 1:
        raise SolverError(f"the model has {len(active)} active objectives; a solver takes one")
    if not active:
        return Goal(None, 1)
    return Goal(active[0], -1 if active[0].sense == maximize else 1, bool(getattr(model, IMPLIED_INTEGRAL, False)))


def _constant_of(body: Any) -> float | None:
    """The value of an expression that depends on no free variable; None for others and for nonlinear ones."""
    form = generate_standard_repn(body, quadratic=False)
    return None if not form.is_linear() or any(form.linear_coefs) else float(form.constant)


@contextmanager
def without_trivial_rows(model: Any, *, fixed: bool = False) -> Iterator[str | None]:
    """Hide rows without variables while a solver reads the model: some crash on them, some ignore them.

    Parameters
    ----------
    fixed
        Whether to hide also rows in which every free variable has the coefficient 0.

    Yields
    ------
    str or None
        The name of a row that can never hold: the model is infeasible and need not be solved.
    """
    hidden, impossible = [], None
    for row in model.component_data_objects(Constraint, active=True, descend_into=True):
        body = row.body
        if body is None or not hasattr(body, "is_potentially_variable") or not body.is_potentially_variable():
            shown = 0.0 if body is None else value(body)
        else:
            shown = _constant_of(body) if fixed else None
        if shown is not None:
            hidden.append(row)
            lower = -math.inf if row.lower is None else value(row.lower)
            upper = math.inf if row.upper is None else value(row.upper)
            if not lower - 1e-9 <= shown <= upper + 1e-9:
                impossible = row.name
    for row in hidden:
        row.deactivate()
    try:
        yield impossible
    finally:
        for row in hidden:
            row.activate()


def answer(
    backend: Backend,
    model: Any,
    goal: Goal,
    request: SolveRequest,
    ended: Ended,
    variables: Sequence[Any],
    started: float,
) -> MilpSolution:
    """The uniform answer: a bound by status, and a value for variables unknown to the solver.

    A bound is proved only for solutions better than the cutoff, so it is never reported beyond the cutoff. For an
    infeasible model with a cutoff, the cutoff itself is a bound.
    """
    found = ComponentMap()
    if ended.values is not None and ended.objective is not None:
        found.update(zip(variables, ended.values.tolist(), strict=True))
        for variable in model.component_data_objects(Var, descend_into=True):
            if variable not in found:
                found[variable] = resting_value(variable)
    bound = None if ended.bound is None or not abs(ended.bound) < INFINITE else ended.bound
    if ended.status is MilpStatus.UNBOUNDED:
        bound = None
    elif ended.status is MilpStatus.INFEASIBLE:
        bound = request.cutoff
    elif bound is not None and request.cutoff is not None:
        bound = goal.sense * min(goal.sense * bound, goal.sense * request.cutoff)
    return MilpSolution(
        status=ended.status,
        values=found,
        objective=ended.objective,
        bound=bound,
        nodes=max(0, ended.nodes),
        seconds=time.perf_counter() - started,
        backend=backend.name,
        version=backend.version(),
        message=ended.message,
        trace=ended.trace,
    )


def resting_value(variable: Any) -> float:
    """The value nearest to 0 within bounds and domain, for a variable that occurs in no row and no objective."""
    if variable.fixed:
        return float(variable.value)
    lower, upper = variable.bounds
    low, high = -math.inf if lower is None else float(lower), math.inf if upper is None else float(upper)
    if not (variable.is_integer() or variable.is_continuous()) and variable.domain.isfinite():
        values = [float(one) for one in variable.domain if isinstance(one, int | float) and low <= one <= high]
        return min(values, key=abs, default=0.0)
    if variable.is_integer():
        low, high = (
            math.ceil(low - 1e-9) if low > -math.inf else low,
            math.floor(high + 1e-9) if high < math.inf else high,
        )
    return float(min(max(0.0, low), high))
