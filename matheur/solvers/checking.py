"""The one rule for all backends: no answer leaves this package unchecked.

`get_backend` returns every backend, including those of other packages, in a wrapper (`CheckedBackend`) that calls this
module. Before a solve it refuses components that the backend does not declare and puts the rest into plain form
(`matheur.solvers.accepting`); after it, the whole answer is checked against the model, by code that no backend shares:
it evaluates the expressions of the model directly, while the backends translate them.

A wrong answer is an error that names the backend and the row or variable. Unproved claims are dropped: a bound on the
wrong side of its own incumbent, an optimum whose gap is open, a solution that holds within the solver's tolerance but
violates a row when its integers are rounded.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from pyomo.common.collections import ComponentMap
from pyomo.common.errors import PyomoException
from pyomo.core import Constraint, SOSConstraint, Var, value
from pyomo.core.expr import LinearExpression, MonomialTermExpression, SumExpression, identify_variables

from matheur.errors import FailedSolveError, MatheurError, SolverError
from matheur.solvers.accepting import plain_variables, refuse
from matheur.solvers.answers import Goal, goal_of, resting_value
from matheur.solvers.port import Backend, Capabilities, MilpSolution, MilpStatus, SolveRequest, answer_fault
from matheur.solvers.proving import ABSOLUTE

__all__ = ["solve_checked"]

WHOLE = 1e-5  # GLPK's own integrality tolerance, the largest of all
ROW = 1e-5  # absolute
ROW_RELATIVE = 1e-6  # relative to the side of a row: SCIP's tolerance
ARITHMETIC = 1e-9  # relative to the largest terms of a sum
_DIGITS = 15  # of values that are as precise as a float64

_TRANSLATION_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)

Values = Mapping[Any, float]


def solve_checked(backend: Backend, model: Any, request: SolveRequest) -> MilpSolution:
    """The checked answer of a backend for a model; see `matheur.solvers.port.Backend`.

    Raises
    ------
    SolverError
        For unsupported components, for failures of the backend, and for an answer that the model refutes.
    """
    return _Solve(backend, model, request).run()


@dataclass(frozen=True)
class _Solve:
    """One solve by a backend."""

    backend: Backend
    model: Any
    request: SolveRequest

    def run(self) -> MilpSolution:
        """The checked answer."""
        model, request, backend = self.model, self.request, self.backend
        started = time.perf_counter()
        goal = goal_of(model)
        if request.cutoff is not None and goal.component is None:
            raise SolverError("a cutoff needs an objective")
        refuse(model, backend.name, backend.capabilities)
        with plain_variables(model, backend.name) as plain:
            if plain.crossed is not None:
                return MilpSolution(
                    MilpStatus.INFEASIBLE, ComponentMap(), None, request.cutoff, 0, time.perf_counter() - started,
                    backend.name, backend.version(), f"no value is within the bounds of {plain.crossed}",
                )  # fmt: skip
            answer = self._ask(request)
            check = _Check(backend.name, backend.capabilities, model, goal, request)
            try:
                found, broken = check.solution(answer)
            except FailedSolveError:
                found, broken = self._with_all_digits(check, answer, started)
                if found is None:
                    raise
            if found is not None and broken:
                integers = ComponentMap((v, x) for v, x in found.values.items() if not v.fixed and v.is_integer())
                found, broken = self._with_integers(check, integers, broken, started)
            return check.verdict(answer, found, broken)

    def _ask(self, request: SolveRequest) -> MilpSolution:
        """The backend's answer; failures become a `SolverError`, exceptions of callbacks are passed on."""
        passed: list[BaseException] = []

        def guarded(callback: Callable[..., Any] | None) -> Callable[..., Any] | None:
            def call(*given: Any) -> Any:
                assert callback is not None
                try:
                    return callback(*given)
                except BaseException as error:
                    passed.append(error)
                    raise

            return None if callback is None else call

        asked = replace(request, interrupt=guarded(request.interrupt), on_incumbent=guarded(request.on_incumbent))
        try:
            answer = self.backend.solve(self.model, asked)
        except MatheurError:
            raise
        except (*_TRANSLATION_ERRORS, PyomoException) as error:
            if any(error is one for one in passed):
                raise
            said = next(iter(str(error).strip().splitlines()), "")
            raise SolverError(
                f"'{self.backend.name}' cannot take this model: {said or type(error).__name__}"
            ) from error
        fault = answer_fault(answer)
        if fault is not None:
            raise SolverError(f"'{self.backend.name}': {fault}")
        return answer

    def _with_all_digits(self, check: _Check, answer: MilpSolution, started: float) -> tuple[_Found | None, str]:
        """The solution of HiGHS with the integers of an answer whose values have few digits; None if there is none."""
        digits = self.backend.capabilities.digits
        if digits >= _DIGITS or not answer.has_solution:
            return None, ""
        from matheur.solvers.registry import get_backend

        certain = ComponentMap()
        for variable in _all_variables(self.model, answer.values):
            shown = answer.values.get(variable)
            if not variable.fixed and variable.is_integer() and shown is not None and abs(shown) < 10 ** (digits - 1):
                certain[variable] = float(round(shown))
        other = get_backend("highs")
        return replace(self, backend=other)._with_integers(replace(check, name=other.name), certain, "", started)

    def _with_integers(self, check: _Check, integers: Values, broken: str, started: float) -> tuple[_Found | None, str]:
        """The best solution with integers that violate a row with the other values of an answer; None if none."""
        if all(v.fixed or v in integers for v in _all_variables(self.model, integers)):
            return None, broken  # no free variables are left
        request = check.request
        left = None if request.seconds is None else max(0.0, request.seconds - (time.perf_counter() - started)) + 1.0
        asked = SolveRequest(
            seconds=left, threads=request.threads, seed=request.seed, interrupt=request.interrupt,
            relative_gap=request.relative_gap, absolute_gap=request.absolute_gap,
        )  # fmt: skip
        before = [(v, v.value, v.stale) for v in integers]
        try:
            for variable in integers:
                variable.fix(integers[variable], skip_validation=True)
            again = self._ask(asked)
            mended, still = replace(check, request=asked).solution(again)
        except SolverError:
            return None, broken
        finally:
            for variable, shown, stale in before:
                variable.unfix()
                variable.set_value(shown, skip_validation=True)
                variable.stale = stale
        return (None, broken) if mended is None or still else (mended, "")


