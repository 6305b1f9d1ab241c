"""Files of solutions: those of MIPLIB, HiGHS, SCIP, CPLEX (XML) and Gurobi are read, the form of MIPLIB is written."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.errors import InputError, nearest, shown
from matheur.linear.decimals import float_of, plain
from matheur.linear.model import LinearModel

__all__ = ["Named", "Values", "read_solution", "values_of", "write_solution"]

_IGNORED = re.compile(r"(#|\*|\\|//)")
_HEADS = re.compile(
    r"(solution status|objective value|model status|objective|status|feasible|primal solution values|dual solution"
    r"|basis|primal|infeasible|rows|unbounded|optimal)\b.*",
    re.IGNORECASE,
)
_OBJECTIVE = re.compile(r"=obj=|objective value\s*:?|# objective value\s*=?|objective", re.IGNORECASE)

Named = dict[str, float]
"""Values by name of the column."""


@dataclass(frozen=True, slots=True)
class Values:
    """What a file of a solution says.

    Attributes
    ----------
    named
        Values by name of the column.
    objective
        What the file says that it is worth; None if it says nothing.
    """

    named: Named
    objective: float | None = None


def read_solution(lines: Sequence[str]) -> Values:
    """Values by name: lines of a name and a value, among what solvers write around them.

    Raises
    ------
    InputError
        With the line, if a value is no number, a name stands there twice with two values, or the file says that there
        is no solution.
    """
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith("<"):
        return _read_xml("\n".join(lines))
    if any(line.startswith("# Columns") for line in lines[:60]):
        return _read_highs(lines)
    return _read_plain(lines)


def _read_plain(lines: Sequence[str]) -> Values:
    """MIPLIB, SCIP, Gurobi, CBC: a name and a value on each line, SCIP with the cost behind them."""
    named: Named = {}
    objective: float | None = None
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or _IGNORED.match(words[0]):
            said = re.match(r"#\s*objective value\s*=?\s*(\S+)", line.strip(), re.IGNORECASE)
            objective = float_of(said[1]) if said else objective
            continue
        if words[0] == "=obj=" or line.lower().startswith("objective value"):
            objective = float_of(words[-1])
            continue
        if words[0] == "=infeas=" or line.lower().startswith(("no solution available", "infeasible")):
            raise InputError("the file says that there is no solution", line=number)
        if line.lower().startswith("solution status") or (number == 1 and "objective value" in line.lower()):
            objective = float_of(words[-1]) if "objective value" in line.lower() else objective
            continue
        if words[0].isdigit() and len(words) == 4 and float_of(words[2]) is not None:  # CBC: number name value cost
            words = words[1:3]
        if len(words) < 2 or (len(words) > 2 and not words[2].startswith("(obj:") and float_of(words[2]) is None):
            raise InputError(f"a line has a name and a value ({shown(line.strip())})", line=number)
        _note(named, words[0], words[1], number)
    return Values(named, objective)


def _note(named: Named, name: str, text: str, line: int | None) -> None:
    value = float_of(text)
    if value is None:
        raise InputError(f"the value of {shown(name)} is not a number ({shown(text)})", line=line)
    if named.setdefault(name, value) != value:
        raise InputError(f"a second value of {shown(name)} ({shown(text)})", line=line)


def _read_highs(lines: Sequence[str]) -> Values:
    """The raw form of HiGHS: sections, of which the columns of the primal solution are wanted."""
    named: Named = {}
    objective: float | None = None
    inside = primal = False
    for number, line in enumerate(lines, 1):
        words = line.split()
        if line.startswith("# Primal"):
            primal = True
        elif line.startswith("# Dual"):
            primal = False
        elif line.startswith("# Columns"):
            inside = primal or not named
        elif line.startswith("#"):
            inside = False
        elif line.startswith("Objective") and len(words) == 2:
            objective = float_of(words[1])
        elif line.strip() in ("None", "Infeasible") and primal:
            raise InputError("the file says that there is no solution", line=number)
        elif inside and words:
            if len(words) != 2:
                raise InputError(f"a line has a name and a value ({shown(line.strip())})", line=number)
            _note(named, words[0], words[1], number)
    return Values(named, objective)


def _read_xml(text: str) -> Values:
    """The form of CPLEX: `<variable name="x" value="1"/>`."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError("an XML file with definitions of its own is not read")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"not XML ({error})", line=error.position[0]) from None
    named: Named = {}
    objective: float | None = None
    for header in root.iter("header"):
        objective = float_of(header.get("objectiveValue", ""))
        break
    for variable in root.iter("variable"):
        name, value = variable.get("name"), variable.get("value")
        if name is None or value is None:
            raise InputError("a variable without a name or a value")
        if name in named and root.tag == "CPLEXSolutions":
            break  # the second solution of a pool
        _note(named, name, value, None)
    return Values(named, objective)


def values_of(model: LinearModel, named: Named) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Values by column, 0 where there is none, and whether there is one.

    Raises
    ------
    InputError
        If a name is no column of the model.
    """
    values = np.zeros(model.width)
    known = np.zeros(model.width, dtype=bool)
    index = model.column_index
    for name, value in named.items():
        column = index.get(name)
        if column is None:
            raise InputError(f"the model has no column {shown(name)}. {_near(name, model)}")
        values[column], known[column] = value, True
    return values, known


def _near(name: str, model: LinearModel) -> str:
    return nearest(name, model.column_names[:2000]) if model.width <= 30 else f"It has {model.width} columns."


def write_solution(model: LinearModel, values: NDArray[np.float64], objective: str) -> Iterator[str]:
    """The lines of a solution as MIPLIB has it: `=obj= VALUE`, then name and value of each column that is not 0."""
    yield f"=obj= {objective}"
    for column in np.flatnonzero(values).tolist():
        yield f"{model.column_names[column]} {plain(float(values[column]))}"
