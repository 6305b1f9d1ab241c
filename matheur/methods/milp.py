"""What every MILP operator shares: the choice of the backend, and a solve within a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Evaluation
from matheur.errors import MatheurError, OperatorError, SolverError
from matheur.linear.model import LinearModel
from matheur.solvers import Backend, MilpSolution, MilpStatus, SolveRequest, get_backend
from matheur.solvers.certificate import RefutedError, confirm, proof_facts
from matheur.solvers.linear import LinearAnswer, LinearSolve
from matheur.solvers.linear_task import Restriction

__all__ = [
    "SolverOptions",
    "begin_arrays",
    "certificate_of",
    "claim_of",
    "node_limit",
    "nothing_better",
    "other_backend",
    "run_arrays",
    "solve_arrays",
    "solve_model",
    "unanswered",
]

INTEGRAL_GAP = 0.999  # an integral objective: nothing better by 1 exists

_CERTIFIERS = ("highs", "scip", "pyomo:cbc", "pyomo:glpk")  # the first one that is there


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """Which MILP solver an operator uses.

    Attributes
    ----------
    name
        `highs`, `scip`, `cp-sat`, `pyomo:NAME`, or a backend of another package.
    threads
        Threads of the solver.
    options
        The backend's own options, as they are.
    """

    name: str = "highs"
    threads: int = option(1, minimum=1, maximum=256)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_options(self)


def solve_model(
    model: Any,
    solver: SolverOptions,
    budget: Budget,
    rng: Generator,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    absolute_gap: float = INTEGRAL_GAP,
    cutoff: float | None = None,
    target: float | None = None,
    warm_start: bool = False,
    on_values: Callable[[Mapping[Any, float]], None] | None = None,
) -> MilpSolution:
    """Solve a model within what is left of a budget; one work unit per branch-and-bound node, at least one.

    Parameters
    ----------
    seconds
        Limit of this solve in a timed run; a run in work units ignores it, so that it stays reproducible.
    nodes
        Limit of nodes.
    absolute_gap, cutoff, target, warm_start
        As in `SolveRequest`.
    on_values
        Called with the values of every incumbent on the way, where the backend can.

    Raises
    ------
    SolverError
        If the backend is missing or refuses model or options.
    """
    request = _request(
        solver, budget, rng, seconds, nodes,
        absolute_gap=absolute_gap, target=target, cutoff=cutoff, warm_start=warm_start,
        on_incumbent=None if on_values is None else lambda _point, values: on_values(values),
    )  # fmt: skip
    try:
        with budget.watched():  # the translation; the solver asks for itself
            answer = get_backend(solver.name).solve(model, request)
    except OutOfBudgetError:
        answer = unanswered(solver, budget)
    budget.spend(work=max(1, answer.nodes))
    return answer


def solve_arrays(
    model: LinearModel,
    solver: SolverOptions,
    budget: Budget,
    rng: Generator,
    *,
    restriction: Restriction | None = None,
    start: NDArray[np.float64] | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    relative_gap: float = 0.0,
    absolute_gap: float = 1e-9,
    cutoff: float | None = None,
    target: float | None = None,
    on_values: Callable[[NDArray[np.float64]], None] | None = None,
) -> LinearAnswer:
    """Solve a model in arrays, or what a restriction leaves of it, within what is left of a budget.

    Work and the other parameters are those of `solve_model`.

    Raises
    ------
    SolverError
        If the backend is missing or refuses model or options.
    """
    request = _request(
        solver, budget, rng, seconds, nodes,
        relative_gap=relative_gap, absolute_gap=absolute_gap, target=target, cutoff=cutoff,
    )  # fmt: skip
    with LinearSolve(get_backend(solver.name), model, request, restriction, start) as solve:
        answer = run_arrays(solve, budget, on_values=on_values)
    budget.spend(work=max(1, answer.nodes))
    return answer


def begin_arrays(
    model: LinearModel,
    solver: SolverOptions,
    rng: Generator,
    *,
    restriction: Restriction | None = None,
    start: NDArray[np.float64] | None = None,
    nodes: int | None = None,
    relative_gap: float = 0.0,
    absolute_gap: float = 1e-9,
    target: float | None = None,
) -> LinearSolve:
    """A solve of a model in arrays without a limit of time, for `run_arrays`.

    The parameters are those of `solve_arrays`.

    Raises
    ------
    SolverError
        If the backend is missing.
    """
    request = SolveRequest(
        threads=solver.threads, seed=int(rng.integers(1 << 30)), nodes=nodes, options=solver.options,
        relative_gap=relative_gap, absolute_gap=absolute_gap, target=target,
    )  # fmt: skip
    return LinearSolve(get_backend(solver.name), model, request, restriction, start)


def run_arrays(
    solve: LinearSolve,
    budget: Budget,
    *,
    seconds: float | None = None,
    on_values: Callable[[NDArray[np.float64]], None] | None = None,
    on_bound: Callable[[float], None] | None = None,
    pause: Callable[[], bool] | None = None,
) -> LinearAnswer:
    """Let a solve run until it is over or paused; its nodes, all so far, are not booked.

    Parameters
    ----------
    seconds, on_values, pause
        As in `LinearSolve.run`.
    on_bound
        Called in a timed run with the bound on the way, in the model's own sense and not checked, where the backend
        can.

    Raises
    ------
    SolverError
        As `LinearSolve.run`.
    """
    try:
        with budget.watched():  # the model is handed over: a second for a million coefficients
            return solve.run(
                on_values=None if on_values is None else lambda _point, values: on_values(values),
                on_bound=on_bound if budget.timed else None,
                interrupt=budget.interrupt, seconds=seconds, pause=pause,
                last=budget.seconds_left if budget.timed else None,
            )  # fmt: skip
    except OutOfBudgetError:
        backend = solve.backend
        return LinearAnswer(
            MilpStatus.UNKNOWN, None, None, None, 0, budget.elapsed, backend.name, backend.version(),
            "the budget ended while the model was handed over",
        )  # fmt: skip


def node_limit(solver: SolverOptions, budget: Budget, nodes: int) -> int | None:
    """The node limit of a call that also has a time limit: none in a timed run if the solver supports no node limit."""
    return nodes if not budget.timed or get_backend(solver.name).capabilities.node_limit else None


def _request(
    solver: SolverOptions, budget: Budget, rng: Generator, seconds: float | None, nodes: int | None, **more: Any
) -> SolveRequest:
    """A request within what is left of a budget."""
    limits = [limit for limit in (seconds, budget.seconds_left) if limit is not None] if budget.timed else []
    return SolveRequest(
        seconds=min(limits) if limits else None,
        threads=solver.threads,
        seed=int(rng.integers(1 << 30)),
        nodes=budget.affordable(nodes),
        options=solver.options,
        interrupt=budget.interrupt,
        **more,
    )


def unanswered(solver: SolverOptions, budget: Budget) -> MilpSolution:
    """The answer of a solver that was not asked, since the budget ended while its model was made."""
    backend = get_backend(solver.name)
    return MilpSolution(
        MilpStatus.UNKNOWN, {}, None, None, 0, budget.elapsed, backend.name, backend.version(),
        "the budget ended while the model was made",
    )  # fmt: skip


def certificate_of(answer: MilpSolution) -> dict[str, Any]:
    """What a proof by `solve_model` with its own gaps rests on, as plain values."""
    return proof_facts(answer, SolveRequest(absolute_gap=INTEGRAL_GAP))


def other_backend(first: str) -> Backend:
    """A MILP solver that can confirm a proof of `first`.

    Raises
    ------
    SolverError
        If no other one is available.
    """
    for name in _CERTIFIERS:
        if name != first and get_backend(name).available():  # one after the other: who looks for a program may complain
            return get_backend(name)
    raise SolverError(f"no second MILP solver is available to confirm '{first}'. Maybe pip install highspy pyscipopt?")


def nothing_better(
    model: Any,
    backend: Backend,
    *,
    first: str,
    objective: int | None,
    interrupt: Callable[[], bool],
    read: Callable[[Mapping[Any, float]], Evaluation],
    cutoff: float | None = None,
    absolute_gap: float = INTEGRAL_GAP,
) -> dict[str, Any]:
    """Let a backend look for anything better than a claimed optimum; the proof that there is nothing, as plain values.

    Parameters
    ----------
    first
        The method or backend that made the claim.
    objective
        The claimed optimum; None for the claim that there is no solution.
    read
        What the evaluator says of an answer, from the values of the variables.
    cutoff
        The claimed optimum in the model's own terms, if they are others.

    Raises
    ------
    OperatorError
        If the backend finds something better.
    SolverError
        If it could not finish, or what it found is not what it says.
    """
    request = SolveRequest(absolute_gap=absolute_gap, interrupt=interrupt)
    terms = None if objective is None else float(objective) if cutoff is None else cutoff
    try:
        return confirm(lambda: model, terms, backend, request)
    except RefutedError as refuted:
        try:
            found = read(refuted.answer.values)
        except (ArithmeticError, LookupError, MatheurError, TypeError, ValueError) as error:
            raise SolverError(f"'{backend.name}' answers with values that are not a solution ({error})") from None
    if not found.feasible or (objective is not None and found.objective >= objective):
        raise SolverError(
            f"'{backend.name}' could not confirm {claim_of(objective)}: its answer is not a better solution"
        )
    raise OperatorError(f"'{first}' claims {claim_of(objective)}, but '{backend.name}' found {found.objective}")


def claim_of(objective: int | None) -> str:
    """A claim in words: an optimum, or that there is no solution."""
    return "that there is no solution" if objective is None else f"the optimum {objective}"
