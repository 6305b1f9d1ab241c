"""Solution files: reads the formats of MIPLIB and of many solvers, writes the format of MIPLIB."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from matheur.errors import InputError, nearest, shown
from matheur.linear.building import CONSTANT
from matheur.linear.decimals import float_of, plain
from matheur.linear.model import LinearModel
from matheur.linear.solution_tables import Table, incomplete, table_of

__all__ = ["Named", "Values", "objective_of", "read_solution", "values_of", "write_solution"]

_OWN = "=obj="
_NOT_IN_XML = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SECOND = re.compile("_upper_*$")
_IGNORED = re.compile(r"#|\*|\\|//|solution status", re.IGNORECASE)
_OBJECTIVE = re.compile(
    r"(?:=obj=(?!\S)|(?:#\s*)?objective value\b\s*[:=]?|.* - objective value\b)\s*(\S*)", re.IGNORECASE
)
_NOTHING = re.compile(
    r"(?:=infeas=(?!\S).*|no solution\b.*|(?:integer )?infeasible\s*(?:-\s.*|[:,(].*)?)$", re.IGNORECASE
)

Named = dict[str, float]
"""Values by name of the column."""


@dataclass(frozen=True, slots=True)
class Values:
    """Content of a solution file.

    Attributes
    ----------
    named
        Values by name of the column.
    objective
        Objective stated in the file; None if there is none.
    """

    named: Named
    objective: float | None = None


def read_solution(lines: Sequence[str], model: LinearModel | None = None) -> Values:
    """Values by name: lines of a name and a value, ignoring other output of solvers.

    Parameters
    ----------
    model
        The model of the solution. Its names identify the lines with values, whatever their form; its column order
        assigns values without names.

    Raises
    ------
    InputError
        With the line, if a value is not a number, a name has two different values, or the file says that there is no
        solution. Also if it has neither a value nor an objective: only a file with an objective may leave out all
        values as zeros.
    """
    first = next((line.strip() for line in lines if line.strip()), "")
    columns: Container[str] = () if model is None else model.column_index
    table = None
    if first.startswith(_OWN):
        found = _read_plain(lines, columns, model)
    elif first.startswith("<"):
        found = _read_xml("\n".join(lines))
    elif (table := table_of(lines)) is not None:
        found = _of_table(table, model)
    elif any(line.startswith(("# Columns", "# Primal")) for line in lines[:60]):
        found = _read_highs(lines, columns)
    else:
        found = _read_plain(lines, columns, model)
    if not found.named and (found.objective is None or table is not None):
        raise InputError("holds no solution")
    return found


def objective_of(lines: Sequence[str]) -> float | None:
    """The objective stated in a solution file; None if there is none, or the file cannot be read."""
    first = next((line for line in lines if line.strip()), "").split()
    if first and first[0] == _OWN:
        return float_of(first[-1])
    try:
        table = table_of(lines)
        return read_solution(lines).objective if table is None else float_of(table.objective)
    except InputError:
        return None


def _of_table(table: Table, model: LinearModel | None) -> Values:
    """The values of a table with all columns."""
    named: Named = {}
    if table.entries and table.entries[0][0] is None:
        count = len(table.entries)
        if model is not None and model.offset and count == model.width + 1 and float_of(table.entries[-1][1]) == 1:
            table.entries.pop()  # the constant of the objective in an LP file, see `write_lp`
            count -= 1
        if model is None or count != model.width:
            width = "" if model is None else f", and the model has {model.width} columns"
            raise InputError(f"values of {count} columns without names{width}. Maybe write them with names?")
        for name, (_, text, number) in zip(model.column_names, table.entries, strict=True):
            _note(named, name, text, number)
    else:
        for entry, text, number in table.entries:
            _note(named, entry or "", text, number)
    return Values(named, float_of(table.objective))


def _read_plain(lines: Sequence[str], columns: Container[str], model: LinearModel | None) -> Values:
    """MIPLIB, SCIP, Gurobi, CBC: a name and a value on each line, possibly with other text."""
    named: Named = {}
    objective: float | None = None
    stated = False
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line:
            continue
        if stated or not line.startswith(_OWN):  # a column, which comes later, may have the same name
            known = next((one for one in _pairs(line) if one[0] in columns and float_of(one[1]) is not None), None)
            if known is not None:
                _note(named, *known, number)
                continue
        if _NOTHING.match(line):
            raise InputError("the file says that there is no solution", line=number)
        if said := _OBJECTIVE.match(line):
            objective, stated = float_of(said[1]), True
        elif (pair := _of_cbc(line)) is not None:
            # The full output also has rows; `write_lp` makes two of a row with two limits.
            if model is None or not {pair[0], _SECOND.sub("", pair[0])} & model.row_index.keys():
                _note(named, *pair, number)
        elif not _IGNORED.match(line):
            _note(named, *_unknown_pair(line, number), number)
    return Values(named, objective)


def _pairs(line: str) -> Iterator[tuple[str, str]]:
    """Possible pairs of name and value in a line; names may contain blanks."""
    pair = line.rsplit(None, 1)
    if len(pair) == 2:
        yield pair[0], pair[1]
        for form in (_of_scip, _of_cbc):
            other = form(line)
            if other is not None:
                yield other
        words = line.split(None, 2)
        if len(words) == 3 and float_of(words[2].split(None, 1)[0]) is not None:  # a number without known meaning
            yield words[0], words[1]


def _of_scip(line: str) -> tuple[str, str] | None:
    """`name value (obj:cost)`."""
    front, mark, _ = line.rpartition("(obj:")
    words = front.rsplit(None, 1)
    return (words[0], words[1]) if mark and len(words) == 2 else None


def _of_cbc(line: str) -> tuple[str, str] | None:
    """`number name value cost`, with a leading `**` if the value violates a bound."""
    front = line.removeprefix("**").split(None, 1)
    words = front[1].rsplit(None, 2) if len(front) == 2 and front[0].isdigit() else []
    if len(words) == 3 and float_of(words[1]) is not None and float_of(words[2]) is not None:
        return words[0], words[1]
    return None


def _unknown_pair(line: str, number: int) -> tuple[str, str]:
    """Name and value in a line without a known column, for a message."""
    found = _of_scip(line)
    if found is not None:
        return found
    words = line.split()
    if len(words) == 2 or (len(words) > 2 and float_of(words[1]) is not None and float_of(words[2]) is not None):
        return words[0], words[1]
    if len(words) > 2 and float_of(words[-1]) is not None:
        return line.rsplit(None, 1)[0], words[-1]
    raise InputError(f"a line has a name and a value ({shown(line)})", line=number)


def _note(named: Named, name: str, text: str, line: int | None) -> None:
    value = float_of(text)
    if value is None:
        raise InputError(f"the value of {shown(name)} is not a number ({shown(text)})", line=line)
    if named.setdefault(name, value) != value:
        raise InputError(f"a second value of {shown(name)} ({shown(text)})", line=line)


def _read_highs(lines: Sequence[str], columns: Container[str]) -> Values:
    """The raw style of HiGHS: sections; the columns of the primal solution are read.

    In the sparse form, the count of lines is negative, and the number of the column follows the value.
    """
    named: Named = {}
    objective: float | None = None
    inside = primal = later = sparse = False
    missing = 0  # columns that are still to come
    for number, line in enumerate(map(str.strip, lines), 1):
        words = line.rsplit(None, 2 if sparse else 1)
        value = inside and len(words) == (3 if sparse else 2)
        if value and words[0] in columns and float_of(words[1]) is not None:
            _note(named, words[0], words[1], number)
            missing -= 1
        elif line.startswith("# Primal"):
            primal = True
        elif line.startswith(("# Dual", "# Basis")):
            inside, primal, later = False, False, True
        elif line.startswith("# Columns"):
            inside = primal or not (named or later)
            count = (line.removeprefix("# Columns").split() or [""])[0]
            sparse = inside and count.startswith("-")
            missing = int(count.lstrip("-")) if inside and count.lstrip("-").isdecimal() else missing
        elif line.startswith("#"):
            inside = False
        elif value:
            _note(named, words[0], words[1], number)
            missing -= 1
        elif inside and line:
            parts = "a name, a value and a number" if sparse else "a name and a value"
            raise InputError(f"a line has {parts} ({shown(line)})", line=number)
        elif line.startswith("Objective") and len(words) == 2:
            objective = float_of(words[1])
        elif line in ("None", "Infeasible") and primal:
            raise InputError("the file says that there is no solution", line=number)
    if missing > 0 and columns:  # without the model, names that begin with # are not recognised
        raise InputError(incomplete(missing))
    return Values(named, objective)


def _read_xml(text: str) -> Values:
    """The form of CPLEX: `<variable name="x" value="1"/>`."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError("an XML file with its own definitions (DOCTYPE, ENTITY) cannot be read")
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
    """Values by column, 0 if missing, and whether each has a value.

    The column with which `write_lp` expresses the constant of the objective may have its value 1.

    Raises
    ------
    InputError
        If a name is not a column of the model.
    """
    values = np.zeros(model.width)
    known = np.zeros(model.width, dtype=bool)
    index = model.column_index
    for name, value in named.items():
        column = index.get(name)
        if column is None and value == 1 and name.rstrip("_") == CONSTANT:
            continue
        if column is None:
            raise InputError(f"the model has no column {shown(name)}. {_near(name, model)}")
        values[column], known[column] = value, True
    return values, known


