"""The port on arrays: a `LinearModel`, restricted or not, solved by any backend, and every answer checked.

A neighbourhood of a linear model is a `Restriction`: other bounds, other costs, more rows. HiGHS and SCIP take the
arrays as they are, from an object that is made once for a model; for all other backends a Pyomo model is made of them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from matheur.errors import FailedSolveError
from matheur.linear.building import INFINITE
from matheur.linear.evaluation import settled
from matheur.linear.model import LinearModel, dot
from matheur.solvers.coarse import coarse_row
from matheur.solvers.isolated import Ended
from matheur.solvers.port import Backend, MilpStatus, SolveRequest, TracePoint
from matheur.solvers.proving import ABSOLUTE

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["ArrayBackend", "LinearAnswer", "LinearTask", "Restriction", "Rows", "solve_linear"]

Values = NDArray[np.float64]

MARGIN = 1e-6  # relative: a better objective is better by this, if no step of it is known
ROW = 1e-6  # relative to the side of a row if that is larger than 1: the tolerance of the solvers
WHOLE = 1e-5


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that are added to a model.

    Attributes
    ----------
    matrix
        Their coefficients, with a column for each column of the model.
    lower, upper
        Their limits, infinite where there is none.
    """

    matrix: csr_array
    lower: Values
    upper: Values


@dataclass(frozen=True, slots=True)
class Restriction:
    """A part of the solutions of a model.

    Attributes
    ----------
    lower, upper
        Bounds by column instead of the model's; None for those of the model.
    cost
        Cost by column instead of the model's, to be minimised or maximised as the model's; None for that of the model.
    rows
        Rows in addition to the model's.
    relaxed
        Integer columns that may take any value; True for all of them, so that the answer is that of the linear
        relaxation.
    """

    lower: Values | None = None
    upper: Values | None = None
    cost: Values | None = None
    rows: Rows | None = None
    relaxed: bool | NDArray[np.bool_] = False