@dataclass(frozen=True)
class _Found:
    """A solution with rounded integers, and its recomputed objective."""

    values: Values
    objective: float
    size: float  # of the terms of the objective


@dataclass(frozen=True)
class _Check:
    """Check of an answer against its model."""

    name: str
    capabilities: Capabilities
    model: Any
    goal: Goal
    request: SolveRequest

    def solution(self, answer: MilpSolution) -> tuple[_Found | None, str]:
        """The solution of an answer, and the row that is violated when its integers are rounded (else empty).

        Raises
        ------
        SolverError
            If it is not a solution, or is missing although the status implies one.
        """
        with_solution = answer.status in (MilpStatus.OPTIMAL, MilpStatus.FEASIBLE)
        if with_solution != answer.has_solution:
            lack = "without a solution" if with_solution else "and a solution"
            raise self._error(f"answers with status {answer.status.value}, {lack}")
        if answer.objective is None:
            return None, ""
        if not math.isfinite(answer.objective):
            raise self._error(f"answers with the objective {answer.objective}")
        raw, whole = self._values(answer.values)
        with _carrying(self.model, raw):
            fault, _ = self._broken_row()
            if fault:
                raise self._error(f"says that a solution was found, but it breaks {fault}")
            objective, size = self._objective()
        room = ROW + ROW_RELATIVE * abs(objective) + ARITHMETIC * size
        if not abs(objective - answer.objective) <= room and self.goal.component is not None:
            raise self._error(f"claims the objective {answer.objective:.12g}, but its values give {objective:.12g}")
        with _carrying(self.model, whole):
            broken, exactly = self._broken_row()
            objective, size = self._objective()
        return _Found(whole, objective, size), broken or exactly

    def verdict(self, answer: MilpSolution, found: _Found | None, broken: str) -> MilpSolution:
        """The answer with recomputed values, and without unproved claims."""
        status, bound, message = answer.status, answer.bound, answer.message
        if bound is not None and not math.isfinite(bound):
            bound = None
        sense, cutoff = self.goal.sense, self.request.cutoff
        if broken:
            found, message = None, f"its solution holds within the tolerance of '{self.name}' only: {broken}"
        elif found is not None and not self.goal.beats(found.objective, cutoff):
            found, message = None, f"{message}, within its tolerance of the cutoff".removeprefix(", ")
        if found is None and answer.has_solution:
            status = MilpStatus.UNKNOWN
        tolerance = self._tolerance(bound, found)
        if status is MilpStatus.UNBOUNDED:
            bound = None
        elif status is MilpStatus.INFEASIBLE:
            bound = cutoff
            if cutoff is not None and not self._tells_apart(tolerance):
                status, message = (
                    MilpStatus.UNKNOWN,
                    "a solution better than the cutoff may exist within the solver's tolerance",
                )
                bound = None
        elif found is not None and self.goal.constant is not None:
            bound = found.objective
        elif bound is not None and cutoff is not None:
            bound = sense * min(sense * bound, sense * cutoff)
        if found is not None:
            bound, status, message = self._gap(status, bound, found, tolerance, message)
        if status is MilpStatus.INFEASIBLE and self._start_is_solution():
            status, bound, message = MilpStatus.UNKNOWN, None, "the start is a solution, but its numbers are too large"
        claims = status in (MilpStatus.OPTIMAL, MilpStatus.INFEASIBLE) or bound is not None
        coarse = self._coarse_row() if claims else ""
        if coarse:
            status, bound = (MilpStatus.UNKNOWN if found is None else MilpStatus.FEASIBLE), None
            message = f"{message}, but {coarse} has numbers too large for its arithmetic".removeprefix(", ")
        return replace(
            answer, status=status, bound=bound, message=message, tolerance=tolerance,
            values=ComponentMap() if found is None else found.values,
            objective=None if found is None else found.objective,
            backend=self.name,
        )  # fmt: skip

    def _start_is_solution(self) -> bool:
        """Whether the start values of the model are a solution although the backend reports that there is none.

        Raises
        ------
        SolverError
            If the numbers of the model do not explain it.
        """
        if not self.request.warm_start:
            return False
        variables = list(_all_variables(self.model, {}))
        if any(variable.value is None for variable in variables):
            return False
        try:
            start = self._values(ComponentMap((variable, variable.value) for variable in variables))[1]
        except SolverError:  # it is not a solution
            return False
        with _carrying(self.model, start):
            broken = any(self._broken_row())
            objective, size = self._objective()
        if broken or not self.goal.beats(objective, self.request.cutoff):
            return False
        if ABSOLUTE + self.capabilities.tolerance * max(size, self._largest_number()) < 1:
            raise self._error(f"says that there is no solution, but the start is one, of {objective:.12g}")
        return True

    def _largest_number(self) -> float:
        """The largest weight or side of a linear row."""
        largest = 0.0
        for row in self.model.component_data_objects(Constraint, active=True, descend_into=True):
            sides = (abs(value(side)) for side in (row.lower, row.upper) if side is not None)
            weights = (abs(weight) for weight, _ in _linear_terms(row.body))
            largest = max([largest, *(size for size in (*sides, *weights) if math.isfinite(size))])
        return largest

    def _gap(
        self, status: MilpStatus, bound: float | None, found: _Found, tolerance: float, message: str
    ) -> tuple[float | None, MilpStatus, str]:
        """Bound, status and message of a solution: the bound is on the correct side, and no optimum has an open gap."""
        sense, objective = self.goal.sense, found.objective
        room = open_room = max(tolerance, ROW_RELATIVE * max(1.0, abs(objective)))
        if self.goal.lattice is not None:  # half a step is more than noise
            room, open_room = min(room, self.goal.lattice[1] / 2), tolerance
        if bound is not None and sense * (bound - objective) > room:
            text = f"its bound {bound:.12g} is on the wrong side of its solution of {objective:.12g} and is dropped"
            return None, MilpStatus.FEASIBLE, text
        if bound is not None and sense * (bound - objective) > 0:
            bound = objective
        if status is not MilpStatus.OPTIMAL:
            return bound, status, message
        allowed = max(self.request.absolute_gap, self.request.relative_gap * abs(objective))
        if bound is not None and sense * (objective - bound) > allowed + open_room:
            return bound, MilpStatus.FEASIBLE, f"{message}, with the gap open".removeprefix(", ")
        return bound, status, message

    def _tolerance(self, bound: float | None, found: _Found | None) -> float:
        """Possible error of the bound: the solver's relative tolerance times the size of the objective."""
        objective = None if found is None else found.objective
        sizes = [abs(shown) for shown in (bound, self.request.cutoff, objective) if shown is not None]
        return ABSOLUTE + self.capabilities.tolerance * max([self.goal.largest, *sizes])

    def _tells_apart(self, tolerance: float) -> bool:
        """Whether the tolerance is below the step of the objective, if there is one."""
        return self.goal.lattice is None or tolerance < self.goal.lattice[1]

    def _error(self, text: str) -> FailedSolveError:
        """With other parts of a model, the backend may do better."""
        return FailedSolveError(f"'{self.name}' {text}")

    def _values(self, given: Values) -> tuple[Values, Values]:
        """All values as they are, and with rounded integers within their bounds."""
        raw, whole = ComponentMap(), ComponentMap()
        for variable in _all_variables(self.model, given):
            if variable.fixed:
                raw[variable] = whole[variable] = float(variable.value)
                continue
            shown = given.get(variable)
            shown = resting_value(variable) if shown is None else float(shown)
            if not math.isfinite(shown):
                raise self._error(f"gives the variable {variable.name} the value {shown}")
            near = self._nearest(variable, shown)
            raw[variable], whole[variable] = shown, near
        return raw, whole

    def _nearest(self, variable: Any, shown: float) -> float:
        """The feasible value of a variable nearest to the solver's value."""
        lower, upper = variable.bounds
        near = float(round(shown)) if variable.is_integer() else shown
        near = near if lower is None else max(near, float(lower))
        near = near if upper is None else min(near, float(upper))
        if abs(near - shown) > WHOLE + ARITHMETIC * abs(shown):
            limits = f"between {'-inf' if lower is None else lower} and {'inf' if upper is None else upper}"
            kind = "a whole number " if variable.is_integer() else ""
            raise self._error(f"gives the variable {variable.name} the value {shown:.12g}; it must be {kind}{limits}")
        return near

    def _coarse_row(self) -> str:
        """A row of integers in which a unit step is below the solver's arithmetic precision; empty if there is none.

        In such rows, solvers cut off or accept solutions that differ by a unit: GLPK and CBC are wrong from 10^8 on.
        """
        if self.capabilities.integers_only:  # its arithmetic is exact
            return ""
        reaches: dict[int, float] = {}
        for row in self.model.component_data_objects(Constraint, active=True, descend_into=True):
            weights: list[int] = []
            size = max((abs(value(side)) for side in (row.lower, row.upper) if side is not None), default=0.0)
            size = size if math.isfinite(size) else 0.0
            for weight, variable in _linear_terms(row.body):
                if variable is None:
                    size = max(size, abs(weight))
                    continue
                reach = reaches.get(id(variable))
                if reach is None:
                    reach = reaches[id(variable)] = _reach(variable)
                if math.isnan(reach) or weight % 1:
                    weights = []
                    break
                weights.append(int(weight))
                size = max(size, abs(weight) * reach)
            if any(weights) and ABSOLUTE + self.capabilities.tolerance * size >= math.gcd(*weights):
                return f"the row {row.name}"
        return ""

    def _broken_row(self) -> tuple[str, str]:
        """A row that the values in the model violate, and one that they violate only within the solvers' tolerances.

        The second is sought only in rows of integers: there any difference is an error.
        """
        exactly = ""
        for row in self.model.component_data_objects(Constraint, active=True, descend_into=True):
            body = row.body
            shown, size, exact = _measure(body)
            for side, sign in ((row.lower, -1), (row.upper, 1)):
                limit = None if side is None else value(side)
                if limit is None or abs(limit) == math.inf:
                    continue
                excess = sign * (shown - limit)
                if excess <= 0:
                    continue
                words = f"the row {row.name}: {shown:.12g} {'<' if sign < 0 else '>'} {limit:.12g}"
                if not excess <= ROW + ROW_RELATIVE * abs(limit) + ARITHMETIC * size:
                    return words, exactly
                if exact and limit % 1 == 0:
                    exactly = exactly or words
        for special in self.model.component_data_objects(SOSConstraint, active=True, descend_into=True):
            places = [at for at, one in enumerate(special.get_variables()) if abs(value(one)) > ROW]
            if places and places[-1] - places[0] >= special.level:
                return f"the SOS constraint {special.name}", exactly
        return "", exactly

    def _objective(self) -> tuple[float, float]:
        if self.goal.component is None:
            return 0.0, 0.0
        shown, size, _ = _measure(self.goal.component.expr)
        return shown, size


