"""Search by MILP for a party that differs sufficiently from given ones, or the proof that there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.random import Generator
from numpy.typing import NDArray
from pyomo.core.expr import LinearExpression

from matheur.engine.budget import Budget
from matheur.errors import OperatorError
from matheur.methods.milp import SolverOptions, solve_model
from matheur.models.party import PartyModel, build
from matheur.problems.party import Party
from matheur.problems.party.operators.reduction import cheaper
from matheur.pyomo_turn import in_turn
from matheur.running.diversity.differences import Differences
from matheur.solvers import MilpStatus

__all__ = ["Answer", "PartyExclusion"]

Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Answer:
    """A party and its price, or None; `none` is True if it is proved that there is no party."""

    party: Rows | None = None
    price: int = 0
    none: bool = False


class PartyExclusion:
    """Searches by MILP for parties far from others. The model is reused with other exclusions in each search.

    Parameters
    ----------
    problem
        The puzzle.
    solver
        Options of the MILP solver.
    differences
        Definition of the distance between parties.
    """

    def __init__(self, problem: Party, solver: SolverOptions, differences: Differences) -> None:
        self.problem: Party = problem
        self.solver: SolverOptions = solver
        self.differences: Differences = differences
        self._built: PartyModel | None = None
        self._cap: int | None = None

    def search(self, excluded: Sequence[Rows], distance: int, cap: int, budget: Budget, rng: Generator) -> Answer:
        """Return the first party found that costs at most `cap` and has at least this distance from all excluded ones.

        Raises
        ------
        OperatorError
            If the solver's result is not a feasible party.
        """
        built = self._model(cap, lambda: budget.exhausted)
        if built is None:
            return Answer(none=True)
        self._exclude(built, excluded, distance)
        found = solve_model(built.model, self.solver, budget, rng, target=built.objective_of(cap))
        if not found.has_solution:
            return Answer(none=found.status is MilpStatus.INFEASIBLE)
        return self._checked(built, found.values, excluded, distance)

    def _checked(
        self, built: PartyModel, values: Mapping[Any, float], excluded: Sequence[Rows], distance: int
    ) -> Answer:
        party = built.read(values)
        evaluation = self.problem.evaluate(party)
        if not evaluation.feasible:
            raise OperatorError(f"'{self.solver.name}' returned a party that violates: {evaluation.violations[0]}")
        if len(excluded) and self.differences.between(np.stack(excluded), party).min() < distance:
            raise OperatorError(f"'{self.solver.name}' returned a party that was excluded")
        return Answer(party, int(evaluation.objective))

    def _model(self, cap: int, interrupt: Callable[[], bool]) -> PartyModel | None:
        """Return the model without exclusions; None if no party costs at most `cap`."""
        if self._cap != cap:
            self._cap, self._built = cap, None
            one = self.problem.instance
            candidates, _ = cheaper(one, one.candidates, cap, interrupt=interrupt)
            if all(len(items) for items in candidates):
                self._built = build(one, candidates, price_max=cap, in_units=True)
        return self._built

    @in_turn
    def _exclude(self, built: PartyModel, excluded: Sequence[Rows], distance: int) -> None:
        model = built.model
        if hasattr(model, "excluded"):
            model.del_component(model.excluded)
        model.excluded = pyo.ConstraintList()
        shared = self.differences.places - distance
        for party in excluded:
            here = party[built.slot] == built.item if self.differences.by_place else np.isin(built.item, party)
            mine = [built.variables[number] for number in np.flatnonzero(here).tolist()]
            if len(mine) > shared:
                body = LinearExpression(constant=0, linear_coefs=[1.0] * len(mine), linear_vars=mine)
                model.excluded.add((None, body, float(shared)))