@dataclass(frozen=True)
class LinearTask:
    """What is to be solved: a model with a restriction.

    Attributes
    ----------
    model
        The whole model.
    restriction
        What is changed.
    start
        Values to begin with, NaN where there is none; None for none at all.
    """

    model: LinearModel
    restriction: Restriction = field(default_factory=Restriction)
    start: Values | None = None

    @cached_property
    def lower(self) -> Values:
        """Lower bounds; whole for integer columns."""
        given = self.model.lower if self.restriction.lower is None else self.restriction.lower
        return np.where(self.integral & np.isfinite(given), np.ceil(given - 1e-9), given)

    @cached_property
    def upper(self) -> Values:
        """Upper bounds; whole for integer columns."""
        given = self.model.upper if self.restriction.upper is None else self.restriction.upper
        return np.where(self.integral & np.isfinite(given), np.floor(given + 1e-9), given)

    @cached_property
    def integral(self) -> NDArray[np.bool_]:
        """Columns whose values are to be whole."""
        return self.model.integral & np.logical_not(self.restriction.relaxed)

    @property
    def cost(self) -> Values:
        """Cost by column."""
        return self.model.cost if self.restriction.cost is None else self.restriction.cost

    @property
    def offset(self) -> float:
        """Constant of the objective: the model's if the costs are."""
        return self.model.offset if self.restriction.cost is None else 0.0

    @property
    def sense(self) -> int:
        """1 to minimise, -1 to maximise."""
        return -1 if self.model.maximise else 1

    @cached_property
    def step(self) -> float:
        """What objectives differ by at least, 0 if no step is known."""
        used = np.flatnonzero(self.cost)
        weights = self.cost[used]
        if not len(used) or not self.integral[used].all() or np.any(weights % 1) or np.abs(weights).max() > 2**52:
            return 0.0
        return float(np.gcd.reduce(np.abs(weights).astype(np.int64)))

    def better(self, objective: float) -> float:
        """The worst objective that counts as strictly better than the given one."""
        if not self.step:
            return objective - self.sense * MARGIN * max(1.0, abs(objective))
        steps = math.ceil(self.sense * (objective - self.offset) / self.step - MARGIN) - 1
        return self.offset + self.sense * self.step * (steps + 0.25)  # room for the solver's tolerance

    def as_good(self, objective: float | None) -> float | None:
        """The worst objective that counts as good as the given one; None if none is given."""
        return None if objective is None else objective + self.sense * MARGIN * max(1.0, abs(objective))

    def beats(self, objective: float, cutoff: float | None) -> bool:
        """Whether an objective is strictly better than the cutoff, or there is none."""
        return cutoff is None or self.sense * (objective - self.better(cutoff)) <= 0.5 * MARGIN * max(1.0, abs(cutoff))

    def nothing_beyond(self, bound: float, cutoff: float | None) -> bool:
        """Whether a bound shows that nothing is strictly better than the cutoff."""
        if cutoff is None:
            return False
        return self.sense * (bound - self.better(cutoff)) >= -0.5 * MARGIN * max(1.0, abs(cutoff))

    def objective(self, values: Values) -> float:
        """The objective of values, in float64."""
        return dot(self.cost, values) + self.offset

    def fault(self, values: Values, tolerance: float) -> str:
        """A row or column that values break by more than a relative tolerance, else empty."""
        model, restriction = self.model, self.restriction
        for limits, names, shown in (
            ((self.lower, self.upper), model.column_names, values),
            ((model.row_lower, model.row_upper), model.row_names, model.row_sums(model.terms(values))),
        ):
            worst = _worst(shown, *limits, tolerance)
            if worst is not None:
                what = "row" if limits[0] is model.row_lower else "column"
                return f"the {what} {names[worst]} ({shown[worst]:.12g})"
        if restriction.rows is not None:
            shown = restriction.rows.matrix @ values
            worst = _worst(shown, restriction.rows.lower, restriction.rows.upper, tolerance)
            if worst is not None:
                return f"an added row ({shown[worst]:.12g})"
        return ""

    def plainly_impossible(self) -> str:
        """A row or column that no values can satisfy, found without a search; else empty."""
        rows = self.restriction.rows
        if rows is not None:
            empty = (np.diff(rows.matrix.indptr) == 0) & ((rows.lower > 0) | (rows.upper < 0))
            if np.any(empty | (rows.lower > rows.upper)):
                return "an added row can never hold"
        return self.model.impossible(self.lower, self.upper)

    def start_is_solution(self, cutoff: float | None) -> bool:
        """Whether the start is a whole solution, and better than the cutoff."""
        start = self.start
        return (
            start is not None
            and not np.isnan(start).any()
            and bool(np.all(start[self.integral] == np.rint(start[self.integral])))
            and not self.fault(start, 0.0)
            and self.beats(self.objective(start), cutoff)
        )

    @cached_property
    def size(self) -> float:
        """The largest size that a term of the objective can have, of those with bounds."""
        used = np.flatnonzero(self.cost)
        return float((np.abs(self.cost[used]) * self._reach[used]).max(initial=0.0))

    @property
    def worst(self) -> float | None:
        """An objective that no solution is worse than, by the bounds of the columns; None if that is infinite."""
        used = np.flatnonzero(self.cost)
        cost = self.cost[used]
        total = float(np.where(self.sense * cost > 0, cost * self.upper[used], cost * self.lower[used]).sum())
        return total + self.offset if np.isfinite(total) else None

    def coarse_row(self, tolerance: float) -> str:
        """A row of whole numbers where a step drowns in a solver's arithmetic of this relative tolerance; else empty.

        See `matheur.solvers.coarse`.
        """
        return coarse_row(self.model, self.integral, self._reach, tolerance)

    @cached_property
    def _reach(self) -> Values:
        """The largest size of each column, 1 where there is no bound."""
        ends = (
            np.where(np.isfinite(self.lower), np.abs(self.lower), -1),
            np.where(np.isfinite(self.upper), np.abs(self.upper), -1),
        )
        reach = np.maximum(*ends)
        return np.where(reach < 0, 1.0, reach)


def _worst(shown: Values, lower: Values, upper: Values, tolerance: float) -> int | None:
    sides = (np.where(np.isfinite(side), np.abs(side), 1.0) for side in (lower, upper))
    below, above = (tolerance * np.maximum(1.0, side) for side in sides)
    if np.all((lower - below <= shown) & (shown <= upper + above)):
        return None
    with np.errstate(invalid="ignore"):
        low = np.where(np.isfinite(lower), (lower - shown) / np.maximum(1.0, np.abs(lower)), -np.inf)
        high = np.where(np.isfinite(upper), (shown - upper) / np.maximum(1.0, np.abs(upper)), -np.inf)
    over = np.maximum(low, high)
    worst = int(np.argmax(over))
    return worst if over[worst] > tolerance or np.isnan(shown[worst]) else None


