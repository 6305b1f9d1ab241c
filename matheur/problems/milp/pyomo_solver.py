"""matheur as a solver of Pyomo, in both interfaces of Pyomo: that of `pyomo.environ` and the newer one.

Values are loaded into the model; termination condition, bound and objective are reported as by other solvers. Only a
proved optimum is called optimal. At a time limit, the best feasible solution is returned.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, UnboundedError, nearest
from matheur.pyomo_start import start_pyomo
from matheur.version import __version__

start_pyomo()

from pyomo.common.collections import ComponentMap  # noqa: E402
from pyomo.common.timing import HierarchicalTimer  # noqa: E402
from pyomo.contrib.solver.common.base import Availability, LegacySolverWrapper, SolverBase  # noqa: E402
from pyomo.contrib.solver.common.config import SolverConfig  # noqa: E402
from pyomo.contrib.solver.common.factory import SolverFactory  # noqa: E402
from pyomo.contrib.solver.common.results import Results, SolutionStatus, TerminationCondition  # noqa: E402
from pyomo.contrib.solver.common.solution_loader import SolutionLoader  # noqa: E402
from pyomo.contrib.solver.common.util import (  # noqa: E402
    NoDualsError,
    NoFeasibleSolutionError,
    NoOptimalSolutionError,
    NoReducedCostsError,
)

from matheur.problems.milp import Milp  # noqa: E402
from matheur.running.adopting import Adopted, by_name  # noqa: E402
from matheur.running.result import Result  # noqa: E402
from matheur.running.solving import solve  # noqa: E402
from matheur.solvers.pyomo_arrays import PyomoArrays, arrays_of  # noqa: E402

__all__ = ["LegacyMatheur", "MatheurSolver", "register"]

_OPTIONS = (
    "acceptance",
    "certify",
    "checkpoint",
    "config",
    "construction",
    "groups",
    "iterations",
    "jobs",
    "neighbourhoods",
    "out",
    "pool",
    "preset",
    "resume",
    "schedule",
    "seconds",
    "seed",
    "settings",
    "solver",
    "target",
    "trace",
    "work",
)
_ENDINGS = {
    "optimal": TerminationCondition.convergenceCriteriaSatisfied,
    "infeasible": TerminationCondition.provenInfeasible,
}
_STOPPED = {
    "budget": TerminationCondition.maxTimeLimit,
    "interrupt": TerminationCondition.interrupted,
    "target": TerminationCondition.objectiveLimit,
}


class _Loader(SolutionLoader):
    """Loader for the values of a solution."""

    def __init__(self, model: Any, arrays: PyomoArrays, values: NDArray[np.float64] | None) -> None:
        self._pyomo_model = model
        self._arrays, self._values = arrays, values

    def get_number_of_solutions(self) -> int:
        """1 if there is a solution."""
        return int(self._values is not None)

    def get_vars(self, vars_to_load: Sequence[Any] | None = None) -> Mapping[Any, float]:
        """Values by variable."""
        if self._values is None:
            raise NoFeasibleSolutionError
        found = ComponentMap(zip(self._arrays.variables, self._values.tolist(), strict=True))
        return found if vars_to_load is None else ComponentMap((one, found[one]) for one in vars_to_load)

    def load_vars(self, vars_to_load: Sequence[Any] | None = None) -> None:
        """Set the values of the variables."""
        if self._values is None:
            raise NoFeasibleSolutionError
        self._arrays.load(self._values)

    def get_duals(self, cons_to_load: Sequence[Any] | None = None) -> dict[Any, float]:
        """There are none."""
        raise NoDualsError

    def get_reduced_costs(self, vars_to_load: Sequence[Any] | None = None) -> Mapping[Any, float]:
        """There are none."""
        raise NoReducedCostsError

    def load_import_suffixes(self) -> None:
        """There are no duals and no reduced costs: suffixes that import them are emptied."""
        self._collect_and_clear_import_suffixes()


class _LegacyLoader(_Loader):
    """Loader for the older interface, which always requests duals: there are none."""

    def get_duals(self, cons_to_load: Sequence[Any] | None = None) -> dict[Any, float]:
        """No duals."""
        return {}

    def get_reduced_costs(self, vars_to_load: Sequence[Any] | None = None) -> Mapping[Any, float]:
        """No reduced costs."""
        return {}


class MatheurSolver(SolverBase):
    """The newer interface; `solver_options` are parameters of `matheur.solve`: `solver`, `preset`, `seed` and more."""

    name = "matheur"
    CONFIG = SolverConfig()
    _groups: Any = None
    _loader = _Loader

    def available(self) -> Availability:
        """Always."""
        return Availability.FullLicense

    def version(self) -> tuple[int, ...]:
        """Version of matheur."""
        return tuple(int(part) for part in re.findall(r"\d+", __version__)[:3])

    def solve(self, model: Any, *, groups: Any = None, **kwds: Any) -> Results:
        """Solve a linear model.

        Parameters
        ----------
        groups
            Index sets whose groups belong together, as in `matheur.solve`.

        Raises
        ------
        SolverError
            If the model is not linear, with the name of the row or variable.
        NoFeasibleSolutionError, NoOptimalSolutionError
            Depending on Pyomo's configuration `raise_exception_on_nonoptimal_result`.
        """
        config = self.config(value=kwds, preserve_implicit=True)
        began = datetime.datetime.now(datetime.UTC)
        timer = config.timer or HierarchicalTimer()
        timer.start("translation")
        arrays = arrays_of(model)
        timer.stop("translation")
        given = self._given(config)
        problem = Milp(arrays.model, labels=arrays.index(), absent=arrays.absent)
        groups = self._groups if groups is None else groups
        if groups is not None:
            given["groups"] = groups
        if given.get("groups") is not None:
            problem = problem.with_groups(by_name(given["groups"]))
        start = self._start(arrays)
        seconds = given.pop("seconds", None)
        if config.time_limit is not None:
            seconds = config.time_limit
        result: Result | None = None
        delivered: list[Result] = []
        timer.start("solve")
        try:
            result = solve(
                Adopted(problem, str(model.name), delivered.append), seconds=seconds, start=start,
                observers=[_Teller(config.tee)] if config.tee else [], **given,
            )  # fmt: skip
        except UnboundedError:
            pass
        except KeyboardInterrupt:
            if config.load_solutions and delivered and delivered[0].solution is not None:
                arrays.load(delivered[0].solution)
            raise
        timer.stop("solve")
        found = self._results(model, arrays, result)
        counted = seconds is None and any(given.get(name) is not None for name in ("iterations", "work"))
        if counted and found.termination_condition == TerminationCondition.maxTimeLimit:
            found.termination_condition = TerminationCondition.iterationLimit
        found.timing_info.timer = timer
        found.timing_info.start_timestamp = began
        found.timing_info.wall_time = (datetime.datetime.now(datetime.UTC) - began).total_seconds()
        found.solver_config = config
        if config.raise_exception_on_nonoptimal_result and found.solution_status != SolutionStatus.optimal:
            raise NoOptimalSolutionError
        if config.load_solutions:
            if found.solution_status == SolutionStatus.noSolution:
                raise NoFeasibleSolutionError
            found.solution_loader.load_vars()
        return found

    def _given(self, config: Any) -> dict[str, Any]:
        given = dict(config.solver_options.value())
        for name in given:
            if name not in _OPTIONS:
                raise ConfigurationError(f"unknown option {name!r} of matheur. {nearest(name, _OPTIONS)}")
        if config.threads is not None:
            chosen = given.get("solver", "highs")
            table = dict(chosen) if isinstance(chosen, Mapping) else {"name": chosen}
            given["solver"] = {**table, "threads": config.threads}
        return given

    def _start(self, arrays: PyomoArrays) -> NDArray[np.float64] | None:
        """None: only the older interface has starts."""
        return None

    def _results(self, model: Any, arrays: PyomoArrays, result: Result | None) -> Results:
        """Pyomo's results object for a result; None stands for an unbounded model."""
        found = Results()
        found.solver_name, found.solver_version = self.name, self.version()
        found.solution_loader = self._loader(model, arrays, None if result is None else result.solution)
        if result is None:
            found.termination_condition = TerminationCondition.unbounded
            found.solution_status = SolutionStatus.noSolution
            return found
        ending = _ENDINGS.get(result.status) or _STOPPED.get(result.stopped, TerminationCondition.unknown)
        found.termination_condition = ending
        if result.solution is None:
            found.solution_status = SolutionStatus.noSolution
        else:
            found.solution_status = SolutionStatus.optimal if result.status == "optimal" else SolutionStatus.feasible
            found.incumbent_objective = float(result.objective or 0)
        found.objective_bound = None if result.bound is None else float(result.bound)
        return found


