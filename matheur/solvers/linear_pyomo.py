"""Arrays for backends that accept only Pyomo models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray
from pyomo.core.expr import LinearExpression
from scipy.sparse import csr_array

from matheur.pyomo_turn import in_turn
from matheur.solvers.isolated import Ended
from matheur.solvers.linear_task import LinearTask
from matheur.solvers.port import Backend, SolveRequest, TracePoint

__all__ = ["pyomo_model", "solve_through_pyomo"]

_Values = NDArray[np.float64]


@in_turn
def solve_through_pyomo(
    backend: Backend,
    task: LinearTask,
    request: SolveRequest,
    on_values: Callable[[TracePoint, _Values], None] | None,
) -> Ended:
    """Solve with any backend, through a Pyomo model made of the arrays."""
    model = pyomo_model(task)
    columns = list(model.x.values())

    def listed(values: Mapping[Any, float]) -> _Values:
        return np.array([values[column] for column in columns], dtype=np.float64)

    def told(point: TracePoint, values: Mapping[Any, float]) -> None:
        assert on_values is not None
        on_values(point, listed(values))

    started = task.start is not None and backend.capabilities.warm_start
    asked = replace(request, warm_start=started, on_incumbent=None if on_values is None else told)
    answer = backend.solve(model, asked)
    return Ended(
        answer.status,
        objective=answer.objective,
        bound=answer.bound,
        nodes=answer.nodes,
        message=answer.message,
        values=listed(answer.values) if answer.has_solution else None,
        trace=answer.trace,
    )


@in_turn
def pyomo_model(task: LinearTask) -> Any:
    """A Pyomo model of the task; its variables `x[j]` are the columns, with the start as values.

    Bounds far beyond what the rows allow are reduced: they would prevent proofs.
    """
    source, restriction = task.model, task.restriction
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(source.width))
    variables = list(model.x.values())
    whole, lower, upper = (array.tolist() for array in (task.integral, *task.narrow))
    for column, variable in enumerate(variables):
        variable.domain = pyo.Integers if whole[column] else pyo.Reals
        variable.setlb(lower[column] if np.isfinite(lower[column]) else None)
        variable.setub(upper[column] if np.isfinite(upper[column]) else None)
        if task.start is not None and not np.isnan(task.start[column]):
            variable.set_value(float(task.start[column]), skip_validation=True)
    model.rows = pyo.ConstraintList()
    _add_rows(model.rows, variables, source.matrix, source.row_lower, source.row_upper)
    if restriction.rows is not None:
        _add_rows(model.rows, variables, restriction.rows.matrix, restriction.rows.lower, restriction.rows.upper)
    used = np.flatnonzero(task.cost).tolist()
    goal = LinearExpression(
        constant=task.offset,
        linear_coefs=task.cost[used].tolist(),
        linear_vars=[variables[column] for column in used],
    )
    model.objective = pyo.Objective(expr=goal, sense=pyo.maximize if source.maximise else pyo.minimize)
    return model


def _add_rows(rows: Any, variables: list[Any], matrix: csr_array, lower: _Values, upper: _Values) -> None:
    starts, columns, data = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()
    for row, (low, high) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True)):
        here = slice(starts[row], starts[row + 1])
        body = LinearExpression(
            constant=0, linear_coefs=data[here], linear_vars=[variables[column] for column in columns[here]]
        )
        if low >= high:  # at most by a rounding error
            rows.add(body == low)
        elif np.isfinite(low) and np.isfinite(high):
            rows.add((low, body, high))
        elif np.isfinite(high):
            rows.add(body <= high)
        elif np.isfinite(low):
            rows.add(body >= low)
