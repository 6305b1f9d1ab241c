"""MILP backend that uses `scipy.optimize.milp`."""

import time

import scipy
from scipy.optimize import LinearConstraint, milp

from matheur.solvers import Capabilities, MilpStatus
from matheur.solvers.answers import answer, goal_of, without_trivial_rows
from matheur.solvers.isolated import Ended, run_isolated
from matheur_scipy.form import arrays

ENDINGS = {0: MilpStatus.OPTIMAL, 2: MilpStatus.INFEASIBLE, 3: MilpStatus.UNBOUNDED}


class ScipyBackend:
    name = "scipy"
    capabilities = Capabilities(
        bound=True, cutoff=True, node_limit=True, interrupt=True,
        warm_start=False, seed=False, target=False, trace=False, options=False,
    )  # fmt: skip
    available = staticmethod(lambda: True)
    version = staticmethod(lambda: f"scipy {scipy.__version__}")

    def solve(self, model, request):
        started, goal = time.perf_counter(), goal_of(model)
        with without_trivial_rows(model) as impossible:
            if impossible:
                return answer(self, model, goal, request, Ended(MilpStatus.INFEASIBLE), (), started)
            variables, weights, constant, rows, bounds = arrays(model)
        rows, whole = [rows], [*(variable.is_integer() for variable in variables), False]
        if request.cutoff is not None:
            rows.append(LinearConstraint(weights, ub=goal.sense * goal.better(request.cutoff) - constant))
        limits = {"time_limit": request.seconds, "node_limit": request.nodes, "mip_rel_gap": request.relative_gap}

        def optimise(line):
            found = milp(weights, integrality=whole, bounds=bounds, constraints=rows, options=limits)
            x = None if found.x is None else found.x[:-1]
            status = ENDINGS.get(found.status, MilpStatus.UNKNOWN if x is None else MilpStatus.FEASIBLE)
            dual = found.mip_dual_bound if any(whole) else found.fun  # SciPy has no dual bound for an LP
            objective, bound = (None if end is None else goal.sense * (end + constant) for end in (found.fun, dual))
            return Ended(status, objective, bound, found.mip_node_count or 0, found.message, x)

        ended = run_isolated(optimise, request, name=self.name, started=started, variables=variables)
        return answer(self, model, goal, request, ended, variables, started)
