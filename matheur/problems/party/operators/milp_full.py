"""The whole puzzle as one MILP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.milp import SolverOptions, certificate_of, solve_model
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.explanation import explain
from matheur.problems.party.operators.modelling import party_model
from matheur.solvers import MilpSolution, MilpStatus
from matheur.solvers.proving import proved_bound

if TYPE_CHECKING:
    from matheur.models.party import PartyModel

__all__ = ["MilpFull", "cheaper"]


@dataclass(frozen=True, slots=True)
class MilpFull:
    """All demands and the price in one model, without candidates that others dominate. Work: branch-and-bound nodes.

    The model compares neighbours by the values of their traits, so it needs no pairs of items; see
    `matheur.models.party`.

    Attributes
    ----------
    reduce
        Whether to leave out dominated candidates; the optimum stays the same.
    nodes
        Maximum number of branch-and-bound nodes.
    solver
        MILP solver and its options.
    """

    reduce: bool = True
    nodes: int | None = option(None, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Build and solve the model; explain the infeasibility if the puzzle has no solution."""
        instance: Instance = problem.instance
        if any(not len(items) for items in instance.candidates):
            budget.spend(work=1)
            return _infeasible(problem, budget, rng, self.solver, {"backend": "check of the candidates"})
        built = party_model(instance, budget, reduce=self.reduce, in_units=True)
        target = None if budget.target is None else built.objective_of(budget.target)
        answer, found = _solved(problem, built, self.solver, budget, rng, self.nodes, target)
        if answer.status is MilpStatus.INFEASIBLE:
            return _infeasible(problem, budget, rng, self.solver, certificate_of(answer))
        return found


def cheaper(problem: Any, incumbent: NDArray[np.int32], budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
    """Find a party with a lower objective than the incumbent by the whole model, or prove that there is none."""
    below = int(problem.evaluate(incumbent).objective)
    built = party_model(problem.instance, budget, reduce=True, price_max=below - 1, in_units=True)
    answer, found = _solved(problem, built, SolverOptions(), budget, rng)
    if answer.status is MilpStatus.INFEASIBLE:
        certificate = {**certificate_of(answer), **_terms(built)}
        return Outcome(Status.LOCAL_OPTIMUM, bound=below, certificate=certificate)
    bound = None if found.bound is None else min(below, found.bound)
    if found.objective is not None and found.objective >= below:
        return Outcome(Status.EXHAUSTED, bound=bound, certificate=found.certificate)
    return replace(found, bound=bound)


def _solved(
    problem: Any,
    built: PartyModel,
    solver: SolverOptions,
    budget: Budget,
    rng: Generator,
    nodes: int | None = None,
    target: float | None = None,
) -> tuple[MilpSolution, Outcome[NDArray[np.int32]]]:
    """Solve the model; return the solver's result, and the outcome for the puzzle unless the model is infeasible."""

    def hand_out(values: Mapping[Any, float]) -> None:
        party = built.read(values)
        evaluation = problem.evaluate(party)
        if evaluation.feasible:  # a party that is feasible only within the solver's tolerances does not count
            budget.offer(party, evaluation.objective)

    answer = solve_model(built.model, solver, budget, rng, nodes=nodes, target=target, on_values=hand_out)
    above = proved_bound(answer)
    bound = None if above is None else max(problem.trivial_bound, built.base + built.unit * above)
    certificate = None if bound is None else {**certificate_of(answer), **_terms(built)}
    nothing: Outcome[NDArray[np.int32]] = Outcome(Status.EXHAUSTED, bound=bound, certificate=certificate)
    if not answer.has_solution:
        return answer, nothing
    party = built.read(answer.values)
    evaluation = problem.evaluate(party)
    if not evaluation.feasible:
        return answer, nothing
    status = Status.IMPROVED if answer.status is MilpStatus.OPTIMAL else Status.EXHAUSTED
    return answer, Outcome(status, party, int(evaluation.objective), bound=bound, certificate=certificate)


def _terms(built: PartyModel) -> dict[str, int]:
    """Offset and unit of the objective of the model in terms of the price; empty if it is the price itself."""
    return {} if (built.base, built.unit) == (0, 1) else {"price_base": built.base, "price_unit": built.unit}


def _infeasible(
    problem: Any, budget: Budget, rng: Generator, solver: SolverOptions, certificate: Mapping[str, Any]
) -> Outcome[NDArray[np.int32]]:
    reason = explain(problem, budget, rng, solver)
    return Outcome(Status.INFEASIBLE, reason=reason, certificate=certificate)