class _Teller:
    """Writes improvements to the streams of Pyomo's option `tee`."""

    def __init__(self, streams: Sequence[Any]) -> None:
        self._streams = streams

    def __call__(self, event: Mapping[str, Any]) -> None:
        if event["event"] != "incumbent":
            return
        for stream in self._streams:
            stream.write(f"{event['seconds']:9.2f} s  {event['operator']:<18} {event['score']}\n")


class LegacyMatheur(LegacySolverWrapper, MatheurSolver):
    """The older interface, of `pyomo.environ.SolverFactory`."""

    _warm = False
    _loader = _LegacyLoader

    def warm_start_capable(self) -> bool:
        """True: with `warmstart=True`, the values of the variables are used as a start."""
        return True

    def solve(self, model: Any, *, warmstart: bool = False, groups: Any = None, **kwds: Any) -> Any:
        """Solve; parameters as in Pyomo's other solvers, and `groups` as in `matheur.solve`."""
        self._warm, self._groups = warmstart, groups
        config, options = self.config(), self.options.value()  # Pyomo itself would keep the options of this call
        try:
            return super().solve(model, **kwds)
        finally:
            self._warm, self._groups = False, None
            self.config.set_value(config)
            for name in self.options.value().keys() - options.keys():
                del self.options[name]
            for name, value in options.items():
                self.options[name] = value

    def _start(self, arrays: PyomoArrays) -> NDArray[np.float64] | None:
        """The values of the variables, NaN where there is none; None if there are none at all."""
        values = arrays.start()
        return values if self._warm and not np.isnan(values).all() else None


def register() -> None:
    """Register the solver with Pyomo as `matheur`."""
    about = "Matheuristics over any MILP solver, every solution checked"
    SolverFactory.register("matheur", doc=about)(MatheurSolver, LegacyMatheur)
