"""Writer of MPS files that other solvers read back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from matheur.errors import InputError, shown
from matheur.linear.decimals import plain
from matheur.linear.model import LinearModel

__all__ = ["write_mps"]


def write_mps(model: LinearModel) -> Iterator[str]:
    """The lines of an MPS file in free form, which HiGHS, SCIP, CBC and GLPK read back as the same model.

    The sense is an exception: GLPK refuses OBJSENSE, and CBC ignores it and minimises. Rows without limits are written
    as rows N, which readers omit.

    Raises
    ------
    InputError
        If a name contains blanks, or would be read as something else, or if the limits of a row cross.
    """
    objective = _objective_name(model)
    for name in (objective, *model.row_names, *model.column_names):
        if not name or len(name.split()) != 1 or name[0] == "$":
            advice = "write an .lp file" if len(name.split()) == 1 else "rename it"
            raise InputError(f"a name that no free MPS file can hold ({shown(name)}). Maybe {advice}?")
    crossed = np.flatnonzero(model.row_lower > model.row_upper)
    if len(crossed):
        name = shown(model.row_names[crossed[0]])
        raise InputError(f"the limits of the row {name} cross, which no MPS file can hold. Maybe write an .lp file?")
    yield f"NAME {'_'.join(model.title.split()) or 'model'} FREE"
    if model.maximise:
        yield from ("OBJSENSE", "    MAX")
    yield from ("ROWS", f" N {objective}")
    kinds = [
        _kind(lower, upper) for lower, upper in zip(model.row_lower.tolist(), model.row_upper.tolist(), strict=True)
    ]
    for name, kind in zip(model.row_names, kinds, strict=True):
        yield f" {kind} {name}"
    yield "COLUMNS"
    yield from _column_lines(model, objective)
    yield "RHS"
    if model.offset:
        yield f" RHS {objective} {plain(-model.number('offset'))}"
    for row, (name, kind) in enumerate(zip(model.row_names, kinds, strict=True)):
        side = "row_lower" if kind == "G" else "row_upper"
        if kind != "N" and getattr(model, side)[row]:
            yield f" RHS {name} {model.written(side, row)}"
    ranged = np.flatnonzero(
        np.isfinite(model.row_lower) & np.isfinite(model.row_upper) & (model.row_lower != model.row_upper)
    )
    if len(ranged):
        yield "RANGES"
        for row in ranged.tolist():
            size = model.number("row_upper", row) - model.number("row_lower", row)
            yield f" RNG {model.row_names[row]} {plain(size)}"
    yield "BOUNDS"
    for column in range(model.width):
        yield from _bound_lines(model, column)
    yield "ENDATA"


def _objective_name(model: LinearModel) -> str:
    name = "_".join(model.objective_name.split()) or "obj"
    while name in model.row_index:
        name += "_"
    return name


def _kind(lower: float, upper: float) -> str:
    if lower == upper:
        return "E"
    if np.isfinite(upper):
        return "L"
    return "G" if np.isfinite(lower) else "N"


def _column_lines(model: LinearModel, objective: str) -> Iterator[str]:
    order = model.column_order
    integer, marks = False, 0
    starts, rows = model.column_starts.tolist(), model.rows[order].tolist()
    for column, name in enumerate(model.column_names):
        if bool(model.integral[column]) != integer:
            integer = not integer
            yield f" M{marks} 'MARKER' '{'INTORG' if integer else 'INTEND'}'"
            marks += 1
        if model.cost[column] or starts[column] == starts[column + 1]:
            yield f" {name} {objective} {model.written('cost', column)}"
        for place in range(starts[column], starts[column + 1]):
            yield f" {name} {model.row_names[rows[place]]} {model.written('data', int(order[place]))}"
    if integer:
        yield f" M{marks} 'MARKER' 'INTEND'"


def _bound_lines(model: LinearModel, column: int) -> Iterator[str]:
    lower, upper = float(model.lower[column]), float(model.upper[column])
    name = model.column_names[column]
    if lower == upper:
        yield f" FX BND {name} {model.written('lower', column)}"
        return
    if np.isinf(lower) and np.isinf(upper):
        yield f" FR BND {name}"
        return
    if np.isinf(lower):
        yield f" MI BND {name}"
    elif lower or upper < 0 or (model.integral[column] and np.isinf(upper)):
        yield f" LO BND {name} {model.written('lower', column)}"
    if np.isfinite(upper):
        yield f" UP BND {name} {model.written('upper', column)}"
    elif model.integral[column]:
        yield f" PL BND {name}"
