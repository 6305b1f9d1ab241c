"""Construction `portfolio`: the MILP solver in turns with searches without a tree."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.engine.protocols import contradicts
from matheur.errors import FailedSolveError
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.dive import Dive
from matheur.problems.milp.operators.feasibility_pump import FeasibilityPump
from matheur.problems.milp.operators.fix_and_propagate import FixAndPropagate
from matheur.problems.milp.operators.jump import Jump
from matheur.problems.milp.operators.solver import Solver
from matheur.problems.milp.operators.turns import MADE, Turns, settles
from matheur.problems.milp.operators.whole import Whole, best_known
from matheur.problems.milp.operators.without_objective import WithoutObjective
from matheur.problems.milp.problem import Milp

__all__ = ["Portfolio"]

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Portfolio:
    """The MILP solver, in turns with searches without a tree: `fix-and-propagate`, `jump`, others where they fail.

    The solver has the first turn, which solves easy models. Then the other searches have turns. After that the solver
    continues its tree with the best solution known, for as long as the elapsed time; these two phases then alternate.
    Near a proof the solver continues alone. As long as there is no solution, `dive`, `feasibility-pump`,
    `without-objective` and `other-solver` also have turns, and the turns of the solver are a quarter as long; `rens`
    has turns if there is a solution with a large gap. Each search gets a share of the elapsed time, so the portfolio
    costs little if the solver does well alone.

    When it is called again, because the neighbourhoods no longer find anything, the solver continues alone. Under a
    work limit the other searches come first; without any limit only the solver runs. Work: the sum over all searches.

    Attributes
    ----------
    trial
        Share of the time of the construction for the first turn; at least two seconds, if these are at most half of it.
        `jump` has half a second within a first turn of two seconds or more: after half a second if the solver has
        neither a bound nor a good solution by then, after one and a half if it has a bound but no solution.
    dives, walk
        Shares of the elapsed time, or of the work, for `fix-and-propagate` and `jump`; the share of `jump` is doubled
        if no column is continuous. If `jump` has come to a point that violates at most ten rows and there is still no
        solution after the searches that follow, it has a second turn. In later turns it continues where it stopped, and
        if there is a solution, another walk starts from the best one; both continue while they gain, up to three times
        as long.
    relaxed
        Share for each of `dive` and `feasibility-pump` while there is no solution, and for each of `core` and `rens` if
        there is one with a gap of more than 10 %; `core` and `rens` continue while they gain, up to three times as
        long.
    plain
        Share for `without-objective` while there is no solution; like the solver, it has several turns and continues
        where it stopped.
    patience
        Share of the remaining time without a better solution after which the solver leaves the time to the
        neighbourhoods, if it is not near a proof; three times that if it has found little. If it has found nothing and
        the gap is more than 100 %, it keeps all the time. 0: no more turns once there is a solution.
    other
        Share of the elapsed time for `other-solver`, while there is no solution.
    core
        Share of the elapsed time for `core`, if there is a solution with a gap of at most 10 %, until a turn of `core`
        does not improve the best solution; up to three times as long while it gains.
    cp_sat
        Share of the elapsed time for CP-SAT, if all columns are integer and it is installed (extra `cp`): in the first
        round if there is no solution or a poor one, and in all later ones. It continues, up to three times as long,
        while it improves the best solution. 0: never.
    solver
        The MILP solver.
    """

    continues: ClassVar[bool] = True
    trial: float = option(0.06, above=0, maximum=1)
    dives: float = option(0.05, minimum=0, maximum=1)
    walk: float = option(0.1, minimum=0, maximum=1)
    relaxed: float = option(0.1, minimum=0, maximum=1)
    plain: float = option(0.6, minimum=0, maximum=1)
    patience: float = option(0.25, minimum=0, maximum=1)
    other: float = option(0.15, minimum=0, maximum=1)
    core: float = option(0.35, minimum=0, maximum=1)
    cp_sat: float = option(0.35, minimum=0, maximum=1)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Run the solver and the other searches until there is a proof, the solver stalls, or the budget is used up.

        Raises
        ------
        SolverError
            If the solver fails, or the model is unbounded.
        """
        if not budget.timed and budget.work is None:
            return Solver(solver=self.solver).build(problem, budget, rng)
        found = self._built(problem, budget, rng)
        known, bound = found.objective, found.bound
        if known is None or bound is None or not contradicts(problem, bound, known):
            return found
        return replace(found, status=Status.EXHAUSTED, bound=None, certificate=None)  # a search refuted the solver

    def _built(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        made = MADE in budget.memory
        budget.memory[MADE] = 1.0
        if not budget.timed:
            return self._by_work(problem, budget, rng, made)
        turns = Turns(self, problem, budget, rng)
        if not made:
            return turns.all()
        impatient = budget.leaves_time and not self.patience and turns.best.solution is not None
        return turns.best if impatient else turns.alone()

    def _by_work(self, problem: Milp, budget: Budget, rng: Generator, made: bool) -> Outcome[Values]:
        """The other searches, then the solver, which starts from their best solution; later calls do nothing."""
        best, work = best_known(budget), budget.work_left or 0
        if made:
            budget.spend(work=1)
            return best
        searches = [*self.others(problem)]
        if problem.model.cost.any():
            searches.append((self.plain, WithoutObjective(solver=self.solver), False))
        for share, search, always in searches:
            if settles(best, budget):
                return best
            if always or best.solution is None:
                part = budget.child(work=max(1, int(share * work)))
                best = search.build(problem, part, rng).after(best)
        if settles(best, budget):
            return best
        try:
            with Whole(problem, self.solver, budget, rng, best) as whole:
                return whole.run(budget).after(best)
        except FailedSolveError:
            if best.solution is None:
                raise
            return best

    def others(self, problem: Milp) -> tuple[tuple[float, Any, bool], ...]:
        """Searches without a tree: share of the limits, the search, and whether it also runs if there is a solution."""
        own: dict[str, Any] = {"solver": self.solver}
        walk = min(1.0, 2 * self.walk) if problem.model.integral.all() else self.walk
        return (
            (self.dives, FixAndPropagate(**own), True),
            (walk, Jump(**own), True),
            (self.relaxed, Dive(**own), False),
            (self.relaxed, FeasibilityPump(**own), False),
        )
