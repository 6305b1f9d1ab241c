"""The port on arrays: a `LinearModel`, restricted or not, solved by any backend, and every answer checked.

HiGHS, SCIP and CP-SAT read the arrays directly, HiGHS and SCIP into an object that is created once per model. For all
other backends the arrays are converted to a Pyomo model.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from matheur.errors import FailedSolveError
from matheur.linear.building import INFINITE
from matheur.linear.evaluation import settled
from matheur.linear.model import LinearModel
from matheur.pyomo_turn import pyomo_turn
from matheur.solvers.cost_scale import cost_factor, point_of, request_with, with_factor
from matheur.solvers.isolated import Ended, IsolatedSolve
from matheur.solvers.linear_task import ROW, LinearTask, Restriction
from matheur.solvers.port import Backend, MilpStatus, SolveRequest, TracePoint
from matheur.solvers.proving import ABSOLUTE

__all__ = ["ArrayBackend", "LinearAnswer", "LinearSolve", "solve_linear"]

Values = NDArray[np.float64]

WHOLE = 1e-5  # integrality tolerance
ROUNDING = 1e-9  # relative tolerance of a difference that is compared with a gap


@dataclass(frozen=True, slots=True)
class LinearAnswer:
    """The result of a solve on arrays.

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
        Reduced costs by column of an optimal linear program, if the backend returns them; else None.
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
    """A backend that accepts arrays."""

    def begin_task(self, task: LinearTask, request: SolveRequest, started: float) -> IsolatedSolve | Ended:
        """Begin to solve, or return the answer at once; the caller checks the results.

        The cutoff of the request is strict, see `LinearTask.better`. The seconds of the request count from `started`, a
        value of `time.perf_counter()`.
        """


class LinearSolve:
    """A solve of a model, with or without a restriction, that can be paused.

    Its process exists from the first `run` until the solve is over or closed. A paused solve continues with its tree; a
    backend that accepts only Pyomo models ends instead, and restarts from the best solution.

    Parameters
    ----------
    backend
        From `get_backend`.
    request
        Limits and gaps. The seconds count from now, pauses included.
    start
        Start values, NaN where unknown.

    Attributes
    ----------
    backend
        The backend.
    """

    def __init__(
        self,
        backend: Backend,
        model: LinearModel,
        request: SolveRequest | None = None,
        restriction: Restriction | None = None,
        start: Values | None = None,
    ) -> None:
        self.backend: Backend = backend
        self._started = time.perf_counter()
        self._request = SolveRequest() if request is None else request
        restriction = Restriction() if restriction is None else restriction
        exact = backend.capabilities.integers_only
        self._factor = 1.0 if exact else cost_factor(LinearTask(model, restriction).cost)
        self._task = LinearTask(*with_factor(model, restriction, self._factor), start)
        self._solve: IsolatedSolve | None = None
        self._again = False  # the solve was paused, and has no process

    def __enter__(self) -> LinearSolve:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def waits(self) -> bool:
        """Whether the solve is paused, and `run` continues it."""
        return self._again or (self._solve is not None and self._solve.waits)

    def give(self, values: Values) -> None:
        """Pass a solution before the solve begins or while it is paused; some backends ignore it."""
        if self._solve is None:
            self._task = replace(self._task, start=values)
        else:
            self._solve.give(values)

    def close(self) -> None:
        """Close the solve."""
        self._again = False
        if self._solve is not None:
            self._solve.close()

    def run(
        self,
        *,
        on_values: Callable[[TracePoint, Values], None] | None = None,
        on_bound: Callable[[float], None] | None = None,
        interrupt: Callable[[], bool] | None = None,
        seconds: float | None = None,
        pause: Callable[[], bool] | None = None,
        last: float | None = None,
    ) -> LinearAnswer:
        """Solve until the solve is over or paused; return the answer so far.

        Parameters
        ----------
        on_values
            Called with each new incumbent, if the backend supports it; an exception in it stops the solve.
        on_bound, interrupt
            Callbacks that replace those of the request.
        seconds
            Seconds after which the solve is paused; None for no limit.
        pause
            Called often; True pauses the solve earlier.
        last
            Seconds after which no further solve may continue that the check of the answer needs; None for no limit
            other than that of the request.

        Raises
        ------
        SolverError
            If the backend does not support the model, fails, or gives an answer that the model refutes.
        """
        task, factor, tell = self._task, self._factor, on_values
        request = replace(
            self._request,
            on_bound=self._request.on_bound if on_bound is None else on_bound,
            interrupt=self._request.interrupt if interrupt is None else interrupt,
        )
        request = request_with(request, factor)
        if tell is not None and factor != 1:
            on_values = lambda point, values: tell(point_of(point, factor), values)  # noqa: E731
        ended = self._known_end(request) if self._solve is None else None
        end = math.inf if last is None else time.perf_counter() + last - self._started
        if ended is None:
            ended = self._listened(request, on_values, seconds, pause)
        if request.seconds is None or end < request.seconds:
            request = replace(request, seconds=None if end == math.inf else max(0.0, end))
        answer = _checked(self.backend, task, request, ended, self._started)
        return answer if factor == 1 else _without(answer, factor)

    def _known_end(self, request: SolveRequest) -> Ended | None:
        task = self._task
        impossible = task.plainly_impossible()
        if not impossible and not np.any(task.cost) and not task.beats(task.offset, request.cutoff):
            impossible = "the objective is constant"
        return Ended(MilpStatus.INFEASIBLE, message=impossible) if impossible else None

    def _listened(
        self,
        request: SolveRequest,
        on_values: Callable[[TracePoint, Values], None] | None,
        seconds: float | None,
        pause: Callable[[], bool] | None,
    ) -> Ended:
        end = math.inf if seconds is None else time.perf_counter() + seconds

        def enough() -> bool:
            return time.perf_counter() >= end or (pause is not None and pause())

        if not _on_arrays(self.backend):
            return self._through_pyomo(request, on_values, end, enough)
        inner = getattr(self.backend, "inner", self.backend)
        if self._solve is None:
            begun = cast(ArrayBackend, inner).begin_task(self._task, request, self._started)
            if isinstance(begun, Ended):
                return begun
            self._solve = begun
        return self._solve.run(request, on_values, enough)

    def _through_pyomo(
        self,
        request: SolveRequest,
        on_values: Callable[[TracePoint, Values], None] | None,
        end: float,
        enough: Callable[[], bool],
    ) -> Ended:
        with pyomo_turn():
            from matheur.solvers.linear_pyomo import solve_through_pyomo

        interrupt = request.interrupt
        stopped = False

        def over() -> bool:
            nonlocal stopped
            stopped = interrupt is not None and interrupt()
            return stopped or (time.perf_counter() < end and enough())

        now = time.perf_counter()
        last = math.inf if request.seconds is None else self._started + request.seconds
        left = None if min(last, end) == math.inf else max(0.0, min(last, end) - now)
        asked = replace(request, seconds=left, interrupt=over)
        ended = solve_through_pyomo(self.backend, self._task, asked, on_values)
        unfinished = ended.status in (MilpStatus.FEASIBLE, MilpStatus.UNKNOWN)
        self._again = unfinished and not stopped and enough() and time.perf_counter() < last
        if self._again and ended.values is not None:
            self.give(ended.values)
        return ended


