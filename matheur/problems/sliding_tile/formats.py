"""Boards and plans as text.

A board is one line per row, numbers between blanks or commas, 0 = blank (or `_`, `.`, `x`)::

    # goal: blank-first      (optional: the goal is 0 1 2 ...; blank-last: 1 2 ... 0)
    14 13 15  7
    11 12  9  5
     6  0  2  1
     4  8 10  3

Without the first line the goal is `blank-last`, unless only the other one can be reached. The size may stand before the
rows (`4` or `3 5`). A plan is a text of the letters U, D, L, R, the directions in which tiles slide, with blanks and
line ends between them or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, nearest, shown
from matheur.problems.board_text import bare_lines, claim, header_of, only_one, quietly, size_of, squeezed
from matheur.problems.plan_text import by_line, read_plan
from matheur.problems.sliding_tile.instance import GOALS, MOVES, SIDE_MAX, Goal, Instance, goal_tiles
from matheur.problems.sliding_tile.problem import SlidingTile
from matheur.problems.sliding_tile.solvability import reachable
from matheur.problems.type_options import FileOptions

__all__ = ["ReadOptions", "looks_like_instance", "read_instance", "read_solution", "write_board"]

_BYTES_MAX = 10_000
_PLAN_BYTES_MAX = 1 << 26
_KEY = "goal"
_FEW_COLUMNS = 2  # as the edges of a graph have
_BETWEEN = re.compile(r"[\s,;|/\[\]()]+")
_TILE = re.compile(r"[0-9]{1,3}")
_BLANK = re.compile(r"[_.*-]{1,2}|[xXbB□]")

Row = tuple[int, list[str]]
"""Number of a line, and the words on it."""


@dataclass(frozen=True, slots=True)
class ReadOptions(FileOptions):
    """Options of the reader.

    Attributes
    ----------
    goal
        `blank-last` or `blank-first`, instead of what the file says.
    """

    files: ClassVar[str] = "sliding-tile files"

    goal: Goal | None = None

    def __post_init__(self) -> None:
        if self.goal is not None and self.goal not in GOALS:
            raise ConfigurationError(f"unknown goal {self.goal!r}. {nearest(str(self.goal), GOALS)}")


def looks_like_instance(source: Source) -> Recognition:
    """How surely the content is lines of numbers, each from 0 on once, perhaps behind a goal; never raises."""
    if len(source.data) > _BYTES_MAX:
        return Recognition.NO
    found = claim(source, _KEY, GOALS, _fits)
    return Recognition.PROVED if found and _proves(source) else found


def _fits(source: Source) -> bool:
    rows = _rows(source)
    words = [word for _, row in rows for word in row]
    if set("".join(words)) <= {"0", "1"} and any(len(word) > 1 and word[0] == "0" for word in words):
        return False  # rows of lights
    return _is_board([row for _, row in rows]) or _lacks_blank([row for _, row in rows])


def _lacks_blank(rows: list[list[str]]) -> bool:
    """Whether only the blank is missing, which the reader will say."""
    words = sorted(word for row in rows for word in row)
    widths = sorted(len(row) for row in rows)
    rest = words == sorted(map(str, range(1, len(words) + 1)))
    return len(words) > 2 and rest and len(rows) > 1 and widths[0] + 1 == widths[1] == widths[-1]


def _proves(source: Source) -> bool:
    """Whether there are three columns or more with each number once, which comes about by no chance."""
    try:
        rows = [row for _, row in _rows(quietly(source))]
    except InputError:
        return False
    return len(rows) > 1 and len(rows[0]) > _FEW_COLUMNS and _is_board(rows)


def _is_board(rows: list[list[str]]) -> bool:
    """Whether these are rows of one length with the numbers from 0 on once each."""
    words = [word for row in rows for word in row]
    if len(words) < 2 or len({len(row) for row in rows}) != 1 or not all(map(_TILE.fullmatch, words)):
        return False
    return sorted(map(int, words)) == list(range(len(words)))


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """The board in a text file.

    What is taken for granted is noted: that the first line is a size, or that the goal is not the usual one.

    Raises
    ------
    InputError
        If it is not one, with the line.
    """
    options = options or ReadOptions()
    only_one(source.limited(_BYTES_MAX, f"a board of at most {SIDE_MAX} x {SIDE_MAX} tiles"), "one board")
    header = header_of(source, _KEY, GOALS)
    rows = _rows(source, [_KEY])
    if not rows:
        raise source.error("no rows of tiles")
    first: dict[int, int] = {}
    for number, words in rows:
        for word in words:
            if not _TILE.fullmatch(word):
                raise source.error(f"not the number of a tile ({shown(word)})", number)
        if len(words) != len(rows[0][1]):
            hint = ". Maybe 0 for the blank?" if abs(len(words) - len(rows[0][1])) == 1 else ""
            raise source.error(f"{len(words)} tiles, the first row has {len(rows[0][1])}{hint}", number)
        for tile in map(int, words):
            if tile in first:
                raise source.error(f"tile {tile} is there twice, first in line {first[tile]}", number)
            first[tile] = number
    tiles = tuple(int(word) for _, row in rows for word in row)
    size = len(rows), len(rows[0][1])
    wrong = next((tile for tile in tiles if tile >= len(tiles)), None)
    if wrong is not None and max(size) <= SIDE_MAX:
        message = f"tile {wrong} does not belong on a board of {len(tiles)} cells; they are 0 to {len(tiles) - 1}"
        raise source.error(message, first[wrong])
    try:
        board = Instance(*size, tiles)
    except InputError as error:
        hint = ". Maybe one line per row?" if len(rows) == 1 and len(tiles) > SIDE_MAX else ""
        raise source.error(f"{error.message}{hint}") from None
    if size == (1, 4):
        source.assume("a board of one row, 1 x 4")
    goal: Any = options.goal or (None if header is None else _goal(source, *header, board.cells))
    if goal is None and not reachable(*size, tiles, "blank-last") and reachable(*size, tiles, "blank-first"):
        goal = "blank-first"
        source.assume("goal blank-first, as blank-last cannot be reached")
    return Instance(*size, tiles, goal or "blank-last")


def _rows(source: Source, keys: Sequence[str] = ()) -> list[Row]:
    """The rows of words, with 0 for a sign of the blank, and without a first line that is the size, which is noted."""
    lines = [(number, text) for number, text in bare_lines(source, keys=keys) if _words(text)]
    plain = _with_zero(lines)
    size = size_of(lines[0][1]) if len(lines) > 1 else None
    if size is None or _is_board([words for _, words in plain]):
        return plain
    (height, width), rest = size, _with_zero(lines[1:])
    lengths = [len(words) for _, words in rest]
    if lengths == [height * width] and height > 1:
        number, words = rest[0]
        rest = [(number, words[i : i + width]) for i in range(0, len(words), width)]
    elif lengths != [width] * height:
        return plain
    if len(plain[0][1]) == width and not _is_board([words for _, words in rest]):
        return plain  # an ordinary row
    source.assume(f"line {lines[0][0]}, {shown(lines[0][1])}, is the size")
    return rest


def _with_zero(lines: Sequence[tuple[int, str]]) -> list[Row]:
    blank = _blank(word for _, text in lines for word in _words(text))
    return [(number, ["0" if word == blank else word for word in _words(text)]) for number, text in lines]


def _words(text: str) -> list[str]:
    return [word for word in _BETWEEN.split(text) if word]


def _blank(words: Iterable[str]) -> str | None:
    """The sign of the blank, if there is one, and no other one and no 0."""
    found = [word for word in words if _BLANK.fullmatch(word) or re.fullmatch("0+", word)]
    return found[0] if len(found) == 1 else None


def _goal(source: Source, value: str, line: int, cells: int) -> str:
    """The goal that a header names, also by its tiles."""
    for goal in GOALS:
        if squeezed(value) == squeezed(goal):
            return goal
    blank = _blank(_words(value))
    words = ["0" if word == blank else word for word in _words(value)]
    if not all(map(_TILE.fullmatch, words)) or not words:
        raise source.error(f"unknown goal {shown(value)}. {nearest(value.lower()[:40], GOALS)}", line)
    for goal in GOALS:
        if tuple(map(int, words)) == goal_tiles(cells, goal):
            return goal
    known = " and ".join(f"{goal} ({' '.join(map(str, _ends(goal_tiles(cells, goal))))})" for goal in GOALS)
    raise source.error(f"no goal of these boards ({shown(value)}). There are only {known}", line)


def _ends(tiles: tuple[int, ...]) -> list[int | str]:
    return [*tiles[:3], "...", tiles[-1]] if len(tiles) > 4 else [*tiles]


def write_board(instance: Instance) -> str:
    """The board as `read_instance` takes it."""
    width = len(str(instance.cells - 1))
    rows = [
        " ".join(f"{tile:{width}}" for tile in instance.tiles[i : i + instance.columns])
        for i in range(0, instance.cells, instance.columns)
    ]
    return "\n".join([f"# goal: {instance.goal}", *rows]) + "\n"


def read_solution(problem: SlidingTile, source: Source) -> NDArray[np.int32]:
    """A plan: a JSON text, or plain letters in either case; `#` and `//` begin a comment.

    Raises
    ------
    InputError
        If it is neither, or has other letters.
    """

    def parse(text: str) -> NDArray[np.int32]:
        letters = re.sub(r"[\s,;]", "", text)
        for letter in letters:
            if letter not in MOVES + MOVES.lower():
                raise InputError(f"a move is one of {', '.join(MOVES)} ({shown(letter)})")
        return problem.decode(letters)

    return read_plan(source, problem.decode, by_line(parse), most=_PLAN_BYTES_MAX)
