"""Levels in XSB (or the XML of `.slc` files), and plans in LURD notation.

A level is rows of `#` wall, `@` player, `+` player on a goal, `$` box, `*` box on a goal, `.` goal, and blank, `-` or
`_` for floor. A file may hold many levels, with empty lines, comments (`;`) and titles between them; `FILE#3` is the
third one, with or without solutions below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, nearest, shown
from matheur.problems.board_text import quietly
from matheur.problems.plan_text import joined, read_plan
from matheur.problems.sokoban.instance import COSTS, Cost, Instance
from matheur.problems.sokoban.levels import Level, split_levels
from matheur.problems.sokoban.problem import Sokoban
from matheur.problems.sokoban.settled import Settled
from matheur.problems.sokoban.stored import Stored, stored_alone
from matheur.problems.type_options import FileOptions

__all__ = [
    "Level",
    "ReadOptions",
    "holds_solution",
    "looks_like_instance",
    "read_instance",
    "read_levels",
    "read_solution",
    "split_levels",
    "write_level",
]

_PLAN_BYTES_MAX = 1 << 24
_BYTES_MAX = 1 << 26
_HEAD = 1 << 16
_ENDINGS = (".xsb", ".sok", ".slc")
_NO_LEVEL = "not a level: its rows begin with #, or with floor (blank, - or _) before it"


@dataclass(frozen=True, slots=True)
class ReadOptions(FileOptions):
    """Options of the reader.

    Attributes
    ----------
    cost
        Objective: `moves` or `pushes`.
    level
        Number of the level in a file with several, from 1.
    """

    files: ClassVar[str] = "sokoban files"

    cost: Cost = "moves"
    level: int | None = None

    def __post_init__(self) -> None:
        if self.cost not in COSTS:
            raise ConfigurationError(f"unknown cost {self.cost!r}. {nearest(str(self.cost), COSTS)}")
        if self.level is not None and (type(self.level) is not int or self.level < 1):
            raise ConfigurationError(f"level must be a whole number from 1 ({self.level!r})")


def looks_like_instance(source: Source) -> Recognition:
    """How surely the source holds a level with a player and a box; never raises."""
    head = quietly(Source(source.name, source.data[:_HEAD]))
    try:
        levels = split_levels(head.text)[:3]
    except InputError:
        return Recognition.NO
    texts = ["".join(level.rows) for level in levels if len(level.rows) > 2]
    whole = [text for text in texts if len(re.findall(r"[@+]", text)) == 1 and re.search(r"[$*]", text)]
    if whole or (levels and head.suffix in _ENDINGS):
        return Recognition.PROVED
    some = any(re.search(r"[@+]", text) and re.search(r"[$*]", text) for text in texts)
    return Recognition.FITS if some else Recognition.NO


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """A level of a file: the first one, unless the options (or the part of the source) name another.

    Raises
    ------
    InputError
        If there is no such level, or it is malformed; the message names the line if possible.
    """
    options = options or ReadOptions()
    levels = _levels(source)
    wanted = source.part if options.level is None else options.level
    if not levels:
        raise source.error(_NO_LEVEL)
    if wanted is not None and not 0 < wanted <= len(levels):
        raise source.error(f"there is no level {wanted}, the file has {len(levels)}")
    if wanted is None and len(levels) > 1:
        source.assume(f"level 1 of {len(levels)}")
    found = _located(source, levels[(wanted or 1) - 1], options.cost)
    kept = [box for box in Settled.of(found).closed if box in found.goals]
    if kept:
        more = f" ({len(kept)} such boxes)" if len(kept) > 1 else ""
        source.assume(f"the box in {found.shown(kept[0])} cannot be reached; it stands on a goal and stays there{more}")
    return found


def read_levels(source: Source, *, needed: bool = True) -> list[Instance]:
    """All levels of a file.

    Parameters
    ----------
    needed
        Whether a file without levels, or with malformed ones, is an error; otherwise malformed levels are skipped.

    Raises
    ------
    InputError
        If a level is malformed; the message names its line.
    """
    found: list[Instance] = []
    try:
        levels = _levels(source)
        if not levels:
            raise source.error(_NO_LEVEL)
    except InputError:
        if needed or len(source.data) > _BYTES_MAX:
            raise
        return found
    for level in levels:
        try:
            found.append(_located(source, level, "moves"))
        except InputError:
            if needed:
                raise
    return found


def _levels(source: Source) -> list[Level]:
    return split_levels(source.limited(_BYTES_MAX, "a file of levels").text)


def _located(source: Source, level: Level, cost: Cost) -> Instance:
    try:
        return _parse(level, cost)
    except InputError as error:
        raise source.error(error.message, error.line or level.line) from None


def _parse(level: Level, cost: Cost) -> Instance:
    rows = level.signs()
    height, width = len(rows), max(map(len, rows))
    walls, goals, boxes, players = [True] * (height * width), [], [], []
    for row, text in enumerate(rows):
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
    if not players:
        raise InputError("a level has one player (@, or + on a goal), this one has no player")
    if len(players) > 1:
        places = " and ".join(f"row {cell // width}, column {cell % width}" for cell in players[:2])
        raise InputError(
            f"a level has one player ({len(players)}: {places}{', ...' if len(players) > 2 else ''}). "
            "Maybe two levels without an empty line between them?"
        )
    return Instance(height, width, tuple(walls), tuple(goals), tuple(boxes), players[0], cost, level.title)


def write_level(instance: Instance) -> str:
    """The level as `read_instance` accepts it."""
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
    """A plan: a JSON text, or plain letters, in which a number repeats the next letter; `;`, `#`, `//` begin comments.

    From a file of levels with solutions, the best solution of this level.

    Raises
    ------
    InputError
        If it is neither, or contains other letters.
    """
    level = _level_of(problem, source.limited(_BYTES_MAX, "a file of levels"))
    if level is not None and not level.plans:
        raise source.error("there is no solution below the level", level.line)
    plans = stored_alone(source.lines) if level is None else level.plans
    if plans:
        return _best_of(problem, source, plans)

    def parse(lines: list[tuple[int, str]]) -> NDArray[np.int32]:
        parts = [(number, re.sub(r"[\s,]", "", text)) for number, text in lines]
        for number, text in parts:
            wrong = re.search(r"[^udlrUDLR0-9()*]", text)
            if wrong is not None:
                raise InputError(f"a move is one of u d l r U D L R ({shown(wrong[0])})", line=number)
        return problem.decode("".join(text for _, text in parts))

    return read_plan(source, joined(problem.decode), parse, most=_PLAN_BYTES_MAX, comments=(";", "#", "//"))


def holds_solution(problem: Sokoban, source: Source) -> bool:
    """Whether a file of levels has a solution below this one."""
    level = _level_of(problem, source)
    return level is not None and any(plan.finished for plan in level.plans)


def _level_of(problem: Sokoban, source: Source) -> Level | None:
    """The level of a file that the source names, or else the one equal to the problem; None if there is none."""
    if "#" not in source.text or source.text.lstrip()[:1] in ('"', "[", "{"):
        return None
    levels = split_levels(source.text)
    if source.part is not None:
        return levels[source.part - 1] if 0 < source.part <= len(levels) else None
    for level in levels:
        try:
            if Sokoban(_parse(level, problem.instance.cost)).content == problem.content:
                return level
        except InputError:
            continue
    return None


def _best_of(problem: Sokoban, source: Source, plans: Sequence[Stored]) -> NDArray[np.int32]:
    """The best valid plan; if there is none, an invalid solution, so that its error can be reported."""
    found: list[tuple[bool, int | float, NDArray[np.int32]]] = []
    for stored in sorted(plans, key=lambda one: not one.finished):
        try:
            plan = problem.decode(stored.moves)
        except InputError as error:
            raise source.error(error.message, stored.line) from None
        evaluation = problem.evaluate(plan)
        found.append((not evaluation.feasible, evaluation.objective if evaluation.feasible else 0, plan))
    return min(found, key=lambda one: one[:2])[2]
