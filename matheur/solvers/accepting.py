"""Preparation of a model for any backend: unsupported components are refused, the rest is put into plain form.

Backends support only real and integer variables. Pyomo supports more, and its writers silently ignore most of it: a
variable whose domain is {0, 5, 7} becomes a real one, an active disjunction disappears.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pyomo.common.errors import InfeasibleConstraintException, PyomoException
from pyomo.core import Block, Constraint, Expression, Objective, Param, Reals, Set, SOSConstraint, Suffix, Var
from pyomo.core.base import BooleanVar, BuildAction, BuildCheck, ExternalFunction, RangeSet, SetOf
from pyomo.core.expr import LinearExpression, identify_variables

from matheur.errors import SolverError
from matheur.solvers.port import Capabilities

__all__ = ["NOISE", "PlainVariables", "plain_variables", "refuse", "told_by", "used_variables", "variables_of"]

NOISE = 1e-9  # a bound nearer to an integer than this counts as that integer

_KNOWN = {
    Block, BooleanVar, BuildAction, BuildCheck, Constraint, Expression, ExternalFunction, Objective, Param, RangeSet,
    Set, SetOf, SOSConstraint, Suffix, Var,
}  # fmt: skip
_NO_NUMBERS = (ArithmeticError, PyomoException, ValueError)  # a division by zero, a parameter without a value
_HARMLESS = {"ContinuousSet", "Port"}  # by name: their packages are slow to load


@contextmanager
def told_by(name: str) -> Iterator[None]:
    """Convert Pyomo's exceptions for missing or NaN numbers of a model into a `SolverError` of one line.

    The exception for a row that cannot hold is passed on unchanged.
    """
    try:
        yield
    except InfeasibleConstraintException:
        raise
    except _NO_NUMBERS as error:
        raise _unreadable(name, "the model", error) from error


def _unreadable(name: str, what: str, error: Exception) -> SolverError:
    return SolverError(f"'{name}' cannot read {what}: {' '.join(str(error).split())}")


def refuse(model: Any, name: str, capabilities: Capabilities, hint: str = ". Maybe 'scip'?") -> None:
    """Refuse components that a backend does not support, by name.

    Parameters
    ----------
    hint
        Appended to the message if another backend supports the component.

    Raises
    ------
    SolverError
        For rows, objectives and other components that its capabilities do not include.
    """
    for kind in model.collect_ctypes(active=True, descend_into=True):
        if kind not in _KNOWN and kind.__name__ not in _HARMLESS:
            first = next(model.component_objects(kind, active=True, descend_into=True))
            raise SolverError(f"'{name}' takes no {kind.__name__} ({first.name}); write it as rows of the model first")
    for special in model.component_data_objects(SOSConstraint, active=True, descend_into=True):
        if not capabilities.sos:
            raise SolverError(f"'{name}' takes no SOS constraint ({special.name}){hint}")
    for row in model.component_data_objects(Constraint, active=True, descend_into=True):
        allowed = capabilities.quadratic_rows
        _check_degree(row.body, f"the row {row.name}", name, allowed, capabilities.nonlinear, hint)
    for goal in model.component_data_objects(Objective, active=True, descend_into=True):
        allowed = capabilities.quadratic_objective
        _check_degree(goal.expr, f"the objective {goal.name}", name, allowed, capabilities.nonlinear, hint)


def _check_degree(expression: Any, where: str, name: str, quadratic: bool, nonlinear: bool, hint: str) -> None:
    if expression.__class__ is LinearExpression or not hasattr(expression, "polynomial_degree"):
        return
    try:
        degree = expression.polynomial_degree()
    except _NO_NUMBERS as error:
        raise _unreadable(name, where, error) from error
    if degree in (0, 1) or (degree == 2 and quadratic) or nonlinear:
        return
    kind = "quadratic" if degree == 2 else "not linear"
    limit = "linear and quadratic" if quadratic else "linear"
    raise SolverError(f"'{name}' takes only {limit} models, but {where} is {kind}{hint}")


def variables_of(model: Any) -> Iterable[Any]:
    """The variables of the active blocks."""
    found: Iterable[Any] = model.component_data_objects(Var, active=True, descend_into=True)
    return found


def _around(model: Any) -> list[Any]:
    """Variables that occur in rows or the objective, but in no active block of the model.

    They are in an inactive block, or in a block around the model.
    """
    root = model.model()
    if model is root and all(block.active for block in root.component_data_objects(Block, descend_into=True)):
        return []
    inside = {id(variable) for variable in variables_of(model)}
    beyond = [one for one in root.component_data_objects(Var, descend_into=True) if id(one) not in inside]
    used = used_variables(model) if beyond else set()
    return [variable for variable in beyond if id(variable) in used]


class PlainVariables:
    """Variables in the form that backends support; `restore` undoes the changes to the model.

    Attributes
    ----------
    crossed
        Name of a variable with no value within its bounds, so that the model is infeasible; None if there is none.
    """

    def __init__(self, model: Any, name: str) -> None:
        self.crossed: str | None = None
        self._model, self._name = model, name
        self._changed: list[tuple[Any, Any, Any, Any]] = []
        self._kinds: dict[int, str] = {}
        self._used: set[int] | None = None

    def take(self, variables: Iterable[Any]) -> None:
        """Put variables into plain form.

        Raises
        ------
        SolverError
            As `plain_variables`.
        """
        for variable in variables:
            domain = variable.domain
            kind = self._kinds.get(id(domain))
            if kind is None:
                kind = self._kinds[id(domain)] = _kind(domain)
            if variable.fixed:
                if variable.value is None:
                    raise SolverError(f"the variable {variable.name} is fixed, but has no value")
                if not _fits(variable, kind):
                    self._change(variable, None, None, Reals)
                continue
            if kind == "":
                self._used = used_variables(self._model) if self._used is None else self._used
                if id(variable) in self._used:
                    raise SolverError(
                        f"'{self._name}' cannot take the domain of the variable {variable.name} ({_shown(domain)}): "
                        "only all reals, or all whole numbers, between two bounds"
                    )
                continue
            lower, upper = variable.bounds
            if kind == "integer":
                low = None if lower is None else math.ceil(lower - NOISE)
                high = None if upper is None else math.floor(upper + NOISE)
                if low != lower or high != upper:
                    self._change(variable, low, high, domain)
                lower, upper = low, high
            if lower is not None and upper is not None and lower > upper:
                if lower > upper + NOISE * max(1.0, abs(upper)):
                    self.crossed = variable.name
                else:
                    self._change(variable, upper, upper, domain)

    def _change(self, variable: Any, lower: float | None, upper: float | None, domain: Any) -> None:
        own = variable.domain
        variable.domain = Reals  # `lower` and `upper` of another one mix its bounds into those of the variable
        self._changed.append((variable, own, variable.lower, variable.upper))
        variable.setlb(lower)
        variable.setub(upper)
        variable.domain = domain

    def restore(self) -> None:
        """Restore the domains and bounds of the variables."""
        for variable, domain, lower, upper in reversed(self._changed):
            variable.lower, variable.upper = lower, upper
            variable.domain = domain


@contextmanager
def plain_variables(model: Any, name: str) -> Iterator[PlainVariables]:
    """Context in which a backend reads the model: fixed variables are constants, bounds of integers are integral.

    A fixed variable keeps its value, whatever its bounds and its domain; these are removed meanwhile.

    Raises
    ------
    SolverError
        For a variable whose domain is neither all reals nor all integers between two bounds.
    """
    plain = PlainVariables(model, name)
    try:
        with told_by(name):
            plain.take(variables_of(model))
            plain.take(_around(model))
        yield plain
    finally:
        plain.restore()


def _kind(domain: Any) -> str:
    """`integer` or `continuous`; empty for a domain with gaps."""
    try:
        low, high, step = domain.get_interval()
    except (AttributeError, TypeError, ValueError):
        return ""
    if not all(end is None or isinstance(end, int | float) for end in (low, high)):
        return ""
    if step == 0:
        # A set of several reals is not an interval, even if it claims to be one.
        return "" if domain.isfinite() and low != high else "continuous"
    if step != 1 or any(end is not None and end % 1 for end in (low, high)):
        return ""
    gaps = domain.isfinite() and len(domain) != high - low + 1
    return "" if gaps else "integer"


def _fits(variable: Any, kind: str) -> bool:
    """Whether a fixed value is within bounds and domain, so that every backend accepts it."""
    shown = variable.value
    lower, upper = variable.bounds
    inside = (lower is None or lower <= shown) and (upper is None or shown <= upper)
    return inside and (kind == "continuous" or (kind == "integer" and shown % 1 == 0))


def used_variables(model: Any) -> set[int]:
    """Variables that occur in an active row or objective."""
    found: set[int] = set()
    for row in model.component_data_objects(Constraint, active=True, descend_into=True):
        if hasattr(row.body, "is_potentially_variable"):
            found.update(map(id, identify_variables(row.body)))
    for goal in model.component_data_objects(Objective, active=True, descend_into=True):
        found.update(map(id, identify_variables(goal.expr)))
    for special in model.component_data_objects(SOSConstraint, active=True, descend_into=True):
        found.update(id(variable) for variable in special.get_variables())
    return found


def _shown(domain: Any) -> str:
    text = str(domain)
    if domain.isfinite():
        text = f"{{{', '.join(str(one) for one in domain)}}}"
    return text if len(text) <= 60 else f"{text[:60]}..."
