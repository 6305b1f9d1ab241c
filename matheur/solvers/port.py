"""The one port of all MILP backends: a uniform request and a uniform answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from numbers import Real
from typing import Any, Protocol

__all__ = [
    "IMPLIED_INTEGRAL",
    "Backend",
    "Capabilities",
    "MilpSolution",
    "MilpStatus",
    "SolveRequest",
    "TracePoint",
    "answer_fault",
]

IMPLIED_INTEGRAL = "implied_integral"
"""Attribute of a Pyomo model: True declares that some optimum has whole numbers in all continuous variables, too.

Backends for integers only then treat these variables as integers; for other backends it implies that a linear objective
with integral coefficients takes integral values.
"""


class MilpStatus(Enum):
    """How a MILP solve ended."""

    OPTIMAL = "optimal"  # within the gaps of the request and the tolerance of the solver
    FEASIBLE = "feasible"  # an incumbent, without proof, at a limit
    INFEASIBLE = "infeasible"  # proved (also: nothing better than the cutoff exists)
    UNBOUNDED = "unbounded"
    UNKNOWN = "unknown"  # no incumbent at a limit


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Declared capabilities of a backend.

    Attributes
    ----------
    warm_start, bound, seed, node_limit, target, cutoff, interrupt, trace
        Whether the backend supports the request's field of that name (`bound`: reports a dual bound; `interrupt`: stops
        within a second of an interrupt, even during the solve; `trace`: reports incumbents when it finds them).
    options
        Whether free options (`SolveRequest.options`) are passed on and unknown ones rejected.
    integers_only
        Whether it accepts only bounded integer variables and linear rows, and computes exactly; a model with continuous
        variables must declare `IMPLIED_INTEGRAL`.
    quadratic_objective, quadratic_rows, nonlinear, sos
        Whether it accepts quadratic objectives, quadratic rows, other nonlinear functions, and SOS constraints.
        Components that a backend does not declare are rejected by name before the model is passed on.
    tolerance
        Possible error of its bounds, relative to the size of the objective; if the error may reach a step of the
        objective, the bound proves nothing (`matheur.solvers.proving`).
    digits
        Significant digits of the values that it returns. If a row does not hold because there are few, HiGHS computes
        the continuous variables for its integers.
    """

    warm_start: bool
    bound: bool
    seed: bool
    node_limit: bool
    target: bool
    cutoff: bool
    interrupt: bool
    trace: bool
    options: bool
    integers_only: bool = False
    quadratic_objective: bool = False
    quadratic_rows: bool = False
    nonlinear: bool = False
    sos: bool = False
    tolerance: float = 1e-7
    digits: int = 15


@dataclass(frozen=True, slots=True)
class TracePoint:
    """An incumbent during a solve: seconds since the start of the solve, its objective, and the bound at that time."""

    seconds: float
    objective: float
    bound: float | None


@dataclass(frozen=True, slots=True)
class SolveRequest:
    """Uniform request of a solve, with the same fields for every backend.

    Attributes
    ----------
    seconds
        Wall-clock limit, None for no limit.
    threads
        Threads of the solver; keep 1 in worker processes.
    relative_gap, absolute_gap
        Gaps within which a solution counts as optimal. For an integral objective use `absolute_gap=0.999`.
    seed
        Random seed of the solver, >= 0.
    nodes
        Limit of branch-and-bound nodes (the deterministic budget), None for no limit.
    target
        Objective at which the solve stops; an incumbent must be at least this good.
    cutoff
        Objective that solutions must be strictly better than; the status is `INFEASIBLE` if there are none.
    warm_start
        Whether to use the values of the model's variables as a MIP start.
    options
        Options by the backend's own names, passed unchanged; unknown ones raise a `SolverError`.
    interrupt
        Called often; True stops the solve with its results so far.
    on_bound
        Called with the bound of the solver when it has changed, at most a few times per second, if the backend supports
        it.
    on_incumbent
        Called with each new incumbent's trace point and values, if the backend supports it; an exception in it stops
        the solve and is passed on.
    """

    seconds: float | None = None
    threads: int = 1
    relative_gap: float = 0.0
    absolute_gap: float = 1e-6
    seed: int = 0
    nodes: int | None = None
    target: float | None = None
    cutoff: float | None = None
    warm_start: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    interrupt: Callable[[], bool] | None = None
    on_bound: Callable[[float], None] | None = None
    on_incumbent: Callable[[TracePoint, Mapping[Any, float]], None] | None = None

    def __post_init__(self) -> None:
        for name in ("seconds", "relative_gap", "absolute_gap", "seed", "nodes"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise ValueError(f"{name} must not be negative ({value!r})")
        if self.threads < 1:
            raise ValueError(f"threads must be at least 1 ({self.threads!r})")


@dataclass(frozen=True, slots=True)
class MilpSolution:
    """Uniform answer of a solve.

    Attributes
    ----------
    status
        See `MilpStatus`.
    values
        Value of every variable of the solution, a `pyomo.common.collections.ComponentMap`; empty without an incumbent.
    objective
        Objective of the incumbent in the model's own sense; None without an incumbent.
    bound
        Proved bound in the model's own sense, None if there is none.
    nodes
        Number of branch-and-bound nodes.
    seconds
        Wall-clock seconds of the whole call.
    backend, version
        Name and version of the backend that answered.
    message
        The backend's own description of how the solve ended.
    trace
        Incumbents in the order in which they were found.
    tolerance
        Possible error of the bound from the solver's arithmetic; None if unchecked. Set when answers are checked.
    """

    status: MilpStatus
    values: Mapping[Any, float]
    objective: float | None
    bound: float | None
    nodes: int
    seconds: float
    backend: str
    version: str
    message: str = ""
    trace: tuple[TracePoint, ...] = ()
    tolerance: float | None = None

    @property
    def has_solution(self) -> bool:
        """True if `values` holds a solution."""
        return self.objective is not None


def answer_fault(answer: Any) -> str | None:
    """A sentence if the answer of a backend is not a `MilpSolution`, or has values of the wrong types, else None.

    Examples
    --------
    >>> answer_fault(None)
    "the answer is not a MilpSolution, but NoneType. Maybe 'return' is missing?"
    """
    if not isinstance(answer, MilpSolution):
        hint = ". Maybe 'return' is missing?" if answer is None else ""
        return f"the answer is not a MilpSolution, but {type(answer).__name__}{hint}"
    said: Any = answer  # whatever its annotations say
    if not isinstance(said.status, MilpStatus):
        return f"the status {said.status!r} is not a MilpStatus"
    for name in ("objective", "bound"):
        value = getattr(said, name)
        if value is not None and not isinstance(value, Real):
            return f"the {name} is not a number ({value!r})"
    if not isinstance(said.values, Mapping) or (type(said.values) is dict and said.values):
        return f"the values are not a ComponentMap of variables, but {type(said.values).__name__}"
    return None


class Backend(Protocol):
    """A MILP solver. Pyomo is not thread-safe: backends from `get_backend` take turns, other code must take care."""

    name: str
    capabilities: Capabilities

    def available(self) -> bool:
        """Whether the backend can be used here; never raises."""

    def version(self) -> str:
        """Version of solver and binding; raises `SolverError` if the solver is missing."""

    def solve(self, model: Any, request: SolveRequest) -> MilpSolution:
        """Solve a `pyomo.ConcreteModel`, whose variable values do not change."""
