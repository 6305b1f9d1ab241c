"""Construction `milp-full`: the whole instance as one MILP."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError
from matheur.methods.milp import SolverOptions, solve_model
from matheur.models.quadratic_assignment import AssignmentModel, build, entries
from matheur.problems.quadratic_assignment.instance import MAGNITUDE_MAX
from matheur.problems.quadratic_assignment.operators.branch_and_bound import facts_of
from matheur.problems.quadratic_assignment.operators.starting import best_local_optimum
from matheur.problems.quadratic_assignment.operators.tree import ROOM, SIZE_MAX, Tree, magnitude
from matheur.problems.quadratic_assignment.restriction import Restriction, restrict
from matheur.solvers import MilpSolution, MilpStatus, SolveRequest
from matheur.solvers.certificate import proof_facts
from matheur.solvers.proving import proved_bound

__all__ = ["MilpFull"]

_TUNED: Mapping[str, Mapping[str, Any]] = {"highs": {"presolve": "off", "mip_lp_solver": "ipm"}}
_ENTRIES_MAX = 4_000_000
_SPARSE = 0.4  # share of pairs with flow up to which the flow formulation is used
_TIGHT_MAX = 10  # facilities up to which the large formulation is always used


@dataclass(frozen=True, slots=True)
class MilpFull:
    """A linearisation of all flows (`matheur.models.quadratic_assignment`), solved to the end or to the limit.

    The solver starts from the best of several local optima. The bound is the best of three: the solver's bound, the
    bound of Gilmore and Lawler, and the bound of the dual ascent of Hahn and Grant.

    Attributes
    ----------
    formulation
        Formulation of the MILP: `adams-johnson`, `flow`, `kaufman-broeckx`, or `auto`: `adams-johnson` for the general
        form, `flow` for sparse matrices or up to 10 facilities, otherwise `kaufman-broeckx`.
    strengthened
        Whether the model has the rows of partners (`flow`), or the Gilmore-Lawler costs (`kaufman-broeckx`).
    starts
        Number of local optima of `swap` from random permutations.
    ascent
        Largest number of rounds of the dual ascent; 0 for none.
    nodes
        Limit of branch-and-bound nodes.
    tuned
        Whether the solver gets options tuned to the formulation; its own `options` take precedence. HiGHS solves the
        degenerate relaxations of `adams-johnson` and `flow` five to ten times as fast with its interior point method
        and without presolve.
    solver
        The MILP backend.
    """

    formulation: Literal["auto", "adams-johnson", "flow", "kaufman-broeckx"] = "auto"
    strengthened: bool = True
    starts: int = 20
    ascent: int = 100
    nodes: int | None = option(None, minimum=0)
    tuned: bool = True
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
        best, value = best_local_optimum(problem, self.starts, budget, rng)
        bound, facts = self._ascend(one, value, budget)
        if bound < problem.trivial_bound:
            bound, facts = problem.trivial_bound, None
        finished = bound >= value or budget.reached(value)
        built = None
        if not (finished or budget.exhausted):
            with suppress(OutOfBudgetError), budget.watched():
                built = build(problem.instance, formulation, strengthened=self.strengthened)
                built.begin_at(best)
        if built is not None:
            answer = self._solve(problem, built, formulation, budget, rng)
            if answer.has_solution:
                places = built.read(answer.values)
                cost = int(problem.evaluate(places).objective)
                if cost < value:
                    best, value = places, cost
            solved = proved_bound(answer, step=one.grain, error=built.slack)
            if solved is not None and bound < solved:
                bound = solved
                facts = {**proof_facts(answer, SolveRequest(absolute_gap=_gap(one))), "formulation": formulation}
            finished = answer.status is MilpStatus.OPTIMAL
        status = Status.IMPROVED if finished else Status.EXHAUSTED
        return Outcome(status, best, value, bound=bound, certificate=facts)

    def _solve(
        self, problem: Any, built: AssignmentModel, formulation: str, budget: Budget, rng: Generator
    ) -> MilpSolution:
        def hand_out(values: Mapping[Any, float]) -> None:
            places = built.read(values)
            budget.offer(places, problem.evaluate(places).objective)

        solver = self.solver
        if self.tuned and formulation != "kaufman-broeckx":
            solver = replace(solver, options={**_TUNED.get(solver.name, {}), **solver.options})
        return solve_model(
            built.model, solver, budget, rng,
            nodes=self.nodes, absolute_gap=_gap(built.restriction), target=budget.target, warm_start=True,
            on_values=hand_out,
        )  # fmt: skip

    def _formulation(self, one: Restriction) -> str:
        name: str = self.formulation
        if name == "auto" and one.pairs is not None:
            name = "adams-johnson"
        if name == "auto":
            share = entries(one, "flow") / max(1, entries(one, "adams-johnson"))
            name = "flow" if share <= _SPARSE or len(one.facilities) <= _TIGHT_MAX else "kaufman-broeckx"
        if entries(one, name) > _ENTRIES_MAX:
            raise ConfigurationError(
                f"the model '{name}' would have {entries(one, name):,} non-zeros. Maybe 'faq' or 'genetic'?"
            )
        return name

    def _ascend(self, one: Restriction, value: int, budget: Budget) -> tuple[int, dict[str, Any] | None]:
        """The bound of the dual ascent, at most `value`, and the facts that support it."""
        if self.ascent == 0 or len(one.facilities) > SIZE_MAX or magnitude(one) >= ROOM:
            return -MAGNITUDE_MAX, None
        tree = Tree(one, value, root_rounds=self.ascent, thorough=True)
        while tree.at_root and not budget.exhausted:
            before = tree.work
            tree.search(1)  # one round
            budget.spend(work=max(1, (tree.work - before) // 100))
        return min(value, tree.bound), {**facts_of(tree), "nodes": 0}


def _gap(one: Restriction) -> float:
    """Absolute gap, from the fact that different objectives differ by at least the grain."""
    return one.grain - 0.001
