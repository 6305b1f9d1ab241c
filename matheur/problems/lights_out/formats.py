"""Boards and presses as text.

A board is one line of `0` and `1` per row, 1 = on, blanks between them or not::

    # pattern: king     (optional, before the rows; plus if it is missing)
    01010
    11011
    00100

Presses are a JSON list of cells, or numbers between blanks, commas or line ends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, InputError, nearest
from matheur.problems.lights_out.instance import CELLS_MAX, PATTERNS, Instance, Pattern
from matheur.problems.lights_out.problem import LightsOut
from matheur.problems.port import Source

__all__ = ["ReadOptions", "looks_like_instance", "read_instance", "read_solution", "write_board"]

_BYTES_MAX = 64 * CELLS_MAX
_PLAN_BYTES_MAX = 1 << 24
_HEADER = re.compile(r"#\s*pattern\s*:\s*(\S+)\s*$")
_ROW = re.compile(r"[01](?:[ \t]*[01])*")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options of the reader.

    Attributes
    ----------
    pattern
        What a press toggles, instead of what the file says: `plus` or `king`.
    """

    pattern: Pattern | None = None

    def __post_init__(self) -> None:
        if self.pattern is not None and self.pattern not in PATTERNS:
            raise ConfigurationError(f"unknown pattern {self.pattern!r}. {nearest(str(self.pattern), PATTERNS)}")

    @classmethod
    def from_mapping(cls, options: Mapping[str, Any]) -> ReadOptions:
        """The options of a command line or configuration file; an unknown key is an error."""
        known = [field.name for field in fields(cls)]
        for key in options:
            if key not in known:
                raise ConfigurationError(f"unknown option {key!r} of lights-out files. {nearest(str(key), known)}")
        return cls(**options)


def looks_like_instance(source: Source) -> bool:
    """Whether there are at least two rows of the same number of zeros and ones, and nothing else; never raises."""
    if len(source.data) > _BYTES_MAX:
        return False
    try:
        lines = [line.strip() for line in source.text.splitlines()]
    except InputError:
        return False
    rows = [re.sub(r"[ \t]", "", line) for line in lines if line and not line.startswith("#")]
    return len(rows) > 1 and len({len(row) for row in rows}) == 1 and all(set(row) <= {"0", "1"} for row in rows)


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """The board in a text file.

    Raises
    ------
    InputError
        If it is not one, with the line.
    """
    options = options or ReadOptions()
    if len(source.data) > _BYTES_MAX:
        raise InputError(f"a board has at most {CELLS_MAX} cells ({len(source.data)} bytes)", source=source.name)
    pattern: str | None = None
    rows: list[tuple[int, str]] = []
    for number, raw in enumerate(source.text.splitlines(), start=1):
        line = raw.strip()
        header = _HEADER.fullmatch(line)
        if header is not None:
            pattern = header[1]
            if pattern not in PATTERNS:
                hint = nearest(pattern[:40], PATTERNS)
                raise InputError(f"unknown pattern {pattern[:40]!r}. {hint}", source=source.name, line=number)
        elif line and not line.startswith("#"):
            if not _ROW.fullmatch(line):
                wrong = next(letter for letter in line if letter not in "01 \t")
                raise InputError(f"a row has only 0 and 1 ({wrong!r})", source=source.name, line=number)
            rows.append((number, re.sub(r"[ \t]", "", line)))
    if not rows:
        raise InputError("no rows of lights", source=source.name)
    width = len(rows[0][1])
    for number, row in rows:
        if len(row) != width:
            raise InputError(f"{len(row)} lights, the first row has {width}", source=source.name, line=number)
    lights = tuple(letter == "1" for _, row in rows for letter in row)
    try:
        return Instance(len(rows), width, lights, options.pattern or pattern or "plus")  # type: ignore[arg-type]
    except InputError as error:
        raise error.located(source.name) from None


def write_board(instance: Instance) -> str:
    """The board as `read_instance` takes it."""
    header = [] if instance.pattern == "plus" else [f"# pattern: {instance.pattern}"]
    width = instance.columns
    rows = ["".join("01"[on] for on in instance.lights[i : i + width]) for i in range(0, instance.cells, width)]
    return "\n".join([*header, *rows]) + "\n"


def read_solution(problem: LightsOut, source: Source) -> NDArray[np.int32]:
    """Presses: a JSON list of cells, or plain text of the same numbers; `#` begins a comment.

    Raises
    ------
    InputError
        If it is neither, or names a cell that does not exist.
    """
    if len(source.data) > _PLAN_BYTES_MAX:
        raise InputError(f"presses have at most {_PLAN_BYTES_MAX} bytes ({len(source.data)})", source=source.name)
    text = source.text
    if text.lstrip()[:1] in ("[", "{"):
        try:
            return problem.decode(json.loads(text))
        except InputError as error:
            raise error.located(source.name) from None
        except json.JSONDecodeError as error:
            raise InputError(f"not JSON: {error.msg}", source=source.name, line=error.lineno) from None
        except (RecursionError, ValueError):
            raise InputError("not a list of cells", source=source.name) from None
    cells: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        for word in re.split(r"[\s,;]+", line.partition("#")[0].strip(" \t,;")):
            if word and not re.fullmatch(r"[0-9]{1,9}", word):
                raise InputError(f"not a cell ({word[:40]!r})", source=source.name, line=number)
            if word:
                cells.append(int(word))
    try:
        return problem.decode(cells)
    except InputError as error:
        raise error.located(source.name) from None
