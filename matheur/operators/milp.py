"""What every MILP operator shares: the choice of the backend, and a solve within a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.solvers import MilpSolution, SolveRequest, get_backend
from matheur.solvers.certificate import proof_facts

__all__ = ["SolverOptions", "certificate_of", "solve_model"]

INTEGRAL_GAP = 0.999  # an integral objective: nothing better by 1 exists


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
    threads: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)


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
    limits = [limit for limit in (seconds, budget.seconds_left) if limit is not None] if budget.timed else []
    node_limits = [limit for limit in (nodes, budget.work_left) if limit is not None]
    request = SolveRequest(
        seconds=min(limits) if limits else None,
        threads=solver.threads,
        absolute_gap=absolute_gap,
        seed=int(rng.integers(1 << 30)),
        nodes=min(node_limits) if node_limits else None,
        target=target,
        cutoff=cutoff,
        warm_start=warm_start,
        options=solver.options,
        interrupt=budget.interrupt,
        on_incumbent=None if on_values is None else lambda _point, values: on_values(values),
    )
    answer = get_backend(solver.name).solve(model, request)
    budget.spend(work=max(1, answer.nodes))
    return answer


def certificate_of(answer: MilpSolution) -> dict[str, Any]:
    """What a proof by `solve_model` with its own gaps rests on, as plain values."""
    return proof_facts(answer, SolveRequest(absolute_gap=INTEGRAL_GAP))
