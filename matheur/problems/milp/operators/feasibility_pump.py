"""Construction `feasibility-pump`: rounded points and points of the relaxation that come nearer to each other."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.finder import LP_SHARE, Finder
from matheur.problems.milp.operators.fix_and_propagate import POINT
from matheur.problems.milp.operators.jump import ended
from matheur.problems.milp.operators.relaxation import relaxation_of, relaxed_again
from matheur.problems.milp.problem import Milp
from matheur.solvers.linear_task import Restriction

__all__ = ["FeasibilityPump"]

Values = NDArray[np.float64]

_WHOLE = 1e-6


@dataclass(frozen=True, slots=True)
class FeasibilityPump:
    """Round a point of the relaxation with propagation, continue with the nearest point of the relaxation, and repeat.

    Rounding is random: the fraction is the probability of rounding up. Bounds are propagated after each column, and a
    short walk, the local search of `jump`, repairs violated rows. The distance is combined with the objective, whose
    weight decreases. If a rounded point repeats, random columns are changed. It ends with its first solution. After
    Fischetti, Glover and Lodi (2005), and Achterberg and Berthold (2007). Work: one unit for each linear program, and
    one for each 100,000 coefficients examined.

    Attributes
    ----------
    rounds
        Number of rounded points after which it restarts from the relaxation, or ends if there is no limit.
    fading
        Factor applied to the weight of the objective after each rounded point.
    repair
        Length of a walk, in passes over the whole model.
    solver
        The MILP solver, for linear programs.
    """

    rounds: int = option(60, minimum=1)
    fading: float = option(0.85, minimum=0, below=1)
    repair: int = option(100, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Pump until there is a solution, or the budget is used up."""
        if budget.exhausted:
            return Outcome(Status.EXHAUSTED)
        finder = Finder(problem, self.solver, budget, rng)
        limited = budget.timed or budget.work is not None
        while finder.conflict is None and finder.best is None and not budget.exhausted:
            relaxed = relaxation_of(problem.model, self.solver, budget, LP_SHARE)
            if relaxed is None:
                break
            self._pump(finder, relaxed.values)
            if not limited:
                break
        return ended(finder)

    def _pump(self, finder: Finder, point: Values) -> None:
        """Alternate between rounding and the nearest point of the relaxation."""
        seen: set[bytes] = set()
        weight = 1.0
        for _ in range(self.rounds):
            rounded = finder.dived(finder.order("point", point), POINT, point)
            if rounded is None:
                return
            key = rounded[finder.problem.model.integral].tobytes()
            if key in seen:
                rounded = self._changed(finder, rounded, point)
            seen.add(key)
            if self._is_solution(finder, rounded):
                return
            weight *= self.fading
            model, whole = finder.problem.model, finder.problem.model.integral
            nearest = relaxed_again(
                model, _towards(finder, rounded, point, weight), self.solver, finder.budget, finder.rng, LP_SHARE
            )
            if nearest is None:
                return
            point = nearest
            near = np.where(whole, np.rint(point), point)
            if np.all(np.abs(point - near) <= _WHOLE) and finder.completed(near) is not None:
                return

    def _is_solution(self, finder: Finder, rounded: Values) -> bool:
        """Whether a rounded point, or one near it, is a solution; if so, it is reported."""
        if finder.clean and finder.completed(rounded) is not None:
            return True
        if not self.repair or finder.budget.exhausted:
            return finder.budget.exhausted
        walk, found = finder.walk, finder.walk.found
        walk.restart(rounded)
        finder.walked(self.repair, first=True)
        if walk.found > found:
            finder.completed(walk.values)
        return finder.best is not None

    def _changed(self, finder: Finder, rounded: Values, point: Values) -> Values:
        """The rounded point with other values where the distance is large, and in random other columns."""
        model, bounds = finder.problem.model, finder.bounds
        chance = np.maximum(0.0, finder.rng.uniform(-0.3, 0.7, model.width))
        turned = model.integral & (np.abs(point - rounded) + chance > 0.5)
        either = finder.rng.choice([-1.0, 1.0], model.width)
        step = np.where(point > rounded, 1.0, np.where(point < rounded, -1.0, either))
        moved = np.clip(rounded + step, bounds.lower, bounds.upper)
        return np.where(turned, moved, rounded)


def _towards(finder: Finder, rounded: Values, point: Values, weight: float) -> Restriction:
    """The relaxation with the distance to a rounded point as its costs, plus the weighted objective of the model.

    If the rounded value is a bound, the distance is linear. Otherwise, the column is restricted to the side of the
    rounded value that contains the last point: there the distance is linear, and the last point remains feasible.
    """
    model, bounds = finder.problem.model, finder.bounds
    low, high = np.maximum(model.lower, bounds.lower), np.minimum(model.upper, bounds.upper)
    lower, upper = model.lower.copy(), model.upper.copy()
    whole = model.integral & (low < high)
    at_low, at_high = whole & (rounded <= low), whole & (rounded >= high)
    between = whole & ~at_low & ~at_high
    above = between & (point >= rounded)
    below = between & ~above
    lower[above] = np.minimum(rounded, point)[above]
    upper[below] = np.maximum(rounded, point)[below]
    distance = np.zeros(model.width)
    distance[at_low | above] = 1.0
    distance[at_high | below] = -1.0
    length = float(np.linalg.norm(model.cost))
    if length:
        distance *= (1 - weight) * (-1.0 if model.maximise else 1.0)
        distance += weight * np.sqrt(max(1, int(whole.sum()))) / length * model.cost
    elif model.maximise:
        distance = -distance
    return Restriction(lower=lower, upper=upper, cost=distance)
