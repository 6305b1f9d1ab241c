"""Boards and presses as text.

A board is one line of `0` and `1` per row, 1 = on, blanks between them or not::

    # pattern: king     (optional, before the rows; plus if it is missing)
    01010
    11011
    00100

Other signs are read where they leave no doubt: `x`, `*` or `#` for a light that is on, with `.`, `-` or `_` for one
that is off. Presses are a JSON list of cells, or numbers between blanks, commas or line ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, nearest, shown
from matheur.problems.board_text import bare_lines, claim, header_of, only_one, size_of
from matheur.problems.lights_out.instance import CELLS_MAX, PATTERNS, Instance, Pattern
from matheur.problems.lights_out.problem import LightsOut
from matheur.problems.plan_text import by_line, read_plan
from matheur.problems.type_options import FileOptions

__all__ = ["ReadOptions", "looks_like_instance", "read_instance", "read_solution", "write_board"]

_BYTES_MAX = 64 * CELLS_MAX
_PLAN_BYTES_MAX = 1 << 24
_KEY = "pattern"
_BETWEEN = re.compile(r"[\s,;|\[\]]+")
_DRAWN = re.compile(r"[#.\-_ \t]*")
_ON, _OFF = "xX*@#", ".-_"
_HINT = "Maybe 1 for a light that is on, and 0 for one that is off?"


@dataclass(frozen=True, slots=True)
class ReadOptions(FileOptions):
    """Options of the reader.

    Attributes
    ----------
    pattern
        What a press toggles, instead of what the file says: `plus` or `king`.
    """

    files: ClassVar[str] = "lights-out files"

    pattern: Pattern | None = None

    def __post_init__(self) -> None:
        if self.pattern is not None and self.pattern not in PATTERNS:
            raise ConfigurationError(f"unknown pattern {self.pattern!r}. {nearest(str(self.pattern), PATTERNS)}")


def looks_like_instance(source: Source) -> Recognition:
    """How surely there are rows of the same number of lights and nothing else, perhaps a pattern; never raises."""
    if len(source.data) > _BYTES_MAX:
        return Recognition.NO
    return claim(source, _KEY, PATTERNS, lambda quiet: bool(_rows(quiet)))


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """The board in a text file; other signs than 0 and 1 are noted.

    Raises
    ------
    InputError
        If it is not one, with the line.
    """
    options = options or ReadOptions()
    only_one(source.limited(_BYTES_MAX, f"a board of at most {CELLS_MAX} cells"), "one board")
    header = header_of(source, _KEY, PATTERNS)
    pattern = options.pattern or ("plus" if header is None else _pattern(source, *header))
    rows = _rows(source, [_KEY])
    if not rows:
        raise source.error("no rows of lights")
    lines = source.lines
    gaps = [after for (before, _), (after, _) in pairwise(rows) if not all(map(str.strip, lines[before : after - 1]))]
    if gaps and len(gaps) < len(rows) - 1:
        raise source.error("rows behind an empty line. Maybe a file of its own for each board?", gaps[0])
    lights = tuple(letter == "1" for _, row in rows for letter in row)
    try:
        return Instance(len(rows), len(rows[0][1]), lights, pattern)  # type: ignore[arg-type]
    except InputError as error:
        raise error.located(source.name) from None


def _pattern(source: Source, value: str, line: int) -> str:
    for pattern in PATTERNS:
        if value.lower() == pattern:
            return pattern
    about = " (boards end at their edges)" if re.search("torus|toroid|wrap|cyclic", value, re.IGNORECASE) else ""
    raise source.error(f"unknown pattern {shown(value)}{about}. {nearest(value.lower()[:40], PATTERNS)}", line)


def _rows(source: Source, keys: Sequence[str] = ()) -> list[tuple[int, str]]:
    """Rows of 0 and 1, all of one length.

    Raises
    ------
    InputError
        At the first sign or row that does not belong there.
    """
    drawn = [(number, line.strip()) for number, line in enumerate(source.lines, start=1) if line.strip()]
    signs = set("".join(line for _, line in drawn)) - set(" \t")
    if not (all(_DRAWN.fullmatch(line) for _, line in drawn) and len(signs) == 2 and "#" in signs):
        drawn = bare_lines(source, keys=keys)
    widths = {len(_BETWEEN.sub("", line)) for _, line in drawn}
    size = size_of(drawn[0][1]) if len(widths) > 1 else None
    if size is not None and size == (len(drawn) - 1, len(_BETWEEN.sub("", drawn[-1][1]))):
        source.assume(f"line {drawn[0][0]}, {shown(drawn[0][1])}, is the size")
        drawn = drawn[1:]
    rows = [(number, row) for number, line in drawn if (row := _BETWEEN.sub("", line))]
    signs = set("".join(row for _, row in rows))
    on, off = (next((sign for sign in known if sign in signs), None) for known in (_ON, _OFF))
    if on and off and signs == {on, off}:
        source.assume(f"{shown(on)} is a light that is on, {shown(off)} one that is off")
        rows = [(number, row.replace(on, "1").replace(off, "0")) for number, row in rows]
    for number, row in rows:
        wrong = next((sign for sign in row if sign not in "01"), None)
        if wrong is not None:
            raise source.error(f"a row has only 0 and 1 ({shown(wrong)}). {_HINT}", number)
        if len(row) != len(rows[0][1]):
            raise source.error(f"{len(row)} lights, the first row has {len(rows[0][1])}", number)
    return rows


def write_board(instance: Instance) -> str:
    """The board as `read_instance` takes it."""
    header = [] if instance.pattern == "plus" else [f"# pattern: {instance.pattern}"]
    width = instance.columns
    rows = ["".join("01"[on] for on in instance.lights[i : i + width]) for i in range(0, instance.cells, width)]
    return "\n".join([*header, *rows]) + "\n"


def read_solution(problem: LightsOut, source: Source) -> NDArray[np.int32]:
    """Presses: a JSON list of cells, or plain text of the same numbers; `#` and `//` begin a comment.

    Raises
    ------
    InputError
        If it is neither, or names a cell that does not exist.
    """

    def parse(text: str) -> NDArray[np.int32]:
        words = [word for word in re.split(r"[\s,;]+", text) if word]
        for word in words:
            if not re.fullmatch(r"0|[1-9][0-9]{0,8}", word):
                hint = ". Maybe the numbers of the cells, from 0, instead of rows?" if set(word) <= set("01") else ""
                raise InputError(f"not a cell ({shown(word)}){hint}")
        return problem.decode([int(word) for word in words])

    return read_plan(source, problem.decode, by_line(parse), most=_PLAN_BYTES_MAX, what="a list of presses")
