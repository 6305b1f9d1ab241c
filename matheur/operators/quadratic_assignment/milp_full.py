"""Construction `milp-full`: the whole instance as one MILP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError
from matheur.models.quadratic_assignment import build, entries
from matheur.operators.milp import SolverOptions, solve_model
from matheur.operators.quadratic_assignment.branch_and_bound import facts_of
from matheur.operators.quadratic_assignment.starting import best_local_optimum
from matheur.operators.quadratic_assignment.tree import ROOM, SIZE_MAX, Tree, magnitude
from matheur.problems.quadratic_assignment.restriction import Restriction, restrict
from matheur.solvers import MilpStatus, SolveRequest
from matheur.solvers.certificate import proof_facts

__all__ = ["MilpFull"]

_ENTRIES_MAX = 4_000_000
_SPARSE = 0.4  # share of pairs with flow up to which the flow formulation is taken
_TIGHT_MAX = 10  # facilities up to which the large formulation is taken in any case


@dataclass(frozen=True, slots=True)
class MilpFull:
    """A linearisation of all flows (`matheur.models.quadratic_assignment`), solved to the end or to the limit.

    The solver starts from the best of some local optima. Before that, the dual ascent of Hahn and Grant may show that
    some assignments are in no solution that is as good; they are left out of the model.

    Attributes
    ----------
    formulation
        `adams-johnson`, `flow`, `kaufman-broeckx`, or `auto`: `flow` for sparse matrices and up to 10 facilities,
        else `kaufman-broeckx`.
    strengthened
        With the rows of partners (`flow`), or the Gilmore-Lawler costs (`kaufman-broeckx`).
    closing
        Whether the dual ascent leaves assignments out.
    starts
        Local optima of `swap` from random permutations.
    nodes
        Limit of branch-and-bound nodes.
    solver
        The MILP backend.
    """

    formulation: Literal["auto", "adams-johnson", "flow", "kaufman-broeckx"] = "auto"
    strengthened: bool = True
    closing: bool = True
    starts: int = 20
    nodes: int | None = None
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Build and solve the model. Work: moves of `swap`, linear assignments / 100, and nodes of the solver's tree.

        Raises
        ------
        ConfigurationError
            If the model would be too large.
        """
        one = restrict(problem.instance, np.full(problem.instance.n, -1))
        formulation = self._formulation(one)
        start, value = best_local_optimum(problem, self.starts, budget, rng)
        tree = self._ascend(one, value, budget)
        if tree is not None and tree.best is not None:
            start, value = one.complete(tree.best), one.cost(tree.best)
        bound = problem.trivial_bound if tree is None else max(problem.trivial_bound, min(value, tree.bound))
        if budget.exhausted or budget.reached(value) or bound >= value:
            status = Status.IMPROVED if bound >= value else Status.EXHAUSTED
            facts = None if tree is None else facts_of(tree)
            return self._outcome(status, start, value, bound, facts, budget)
        allowed = None if tree is None else tree.open
        built = build(problem.instance, formulation, allowed=allowed, strengthened=self.strengthened)
        built.begin_at(start)
        gap = one.grain - 0.001

        def hand_out(values: Mapping[Any, float]) -> None:
            places = built.read(values)
            budget.offer(places, problem.evaluate(places).objective)

        answer = solve_model(
            built.model, self.solver, budget, rng,
            nodes=self.nodes, absolute_gap=gap, target=budget.target, warm_start=True, on_values=hand_out,
        )  # fmt: skip
        if answer.has_solution:
            places = built.read(answer.values)
            cost = int(problem.evaluate(places).objective)
            if cost < value:
                start, value = places, cost
        facts = {**proof_facts(answer, SolveRequest(absolute_gap=gap)), "formulation": formulation}
        if allowed is not None:
            facts["closed_by_dual_ascent"] = int(allowed.size - np.count_nonzero(allowed))
        if answer.bound is not None:
            bound = max(bound, min(value, built.lower_bound(answer.bound)))
        status = Status.IMPROVED if answer.status is MilpStatus.OPTIMAL else Status.EXHAUSTED
        return self._outcome(status, start, value, bound, facts, budget)

    def _formulation(self, one: Restriction) -> str:
        name: str = self.formulation
        if name == "auto":
            pairs = entries(one, "flow") / max(1, entries(one, "adams-johnson"))
            name = "flow" if pairs <= _SPARSE or len(one.facilities) <= _TIGHT_MAX else "kaufman-broeckx"
        if entries(one, name) > _ENTRIES_MAX:
            raise ConfigurationError(
                f"the model '{name}' would have {entries(one, name):,} non-zeros. Maybe 'faq' or 'genetic'?"
            )
        return name

    def _ascend(self, one: Restriction, value: int, budget: Budget) -> Tree | None:
        """The root of a branch and bound that looks for solutions up to the value; None without `closing`."""
        if not self.closing or len(one.facilities) > SIZE_MAX or magnitude(one) >= ROOM:
            return None
        tree = Tree(one, value + 1)
        while tree.at_root and not budget.exhausted:
            before = tree.work
            tree.search(1)  # one round
            budget.spend(work=max(1, (tree.work - before) // 100))
        return tree

    def _outcome(
        self,
        status: Status,
        places: NDArray[np.int32],
        value: int,
        bound: int,
        facts: Mapping[str, Any] | None,
        budget: Budget,
    ) -> Outcome[NDArray[np.int32]]:
        return Outcome(
            status,
            places,
            value,
            bound=bound,
            work=budget.spent_work,
            seconds=budget.elapsed,
            certificate=facts,
        )
