"""Pyomo models for SCIP, through Pyomo's `scip_direct` and PySCIPOpt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyomo.contrib.solver.solvers.scip.scip_direct import ScipDirect
from pyomo.repn import generate_standard_repn
from pyscipopt.scip import Expr, ExprCons, Term

from matheur.errors import SolverError
from matheur.solvers.isolated import Ended, run_isolated
from matheur.solvers.model_solve import ModelSolve
from matheur.solvers.port import Backend, MilpSolution, SolveRequest
from matheur.solvers.scip import optimise, set_options

__all__ = ["solve_model"]


def solve_model(backend: Backend, model: Any, request: SolveRequest) -> MilpSolution:
    """Solve a model; see `matheur.solvers.port.Backend`."""
    return _Solve(backend, model, request).run()


class _Translated(ScipDirect):
    """Pyomo's translation of a model, with linear rows and objectives passed directly.

    Pyomo itself builds linear rows term by term and replaces every objective by an extra variable and row.
    """

    @classmethod
    def of(cls, model: Any) -> _Translated:
        made = cls()
        config = made.config()
        config.timer = _NoTimer()
        made._create_solver_model(model, config)
        return made

    @property
    def engine(self) -> Any:
        return self._solver_model

    @property
    def columns(self) -> Any:
        return self._pyomo_var_to_solver_var_map

    def linear(self, form: Any) -> Any:
        """A linear standard form, without its constant, as an expression of SCIP."""
        known = self._pyomo_var_to_solver_var_map
        terms: dict[Any, float] = {}
        for weight, variable in zip(form.linear_coefs, form.linear_vars, strict=True):
            if variable not in known:
                self._add_var(variable)
            terms[Term(known[variable])] = float(weight)
        return Expr(terms)

    def _add_constraint(self, con: Any) -> None:
        form = generate_standard_repn(con.body, quadratic=False)
        if not form.is_linear() or not form.linear_vars:
            super()._add_constraint(con)
            return
        lower = None if con.lower is None else float(con.lb) - float(form.constant)
        upper = None if con.upper is None else float(con.ub) - float(form.constant)
        row = self._solver_model.addCons(ExprCons(self.linear(form), lower, upper))
        self._pyomo_con_to_solver_con_map[con] = row

    def _set_objective(self, obj: Any) -> None:
        if obj is not None:
            form = generate_standard_repn(obj.expr, quadratic=False)
            if form.is_linear():
                sense = "minimize" if obj.sense == 1 else "maximize"
                self._solver_model.setObjective(self.linear(form) + float(form.constant), sense)
                self._objective = obj
                return
        super()._set_objective(obj)


class _NoTimer:
    """Replacement for Pyomo's timer."""

    def start(self, _name: str) -> None: ...

    def stop(self, _name: str) -> None: ...


class _Solve(ModelSolve):
    """One solve, from translation to answer."""

    library = "SCIP"

    def translated(self) -> _Translated:
        return _Translated.of(self.model)

    def solved(self, translated: _Translated) -> tuple[Ended, Sequence[Any]]:
        engine = translated.engine
        variables, columns = list(translated.columns), list(translated.columns.values())
        engine.hideOutput()
        set_options(engine, self.request, self.target, self.started)
        if self.request.cutoff is not None:
            if self.goal.component is None:
                raise SolverError("a cutoff needs an objective")
            engine.setObjlimit(self.goal.better(self.request.cutoff))
        if self.request.warm_start:
            known = [(column, v.value) for v, column in zip(variables, columns, strict=True) if v.value is not None]
            if known:
                start = engine.createPartialSol()
                for column, value in known:
                    start[column] = value
                engine.addSol(start)
        ended = run_isolated(
            lambda line: optimise(engine, columns, lambda found: self.goal.beats(found, self.request.cutoff), line),
            self.request,
            name=self.backend.name,
            started=self.started,
            variables=variables,
        )
        return ended, variables
