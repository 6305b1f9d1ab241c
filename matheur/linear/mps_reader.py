"""Lossless reader of MPS files, in fixed and free form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from matheur.errors import InputError, shown
from matheur.linear.building import INFINITE, ModelBuilder
from matheur.linear.decimals import exact, float_of
from matheur.linear.model import LinearModel

__all__ = ["looks_like_mps", "read_mps"]

Assume = Callable[[str], None]

_SENSE, _NAMES = ("OBJSENSE", "OBJSEN"), ("OBJNAME", "OBJECT", "OBJECTIVE")
_ROWS = ("ROWS", "LAZYCONS", "USERCUTS", "DELAYEDROWS", "MODELCUTS")
_ALONE = (*_ROWS, "COLUMNS", "RHS", "RANGES", "BOUNDS")
"""Sections with nothing else on their line; a set may be called so as well."""
_SECTIONS = ("NAME", *_SENSE, *_NAMES, *_ALONE, "ENDATA")
_REFUSED = {
    "SOS": "special ordered sets",
    "SOS1": "special ordered sets",
    "SOS2": "special ordered sets",
    "SETS": "special ordered sets",
    "QUADOBJ": "a quadratic objective",
    "QMATRIX": "a quadratic objective",
    "QSECTION": "a quadratic objective",
    "QCMATRIX": "a quadratic row",
    "CSECTION": "a cone",
    "INDICATORS": "indicator rows",
    "GENCONS": "general constraints",
    "PWLOBJ": "a piecewise linear objective",
    "PWLNAM": "a piecewise linear objective",
    "SCENARIOS": "scenarios",
    "MULTIOBJ": "several objectives",
}
_SENSES = {
    **dict.fromkeys(("MAX", "MAXIMIZE", "MAXIMISE", "MAXIMUM"), True),
    **dict.fromkeys(("MIN", "MINIMIZE", "MINIMISE", "MINIMUM"), False),
}
_KINDS = {"L": (-np.inf, 0.0), "G": (0.0, np.inf), "E": (0.0, 0.0)}
_MARKERS = frozenset(("'MARKER'", "MARKER", '"MARKER"'))
_VALUED = frozenset(("LO", "UP", "FX", "LI", "UI"))
_UNVALUED = frozenset(("FR", "MI", "PL", "BV"))
_FIELDS = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))
"""Columns of the fields of the fixed form."""
_GAPS = (0, 3, 12, 13, 22, 23, 36, 37, 38)

_SPLIT = Callable[[str, str, Callable[[str], bool]], list[str]]
"""Splits a line of a section into words, given whether a name is that of a row."""


def looks_like_mps(lines: Iterable[str]) -> bool:
    """Whether the first section of a text is an MPS section; never raises."""
    lines = list(lines)
    for line in _without_margin(lines):
        if line.strip() and line[0] not in "*$":
            words = line.split()
            return not line[0].isspace() and words[0].upper() in (*_SECTIONS, *_REFUSED) and ":" not in line
    return False


def _without_margin(lines: Sequence[str]) -> Sequence[str]:
    """The lines without the blanks before the first section, as in text copied from a program or a page."""
    first = next((line for line in lines if line.strip() and line.lstrip()[0] not in "*$"), "")
    margin = first[: len(first) - len(first.lstrip())]
    if (
        not margin
        or first.split()[0].upper() not in _SECTIONS
        or not any(line.rstrip().upper() == f"{margin}ROWS" for line in lines)
    ):
        return lines
    return [line.removeprefix(margin) for line in lines]


def read_mps(lines: Sequence[str], assume: Assume = lambda _: None) -> LinearModel:
    """The model in the lines of an MPS file.

    Lines are split at blanks (free form), unless the file is valid only by the positions of its fields (fixed form, in
    which names may contain blanks).

    Parameters
    ----------
    assume
        Called with a phrase for each assumption of the reader.

    Raises
    ------
    InputError
        With the line, if the file cannot be understood, or has more than a linear program with integers: special
        ordered sets, quadratic terms, indicators, semi-continuous columns.
    """
    lines = _without_margin(lines)
    try:
        return _Reader(assume, _free).read(lines)
    except _RefusedError as refused:
        raise refused.error from None
    except InputError as error:
        if not _could_be_fixed(lines):
            raise
        try:
            return _Reader(assume, _fixed).read(lines)
        except _RefusedError as refused:
            raise refused.error from None
        except InputError as other:  # report the error of the form that is valid for more of the file
            raise max(error, other, key=lambda one: one.line or 0) from None


class _RefusedError(Exception):
    """The file is valid, but contains more than a linear program."""

    def __init__(self, error: InputError) -> None:
        self.error = error


def _free(line: str, _: str, is_row: Callable[[str], bool]) -> list[str]:
    words = line.split()
    if "$" in line:  # a comment, as written by GLPK; names may also contain the sign
        for place, word in enumerate(words):
            if word[0] == "$" and (word == "$" or place >= 3) and not (place == 3 and len(words) == 5 and is_row(word)):
                return words[:place]
    return words


def _fixed(line: str, section: str, is_row: Callable[[str], bool]) -> list[str]:
    """The words of a line by the positions of its fields."""
    fields = [line[start:end].strip() for start, end in _FIELDS]
    if section in _ROWS:
        return fields[:2]
    if section == "COLUMNS" and "'MARKER'" in line:  # most programs write the words at other positions
        return [fields[1], *line.split()[-2:]]
    for place in (2, 4):  # a comment begins before a name
        if fields[place].startswith("$") and not is_row(fields[place]):
            fields[place:] = [""] * (6 - place)
    if section == "BOUNDS":
        return [fields[0], fields[1], fields[2], *([fields[3]] if fields[3] else [])]
    return fields[1:4] + (fields[4:6] if fields[4] else [])


def _could_be_fixed(lines: Sequence[str]) -> bool:
    """Whether there is no text between the fields of the fixed form, and no tab in any line."""
    section = ""
    for line in lines:
        if not line.strip() or line[0] == "*":
            continue
        if not line[0].isspace():
            section = line.split()[0].upper()
        elif section not in (*_SENSE, *_NAMES) and ("\t" in line or any(line[at : at + 1].strip() for at in _GAPS)):
            return False
    return True


class _Reader:
    """One pass over the lines."""

    def __init__(self, assume: Assume, split: _SPLIT) -> None:
        self._assume = assume
        self._split = split
        self._model = ModelBuilder()
        self._line = 0
        self._objective: str | None = None
        self._ignored: set[str] = set()  # rows N other than the objective
        self._kinds: list[str] = []
        self._wanted = ""
        self._integer = False
        self._column, self._seen = "", set[int]()
        self._sets: dict[str, str] = {}
        self._sides: dict[str, int] = {}
        self._bounded: set[int] = set()
        self._low: set[int] = set()
        self._marked: list[int] = []
        self._ranges: dict[int, tuple[float, str, int]] = {}
        self._refused = ""
        self._begun = False  # the section ROWS
        self._of_glpk = False  # whether GLPK wrote the file
        self._flush = False  # whether lines within sections have no leading blank
        self._given: set[tuple[str, int]] = set()
        self._again: dict[int, str] = {}

    def read(self, lines: Sequence[str]) -> LinearModel:
        section, handle, done = "", self._nothing, False
        handlers = {
            **dict.fromkeys(_SENSE, self._sense),
            **dict.fromkeys(_NAMES, self._name),
            **dict.fromkeys(_ROWS, self._row),
            "COLUMNS": self._entries,
            "RHS": self._right,
            "RANGES": self._range,
            "BOUNDS": self._bound,
        }
        for self._line, line in enumerate(lines, 1):
            if not line or line[0] == "*" or line.isspace() or self._is_comment(line):
                if line.upper().startswith("*SENSE:MAX"):
                    self._assume("the sense min: the file says max in a comment only, which solvers do not read")
                self._of_glpk |= line.startswith("* Format:") and line.split()[-1] == "MPS"
                continue
            if not line[0].isspace():
                words = line.split()
                word = words[0].upper().rstrip(":")
                if word in _SENSES and section in _SENSE and len(words) == 1:
                    self._sense(words)
                    continue
                if self._begins(word, words, section):
                    section = self._begin(word, words, line)
                    if section == "ENDATA":
                        done = True
                        break
                    handle = handlers.get(section, self._nothing)
                    continue
                if not section or (len(words) == 1 and section not in (*_SENSE, *_NAMES) and not self._refused):
                    raise self._fault(f"not a section of MPS ({shown(words[0])})")
                self._flush = True
            handle(self._split(line, section, self._is_row))
        if not done:
            raise self._fault("the file ends before its line ENDATA. Maybe it is cut off?")
        return self._finished()

    def _is_comment(self, line: str) -> bool:
        """Whether a line of the free form has nothing but a comment behind a dollar sign."""
        return "$" in line and self._split is _free and line.split(None, 1)[0] == "$"

    def _is_row(self, name: str) -> bool:
        return name in self._model.rows or name in self._ignored or name == self._objective

    def _fault(self, message: str) -> InputError:
        return InputError(message, line=self._line or None)

    def _begins(self, word: str, words: list[str], section: str) -> bool:
        """Whether a line without a leading blank begins a section; a set of right sides may also be named RHS."""
        if word in _ALONE and len(words) > 1:
            return not self._flush and word != section
        if word in _NAMES and self._begun:
            if len(words) == 1:
                raise self._fault(f"the section {word} comes after the section ROWS")
            return False
        return word in _SECTIONS or word in _REFUSED

    def _begin(self, word: str, words: list[str], line: str) -> str:
        """Begin a section; return its name."""
        if word == "NAME":
            title = line[len(words[0]) :].strip()
            self._model.title = title.split()[0] if title else ""
        elif word in _SENSE and len(words) > 1:
            self._sense(words[1:])
        elif word in _NAMES and len(words) > 1:
            self._name(words[1:])
        elif word in _ROWS:
            self._begun = True
        elif word in _ALONE and not self._begun:
            raise self._fault(f"the section {word} comes before the section ROWS")
        elif word in _REFUSED and word != "QCMATRIX":
            self._refused = word
        elif word == "QCMATRIX":
            raise self._refusal(word, words[1] if len(words) > 1 else "")
        return word

    def _refusal(self, word: str, name: str) -> _RefusedError:
        what = f" ({shown(name)})" if name else ""
        return _RefusedError(
            self._fault(f"{_REFUSED[word]}{what}: only linear rows, objectives and bounds can be solved")
        )

    def _nothing(self, words: list[str]) -> None:
        if self._refused:
            named = next((word for word in words if word in self._model.rows), words[-1])
            raise self._refusal(self._refused, named)
        raise self._fault(f"nothing is expected here ({shown(' '.join(words))})")

    def _sense(self, words: list[str]) -> None:
        word = next((word for word in words if word), "").upper()
        if word not in _SENSES:
            raise self._fault(f"the sense of the objective is MIN or MAX ({shown(word)})")
        self._model.maximise = _SENSES[word]

    def _name(self, words: list[str]) -> None:
        self._wanted = next((word for word in words if word), "")

    def _row(self, words: list[str]) -> None:
        if len(words) != 2 or not words[1]:
            raise self._fault(f"a row has a kind and a name ({shown(' '.join(words))})")
        kind, name = words[0].upper(), words[1]
        if self._is_row(name):
            raise self._fault(f"a second row {shown(name)}")
        if kind == "N":
            if self._objective is None and self._wanted in ("", name):
                self._objective = name
            else:
                self._ignored.add(name)
        elif kind in _KINDS:
            self._model.add_row(name, *_KINDS[kind])
            self._kinds.append(kind)
        else:
            raise self._fault(f"the kind of a row is N, L, G or E ({shown(words[0])})")

    def _entries(self, words: list[str]) -> None:
        count = len(words)
        if count >= 3 and words[1] in _MARKERS and float_of(words[-1]) is None:  # else a row of this name
            mark = words[-1].strip("'\"").upper()
            if mark not in ("INTORG", "INTEND"):
                if mark in ("SOSORG", "SOSEND"):
                    raise self._refusal("SOS", words[0])
                raise self._fault(f"a marker is 'INTORG' or 'INTEND' ({shown(words[-1])})")
            self._integer = mark == "INTORG"
            return
        if count not in (3, 5) or not words[0]:
            raise self._fault(f"a line has a column and one or two rows with values ({shown(' '.join(words))})")
        name = words[0]
        model = self._model
        if name != self._column:
            if name in model.columns:
                raise self._fault(f"the column {shown(name)} again, after other columns")
            self._column, self._seen = name, set()
            number = model.add_column(name, integral=self._integer)
            if self._integer:
                self._marked.append(number)
        else:
            number = len(model.cost) - 1
        for place in range(1, count, 2):
            self._entry(number, words[place], words[place + 1])

    def _entry(self, column: int, row_name: str, text: str) -> None:
        value = float_of(text)
        if value is None:
            raise self._fault(f"not a number ({shown(text)})")
        row = self._model.rows.get(row_name, -1)
        if row < 0:
            if row_name in self._ignored:
                return
            if row_name != self._objective:
                raise self._fault(f"no row {shown(row_name)} in the section ROWS")
        if row in self._seen:
            raise self._fault(f"a second coefficient of {shown(self._column)} in {shown(row_name)}")
        self._seen.add(row)
        if row < 0:
            self._model.put("cost", column, value, text)
        else:
            self._model.add_entry(row, column, value, text)

    def _pairs(self, words: list[str], section: str) -> Iterator[tuple[str, str]]:
        """Names and values in a line of the sections RHS and RANGES; only the first of several sets counts."""
        named = len(words) % 2 == 1
        if len(words) < 2 or len(words) > 5:
            raise self._fault(f"a line has one or two rows with values ({shown(' '.join(words))})")
        if named and not self._of_first_set(words[0], section):
            return
        rest = words[1:] if named else words
        yield from zip(rest[::2], rest[1::2], strict=True)

    def _of_first_set(self, name: str, section: str) -> bool:
        first = self._sets.setdefault(section, name)
        if name != first:
            self._assume(f"the set {shown(first)} of the section {section}, not {shown(name)}")
        return name == first

    def _value(self, text: str) -> float:
        """A number; infinite from 1e20 on, or in words."""
        value = float_of(text)
        if value is None:
            word = text.lower().lstrip("+-")
            if word not in ("inf", "infinity", "1e400"):
                raise self._fault(f"not a number ({shown(text)})")
            return -np.inf if text.startswith("-") else np.inf
        return value if abs(value) < INFINITE else float(np.copysign(np.inf, value))

    def _right(self, words: list[str]) -> None:
        model = self._model
        for name, text in self._pairs(words, "RHS"):
            value = self._value(text)
            row = model.rows.get(name)
            if row is None and name != self._objective:
                if name in self._ignored:
                    continue
                raise self._fault(f"no row {shown(name)} in the section ROWS")
            if name in self._sides:
                raise self._fault(f"a second right side of {shown(name)}, first in line {self._sides[name]}")
            self._sides[name] = self._line
            if row is None:
                if not np.isfinite(value):
                    raise self._fault(f"an infinite constant of the objective ({shown(text)})")
                if self._of_glpk and value:
                    self._assume(f"the constant {text} of the objective, as GLPK means it, which wrote the file")
                    model.put("offset", 0, value, text)
                else:
                    model.put("offset", 0, -value, text, negated=True)
                continue
            kind = self._kinds[row]
            if kind != "G":
                model.put("row_upper", row, value, text)
            if kind != "L":
                model.put("row_lower", row, value, text)

    def _range(self, words: list[str]) -> None:
        for name, text in self._pairs(words, "RANGES"):
            value = self._value(text)
            row = self._model.rows.get(name)
            if row is None:
                if name in self._ignored or name == self._objective:
                    self._assume(f"no range for the free row {shown(name)}")
                    continue
                raise self._fault(f"no row {shown(name)} in the section ROWS")
            if row in self._ranges:
                raise self._fault(f"a second range of {shown(name)}, first in line {self._ranges[row][2]}")
            self._ranges[row] = value, text, self._line

    def _bound(self, words: list[str]) -> None:
        kind = words[0].upper()
        if kind in ("SC", "SI"):
            name = words[2] if len(words) > 3 else words[1] if len(words) > 1 else ""
            raise _RefusedError(
                self._fault(f"a semi-continuous column ({shown(name)}): only columns with two bounds can be solved")
            )
        column, text = self._bounded_column(kind, words)
        if column is None:
            return
        model = self._model
        if kind in ("BV", "LI", "UI"):
            model.integral[column] = True
        value = self._value(text) if kind in _VALUED else 0.0
        if kind in ("LO", "LI", "FX"):
            self._limit("lower", column, value, text)
        if kind in ("UP", "UI", "FX"):
            self._limit("upper", column, value, text)
        if kind == "BV":
            self._limit("lower", column, 0.0, "0")
            self._limit("upper", column, 1.0, "1")
        if kind in ("FR", "MI"):
            self._limit("lower", column, -np.inf, "")
        if kind in ("FR", "PL"):
            self._limit("upper", column, np.inf, "")
        if kind in ("LO", "LI", "FX", "BV", "FR", "MI"):
            self._low.add(column)
        self._bounded.add(column)

    def _limit(self, side: str, column: int, value: float, text: str) -> None:
        if (side == "lower") == (value > 0) and np.isinf(value):
            raise self._fault(f"no value is within an infinite {side} bound ({shown(text)})")
        if (side, column) in self._given and getattr(self._model, side)[column] != value:
            self._again.setdefault(column, side)
        self._given.add((side, column))
        self._model.put(side, column, value, text)

    def _bounded_column(self, kind: str, words: list[str]) -> tuple[int | None, str]:
        """Column and value of a line of the section BOUNDS; the name of the set may be missing.

        No column if the line belongs to another set than the first one.
        """
        if kind not in _VALUED and kind not in _UNVALUED:
            kinds = "LO, UP, FX, FR, MI, PL, BV, LI or UI"
            raise self._fault(f"the kind of a bound is {kinds} ({shown(words[0])})")
        columns, rest = self._model.columns, words[1:]
        if kind in _VALUED:
            named = len(rest) == 3
            understood = len(rest) in (2, 3)
        else:  # a value is allowed here, but ignored
            named = len(rest) == 3 or (len(rest) == 2 and (rest[1] in columns or rest[0] not in columns))
            understood = len(rest) in (1, 2, 3)
        if not understood:
            raise self._fault(f"a bound has a kind, a set, a column and a value ({shown(' '.join(words))})")
        name = rest[1] if named else rest[0]
        if name not in columns:
            raise self._fault(f"no column {shown(name)} in the section COLUMNS")
        if named and rest[0] and not self._of_first_set(rest[0], "BOUNDS"):
            return None, ""
        return columns[name], rest[-1] if kind in _VALUED else ""

    def _finished(self) -> LinearModel:
        model = self._model
        if self._objective is None:
            if self._wanted:
                raise self._fault(f"no row {shown(self._wanted)}, named as the objective")
            self._assume("an objective of 0: there is no row of kind N")
        model.objective_name = self._objective or ""
        for row, (value, text, line) in self._ranges.items():
            self._apply_range(row, value, text, line)
        unbounded = [column for column in self._marked if column not in self._bounded]
        for column in unbounded:
            model.put("upper", column, 1.0)
        if unbounded:
            self._assume("bounds 0 and 1 for integer columns without bounds, as all solvers do")
        if any(model.upper[column] < 0 and column not in self._low for column in self._bounded):
            self._assume("lower bounds of 0 where only an upper bound below 0 is given, as HiGHS and SCIP do")
        if self._again:
            column, side = next(iter(self._again.items()))
            name = list(model.columns)[column]
            self._assume(f"the last of several {side} bounds of {shown(name)}; HiGHS takes the first")
        return model.made()

    def _apply_range(self, row: int, value: float, text: str, line: int) -> None:
        """The other limit of a row: above or below its right side by the size of the range."""
        model, kind = self._model, self._kinds[row]
        side = "row_lower" if kind == "G" or (kind == "E" and value >= 0) else "row_upper"
        other = "row_upper" if side == "row_lower" else "row_lower"
        model.copy(side, other, row)
        if np.isinf(value):
            model.put(other, row, np.inf if side == "row_lower" else -np.inf)
        elif np.isfinite(getattr(model, side)[row]):
            size = abs(exact(text))
            model.add(other, row, size if side == "row_lower" else -size)
        else:
            name = shown(list(model.rows)[row])
            raise InputError(f"a range of {name}, whose right side is infinite", line=line)
