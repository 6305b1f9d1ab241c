"""Writer of LP files that every solver reads back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from matheur.errors import InputError, shown
from matheur.linear.building import CONSTANT
from matheur.linear.lp_sections import head_of
from matheur.linear.model import LinearModel, equal

__all__ = ["write_lp"]

_WRITABLE = re.compile(r"[A-Za-z_!\"#$%&(),;?@'`{}~|][^\s+\-*^<>=:\\\[\]/]*", re.ASCII)
_LINE = 200
_TAKEN = ("inf", "infinity", "nan", "subject")
"""Names of columns that a reader takes for something else, in any case: numbers in SCIP, a section in CBC."""


def write_lp(model: LinearModel) -> Iterator[str]:
    """The lines of an LP file that HiGHS, SCIP, CBC and GLPK read as the same model.

    These readers agree on little: a row with two limits therefore becomes two rows (`NAME` and `NAME_upper`), and the
    constant of the objective becomes the coefficient of a column fixed at 1.

    Raises
    ------
    InputError
        If a name cannot stand in such a file.
    """
    for names, taken in ((model.row_names, ()), (model.column_names, _TAKEN)):
        for name in names:
            if (
                not _WRITABLE.fullmatch(name)
                or re.match(r"[eE][0-9]", name)
                or head_of(name) is not None
                or name.lower() in taken
            ):
                advice = "write an .mps file" if len(name.split()) == 1 else "rename it"
                raise InputError(f"a name that no LP file can hold ({shown(name)}). Maybe {advice}?")
    yield "Maximize" if model.maximise else "Minimize"
    name = model.objective_name if _WRITABLE.fullmatch(model.objective_name) else "obj"
    while name in model.row_index:  # otherwise CBC ignores all names
        name += "_"
    names = model.column_names
    named = _in_objective(model)
    terms = [_term(model, "cost", column, names[column]) for column in np.flatnonzero(named).tolist()]
    if not terms and names:
        terms = [f" 0 {names[0]}"]  # GLPK requires one
    constant = CONSTANT if model.offset else ""
    while constant in model.column_index:
        constant += "_"
    if constant:
        terms.append(_term(model, "offset", 0, constant))
    yield from _wrapped(f" {name}:", terms, "")
    yield "Subject To"
    for row in range(model.height):
        yield from _row_lines(model, row)
    yield "Bounds"
    for column in range(model.width):
        yield from _bound_lines(model, column)
    if constant:
        yield f" {constant} = 1"
    whole = np.flatnonzero(model.integral).tolist()
    if whole:
        yield "Generals"
        yield from _wrapped("", (f" {model.column_names[column]}" for column in whole), "")
    yield "End"


def _in_objective(model: LinearModel) -> NDArray[np.bool_]:
    """Columns that the objective names, with a 0 if they cost nothing.

    Readers number the columns in the order in which a file names them, and some solutions have values by number only.
    """
    named = model.cost != 0
    named |= np.bincount(model.columns, minlength=model.width) == 0
    later, first = np.unique(model.columns[~named[model.columns]], return_index=True)
    order = np.concatenate((np.flatnonzero(named), later[np.argsort(first)]))
    kept = np.all(np.diff(order) > 0) and (
        named.all() or not model.offset
    )  # the column of the constant is the last one
    return named if kept else np.ones(model.width, dtype=bool)


def _term(model: LinearModel, array: str, index: int, name: str) -> str:
    text = model.written(array, index)
    return f" - {text[1:]} {name}" if text.startswith("-") else f" + {text} {name}"


def _wrapped(head: str, parts: Iterable[str], tail: str) -> Iterator[str]:
    """A statement on lines of readable length."""
    line = head
    for part in parts:
        if len(line) + len(part) > _LINE:
            yield line
            line = " "
        line += part
    yield line + tail


def _row_lines(model: LinearModel, row: int) -> Iterator[str]:
    places = range(int(model.starts[row]), int(model.starts[row + 1]))
    terms = [_term(model, "data", place, model.column_names[model.columns[place]]) for place in places]
    if not terms:
        terms = [f" 0 {model.column_names[0]}"] if model.width else []
    lower, upper = float(model.row_lower[row]), float(model.row_upper[row])
    name = model.row_names[row]
    if equal(lower, upper):
        yield from _wrapped(f" {name}:", terms, f" = {model.written('row_lower', row)}")
    elif np.isinf(lower) and np.isinf(upper):
        yield from _wrapped(f" {name}:", terms, " >= -1e30")
    elif np.isinf(lower):
        yield from _wrapped(f" {name}:", terms, f" <= {model.written('row_upper', row)}")
    elif np.isinf(upper):
        yield from _wrapped(f" {name}:", terms, f" >= {model.written('row_lower', row)}")
    else:  # the solvers read no form of a row with two limits alike
        other = f"{name}_upper"
        while other in model.row_index:
            other += "_"
        yield from _wrapped(f" {name}:", terms, f" >= {model.written('row_lower', row)}")
        yield from _wrapped(f" {other}:", terms, f" <= {model.written('row_upper', row)}")


def _bound_lines(model: LinearModel, column: int) -> Iterator[str]:
    lower, upper = float(model.lower[column]), float(model.upper[column])
    name = model.column_names[column]
    if np.isinf(lower) and np.isinf(upper):
        yield f" {name} free"
    elif equal(lower, upper):
        yield f" {name} = {model.written('lower', column)}"
    elif lower or np.isfinite(upper):
        low = "-inf" if np.isinf(lower) else model.written("lower", column)
        high = f" <= {model.written('upper', column)}" if np.isfinite(upper) else ""
        yield f" {low} <= {name}{high}"