def solve_linear(
    backend: Backend,
    model: LinearModel,
    request: SolveRequest | None = None,
    restriction: Restriction | None = None,
    start: Values | None = None,
    *,
    on_values: Callable[[TracePoint, Values], None] | None = None,
) -> LinearAnswer:
    """Solve a model, with or without a restriction, to the end.

    Parameters
    ----------
    backend, request, start
        As in `LinearSolve`.
    on_values
        As in `LinearSolve.run`.

    Raises
    ------
    SolverError
        As for `LinearSolve.run`.
    """
    with LinearSolve(backend, model, request, restriction, start) as solve:
        return solve.run(on_values=on_values)


def _checked(backend: Backend, task: LinearTask, request: SolveRequest, ended: Ended, started: float) -> LinearAnswer:
    """The answer with recomputed values, and without unproved claims."""
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
            slack = ABSOLUTE + tolerance * max([task.size_within(bound), *sizes])
        if bound is not None and task.step and slack >= task.step:
            status, bound, message = (
                MilpStatus.UNKNOWN,
                None,
                "a solution better than the cutoff may exist within its tolerance",
            )
    elif status is MilpStatus.UNBOUNDED:
        bound = None
        if task.integral.any() and not _on_arrays(backend):
            status, message = _without_costs(backend, task, request, started)
    elif bound is not None and request.cutoff is not None:
        bound = task.sense * min(task.sense * bound, task.sense * request.cutoff)
    if status is MilpStatus.OPTIMAL and objective is not None and abs(objective) >= INFINITE:
        status, message = MilpStatus.FEASIBLE, f"{objective:.3g} is infinite for the solver"
    if objective is not None:
        bound, status, message = _gap(backend, task, request, (status, objective, bound), message)
    claims = status in (MilpStatus.OPTIMAL, MilpStatus.INFEASIBLE) or bound is not None
    refuted = _refuted_by_start(backend, task, status, bound) if claims and request.cutoff is None else ""
    if refuted:
        status, bound, message, claims = _unproved(values), None, refuted, False
    known = request.cutoff if objective is None else objective  # a claim is about solutions that are better
    coarse = task.coarse_row(tolerance, known) if claims and not backend.capabilities.integers_only else ""
    if not coarse and claims and status is MilpStatus.INFEASIBLE and request.cutoff is None:
        coarse = "" if backend.capabilities.integers_only or task.plainly_impossible() else task.noisy_row()
    if coarse:
        status, bound = _unproved(values), None
        message = f"{message}, but {coarse} has numbers too large for its arithmetic".removeprefix(", ")
    return LinearAnswer(
        status, values, objective, bound, max(0, ended.nodes), time.perf_counter() - started, backend.name,
        backend.version(), message, ended.trace, ended.reduced_costs,
    )  # fmt: skip