@dataclass(frozen=True, slots=True)
class LinearAnswer:
    """How a solve on arrays ended.

    Attributes
    ----------
    status
        See `MilpStatus`.
    values
        Values by column, whole for integer columns; None without a solution.
    objective, bound
        In the model's own sense (of the restriction's cost, if it has one); None if there is none. The bound holds for
        the restricted model.
    nodes, seconds, backend, version, message, trace
        As in `MilpSolution`.
    reduced_costs
        Reduced costs by column of an optimal linear program, where the backend tells them; else None.
    """

    status: MilpStatus
    values: Values | None
    objective: float | None
    bound: float | None
    nodes: int
    seconds: float
    backend: str
    version: str
    message: str = ""
    trace: tuple[TracePoint, ...] = ()
    reduced_costs: Values | None = None


class ArrayBackend(Protocol):
    """A backend that takes arrays."""

    def solve_task(
        self,
        task: LinearTask,
        request: SolveRequest,
        on_values: Callable[[TracePoint, Values], None] | None,
        started: float,
    ) -> Ended:
        """Solve; what is returned is checked by the caller. The cutoff of the request is strict, see `better`."""


def solve_linear(
    backend: Backend,
    model: LinearModel,
    request: SolveRequest | None = None,
    restriction: Restriction | None = None,
    start: Values | None = None,
    *,
    on_values: Callable[[TracePoint, Values], None] | None = None,
) -> LinearAnswer:
    """Solve a model, or what a restriction leaves of it.

    Parameters
    ----------
    backend
        From `get_backend`.
    start
        Values to begin with, NaN where there is none.
    on_values
        Called with each new incumbent as it comes, where the backend can; what it raises stops the solve.

    Raises
    ------
    SolverError
        If the backend is not up to the model, fails, or answers with something that the model refutes.
    """
    started = time.perf_counter()
    request = SolveRequest() if request is None else request
    task = LinearTask(model, Restriction() if restriction is None else restriction, start)
    inner = getattr(backend, "inner", backend)
    impossible = task.plainly_impossible()
    if not impossible and not np.any(task.cost) and not task.beats(task.offset, request.cutoff):
        impossible = "the objective is constant"
    if impossible:
        ended = Ended(MilpStatus.INFEASIBLE, message=impossible)
    elif hasattr(inner, "solve_task"):
        ended = cast(ArrayBackend, inner).solve_task(task, request, on_values, started)
    else:
        from matheur.solvers.linear_pyomo import solve_through_pyomo

        ended = solve_through_pyomo(backend, task, request, on_values)
    return _checked(backend, task, request, ended, started)


def _checked(backend: Backend, task: LinearTask, request: SolveRequest, ended: Ended, started: float) -> LinearAnswer:
    """The answer with what was recomputed, and without what does not hold."""
    status, values, message = ended.status, ended.values, ended.message
    with_solution = status in (MilpStatus.OPTIMAL, MilpStatus.FEASIBLE)
    if with_solution != (values is not None):
        raise FailedSolveError(f"'{backend.name}' answers with status {status.value}, {_lack(with_solution)}")
    objective = None
    if values is not None:
        claimed = ended.objective
        found = task.objective(values) if values.shape == (task.model.width,) else math.nan
        room = 10 * ROW * (1 + abs(found)) + 1e-9 * task.size
        if claimed is not None and np.isfinite(values).all() and not abs(claimed - found) <= room:
            said = f"claims the objective {claimed:.12g}, but its values give {found:.12g}"
            raise FailedSolveError(f"'{backend.name}' {said}")
        values, message = _whole(backend, task, request, values, message, started)
        objective = None if values is None else task.objective(values)
        if objective is not None and not task.beats(objective, request.cutoff):
            values, objective = None, None
        if values is None:
            status = MilpStatus.UNKNOWN
    bound = ended.bound
    if bound is not None and not abs(bound) < INFINITE:
        bound = None
    if status is MilpStatus.UNKNOWN and bound is not None and task.nothing_beyond(bound, request.cutoff):
        status, message = MilpStatus.INFEASIBLE, "nothing is better than the cutoff"
    tolerance = backend.capabilities.tolerance
    sizes = [abs(shown) for shown in (bound, objective, request.cutoff) if shown is not None]
    slack = ABSOLUTE + tolerance * max([task.size, *sizes])
    if status is MilpStatus.INFEASIBLE:
        if task.start_is_solution(request.cutoff):
            raise FailedSolveError(f"'{backend.name}' says that there is no solution, but the start is one")
        bound = request.cutoff
        if bound is not None and task.step and slack >= task.step:
            status, bound, message = MilpStatus.UNKNOWN, None, "what is better than the cutoff is within its tolerance"
    elif status is MilpStatus.UNBOUNDED:
        bound = None
    elif bound is not None and request.cutoff is not None:
        bound = task.sense * min(task.sense * bound, task.sense * request.cutoff)
    if objective is not None:
        bound, status, message = _gap(backend, task, request, (status, objective, bound), message)
    claims = status in (MilpStatus.OPTIMAL, MilpStatus.INFEASIBLE) or bound is not None
    coarse = task.coarse_row(tolerance) if claims and not backend.capabilities.integers_only else ""
    if coarse:
        status, bound = (MilpStatus.UNKNOWN if values is None else MilpStatus.FEASIBLE), None
        message = f"{message}, but {coarse} has numbers too large for its arithmetic".removeprefix(", ")
    return LinearAnswer(
        status, values, objective, bound, max(0, ended.nodes), time.perf_counter() - started, backend.name,
        backend.version(), message, ended.trace, ended.reduced_costs,
    )  # fmt: skip