def _all_variables(model: Any, given: Values) -> Iterator[Any]:
    """Variables of the model, of the answer, and of other models that occur in rows."""
    seen: set[int] = set()

    def fresh(variables: Any) -> Iterator[Any]:
        for variable in variables:
            if id(variable) not in seen:
                seen.add(id(variable))
                yield variable

    yield from fresh(model.component_data_objects(Var, descend_into=True))
    yield from fresh(given)
    for row in model.component_data_objects(Constraint, active=True, descend_into=True):
        if row.body.__class__ is not LinearExpression and hasattr(row.body, "is_potentially_variable"):
            yield from fresh(identify_variables(row.body))


@contextmanager
def _carrying(model: Any, values: Values) -> Iterator[None]:
    """Context in which the variables of the model have these values; afterwards they are restored."""
    before = [(variable, variable.value, variable.stale) for variable in values]
    try:
        for variable, shown in values.items():
            variable.set_value(shown, skip_validation=True)
        yield
    finally:
        for variable, shown, stale in before:
            variable.set_value(shown, skip_validation=True)
            variable.stale = stale


def _measure(expression: Any) -> tuple[float, float, bool]:
    """Value, sum of the absolute values of the terms, and whether the value is a whole number without any rounding."""
    kind = expression.__class__
    parts = expression.args if kind in (LinearExpression, SumExpression) else (expression,)
    terms: list[float] = []
    exact = True
    for part in parts:
        if part.__class__ is MonomialTermExpression:
            weight, variable = part.args
            weight = value(weight)
            terms.append(weight * variable.value)
            exact = exact and weight % 1 == 0 and (variable.fixed or variable.is_integer())
        else:
            shown = 0.0 if part is None else value(part)
            terms.append(shown)
            exact = exact and not (hasattr(part, "is_variable_type") and not _whole_part(part))
    size = math.fsum(map(abs, terms))
    total = math.fsum(terms)
    return total, size, exact and size < 2**52 and all(term % 1 == 0 for term in terms)


