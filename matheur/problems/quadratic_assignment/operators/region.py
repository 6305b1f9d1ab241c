"""Neighbourhood `region`: the optimal places of a few free facilities, all others fixed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.engine.proofs import proof_key
from matheur.methods.milp import SolverOptions
from matheur.problems.quadratic_assignment.instance import Instance, flows_only
from matheur.problems.quadratic_assignment.operators.region_choice import Chooser, Rule
from matheur.problems.quadratic_assignment.operators.region_methods import (
    Arrangement,
    by_branch_and_bound,
    by_enumeration,
    by_milp,
)
from matheur.problems.quadratic_assignment.operators.tree import SIZE_MAX
from matheur.problems.quadratic_assignment.restriction import Restriction, restrict

__all__ = ["Region"]

Method = Literal["auto", "enumeration", "branch-and-bound", "milp"]

_FEW = 10  # facilities up to which enumeration is faster
_RULES: tuple[Rule, ...] = ("linked", "near", "costly", "random")
_DRAWS = 20  # attempts to draw a set that is not proved optimal


@dataclass(frozen=True, slots=True)
class Region:
    """Free some facilities and place them optimally on the locations that become free.

    A set that is proved optimal is not solved again until the permutation changes.

    Attributes
    ----------
    method
        Exact method. `enumeration`: all arrangements, with the bound of Gilmore and Lawler, for a `size` up to about
        12; `branch-and-bound`: with the dual ascent of Hahn and Grant, up to about 18; `auto`: the first up to 10
        facilities, otherwise the second; `milp`: a model of the restricted problem.
    size
        Number of free facilities, 2 to 45.
    choice
        Rule for the facilities to free: `linked` by flow, on `near` locations, `costly` where they are, `random`, or
        `mixed`, which cycles through these rules.
    iterations
        Number of sets per call.
    formulation
        Formulation of the MILP: `kaufman-broeckx`, `flow` or `adams-johnson`.
    seconds, nodes
        Limits per set: seconds for a MILP in a timed run; nodes (linear assignments for `branch-and-bound`) in every
        run.
    solver
        The MILP backend.
    """

    method: Method = "auto"
    size: int = option(14, minimum=2, maximum=SIZE_MAX)
    choice: Rule | Literal["mixed"] = "mixed"
    iterations: int = option(50, minimum=1)
    formulation: Literal["kaufman-broeckx", "flow", "adams-johnson"] = "kaufman-broeckx"
    seconds: float | None = option(10.0, minimum=0)
    nodes: int | None = option(None, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(
        self, problem: Any, incumbent: NDArray[np.int32], budget: Budget, rng: Generator
    ) -> Outcome[NDArray[np.int32]]:
        """Solve sets one after the other and keep every improvement.

        Work: nodes of `enumeration` / 1,000, linear assignments of `branch-and-bound` / 100, nodes of the MILP.
        """
        instance: Instance = problem.instance
        if self.method in ("enumeration", "milp"):
            flows_only(instance, f"region by {self.method}")
        places = np.array(incumbent, dtype=np.int32)
        before = objective = restrict(instance, places).constant
        chooser, whole = Chooser(instance, self.size), self.size >= instance.n
        proved = False
        for turn in range(self.iterations):
            drawn = self._draw(chooser, places, turn, budget, rng)
            if drawn is None:
                proved = whole
                break
            if budget.exhausted:
                break
            one = restrict(instance, places, drawn)
            found = self._solve(instance, one, objective, budget, rng)
            if found.order is not None:
                places, objective = one.complete(found.order), one.cost(found.order)
                budget.offer(places.copy(), objective)
            if found.proved:
                budget.proofs.remember(_key(places, drawn))
            proved = found.proved and whole
            if proved or budget.reached(objective):
                break
        better = objective < before
        if proved:
            status = Status.LOCAL_OPTIMUM
        elif better:
            status = Status.IMPROVED
        else:
            status = Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT
        return Outcome(status, places if better else None, objective if better else None)

    def _solve(self, instance: Instance, one: Restriction, present: int, budget: Budget, rng: Generator) -> Arrangement:
        if self.method == "milp":
            return by_milp(
                instance, one, present, self.formulation, self.solver, budget, rng,
                seconds=self.seconds, nodes=self.nodes,
            )  # fmt: skip
        few = self.method == "enumeration" or (self.method == "auto" and len(one.facilities) <= _FEW)
        few = few and one.pairs is None  # the enumeration does not support the general form
        return (by_enumeration if few else by_branch_and_bound)(one, present, budget, self.nodes)

    def _draw(
        self, chooser: Chooser, places: NDArray[np.int32], turn: int, budget: Budget, rng: Generator
    ) -> NDArray[np.int64] | None:
        """A set of facilities whose places are not yet proved optimal; None if none was found."""
        rule = _RULES[turn % len(_RULES)] if self.choice == "mixed" else self.choice
        for _ in range(_DRAWS):
            drawn = chooser.draw(rule, places, rng)
            if _key(places, drawn) not in budget.proofs:
                return drawn
        return None


def _key(places: NDArray[np.int32], free: NDArray[np.int64]) -> str:
    # All methods prove the same statement; it depends on the permutation and on the free facilities.
    return proof_key("region", places, free)
