"""Boards and plans as text.

A board is one line per row, numbers between blanks or commas, 0 = blank (or `_`, `.`, `x`, a gap)::

    # goal: blank-first      (optional: blank-last, blank-first, spiral, blank-at-N, or the tiles of the goal)
    14 13 15  7
    11 12  9  5
     6  0  2  1
     4  8 10  3

Without the first line, the goal is `blank-last`, unless only `blank-first` is reachable. The rows of a goal may follow
`# goal:` (or `goal:`), or form a second board after an empty line. The size may precede the rows (`4` or `3 5`). For
other ways to write rows, see `board_rows`. JSON is a list of rows, or an object with `tiles` and `goal`. A plan is a
text of the letters U, D, L, R, the directions in which tiles slide, optionally separated by blanks and line ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, nearest, shown
from matheur.problems.board_text import bare_lines, claim, gap_between, header_of, quietly, size_of, squeezed
from matheur.problems.plan_text import by_line, joined, read_plan
from matheur.problems.sliding_tile.board_rows import Row, one_square, rows_of, words_of
from matheur.problems.sliding_tile.instance import (
    GOALS,
    MOVES,
    SIDE_MAX,
    Goal,
    Instance,
    goal_of,
    goal_tiles,
    spiral_tiles,
)
from matheur.problems.sliding_tile.problem import SlidingTile
from matheur.problems.sliding_tile.solvability import reachable
from matheur.problems.type_options import FileOptions

__all__ = ["ReadOptions", "goal_named", "looks_like_instance", "read_instance", "read_solution", "write_board"]

_BYTES_MAX = 10_000
_PLAN_BYTES_MAX = 1 << 26
_KEY = "goal"
_SPIRALS = ("spiral", "snail")
_FEW_COLUMNS = 2  # as in the edges of a graph
_SIZE_WORD = re.compile(r"^(size|dimensions?|dim|order|n)\b\s*[:=]?\s*", re.IGNORECASE)
_TILE = re.compile(r"[0-9]{1,3}")
_SECTION = re.compile(
    r"(?P<start>start|initial|begin|from|board|puzzle)?(?P<goal>goal|target|final|end|to)?(?:[\s_-]*(?:state|board))?\s*[:=]"
    r"\s*(?P<rest>.*)",
    re.IGNORECASE,
)
_TILES = re.compile(rb"\s*\{[^{}]*\"tiles\"\s*:")
_STARTS, _ENDS = ("tiles", "board", "start", "initial", "puzzle", "state"), ("goal", "target", "end")
_SIZE_KEYS = ("rows", "height"), ("columns", "width")
_JSON_KEYS = (*_STARTS, *_ENDS, *_SIZE_KEYS[0], *_SIZE_KEYS[1], "title", "name", "problem")


@dataclass(frozen=True, slots=True)
class ReadOptions(FileOptions):
    """Options of the reader.

    Attributes
    ----------
    goal
        Goal that replaces the goal in the file: `blank-last`, `blank-first`, `spiral`, `blank-at-N`, or the tiles of
        the goal row by row.
    """

    files: ClassVar[str] = "sliding-tile files"

    goal: Any = None

    def __post_init__(self) -> None:
        words = _goal_words(self.goal) if self.goal is not None else ["0"]
        if not all(map(_TILE.fullmatch, words)) and not re.fullmatch(r"blank-?at-?[0-9]{1,2}", "".join(words)):
            known = (*GOALS, *_SPIRALS)
            if squeezed("".join(words)) not in map(squeezed, known):
                raise ConfigurationError(f"unknown goal {self.goal!r}. {nearest(str(self.goal)[:40], known)}")

    def applied(self, instance: Any) -> Any:
        """The board with its goal replaced by the option."""
        if self.goal is None:
            return instance
        try:
            goal = goal_named(self.goal, instance.rows, instance.columns)
        except InputError as error:
            raise ConfigurationError(error.message) from None
        return Instance(instance.rows, instance.columns, instance.tiles, goal, instance.title)


def _goal_words(value: Any) -> list[str]:
    """The words of a goal: tiles with 0 for the blank, or a name."""
    lists = isinstance(value, list | tuple)
    text = "\n".join(str(row) for row in value) if lists else str(value)
    lines = [(0, line) for line in text.split("\n") if line.strip()]
    return [word for _, row in rows_of(lines) for word in row] or [text]


def goal_named(value: Any, rows: int, columns: int) -> Goal:
    """A goal of a board of this size.

    Parameters
    ----------
    value
        `blank-last`, `blank-first`, `spiral`, `blank-at-N`, or the tiles row by row, as text or in lists.

    Raises
    ------
    InputError
        If it is none of these.
    """
    name = squeezed(str(value))
    if name in _SPIRALS:
        return goal_of(spiral_tiles(rows, columns))
    for goal in GOALS:
        if name == squeezed(goal):
            return goal
    words = _goal_words(value)
    if len(words) == 1 and rows == 1 and not _TILE.fullmatch(words[0]):
        words = list(words[0])
    at = re.fullmatch(r"blankat([0-9]{1,2})", name)
    if at is None and not all(map(_TILE.fullmatch, words)):
        raise InputError(f"unknown goal {shown(str(value))}. {nearest(str(value).lower()[:40], (*GOALS, *_SPIRALS))}")
    text = f"blank-at-{at[1]}" if at else " ".join(str(int(word)) for word in words)
    return goal_of(goal_tiles(rows * columns, text))


def looks_like_instance(source: Source) -> Recognition:
    """How surely the content is lines of the numbers from 0 on, each once, optionally after a goal; never raises."""
    if len(source.data) > _BYTES_MAX:
        return Recognition.NO
    if _TILES.match(quietly(source).plain):
        return Recognition.PROVED
    found = claim(source, _KEY, GOALS, _fits)
    return Recognition.PROVED if found and _proves(source) else found


def _fits(source: Source) -> bool:
    rows = next(filter(None, _parts(source)), [])
    words = [word for _, row in rows for word in row]
    if set("".join(words)) <= {"0", "1"} and any(len(word) > 1 and word[0] == "0" for word in words):
        return False  # rows of lights
    return _is_board([row for _, row in rows]) or _lacks_blank([row for _, row in rows])


def _lacks_blank(rows: list[list[str]]) -> bool:
    """Whether only the blank is missing, which the reader reports."""
    words = sorted(word for row in rows for word in row)
    widths = sorted(len(row) for row in rows)
    rest = words == sorted(map(str, range(1, len(words) + 1)))
    return len(words) > 2 and rest and len(rows) > 1 and widths[0] + 1 == widths[1] == widths[-1]


def _proves(source: Source) -> bool:
    """Whether there are three or more columns with each number once, which does not happen by chance."""
    try:
        rows = [row for _, row in _parts(quietly(source))[0]]
    except InputError:
        return False
    return len(rows) > 1 and len(rows[0]) > _FEW_COLUMNS and _is_board(rows)


def _is_board(rows: list[list[str]]) -> bool:
    """Whether these are rows of equal length with the numbers from 0 on, each once."""
    words = [word for row in rows for word in row]
    if len(words) < 2 or len({len(row) for row in rows}) != 1 or not all(map(_TILE.fullmatch, words)):
        return False
    return sorted(map(int, words)) == list(range(len(words)))


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """The board in a text file.

    Assumptions are noted, such as a first line read as a size, or a goal other than the usual one.

    Raises
    ------
    InputError
        If it is not a board; the message names the line.
    """
    options = options or ReadOptions()
    source.limited(_BYTES_MAX, f"a board of at most {SIDE_MAX} x {SIDE_MAX} tiles").single("one board")
    header = header_of(source, _KEY, (*GOALS, *_SPIRALS))
    rows, below = _parts(source, [_KEY])
    if not rows and below:
        raise source.error("rows of a goal, but no board. Maybe an empty line between them?", below[0][0])
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
        hint = "" if 0 in tiles else ". Maybe 0 for the blank?"
        raise source.error(f"{message}{hint}", first[wrong])
    try:
        board = Instance(*size, tiles)
    except InputError as error:
        hint = ". Maybe one line per row, or the size before them?" if len(rows) == 1 and len(tiles) > SIDE_MAX else ""
        raise source.error(f"{error.message}{hint}") from None
    if size == (1, 4):
        source.assume("a board of one row, 1 x 4")
    if options.goal is not None:
        found: Instance = options.applied(board)
        return found
    if header is not None and header[0]:
        goal = _located_goal(source, header[0], header[1], board)
    elif below:
        goal = _located_goal(source, " ".join(word for _, row in below for word in row), below[0][0], board)
    elif header is not None:
        raise source.error(
            "a header without a value. Maybe '# goal: spiral', or the rows of the goal below it?", header[1]
        )
    elif not reachable(*size, tiles, "blank-last") and reachable(*size, tiles, "blank-first"):
        goal = "blank-first"
        source.assume("goal blank-first, as blank-last cannot be reached")
    else:
        goal = "blank-last"
    return Instance(*size, tiles, goal)


def _located_goal(source: Source, value: str, line: int, board: Instance) -> Goal:
    try:
        return goal_named(value, board.rows, board.columns)
    except InputError as error:
        raise source.error(error.message, line) from None


def _parts(source: Source, keys: Sequence[str] = ()) -> tuple[list[Row], list[Row]]:
    """The rows of the board and of a goal, with 0 for the blank; assumptions are noted.

    The goal follows `# goal:`, `goal:` or, as a second board of the same size, an empty line.
    """
    if source.text.lstrip()[:1] == "{":
        return _of_json(source)
    lines, name = bare_lines(source, keys=keys, indented=True), "start"
    marks = {
        number: "goal" for number, line in enumerate(source.lines, start=1)
        if re.fullmatch(r"#+\s*goal\s*[:=]\s*", line.strip(), re.IGNORECASE)
    }  # fmt: skip
    named: dict[str, list[tuple[int, str]]] = {"start": [], "goal": []}
    last, gap = 0, gap_between(source)
    for number, text in lines:
        mark = next((one for line, one in sorted(marks.items()) if last < line < number), None)
        section = _SECTION.fullmatch(text.strip())
        empty = gap(last, number)
        if mark is not None:
            name = mark
        elif section is not None and (section["start"] or section["goal"]):
            name, text = ("goal" if section["goal"] else "start"), section["rest"]
            if name == "goal" and _is_name(text):  # what follows is the board
                named["goal"], name, text = [(number, text)], "start", ""
        elif empty and name == "goal" and named["goal"] and not named["start"]:
            name = "start"
        last = number
        if words_of(text):
            named[name].append((number, text))
    if named["goal"]:
        return _rows(source, named["start"]), _goal_rows(named["goal"])
    return _two_boards(source, named["start"]) or (_rows(source, named["start"]), [])


def _is_name(text: str) -> bool:
    """Whether a text is the name of a goal, in any spelling."""
    name = squeezed(text)
    return name in (*map(squeezed, GOALS), *_SPIRALS) or re.fullmatch(r"blankat[0-9]{1,2}", name) is not None


def _goal_rows(lines: list[tuple[int, str]]) -> list[Row]:
    """The rows of a goal; a name is one word, also if it is written with blanks."""
    named = len(lines) == 1 and _is_name(lines[0][1])
    return [(lines[0][0], [lines[0][1].strip()])] if named else rows_of(lines)


def _two_boards(source: Source, lines: list[tuple[int, str]]) -> tuple[list[Row], list[Row]] | None:
    """Two boards of the same size separated by an empty line: the second is taken as the goal, which is noted."""
    half = len(lines) // 2
    if half < 2 or len(lines) % 2 or not gap_between(source)(lines[half - 1][0], lines[half][0]):
        return None
    first, second = rows_of(lines[:half]), rows_of(lines[half:])
    parts = [[words for _, words in rows] for rows in (first, second)]
    if not all(map(_is_board, parts)) or len(parts[0][0]) != len(parts[1][0]):
        return None
    source.assume(f"the second board, from line {second[0][0]}, is the goal")
    return first, second


def _of_json(source: Source) -> tuple[list[Row], list[Row]]:
    """The rows of an object with `tiles` and optionally `goal`; with `rows` or `columns`, the tiles may be one list."""
    data = source.json
    unknown = next((key for key in data if key not in _JSON_KEYS), None)
    if unknown is not None:
        raise source.error(f"unknown key {shown(unknown)}. {nearest(unknown[:40], _JSON_KEYS)}")
    found: list[list[Row]] = []
    for keys in (_STARTS, _ENDS):
        value: Any = next((data[key] for key in keys if key in data), [])
        rows = value if isinstance(value, list) and all(isinstance(row, list | str) for row in value) else [value]
        lines = [(1, _joined(row)) for row in rows if row not in ("", [])]
        found.append(rows_of(lines) if keys is _STARTS else _goal_rows(lines))
    if not found[0]:
        raise source.error("a board in JSON has 'tiles'. Maybe {\"tiles\": [[1, 2, 3], [4, 0, 5]]}?")
    return _shaped(source, data, found[0]), found[1]


def _shaped(source: Source, data: dict[str, Any], rows: list[Row]) -> list[Row]:
    """The rows of a board in JSON; a single row is split by the stated size, or into a square, which is noted."""
    height, width = (next((data[key] for key in keys if key in data), None) for keys in _SIZE_KEYS)
    if height is None and width is None:
        square = one_square(rows, SIDE_MAX + 1)
        if square is not None:
            source.assume(f"a board of {len(square)} x {len(square)} in one list")
        return square or rows
    words = [word for _, row in rows for word in row]
    sides = [side for side in (height, width) if side is not None]
    if any(type(side) is not int or not 0 < side <= SIDE_MAX for side in sides):
        raise source.error(f"a board has 1 to {SIDE_MAX} rows and columns ({shown(', '.join(map(str, sides)))})")
    wide = width or len(words) // (height or 1)
    shape = [words[i : i + wide] for i in range(0, len(words), wide)] if len(rows) == 1 else [row for _, row in rows]
    if {len(row) for row in shape} != {wide} or len(shape) != (height or len(shape)):
        raise source.error(f"{len(words)} tiles do not make a board of this size ({' x '.join(map(str, sides))})")
    return [(1, row) for row in shape]


def _joined(row: Any) -> str:
    return ",".join("null" if word in (None, "") else str(word) for word in row) if isinstance(row, list) else str(row)


def _rows(source: Source, lines: list[tuple[int, str]]) -> list[Row]:
    """The rows of words, with 0 for the blank; a first line that gives the size is dropped, which is noted."""
    plain = rows_of(lines)
    if not _is_board([words for _, words in plain]) and len(lines) > 1:
        sized = _after_size(source, lines, plain)
        if sized is not None:
            return sized
    square = one_square(plain, SIDE_MAX + 1)
    if square is not None and _is_board([words for _, words in square]):
        source.assume(f"a board of {len(square)} x {len(square)} on one line")
        return square
    return plain


def _after_size(source: Source, lines: list[tuple[int, str]], plain: list[Row]) -> list[Row] | None:
    """The rows after a first line that gives the size; None if it does not."""
    line, first = lines[0][0], lines[0][1].strip()
    size = size_of(_SIZE_WORD.sub("", first))
    if size is None:
        return None
    (height, width), rest = size, rows_of(lines[1:])
    lengths = [len(words) for _, words in rest]
    if lengths == [height * width] and height > 1:
        number, words = rest[0]
        rest = [(number, words[i : i + width]) for i in range(0, len(words), width)]
    elif lengths != [width] * height:
        return None
    if len(plain[0][1]) == width and not _is_board([words for _, words in rest]):
        return None  # an ordinary row
    source.assume(f"line {line}, {shown(first)}, is the size")
    return rest


def write_board(instance: Instance) -> str:
    """The board as `read_instance` accepts it."""
    width = len(str(instance.cells - 1))
    rows = [
        " ".join(f"{tile:{width}}" for tile in instance.tiles[i : i + instance.columns])
        for i in range(0, instance.cells, instance.columns)
    ]
    return "\n".join([f"# goal: {instance.goal}", *rows]) + "\n"


def read_solution(problem: SlidingTile, source: Source) -> NDArray[np.int32]:
    """A plan: a JSON text or list of texts, or plain letters in either case; `#` and `//` begin a comment.

    Raises
    ------
    InputError
        If it is neither, or contains other letters.
    """

    def parse(text: str) -> NDArray[np.int32]:
        letters = re.sub(r"[\s,;]", "", text)
        for letter in letters:
            if letter not in MOVES + MOVES.lower():
                raise InputError(f"a move is one of {', '.join(MOVES)} ({shown(letter)})")
        return problem.decode(letters)

    return read_plan(source, joined(problem.decode), by_line(parse), most=_PLAN_BYTES_MAX)