def _linear_terms(expression: Any) -> Iterator[tuple[float, Any]]:
    """Weights and variables of an expression; only a weight for a constant, NaN if it is not linear."""
    parts = expression.args if expression.__class__ in (LinearExpression, SumExpression) else (expression,)
    for part in parts:
        if part.__class__ is MonomialTermExpression:
            weight, variable = part.args
        elif hasattr(part, "is_variable_type") and part.is_variable_type():
            weight, variable = 1.0, part
        elif hasattr(part, "is_potentially_variable") and part.is_potentially_variable():
            yield math.nan, part
            continue
        else:
            weight, variable = 0.0 if part is None else value(part), None
        if variable is not None and variable.fixed:
            weight, variable = value(weight) * variable.value, None
        yield float(value(weight)), variable


def _reach(variable: Any) -> float:
    """The largest absolute value of an integer variable, 1 if it has no bounds; NaN for anything else."""
    if not (hasattr(variable, "is_integer") and variable.is_integer()):
        return math.nan
    return max((abs(float(end)) for end in variable.bounds if end is not None), default=1.0)


def _whole_part(part: Any) -> bool:
    """Whether a term is an integer variable or has no variables."""
    if part.is_variable_type():
        return bool(part.fixed or part.is_integer())
    return not part.is_potentially_variable()
