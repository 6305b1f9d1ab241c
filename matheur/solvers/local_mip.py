"""Local-MIP, a local search for linear models (the package `localmip`), in a separate process.

It gives no proof and no bound, so it is not a backend: the construction `local-mip` uses it to find solutions.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.linear.model import LinearModel, dot
from matheur.solvers.isolated import Ended, Line, run_isolated
from matheur.solvers.port import MilpStatus, SolveRequest, TracePoint

__all__ = ["LocalSearch", "need_local_mip"]

Values = NDArray[np.float64]

_LOOK_SECONDS = 0.1  # seconds between two checks of the best solution of a running search
_FOREVER = 1e8  # the largest limit that it accepts


def need_local_mip() -> None:
    """Raise an error with installation advice if the package is missing.

    Raises
    ------
    ConfigurationError
        If it is missing.
    """
    if find_spec("localmip_py") is None:
        raise ConfigurationError("construction 'local-mip' needs Local-MIP. Maybe pip install 'matheur[localmip]'?")


@dataclass(frozen=True, slots=True, eq=False)
class LocalSearch:
    """A search of Local-MIP.

    Attributes
    ----------
    model
        The model.
    lower, upper
        Bounds by column.
    start
        Start values within the bounds; None for the values nearest to 0.
    patience
        Number of steps without a better solution after which the search ends.
    steps
        Step limit, checked only when `patience` runs out; None for no limit.
    """

    model: LinearModel
    lower: Values
    upper: Values
    start: Values | None
    patience: int
    steps: int | None

    def run(
        self,
        request: SolveRequest,
        on_values: Callable[[TracePoint, Values], None] | None = None,
    ) -> Ended:
        """Search within the seconds of a request, with its seed.

        Neither the answer nor the reported solutions are checked. `nodes` of the answer are steps.

        Raises
        ------
        SolverError
            If the process dies or fails.
        """
        started = time.perf_counter()
        return run_isolated(
            lambda line: self._search(request, started, line),
            request,
            name="local-mip",
            started=started,
            on_values=on_values,
        )

    def _search(self, request: SolveRequest, started: float, line: Line) -> Ended:
        """Run in the child: the search runs in a thread that releases the interpreter's lock, and is watched here."""
        import localmip_py

        search = localmip_py.LocalMIP(self._built(localmip_py).prepare())
        search.set_random_seed(request.seed % 2**32)
        left = _FOREVER if request.seconds is None else request.seconds - (time.perf_counter() - started)
        if left <= 0:
            return Ended(MilpStatus.UNKNOWN, message="the time ended while the model was handed over")
        search.set_time_limit(min(left, _FOREVER))
        steps = self._with_limits(search)
        fault: list[BaseException] = []

        def run() -> None:
            try:
                search.run()
            except BaseException as error:
                fault.append(error)

        running = threading.Thread(target=run, daemon=True)
        running.start()
        told = math.inf
        while running.is_alive():
            running.join(_LOOK_SECONDS)
            if running.is_alive() and search.is_feasible():
                # It may be written to at this moment, so the receiver checks it.
                told = self._tell(np.array(search.get_solution()), told, line)
        if fault:
            raise fault[0]
        if not search.is_feasible():
            return Ended(MilpStatus.UNKNOWN, nodes=steps[0])
        values = np.array(search.get_solution())
        return Ended(
            MilpStatus.FEASIBLE, dot(self.model.cost, values) + self.model.offset, nodes=steps[0], values=values
        )

    def _tell(self, values: Values, told: float, line: Line) -> float:
        """Report a solution that is better than the last reported one; returns the best reported cost."""
        cost = dot(self.model.cost, values)
        minimised = -cost if self.model.maximise else cost
        if not minimised < told:
            return told
        line.incumbent(cost + self.model.offset, None, values)
        return minimised

    def _with_limits(self, search: Any) -> list[int]:
        """Make the search begin at the start values and end where it would restart; the list gets the steps made."""
        steps = [0]
        patience = self.patience if self.steps is None else max(1, min(self.patience, self.steps))
        search.set_restart_step(patience)

        def stuck(search_state: Any) -> None:
            steps[0] = int(search_state.shared.cur_step)
            enough = self.steps is not None and steps[0] >= self.steps
            if enough or patience == self.patience:
                search.terminate()

        search.set_restart_cbk(stuck)
        start = self.start
        if start is not None:

            def begin(search_state: Any) -> None:
                for column, value in enumerate(start.tolist()):
                    search_state.current_values[column] = value

            search.set_start_cbk(begin)
        return steps

    def _built(self, package: Any) -> Any:
        """The model in the form of the package; rows without coefficients or limits are left out: it rejects them."""
        model, made = self.model, package.ModelBuilder()
        made.set_sense(package.Sense.maximize if model.maximise else package.Sense.minimize)
        made.set_obj_offset(model.offset)
        kinds = (package.VarType.real, package.VarType.general_integer, package.VarType.binary)
        binary = model.integral & (self.lower == 0) & (self.upper == 1)
        kind = np.where(binary, 2, model.integral.astype(int)).tolist()
        bounds = zip(self.lower.tolist(), self.upper.tolist(), model.cost.tolist(), kind, strict=True)
        for column, (low, high, cost, which) in enumerate(bounds):
            made.add_var(f"c{column}", low, high, cost, kinds[which])
        starts, columns, data = model.starts.tolist(), model.columns, model.data
        for row, (low, high) in enumerate(zip(model.row_lower.tolist(), model.row_upper.tolist(), strict=True)):
            part = slice(starts[row], starts[row + 1])
            if starts[row] < starts[row + 1] and (low > -math.inf or high < math.inf):
                made.add_con(low, max(low, high), columns[part].tolist(), data[part].tolist())
        return made