def _lack(with_solution: bool) -> str:
    return "without a solution" if with_solution else "and a solution"


def _whole(
    backend: Backend, task: LinearTask, request: SolveRequest, values: Values, message: str, started: float
) -> tuple[Values | None, str]:
    """Values with whole integers that hold as well; those of another solve if they do not, None if there are none."""
    if values.shape != (task.model.width,) or not np.isfinite(values).all():
        raise FailedSolveError(f"'{backend.name}' answers with values that are no numbers")
    integral = task.integral
    whole = np.where(integral, np.rint(values), np.clip(values, task.lower, task.upper)) + 0.0
    moved = np.abs(whole - values)
    if np.any(moved[integral] > WHOLE):
        column = task.model.column_names[int(np.argmax(np.where(integral, moved, 0)))]
        raise FailedSolveError(f"'{backend.name}' says that a solution was found, but {column} is not whole")
    broken = task.fault(whole, ROW)
    if broken:
        whole = np.clip(settled(task.model, whole), task.lower, task.upper)
        broken = task.fault(whole, ROW)
    far = np.any(moved > 10 * ROW * np.maximum(1.0, np.abs(whole)))
    fault = task.fault(settled(task.model, values, whole=False), 10 * ROW) if broken or far else ""
    if fault:
        raise FailedSolveError(f"'{backend.name}' says that a solution was found, but it breaks {fault}")
    if not broken or integral.all() or not integral.any():  # else nothing is left to choose, or nothing is fixed
        return (whole, message) if not broken else (None, _broken(backend, broken))
    # The continuous columns are chosen again for the whole integers.
    fixed = Restriction(
        lower=np.where(integral, whole, task.lower), upper=np.where(integral, whole, task.upper),
        cost=task.restriction.cost, rows=task.restriction.rows, relaxed=True,
    )  # fmt: skip
    # With what a solver may overrun its limit each time, all this ends a second after the limit.
    left = None if request.seconds is None else max(0.4, request.seconds + 0.6 - (time.perf_counter() - started))
    again = solve_linear(
        backend, task.model, SolveRequest(seconds=left, seed=request.seed, interrupt=request.interrupt), fixed
    )
    return (None, _broken(backend, broken)) if again.values is None else (again.values, message)


def _broken(backend: Backend, broken: str) -> str:
    return f"its solution holds within the tolerance of '{backend.name}' only: {broken}"


def _gap(
    backend: Backend,
    task: LinearTask,
    request: SolveRequest,
    said: tuple[MilpStatus, float, float | None],
    message: str,
) -> tuple[float | None, MilpStatus, str]:
    """The bound on its right side, and no optimum with an open gap."""
    status, objective, bound = said
    sense = task.sense
    room = ROW * max(1.0, abs(objective))
    if bound is not None and sense * (bound - objective) > (min(room, task.step / 2) if task.step else room):
        text = f"the bound {bound:.12g} of '{backend.name}' is on the wrong side of {objective:.12g}, and dropped"
        return None, MilpStatus.FEASIBLE, text
    if bound is not None and sense * (bound - objective) > 0:
        bound = objective
    allowed = max(request.absolute_gap, request.relative_gap * abs(objective), room)
    if status is MilpStatus.OPTIMAL and bound is not None and sense * (objective - bound) > allowed:
        return bound, MilpStatus.FEASIBLE, f"{message}, with the gap open".removeprefix(", ")
    return bound, status, message
