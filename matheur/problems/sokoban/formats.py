"""Levels in XSB and plans in LURD notation.

A level is rows of `#` wall, `@` player, `+` player on a goal, `$` box, `*` box on a goal, `.` goal, and blank, `-` or
`_` for floor. A file may hold many levels, with empty lines, comments (`;`) and titles between them; `FILE#3` is the
third one.
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
from matheur.problems.port import Source
from matheur.problems.sokoban.instance import CELLS_MAX, COSTS, Cost, Instance
from matheur.problems.sokoban.problem import Sokoban

__all__ = [
    "Level",
    "ReadOptions",
    "looks_like_instance",
    "read_instance",
    "read_levels",
    "read_solution",
    "split_levels",
    "write_level",
]

_PLAN_BYTES_MAX = 1 << 24
_BYTES_MAX = 1 << 26
_ROW = re.compile(r"[ \t]*#[-_ #@+$*.]*")
_NEARLY = re.compile(r"[ \t]*#.*#[ \t]*$")  # right beside the rows of a level, it is meant as one
_SIGNS = "-_ #@+$*."


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options of the reader.

    Attributes
    ----------
    cost
        What is counted: `moves` or `pushes`.
    level
        Which level of a file with several, from 1.
    """

    cost: Cost = "moves"
    level: int | None = None

    def __post_init__(self) -> None:
        if self.cost not in COSTS:
            raise ConfigurationError(f"unknown cost {self.cost!r}. {nearest(str(self.cost), COSTS)}")
        if self.level is not None and (type(self.level) is not int or self.level < 1):
            raise ConfigurationError(f"level must be a whole number from 1 ({self.level!r})")

    @classmethod
    def from_mapping(cls, options: Mapping[str, Any]) -> ReadOptions:
        """The options of a command line or configuration file; an unknown key is an error."""
        known = [field.name for field in fields(cls)]
        for key in options:
            if key not in known:
                raise ConfigurationError(f"unknown option {key!r} of sokoban files. {nearest(str(key), known)}")
        return cls(**options)


@dataclass(frozen=True, slots=True)
class Level:
    """Rows of a level as they stand in the file.

    Attributes
    ----------
    line
        Line of the first row, from 1.
    rows
        Text of the rows.
    title
        What stands before or after them, for people.
    """

    line: int
    rows: tuple[str, ...]
    title: str


def split_levels(text: str) -> list[Level]:
    """All levels of a file: runs of lines of level characters that begin with a wall."""
    found: list[Level] = []
    rows: list[str] = []
    begin, title = 0, ""
    for number, raw in enumerate([*text.splitlines(), ""], start=1):
        line = raw.rstrip()
        if _ROW.fullmatch(line):
            if not rows:
                begin = number
            rows.append(line.expandtabs(1))
        else:
            if rows:
                found.append(Level(begin, tuple(rows), title))
                rows, title = [], ""
            if line.strip():
                title = line.strip().lstrip("; ").strip()[:80]
    return found


def looks_like_instance(source: Source) -> bool:
    """Whether there is a level with a player and a box; never raises."""
    head = Source(source.name, source.data[: 1 << 16])
    try:
        text = head.data.decode("utf-8", "replace")
    except ValueError:
        return False
    return any(
        len(level.rows) > 2 and re.search(r"[@+]", "".join(level.rows)) and re.search(r"[$*]", "".join(level.rows))
        for level in split_levels(text)[:3]
    )


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """A level of a file; the first one unless the options (or the part of the source) name another.

    Raises
    ------
    InputError
        If there is none, with the line where that can be said.
    """
    options = options or ReadOptions()
    if len(source.data) > _BYTES_MAX:
        raise InputError(f"a file of levels has at most {_BYTES_MAX} bytes ({len(source.data)})", source=source.name)
    levels = split_levels(source.text)
    wanted = options.level or source.part or 1
    if not levels:
        raise InputError("no level: its rows begin with #", source=source.name)
    if wanted > len(levels):
        raise InputError(f"there is no level {wanted}, the file has {len(levels)}", source=source.name)
    lines, level = source.text.splitlines(), levels[wanted - 1]
    for number in (level.line - 1, level.line + len(level.rows)):
        if 0 < number <= len(lines) and _NEARLY.match(lines[number - 1]):
            wrong = next(sign for sign in lines[number - 1].strip() if sign not in _SIGNS)
            raise InputError(f"no sign of a level ({wrong!r})", source=source.name, line=number)
    try:
        return _parse(level, options.cost)
    except InputError as error:
        line = error.line or level.line
        raise InputError(error.message, source=source.name, line=line) from None


