"""Writer of MPS files that other solvers read back."""

from __future__ import annotations

from collections.abc import Container, Iterator

import numpy as np

from matheur.errors import InputError, shown
from matheur.linear.decimals import plain
from matheur.linear.model import LinearModel, equal, excludes

__all__ = ["write_mps"]

_LONGEST = 255  # characters of a name of the objective: SCIP loses the costs of a longer one
_SECTIONS = ("NAME", "OBJSENSE", "QSECTION", "QCMATRIX", "CSECTION")
"""Names of columns that HiGHS takes for the start of a section, in any case."""


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
    word = next((name for name in model.column_names if name.upper() in _SECTIONS), None)
    if word is not None:
        raise InputError(f"a column named as a section of MPS files ({shown(word)}). Maybe write an .lp file?")
    crossed = np.flatnonzero(excludes(model.row_lower, model.row_upper))
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
    taken = {objective, *model.row_names}
    group = _free("RHS", taken)
    if model.offset:
        yield f" {group} {objective} {plain(-model.number('offset'))}"
    for row, (name, kind) in enumerate(zip(model.row_names, kinds, strict=True)):
        side = "row_upper" if kind == "L" else "row_lower"
        if kind != "N" and getattr(model, side)[row]:
            yield f" {group} {name} {model.written(side, row)}"
    ranged = [row for row in np.flatnonzero(np.isfinite(model.row_lower)).tolist() if kinds[row] == "L"]
    if ranged:
        yield "RANGES"
        group = _free("RNG", taken)
        for row in ranged:
            size = model.number("row_upper", row) - model.number("row_lower", row)
            yield f" {group} {model.row_names[row]} {plain(size)}"
    yield "BOUNDS"
    group = _free("BND", set(model.column_names))
    for column in range(model.width):
        yield from _bound_lines(model, column, group)
    yield "ENDATA"


def _objective_name(model: LinearModel) -> str:
    name = "_".join(model.objective_name.split())
    return _free(name if 0 < len(name) <= _LONGEST else "obj", model.row_index)


def _free(name: str, taken: Container[str]) -> str:
    """A name that does not occur yet: HiGHS confuses a set of right sides or bounds with a row or column."""
    while name in taken:
        name += "_"
    return name


def _kind(lower: float, upper: float) -> str:
    if equal(lower, upper):
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


def _bound_lines(model: LinearModel, column: int, group: str) -> Iterator[str]:
    lower, upper = float(model.lower[column]), float(model.upper[column])
    name = model.column_names[column]
    if equal(lower, upper):
        yield f" FX {group} {name} {model.written('lower', column)}"
        return
    if np.isinf(lower) and np.isinf(upper):
        yield f" FR {group} {name}"
        return
    if np.isinf(lower):
        yield f" MI {group} {name}"
    elif lower or upper < 0 or (model.integral[column] and np.isinf(upper)):
        yield f" LO {group} {name} {model.written('lower', column)}"
    if np.isfinite(upper):
        yield f" UP {group} {name} {model.written('upper', column)}"
    elif model.integral[column]:
        yield f" PL {group} {name}"