def _near(name: str, model: LinearModel) -> str:
    return nearest(name, model.column_names[:2000]) if model.width <= 30 else f"It has {model.width} columns."


def write_solution(model: LinearModel, values: NDArray[np.float64], objective: str) -> Iterator[str]:
    """The lines of a solution as MIPLIB has it: `=obj= VALUE`, then name and value of each column that is not 0.

    If a name does not fit on such a line, since it contains line breaks or begins or ends with a blank, the solution is
    in the form of CPLEX, XML.

    Raises
    ------
    InputError
        If a name cannot be written in XML either.
    """
    named = [(model.column_names[column], plain(float(values[column]))) for column in np.flatnonzero(values).tolist()]
    if all(_fits_a_line(name) for name, _ in named):
        yield f"=obj= {objective}"
        yield from (f"{name} {value}" for name, value in named)
        return
    strange = next((name for name, _ in named if _NOT_IN_XML.search(name)), None)
    if strange is not None:
        raise InputError(f"the name {shown(strange)} of a column cannot be written to a .sol file. Maybe a .json file?")
    yield '<CPLEXSolution version="1.2">'
    yield f' <header objectiveValue="{objective}"/>'
    yield " <variables>"
    yield from (f'  <variable name={quoteattr(name)} value="{value}"/>' for name, value in named)
    yield " </variables>"
    yield "</CPLEXSolution>"


def _fits_a_line(name: str) -> bool:
    return bool(name) and name == name.strip() and "\n" not in name and "\r" not in name
