"""A linear Pyomo model as arrays, and the conversion of values back to its variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyomo.common.errors import (
    InfeasibleConstraintException,
    InvalidConstraintError,
    InvalidExpressionError,
)
from pyomo.core import maximize
from pyomo.core.base.block import BlockData
from pyomo.repn.linear import LinearRepnVisitor
from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler, _LinearStandardFormCompiler_impl
from scipy.sparse import csr_array

from matheur.errors import ConfigurationError, SolverError
from matheur.linear.building import INFINITE
from matheur.linear.groups import Index
from matheur.linear.labels import Label
from matheur.linear.model import LinearModel
from matheur.pyomo_turn import in_turn
from matheur.solvers.accepting import plain_variables, refuse, told_by, variables_of
from matheur.solvers.answers import goal_of, resting_value, without_trivial_rows
from matheur.solvers.port import Capabilities

__all__ = ["PyomoArrays", "arrays_of"]

_LINEAR = Capabilities(
    warm_start=True, bound=True, seed=True, node_limit=True, target=True, cutoff=True, interrupt=True, trace=True,
    options=True,
)  # fmt: skip

Values = NDArray[np.float64]


@dataclass(frozen=True)
class PyomoArrays:
    """A linear model and the Pyomo variables from which it was made.

    Attributes
    ----------
    model
        The arrays; columns and rows have the names of variables and constraints.
    variables
        The Pyomo variables of the columns.
    others
        Variables that occur in no active row and no objective.
    """

    model: LinearModel
    variables: tuple[Any, ...]
    others: tuple[Any, ...]

    def index(self) -> Index:
        """Stem and index of each column: those of its variable, preceded by those of the blocks around it."""
        stems: dict[int, tuple[str, tuple[str, ...]]] = {}
        sets: dict[str, str] = {}
        labels: list[Label] = []
        for variable in self.variables:
            component = variable.parent_component()
            known = stems.get(id(component))
            if known is None:
                known = stems[id(component)] = _stem_of(component, sets)
            stem, before = known
            labels.append((stem, before + _texts(variable.index())))
        return Index(labels, sets)

    @property
    def absent(self) -> frozenset[str]:
        """Names of the variables that are no columns."""
        return frozenset(str(variable.name) for variable in self.others)

    def start(self) -> Values:
        """The values of the variables, NaN where unknown."""
        values = [np.nan if variable.value is None else float(variable.value) for variable in self.variables]
        return np.array(values, dtype=np.float64)

    def load(self, values: Values) -> None:
        """Set the values of the variables; unused variables get the value nearest to 0."""
        for variable, value in zip(self.variables, values.tolist(), strict=True):
            variable.set_value(_of_domain(variable, value), skip_validation=True)
            variable.stale = False
        for variable in self.others:
            if not variable.fixed and variable.value is None:
                variable.set_value(resting_value(variable), skip_validation=True)


@in_turn
def arrays_of(model: Any) -> PyomoArrays:
    """Translate a concrete model in one pass.

    A row without variables that cannot hold, or a variable with crossed bounds, becomes a row without coefficients, so
    that the model is infeasible and the row has a name.

    Raises
    ------
    ConfigurationError
        If the model is abstract, or not a model.
    SolverError
        If the model is not linear, lacks a number, or has special ordered sets, disjunctions, or domains other than all
        reals and all whole numbers between two bounds; with the name of the row or variable.
    """
    if not isinstance(model, BlockData):
        kind = f"{type(model).__module__}.{type(model).__qualname__}"
        raise ConfigurationError(f"a model is a block of pyomo.environ, such as a ConcreteModel; not {kind}")
    if not model.is_constructed():
        raise ConfigurationError("the Pyomo model is abstract. Maybe solve(model.create_instance(data))?")
    with told_by("matheur"):
        try:
            return _arrays_of(model, fixed=False)
        except InfeasibleConstraintException:  # a row whose variables are all fixed
            return _arrays_of(model, fixed=True)


def _arrays_of(model: Any, *, fixed: bool) -> PyomoArrays:
    goal = goal_of(model)
    refuse(model, "matheur", _LINEAR, hint="")
    with plain_variables(model, "matheur") as plain, without_trivial_rows(model, fixed=fixed) as impossible:
        try:
            form = _standard_form(model)
        except InfeasibleConstraintException:
            if fixed:
                raise SolverError("not a linear model: Pyomo finds a row that cannot hold") from None
            raise
        except (InvalidConstraintError, InvalidExpressionError) as error:
            raise SolverError(f"not a linear model: {error}") from error
        columns = list(form.columns)
        inside = list(variables_of(model))
        known = {id(variable) for variable in inside}
        plain.take(variable for variable in columns if id(variable) not in known)  # for example, of another model
        known = {id(variable) for variable in columns}
        others = tuple(variable for variable in inside if id(variable) not in known)
        bounds = [variable.bounds for variable in columns]
        whole = np.array([variable.is_integer() for variable in columns], dtype=bool)
    matrix, names, lower, upper = _rows(form)
    never = f"of the bounds of {plain.crossed}" if impossible is None and plain.crossed is not None else impossible
    if never is not None:  # 0 >= 1; a variable with crossed bounds need not be a column
        matrix = csr_array((matrix.data, matrix.indices, [*matrix.indptr, matrix.nnz]), (len(names) + 1, len(columns)))
        names, lower, upper = (*names, never), np.append(lower, 1.0), np.append(upper, np.inf)
    sign = -1.0 if goal.sense < 0 else 1.0  # Pyomo has turned the signs of a maximum
    cost = np.zeros(len(columns))
    if form.objectives:
        cost = sign * np.asarray(form.c.tocsr().toarray(), dtype=np.float64).ravel()
    try:
        made = LinearModel(
            starts=matrix.indptr.astype(np.int64),
            columns=matrix.indices.astype(np.int32),
            data=matrix.data.astype(np.float64),
            row_lower=lower,
            row_upper=upper,
            lower=_below(np.array([-np.inf if low is None else float(low) for low, _ in bounds])),
            upper=-_below(-np.array([np.inf if high is None else float(high) for _, high in bounds])),
            cost=cost + 0.0,
            integral=whole,
            row_names=names,
            column_names=_names_of(columns, model.model()),
            offset=sign * float(form.c_offset[0]) + 0.0 if form.objectives else 0.0,
            maximise=goal.component is not None and goal.component.sense == maximize,
            title=str(model.name or ""),
            objective_name=str(goal.component.name) if goal.component is not None else "",
        )
    except ValueError as error:
        raise SolverError(f"not a linear model: {error}") from None
    return PyomoArrays(
        made,
        tuple(columns),
        others,
    )


def _names_of(columns: list[Any], own: Any) -> tuple[str, ...]:
    """Names of the columns; variables of other models get a number if their names are taken."""
    names: list[str] = [variable.name for variable in columns]
    if len(set(names)) == len(names):
        return tuple(names)
    taken = {variable.name for variable in columns if variable.model() is own}
    for place, variable in enumerate(columns):
        if variable.model() is not own:
            name, number = names[place], 1
            while names[place] in taken:
                number += 1
                names[place] = f"{name}_{number}"
            taken.add(names[place])
    return tuple(names)


def _standard_form(model: Any) -> Any:
    """Pyomo's standard form, with products of fixed variables as linear terms even if Pyomo's compiler misses that.

    As soon as the compiler meets a free variable of an indexed component, it treats all variables of the component as
    free, and removes the fixed ones at the end. That is correct only for sums.
    """
    compiler = LinearStandardFormCompiler()
    try:
        return compiler.write(model, mixed_form=True)
    except (InvalidConstraintError, InvalidExpressionError):
        if not any(variable.fixed for variable in variables_of(model)):
            raise
        return _FormWithoutFixed(compiler.config({"mixed_form": True})).write(model)


def _visitor_of_free_variables(*arguments: Any, **options: Any) -> LinearRepnVisitor:
    visitor = LinearRepnVisitor(*arguments, **options)
    record = visitor.record_monomial

    def record_free(visitor: Any, result: Any, coefficient: float, variable: Any) -> None:
        if variable.fixed:
            result.constant += coefficient * variable.value
        else:
            record(visitor, result, coefficient, variable)

    visitor.record_monomial = record_free
    return visitor


class _FormWithoutFixed(_LinearStandardFormCompiler_impl):
    _get_visitor = staticmethod(_visitor_of_free_variables)  # a hook of Pyomo's


def _rows(form: Any) -> tuple[csr_array, tuple[str, ...], Values, Values]:
    """Matrix, names and limits; the two rows that Pyomo makes of a row with two limits are merged again."""
    sides = np.asarray(form.rhs, dtype=np.float64)
    kept: list[int] = []
    names: list[str] = []
    lower: list[float] = []
    upper: list[float] = []
    before: Any = None
    for number, entry in enumerate(form.rows):
        if entry.constraint is not before:
            before = entry.constraint
            kept.append(number)
            names.append(before.name)
            lower.append(-np.inf)
            upper.append(np.inf)
        if entry.bound_type <= 0:
            lower[-1] = float(sides[number])
        if entry.bound_type >= 0:
            upper[-1] = float(sides[number])
    matrix = csr_array(form.A.tocsr()[kept])
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix, tuple(names), _below(np.array(lower)), -_below(-np.array(upper))


def _below(limits: Values) -> Values:
    """Lower limits, infinite where solvers take them as such; the negated upper limits likewise."""
    return np.where(limits <= -INFINITE, -np.inf, limits)


def _stem_of(component: Any, sets: dict[str, str]) -> tuple[str, tuple[str, ...]]:
    """The stem of a component, and the index values of the blocks around it; names of index sets go to `sets`."""
    names, before, indexed = [component.local_name], [], [component]
    block = component.parent_block()
    while block is not None and block.parent_block() is not None:
        around = block.parent_component()
        names.append(around.local_name)
        before.append(_texts(block.index()))
        indexed.append(around)
        block = block.parent_block()
    stem = ".".join(reversed(names))
    position = 0
    for one in reversed(indexed):
        for name, dimension in _sets_of(one):
            if name and dimension == 1:
                sets[f"{stem}:{position}"] = name
            position += dimension
    return stem, tuple(text for texts in reversed(before) for text in texts)


def _texts(index: Any) -> tuple[str, ...]:
    if index is None:
        return ()
    return tuple(map(str, index)) if type(index) is tuple else (str(index),)


def _sets_of(component: Any) -> list[tuple[str, int]]:
    """Names and dimensions of the sets that index a component; the name of an anonymous set is empty."""
    if not component.is_indexed():
        return []
    found = []
    for one in component.index_set().subsets(expand_all_set_operators=False):
        if type(one.dimen) is not int:  # unknown, and so are the places of the following sets
            break
        home = one.parent_block()
        own = home is not None and home.component(one.local_name) is one and not one.local_name.endswith("_index")
        found.append((str(one.name) if own else "", one.dimen))
    return found


def _of_domain(variable: Any, value: float) -> float | int:
    return round(value) if variable.is_integer() else value
