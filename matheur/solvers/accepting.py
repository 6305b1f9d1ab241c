"""What is done with a model before any backend sees it: what it cannot take is refused, the rest is written plainly.

Backends know real and integer variables only. Pyomo knows more, and its writers pass most of it over in silence: a
variable whose domain is {0, 5, 7} becomes a real one, an active disjunction is not there at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pyomo.core import Block, Constraint, Expression, Objective, Param, Reals, Set, SOSConstraint, Suffix, Var
from pyomo.core.base import BooleanVar, BuildAction, BuildCheck, ExternalFunction, RangeSet, SetOf
from pyomo.core.expr import LinearExpression, identify_variables

from matheur.errors import SolverError
from matheur.solvers.port import Capabilities

__all__ = ["NOISE", "plain_variables", "refuse", "used_variables", "variables_of"]

NOISE = 1e-9  # a bound nearer to a whole number than this is meant to be that number

_KNOWN = {
    Block, BooleanVar, BuildAction, BuildCheck, Constraint, Expression, ExternalFunction, Objective, Param, RangeSet,
    Set, SetOf, SOSConstraint, Suffix, Var,
}  # fmt: skip
_HARMLESS = {"ContinuousSet", "Port"}  # by name: their packages are slow to load


def refuse(model: Any, name: str, capabilities: Capabilities) -> None:
    """Refuse what a backend cannot take, by the name of what it is.

    Raises
    ------
    SolverError
        For rows, objectives and other components that its capabilities do not have.
    """
    for kind in model.collect_ctypes(active=True, descend_into=True):
        if kind not in _KNOWN and kind.__name__ not in _HARMLESS:
            first = next(model.component_objects(kind, active=True, descend_into=True))
            raise SolverError(f"'{name}' takes no {kind.__name__} ({first.name}); write it as rows of the model first")
    for special in model.component_data_objects(SOSConstraint, active=True, descend_into=True):
        if not capabilities.sos:
            raise SolverError(f"'{name}' takes no SOS constraint ({special.name}). Maybe 'scip'?")
    for row in model.component_data_objects(Constraint, active=True, descend_into=True):
        _check_degree(row.body, f"the row {row.name}", name, capabilities.quadratic_rows, capabilities.nonlinear)
    for goal in model.component_data_objects(Objective, active=True, descend_into=True):
        allowed = capabilities.quadratic_objective
        _check_degree(goal.expr, f"the objective {goal.name}", name, allowed, capabilities.nonlinear)


def _check_degree(expression: Any, where: str, name: str, quadratic: bool, nonlinear: bool) -> None:
    if expression.__class__ is LinearExpression or not hasattr(expression, "polynomial_degree"):
        return
    degree = expression.polynomial_degree()
    if degree in (0, 1) or (degree == 2 and quadratic) or nonlinear:
        return
    kind = "quadratic" if degree == 2 else "not linear"
    limit = "linear and quadratic" if quadratic else "linear"
    raise SolverError(f"'{name}' takes only {limit} models, but {where} is {kind}. Maybe 'scip'?")


def variables_of(model: Any) -> Iterable[Any]:
    """The variables of the active blocks."""
    found: Iterable[Any] = model.component_data_objects(Var, active=True, descend_into=True)
    return found


@contextmanager
def plain_variables(model: Any, name: str) -> Iterator[str | None]:
    """While a backend reads the model: fixed variables are constants, bounds of integers whole numbers.

    A fixed variable keeps its value, whatever its bounds and its domain say; so they are set aside.

    Yields
    ------
    str or None
        The name of a variable with no value within its bounds: the model has no solution.

    Raises
    ------
    SolverError
        For a variable whose domain is neither all reals nor all whole numbers between two bounds.
    """
    changed: list[tuple[Any, Any, Any, Any]] = []
    used: set[int] | None = None
    kinds: dict[int, str] = {}
    impossible: str | None = None

    def change(variable: Any, lower: float | None, upper: float | None, domain: Any = None) -> None:
        changed.append((variable, variable.domain, variable.lower, variable.upper))
        variable.setlb(lower)
        variable.setub(upper)
        if domain is not None:
            variable.domain = domain

    try:
        for variable in variables_of(model):
            domain = variable.domain
            kind = kinds.get(id(domain))
            if kind is None:
                kind = kinds[id(domain)] = _kind(domain)
            if variable.fixed:
                if variable.value is None:
                    raise SolverError(f"the variable {variable.name} is fixed, but has no value")
                if not _fits(variable, kind):
                    change(variable, None, None, Reals)
                continue
            if kind == "":
                used = used_variables(model) if used is None else used
                if id(variable) in used:
                    raise SolverError(
                        f"'{name}' cannot take the domain of the variable {variable.name} ({_shown(domain)}): "
                        "only all reals, or all whole numbers, between two bounds"
                    )
                continue
            lower, upper = variable.bounds
            if kind == "integer":
                low = None if lower is None else math.ceil(lower - NOISE)
                high = None if upper is None else math.floor(upper + NOISE)
                if low != lower or high != upper:
                    change(variable, low, high)
                lower, upper = low, high
            if lower is not None and upper is not None and lower > upper:
                if lower > upper + NOISE * max(1.0, abs(upper)):
                    impossible = variable.name
                else:
                    change(variable, upper, upper)
        yield impossible
    finally:
        for variable, domain, lower, upper in reversed(changed):
            variable.domain = domain
            variable.lower, variable.upper = lower, upper


def _kind(domain: Any) -> str:
    """`integer` or `continuous`; empty for a domain that is not all of these between two ends."""
    try:
        low, high, step = domain.get_interval()
    except (AttributeError, TypeError, ValueError):
        return ""
    if not all(end is None or isinstance(end, int | float) for end in (low, high)):
        return ""
    if step == 0:
        # A set of several reals is no interval, whatever it says of itself.
        return "" if domain.isfinite() and low != high else "continuous"
    if step != 1 or any(end is not None and end % 1 for end in (low, high)):
        return ""
    gaps = domain.isfinite() and len(domain) != high - low + 1
    return "" if gaps else "integer"


def _fits(variable: Any, kind: str) -> bool:
    """Whether a fixed value is within bounds and domain, so that no backend can mind."""
    shown = variable.value
    lower, upper = variable.bounds
    inside = (lower is None or lower <= shown) and (upper is None or shown <= upper)
    return inside and (kind == "continuous" or (kind == "integer" and shown % 1 == 0))


def used_variables(model: Any) -> set[int]:
    """Variables that some active row or objective mentions."""
    found: set[int] = set()
    for row in model.component_data_objects(Constraint, active=True, descend_into=True):
        if hasattr(row.body, "is_potentially_variable"):
            found.update(id(variable) for variable in identify_variables(row.body, include_fixed=False))
    for goal in model.component_data_objects(Objective, active=True, descend_into=True):
        found.update(id(variable) for variable in identify_variables(goal.expr, include_fixed=False))
    for special in model.component_data_objects(SOSConstraint, active=True, descend_into=True):
        found.update(id(variable) for variable in special.get_variables())
    return found


def _shown(domain: Any) -> str:
    text = str(domain)
    if domain.isfinite():
        text = f"{{{', '.join(str(one) for one in domain)}}}"
    return text if len(text) <= 60 else f"{text[:60]}..."