def _unproved(values: Values | None) -> MilpStatus:
    return MilpStatus.UNKNOWN if values is None else MilpStatus.FEASIBLE


def _refuted_by_start(backend: Backend, task: LinearTask, status: MilpStatus, bound: float | None) -> str:
    """A sentence if a claim without a cutoff excludes the start, a solution within the tolerance; else empty."""
    known = task.start_objective()
    if known is None:
        return ""
    if status is MilpStatus.INFEASIBLE:
        return f"'{backend.name}' says that there is no solution, but the start is one within the tolerance"
    if bound is None or task.sense * (bound - known) <= ROW * max(1.0, abs(known)):
        return ""
    return f"the bound {bound:.12g} of '{backend.name}' is on the wrong side of the start {known:.12g} and is dropped"


def _without(answer: LinearAnswer, factor: float) -> LinearAnswer:
    """An answer without the factor of the costs."""
    costs = answer.reduced_costs
    return replace(
        answer,
        objective=None if answer.objective is None else answer.objective / factor,
        bound=None if answer.bound is None else answer.bound / factor,
        trace=tuple(point_of(point, factor) for point in answer.trace),
        reduced_costs=None if costs is None else costs / factor,
    )


def _on_arrays(backend: Backend) -> bool:
    return hasattr(getattr(backend, "inner", backend), "begin_task")


def _without_costs(backend: Backend, task: LinearTask, request: SolveRequest, started: float) -> tuple[MilpStatus, str]:
    """Status of a model reported unbounded, which may refer only to the relaxation: it may have no solution."""
    left = None if request.seconds is None else max(0.4, request.seconds - (time.perf_counter() - started))
    free = replace(task.restriction, cost=np.zeros(task.model.width))
    asked = SolveRequest(seconds=left, seed=request.seed, interrupt=request.interrupt)
    found = solve_linear(backend, task.model, asked, free)
    if found.values is not None:
        return MilpStatus.UNBOUNDED, "unbounded"
    return (found.status if found.status is MilpStatus.INFEASIBLE else MilpStatus.UNKNOWN), "infeasible or unbounded"


def _lack(with_solution: bool) -> str:
    return "without a solution" if with_solution else "and a solution"


def _whole(
    backend: Backend, task: LinearTask, request: SolveRequest, values: Values, message: str, started: float
) -> tuple[Values | None, str]:
    """Values with rounded integers if they are feasible, else values of another solve; None if there are none."""
    if values.shape != (task.model.width,) or not np.isfinite(values).all():
        raise FailedSolveError(f"'{backend.name}' answers with values that are not numbers")
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
    if not broken or integral.all() or not integral.any():  # there are no continuous columns, or no integer columns
        return (whole, message) if not broken else (None, _broken(backend, broken))
    # The continuous columns are optimised again for the rounded integers.
    fixed = Restriction(
        lower=np.where(integral, whole, task.lower), upper=np.where(integral, whole, task.upper),
        cost=task.restriction.cost, rows=task.restriction.rows, relaxed=True,
    )  # fmt: skip
    # Even if the solver overruns its limit each time, all this ends a second after the limit.
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
    """Bound, status and message: the bound is on the correct side, and no optimum has an open gap."""
    status, objective, bound = said
    sense = task.sense
    room = ROW * max(1.0, abs(objective))
    if bound is not None and sense * (bound - objective) > (min(room, task.step / 2) if task.step else room):
        text = f"the bound {bound:.12g} of '{backend.name}' is on the wrong side of {objective:.12g} and is dropped"
        return None, MilpStatus.FEASIBLE, text
    if bound is not None and sense * (bound - objective) > 0:
        bound = objective
    allowed = max(request.absolute_gap, request.relative_gap * abs(objective), room)
    allowed += ROUNDING * (allowed + abs(objective))
    if status is MilpStatus.OPTIMAL and bound is not None and sense * (objective - bound) > allowed:
        return bound, MilpStatus.FEASIBLE, f"{message}, with the gap open".removeprefix(", ")
    return bound, status, message
