"""HiGHS on arrays: the model is passed once, and each solve changes it in its own process."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import highspy
import numpy as np
from numpy.typing import NDArray

from matheur.errors import SolverError
from matheur.linear.model import LinearModel
from matheur.solvers.banner import swallow_banner
from matheur.solvers.highs import optimise, set_options
from matheur.solvers.isolated import Ended, IsolatedSolve, Line
from matheur.solvers.linear_task import LinearTask
from matheur.solvers.port import SolveRequest
from matheur.solvers.row_scales import row_scales

__all__ = ["begin_task"]

_Values = NDArray[np.float64]
ZERO = 1e-12  # HiGHS treats coefficients up to this size as 0; the smallest value allowed
USUAL_ZERO = 1e-9  # by default

_ENGINES: WeakKeyDictionary[LinearModel, highspy.Highs] = WeakKeyDictionary()


def begin_task(task: LinearTask, request: SolveRequest, started: float) -> IsolatedSolve:
    """Begin to solve; see `matheur.solvers.linear.ArrayBackend`."""
    engine = _engine_of(task.model)

    def work(line: Line) -> Ended:
        _restrict(engine, task, request.cutoff)
        set_options(engine, request, task.as_good(request.target), started)
        return optimise(engine, task.model.width, line)

    return IsolatedSolve(work, name="highs", started=started, columns=task.model.width)


def _engine_of(model: LinearModel) -> highspy.Highs:
    """HiGHS with the model, which never changes, since solves run in their own processes."""
    engine = _ENGINES.get(model)
    if engine is not None:
        return engine
    swallow_banner()
    engine = highspy.Highs()
    engine.setOptionValue("output_flag", False)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = model.width, model.height
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = model.cost, model.lower, model.upper
    scale = _scales(engine, model.starts, model.data, model.row_names)
    lp.row_lower_ = model.row_lower * scale
    lp.row_upper_ = np.maximum(model.row_lower, model.row_upper) * scale  # they cross by rounding errors
    lp.offset_ = model.offset
    lp.sense_ = highspy.ObjSense.kMaximize if model.maximise else highspy.ObjSense.kMinimize
    matrix, data = lp.a_matrix_, model.data * np.repeat(scale, np.diff(model.starts))
    if model.file_order is None:
        matrix.format_, starts = highspy.MatrixFormat.kRowwise, model.starts
        matrix.index_, matrix.value_ = model.columns, data
    else:
        matrix.format_, starts = highspy.MatrixFormat.kColwise, model.column_starts
        matrix.index_, matrix.value_ = model.rows[model.file_order].astype(np.int32), data[model.file_order]
    matrix.start_ = starts.astype(np.int32)
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    lp.integrality_ = [kinds[whole] for whole in model.integral.tolist()]
    if engine.passModel(lp) == highspy.HighsStatus.kError:
        raise SolverError("HiGHS cannot take this model: it refuses its numbers")
    _ENGINES[model] = engine
    return engine


def _scales(engine: highspy.Highs, starts: NDArray[np.integer], data: _Values, names: Sequence[str]) -> _Values:
    _keep_small(engine, data)
    return row_scales(starts, data, names, solver="HiGHS", zero=ZERO, infinity=1e15)


def _keep_small(engine: highspy.Highs, numbers: _Values) -> None:
    """Keep small coefficients. Without any, the option keeps its default, since it changes the search."""
    if np.abs(numbers).min(initial=1.0) <= USUAL_ZERO:
        engine.setOptionValue("small_matrix_value", ZERO)


def _restrict(engine: highspy.Highs, task: LinearTask, cutoff: float | None) -> None:
    """Apply the restriction to the model; in the process of the solve."""
    model, restriction, width = task.model, task.restriction, task.model.width
    every = np.arange(width, dtype=np.int32)
    changed = np.flatnonzero((task.lower != model.lower) | (task.upper != model.upper)).astype(np.int32)
    if len(changed):
        engine.changeColsBounds(len(changed), changed, task.lower[changed], task.upper[changed])
    if np.any(restriction.relaxed):
        engine.changeColsIntegrality(width, every, task.integral.astype(np.uint8))
    if restriction.cost is not None:
        engine.changeColsCost(width, every, restriction.cost)
        engine.changeObjectiveOffset(0.0)
    if restriction.rows is not None:
        rows, matrix = restriction.rows, restriction.rows.matrix
        scale = _scales(engine, matrix.indptr, matrix.data, [f"added {row}" for row in range(len(rows.lower))])
        engine.addRows(
            matrix.shape[0], rows.lower * scale, rows.upper * scale, matrix.nnz,
            matrix.indptr[:-1].astype(np.int32), matrix.indices.astype(np.int32),
            matrix.data * np.repeat(scale, np.diff(matrix.indptr)),
        )  # fmt: skip
    if not width:
        engine.addVar(0.0, 0.0)  # without columns HiGHS ignores rows
    if cutoff is not None:
        room = task.better(cutoff) - task.offset
        lower, upper = (-np.inf, room) if task.sense > 0 else (room, np.inf)
        used = np.flatnonzero(task.cost).astype(np.int32)
        _keep_small(engine, task.cost[used])
        engine.addRow(lower, upper, len(used), used, task.cost[used])
    if task.start is not None:
        known = np.flatnonzero(~np.isnan(task.start)).astype(np.int32)
        if len(known):
            engine.setSolution(len(known), known, task.start[known])