def read_levels(source: Source, *, needed: bool = True) -> list[Instance]:
    """All levels of a file.

    Parameters
    ----------
    needed
        Whether a file without levels, or with bad ones, is an error; otherwise they are left out.

    Raises
    ------
    InputError
        With the line of a bad level.
    """
    if len(source.data) > _BYTES_MAX:
        raise InputError(f"a file of levels has at most {_BYTES_MAX} bytes ({len(source.data)})", source=source.name)
    found: list[Instance] = []
    try:
        levels = split_levels(source.text)
    except InputError:
        if needed:
            raise
        return found
    if needed and not levels:
        raise InputError("no level: its rows begin with #", source=source.name)
    for level in levels:
        try:
            found.append(_parse(level, "moves"))
        except InputError as error:
            if needed:
                raise InputError(error.message, source=source.name, line=error.line or level.line) from None
    return found


def _parse(level: Level, cost: Cost) -> Instance:
    height, width = len(level.rows), max(map(len, level.rows))
    if height * width > CELLS_MAX:
        raise InputError(f"a level has at most {CELLS_MAX} cells ({height} x {width})")
    walls, goals, boxes, players = [True] * (height * width), [], [], []
    for row, text in enumerate(level.rows):
        for column, sign in enumerate(text):
            cell = row * width + column
            walls[cell] = sign == "#"
            if sign in ".+*":
                goals.append(cell)
            if sign in "$*":
                boxes.append(cell)
            if sign in "@+":
                players.append(cell)
        for column in range(len(text), width):
            walls[row * width + column] = False
    if len(players) != 1:
        raise InputError(f"a level has one player ({len(players)})")
    return Instance(height, width, tuple(walls), tuple(goals), tuple(boxes), players[0], cost, level.title)


def write_level(instance: Instance) -> str:
    """The level as `read_instance` takes it."""
    lines = []
    for row in range(instance.rows):
        signs = []
        for cell in range(row * instance.columns, (row + 1) * instance.columns):
            goal = cell in instance.goals
            if instance.walls[cell]:
                signs.append("#")
            elif cell in instance.boxes:
                signs.append("*" if goal else "$")
            elif cell == instance.player:
                signs.append("+" if goal else "@")
            else:
                signs.append("." if goal else " ")
        lines.append("".join(signs).rstrip())
    return "\n".join(lines) + "\n"


def read_solution(problem: Sokoban, source: Source) -> NDArray[np.int32]:
    """A plan: a JSON text, or plain letters; `;` and `#` begin a comment.

    Raises
    ------
    InputError
        If it is neither, or has other letters.
    """
    if len(source.data) > _PLAN_BYTES_MAX:
        raise InputError(f"a plan has at most {_PLAN_BYTES_MAX} bytes ({len(source.data)})", source=source.name)
    text = source.text
    try:
        if text.lstrip()[:1] in ('"', "[", "{"):
            return problem.decode(json.loads(text))
        lines = [re.split("[;#]", line)[0] for line in text.splitlines()]
        return problem.decode(re.sub(r"[\s,]", "", "".join(lines)))
    except InputError as error:
        raise error.located(source.name) from None
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", source=source.name, line=error.lineno) from None
    except (RecursionError, ValueError):
        raise InputError("not a plan", source=source.name) from None
