"""Solutions as tables of all columns: the formats of GLPK, and the readable ones of HiGHS."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from matheur.errors import InputError, shown

__all__ = ["Table", "incomplete", "table_of"]

Entry = tuple[str | None, str, int]
"""Name of a column, None if columns have no names; its value; the line."""

_HEAD = 20  # lines that identify the format
_BY_NUMBER = re.compile(r"s (mip|bas|ipt) [0-9]+ [0-9]+ (.*)")
_PLACES = {"mip": 2, "bas": 3, "ipt": 2}
_GLPK_NAME = 7  # start of names of at most twelve letters, or alone on their line
_GLPK_LONG = 19
_COLUMNS = re.compile(r"Columns:\s+([0-9]{1,9})\b")
_WORTH = re.compile(r"Objective(?: value)?:(?:.*=)?\s*([^\s=]+)")


@dataclass(slots=True)
class Table:
    """Content of such a file.

    Attributes
    ----------
    entries
        All columns in their order; empty if there is no solution.
    objective
        Objective stated in the file, as text; empty if there is none.
    """

    entries: list[Entry] = field(default_factory=list)
    objective: str = ""


def table_of(lines: Sequence[str]) -> Table | None:
    """The table in the lines of a file; None if they are not a table.

    Raises
    ------
    InputError
        With the line, if it is damaged.
    """
    read = _reader_of([line.strip() for line in lines[:_HEAD] if line.strip()])
    return None if read is None else read(lines)


def _reader_of(head: Sequence[str]) -> Callable[[Sequence[str]], Table] | None:
    if len(head) < 2:
        return None
    if head[0] == "Columns" and head[1].startswith("Index") and {"Primal", "Name"} <= set(head[1].split()):
        return _pretty_highs
    if ": Number of columns and rows" in head[0]:
        return _by_order
    if head[0].startswith("Problem:") and head[1].startswith("Rows:"):
        return _pretty_glpk
    first = next((line for line in head if not re.match(r"c(\s|$)", line)), "")
    return _by_number if _BY_NUMBER.fullmatch(first) else None


def _pretty_highs(lines: Sequence[str]) -> Table:
    """The style `pretty` of HiGHS: the header words give the positions of the fields."""
    table = Table()
    start = next(number for number, line in enumerate(lines) if line.strip() == "Columns") + 1
    above = lines[start]
    value = slice(above.index("Upper") + len("Upper"), above.index("Primal") + len("Primal"))
    name = slice(above.index("Name"), None)
    for number, line in enumerate(lines[start + 1 :], start + 2):
        if not line.strip() or line.strip() == "Rows":
            break
        if line[value].strip():
            table.entries.append((line[name].strip(), line[value].strip(), number))
    table.objective = _worth(lines)
    return table


def _by_order(lines: Sequence[str]) -> Table:
    """The older raw style of HiGHS: only values."""
    table = Table()
    inside = False
    for number, line in enumerate(map(str.strip, lines), 1):
        if line in ("Columns", "Rows"):
            if inside:
                break
            inside = line == "Columns"
        elif inside and line:
            table.entries.append((None, line.split()[0], number))
    return table if len(lines) > 1 and lines[1].startswith("T") else Table()


def _by_number(lines: Sequence[str]) -> Table:
    """Output of `glpsol --write`: numbers of columns with their values."""
    table = Table()
    kind = ""
    for number, line in enumerate(map(str.strip, lines), 1):
        head = _BY_NUMBER.fullmatch(line)
        words = line.split()
        if head:
            kind, table.objective = head[1], words[-1]
        elif words and words[0] == "j":
            place = _PLACES[kind]
            if len(words) <= place or words[1] != str(len(table.entries) + 1):
                raise InputError(f"a line has the number of the next column and its value ({shown(line)})", line=number)
            table.entries.append((None, words[place], number))
    return table


def _pretty_glpk(lines: Sequence[str]) -> Table:
    """Output of `glpsol --output`: the line of dashes shows the positions of the fields."""
    table = Table(objective=_worth(lines))
    start = next((number for number, line in enumerate(lines) if "Column name" in line), None)
    if start is None or start + 1 >= len(lines):
        return Table()
    fields = [match.span() for match in re.finditer("-+", lines[start + 1])]
    value = next((slice(first, last) for first, last in fields[2:] if last - first > 2), None)
    if value is None:
        raise InputError("the columns of the table are not marked by dashes", line=start + 2)
    name = ""
    for number, line in enumerate(lines[start + 2 :], start + 3):
        if not line.strip():
            break
        if line[:_GLPK_NAME].strip():
            long = line[_GLPK_LONG : _GLPK_LONG + 1].strip() != ""
            name = line[_GLPK_NAME : None if long else _GLPK_LONG].strip()
            if long or len(line.rstrip()) <= _GLPK_LONG:
                continue  # its numbers are on the next line
        table.entries.append((name, line[value].strip(), number))
    count = next((int(match[1]) for line in lines[:_HEAD] if (match := _COLUMNS.match(line))), 0)
    if len(table.entries) < count:
        raise InputError(incomplete(count - len(table.entries)))
    return table


def incomplete(missing: int) -> str:
    """Message for a file with fewer columns than it announces."""
    return f"{missing:,} of the columns that the file announces are missing. Maybe it is cut off?"


def _worth(lines: Sequence[str]) -> str:
    return next((match[1] for line in lines if (match := _WORTH.match(line))), "")
