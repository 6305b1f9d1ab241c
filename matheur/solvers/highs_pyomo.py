"""Pyomo models for HiGHS, through Pyomo's second-generation interface (which has no MIP start, trace or interrupt).

A model is translated for every solve: region models are small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import highspy
import numpy as np
from pyomo.contrib.solver.solvers.highs import Highs
from pyomo.repn import generate_standard_repn

from matheur.errors import SolverError
from matheur.solvers.banner import swallow_banner
from matheur.solvers.highs import optimise, set_options
from matheur.solvers.isolated import Ended, run_isolated
from matheur.solvers.model_solve import ModelSolve
from matheur.solvers.port import Backend, MilpSolution, SolveRequest

__all__ = ["solve_model"]


def solve_model(backend: Backend, model: Any, request: SolveRequest) -> MilpSolution:
    """Solve a model; see `matheur.solvers.port.Backend`."""
    return _Solve(backend, model, request).run()


class _Translated(Highs):
    """Pyomo's translation of a model, with access to the solver object and the variables by column."""

    @classmethod
    def of(cls, model: Any) -> _Translated:
        swallow_banner()
        made = cls(treat_fixed_vars_as_params=False)  # as constants they become stale, and cost a row each
        made.set_instance(model)
        return made

    def set_instance(self, model: Any) -> None:
        """Set the model without Pyomo's capture of output, which needs threads and takes the output of the process."""
        self._reinit()
        self._model = model
        self._solver_model = highspy.Highs()
        self._solver_model.setOptionValue("output_flag", False)
        self.add_block(model)
        if self._objective is None:
            self.set_objective(None)

    @property
    def engine(self) -> Any:
        return self._solver_model

    @property
    def variables(self) -> list[Any]:
        """Variables by column."""
        columns = self._pyomo_var_to_solver_var_map
        return [self._vars[key][0] for key in sorted(columns, key=columns.__getitem__)]


class _Solve(ModelSolve):
    """One solve, from translation to answer."""

    library = "HiGHS"

    def translated(self) -> _Translated:
        return _Translated.of(self.model)

    def solved(self, translated: _Translated) -> tuple[Ended, Sequence[Any]]:
        engine, variables = translated.engine, translated.variables
        engine.setOptionValue("output_flag", False)
        set_options(engine, self.request, self.target, self.started)
        if self.request.cutoff is not None:
            self.cut_off(engine, variables)
        if self.request.warm_start:
            known = [(column, v.value) for column, v in enumerate(variables) if v.value is not None]
            if known:
                index, start = zip(*known, strict=True)
                engine.setSolution(len(known), np.array(index, dtype=np.int32), np.array(start, dtype=np.float64))
        ended = run_isolated(
            lambda line: optimise(engine, len(variables), line),
            self.request,
            name=self.backend.name,
            started=self.started,
            variables=variables,
        )
        return ended, variables

    def cut_off(self, engine: Any, variables: list[Any]) -> None:
        """Add a row that allows only better objectives: HiGHS' own `objective_bound` makes it report wrong optima."""
        if self.goal.component is None:
            raise SolverError("a cutoff needs an objective")
        form = generate_standard_repn(self.goal.component.expr, quadratic=False)
        if not form.is_linear():
            raise SolverError("HiGHS takes a cutoff for linear objectives only")
        at = {id(variable): column for column, variable in enumerate(variables)}
        index = np.array([at[id(variable)] for variable in form.linear_vars], dtype=np.int32)
        weights = np.array([float(weight) for weight in form.linear_coefs])
        room = self.goal.better(float(self.request.cutoff or 0.0)) - float(form.constant)
        lower, upper = (-highspy.kHighsInf, room) if self.goal.sense > 0 else (room, highspy.kHighsInf)
        if not variables and not lower <= 0.0 <= upper:
            engine.addVar(0.0, 0.0)  # without columns HiGHS ignores rows
        engine.addRow(lower, upper, index.size, index, weights)
