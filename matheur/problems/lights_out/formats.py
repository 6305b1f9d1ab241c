"""Boards and presses as text.

A board is one line of `0` and `1` per row, where 1 means on, with or without blanks between them. Headers set rules
that differ from the default::

    # pattern: .1./121/.1.    (plus, king, or rows around the pressed cell)
    # edges: torus            (plain, torus, cylinder)
    # states: 3               (rows then have the numbers 0 to 2)
    # target: 000/111/000     (off, on, a state of all lights, or rows)
    012
    110
    001

The rows of a pattern or a target may also be on separate lines after `# pattern:` or `# target:`, up to an empty line
or the next header. Other signs are read if they are unambiguous: `x`, `*` or `#` for a light that is on, with `.`, `-`
or `_` for a light that is off. For JSON, see `json_format`. Presses are a JSON list of cells, or numbers separated by
blanks, commas or line ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from matheur.engine.recognition import Recognition, headers, names_header
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, shown
from matheur.problems.board_text import bare_lines, check_colon, claim, gap_between, quietly, size_of
from matheur.problems.lights_out.cell_rows import DIGITS, OFF, ON, read_row, written_rows
from matheur.problems.lights_out.instance import CELLS_MAX, EDGES, PATTERNS, STATES_MAX, Instance
from matheur.problems.lights_out.json_format import claim_json, fields_of_json, write_json
from matheur.problems.lights_out.press_pattern import canonical
from matheur.problems.lights_out.problem import LightsOut
from matheur.problems.lights_out.rules import KEYS, edges_of, pattern_and_edges, states_of, target_of
from matheur.problems.plan_text import by_line, read_plan
from matheur.problems.type_options import FileOptions

__all__ = ["ReadOptions", "looks_like_instance", "read_instance", "read_solution", "write_board", "written_head"]

Read = TypeVar("Read")
Lines = list[tuple[int, str]]
Headers = dict[str, tuple[str, int]]

_BYTES_MAX = 64 * CELLS_MAX
_PLAN_BYTES_MAX = 1 << 24
_SECTIONS = ("pattern", "target", "goal", "lights", "board", "start")
_ANY: dict[str, Sequence[str]] = dict.fromkeys((*KEYS, *_SECTIONS), ())
_PROVING = ("states", "edges", "target")
_BETWEEN = re.compile(r"[\s,;|\[\]()]+")
_WHOLE = re.compile("[0-9]+")
_ROW_ENDS = re.compile(r"[/;|]|(?<=[\])])\s*(?:,\s*)?(?=[\[(])")
_CELLS = re.compile(r"[0-9xX*@oO.\-_\s,;|/\[\]()]+")
_DRAWN = re.compile(r"[#.\-_ \t]*")
_COMMENT = re.compile(r"(#+\s*[^\W\d_]|//).*")
_EDGES_ALONE = re.compile(r"#+\s*(torus|toroidal|cylinder|wrap(?:s|ped)?(?:[\s-]*around)?)\s*[.!]?", re.IGNORECASE)
_NUMBERS = tuple(map(str, range(2, STATES_MAX + 1)))


@dataclass(frozen=True, slots=True)
class ReadOptions(FileOptions):
    """Options of the reader; each replaces the rule in the file.

    Attributes
    ----------
    pattern
        Effect of a press: `plus`, `king`, or rows such as `.1./111/.1.`.
    states
        Number of states of a light.
    edges
        Rule at the edges: `plain`, `torus` or `cylinder`.
    target
        Target of the lights: `off`, `on`, a state of all lights, or rows such as `010/111/010`.
    """

    files: ClassVar[str] = "lights-out files"

    pattern: str | None = None
    states: int | None = None
    edges: str | None = None
    target: str | int | None = None

    def __post_init__(self) -> None:
        try:
            if self.states is not None:
                object.__setattr__(self, "states", states_of(self.states))
            if self.pattern is not None:
                named, edges = pattern_and_edges(str(self.pattern))
                object.__setattr__(self, "pattern", named and canonical(named, self.states or STATES_MAX))
                object.__setattr__(self, "edges", self.edges if edges is None else edges)
            if self.edges is not None:
                object.__setattr__(self, "edges", edges_of(self.edges))
        except InputError as error:
            raise ConfigurationError(error.message) from None

    def applied(self, instance: Any) -> Any:
        """The board, with its rules replaced by the options that are given."""
        given: dict[str, Any] = {name: getattr(self, name) for name in ("pattern", "states", "edges")}
        given = {name: value for name, value in given.items() if value is not None}
        if instance.buttons is not None and {"pattern", "edges"} & set(given):
            raise ConfigurationError("the board has buttons of its own, so there is no pattern and there are no edges")
        try:
            if self.target is not None:
                states = given.get("states", instance.states)
                given["target"] = target_of(self.target, instance.rows, instance.columns, states)
            return replace(instance, **given) if given else instance
        except InputError as error:
            raise ConfigurationError(error.message) from None


def looks_like_instance(source: Source) -> Recognition:
    """Confidence that a file consists of rows of equal length, optionally with headers. Never raises."""
    if len(source.data) > _BYTES_MAX:
        return Recognition.NO
    found = claim_json(source)
    if found is not None:
        return found
    found = claim(source, "pattern", PATTERNS, _fits)
    proved = names_header(quietly(source), _PROVING) if found else _says_rules(quietly(source))
    return Recognition.PROVED if proved else found


def _says_rules(source: Source) -> bool:
    """Whether a header has a value that only this puzzle uses; the rows below may be malformed."""
    for key, values in (("edges", EDGES), ("target", ("on", "off")), ("states", _NUMBERS)):
        try:
            if key in headers(source, {key: values}):
                lines = bare_lines(source)
                return bool(lines) and all(_CELLS.fullmatch(text) for _, text in lines)
        except InputError:
            continue
    return False


def _fits(source: Source) -> bool:
    try:
        found = headers(source, _ANY)
        said = _said(source, found)
        states = states_of(said["states"][0]) if "states" in said else 2
    except InputError:  # a header that the reader will reject
        found, states = {}, DIGITS
    return bool(_rows(source, _sections(source, found)["lights"], states))


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """The board in a file; signs other than numbers are recorded as assumptions.

    Raises
    ------
    InputError
        If the file is not a valid board, with the line.
    """
    options = options or ReadOptions()
    source.limited(_BYTES_MAX, f"a board of at most {CELLS_MAX} cells").single("one board")
    fields = fields_of_json(source)
    try:
        if fields is None:
            fields = _fields_of_text(source, options.states)
        fields["states"] = options.states or fields["states"]
        target = fields.pop("target", None)
        board: Instance = options.applied(Instance(**fields))
        if target is None or options.target is not None:
            return board
        if isinstance(target, tuple) and isinstance(target[0], str):
            found = _located(source, target[1], lambda: target_of(target[0], board.rows, board.columns, board.states))
        else:
            found = target_of(target, board.rows, board.columns, board.states)
        return replace(board, target=found)
    except InputError as error:
        raise error.located(source.name) from None


def _fields_of_text(source: Source, states: int | None) -> dict[str, Any]:
    """Arguments of `Instance`, with `target` as a text and its line."""
    for key, values in (("pattern", PATTERNS), ("edges", EDGES), ("target", ("on", "off")), ("states", _NUMBERS)):
        check_colon(source, key, values)
    found = headers(source, _ANY)
    said, sections = _said(source, found), _sections(source, found, checked=True)
    fields: dict[str, Any] = {"states": states or 2}
    if "states" in said:
        value, line = said["states"]
        fields["states"] = states or _located(source, line, lambda: states_of(value))
    if "edges" in said:
        word, line = said["edges"]
        fields["edges"] = _located(source, line, lambda: edges_of(word))
    for key in ("pattern", "target"):
        if key in said and not said[key][0]:
            below = sections[key]
            if not below:
                raise source.error(f"a header without a value. Maybe '# {key}: ...', or rows below it?", said[key][1])
            said[key] = "/".join(row for _, row in below), below[0][0]
    if "pattern" in said:
        text, line = said["pattern"]
        pattern, edges = pattern_and_edges(text)
        if pattern is not None:
            fields["pattern"] = _located(source, line, lambda: canonical(pattern, fields["states"]))
        fields["edges"] = edges or fields.get("edges", "plain")
    if "target" in said:
        fields["target"] = said["target"]
    rows = _rows(source, sections["lights"], fields["states"])
    if not rows:
        raise source.error("no rows of lights")
    gap = gap_between(source)
    gaps = [after for (before, _), (after, _) in pairwise(rows) if gap(before, after)]
    if gaps and len(gaps) < len(rows) - 1:
        raise source.error("rows after an empty line. Maybe a separate file for each board?", gaps[0])
    lights = tuple(light for _, row in rows for light in row)
    return {"rows": len(rows), "columns": len(rows[0][1]), "lights": lights, **fields}


def _located(source: Source, line: int, read: Callable[[], Read]) -> Read:
    """Result of `read`; errors get the line."""
    try:
        return read()
    except InputError as error:
        raise source.error(error.message, line) from None


def _said(source: Source, found: Headers) -> Headers:
    """Headers by current names, with value and line; a bare line `# torus` counts, and is recorded as an assumption."""
    said: Headers = {}
    for word, (value, line) in found.items():
        key = KEYS.get(word)
        if key is not None and said.setdefault(key, (value, line))[0] != value:
            raise source.error(f"a second {key} ({shown(value)}), first in line {said[key][1]}", line)
    for number, text in enumerate(source.lines, start=1):
        alone = _EDGES_ALONE.fullmatch(text.strip())
        if alone is not None and "edges" not in said:
            said["edges"] = alone[1], number
            source.assume(f"line {number}, {shown(text.strip())}, says what the edges are")
    return said


def _sections(source: Source, headers_: Headers, *, checked: bool = False) -> dict[str, Lines]:
    """Lines without comments: those of `lights`, and those after an empty header of a pattern or a target.

    Parameters
    ----------
    checked
        Whether to reject headers that share a line with other text.
    """
    begins = [(line, word) for word, (value, line) in headers_.items() if not value and word in _SECTIONS]
    others = [line for value, line in headers_.values() if value]
    found: dict[str, Lines] = {"lights": [], "pattern": [], "target": []}
    first: dict[int, int] = {}
    gap = gap_between(source)
    for number, text in _drawn(source) or bare_lines(source, keys=tuple(KEYS) if checked else ()):
        line, word = max((begin for begin in begins if begin[0] < number), default=(0, "lights"))
        name = KEYS.get(word, "lights")
        begun = first.setdefault(line, number)
        if name != "lights" and (gap(begun, number) or any(line < one < number for one in others)):
            name = "lights"
        found[name].append((number, text))
    return found


def _drawn(source: Source) -> Lines:
    """The lines if they are drawn with `#` and one other sign, so that `#` does not begin a comment; else no lines."""
    lines = [(number, line.strip()) for number, line in enumerate(source.lines, start=1) if line.strip()]
    lines = [(number, line) for number, line in lines if not _COMMENT.fullmatch(line)]
    signs = set("".join(line for _, line in lines)) - set(" \t")
    return lines if all(_DRAWN.fullmatch(line) for _, line in lines) and len(signs) == 2 and "#" in signs else []


def _rows(source: Source, lines: Lines, states: int) -> list[tuple[int, list[int]]]:
    """Rows of states, all of the same length, each with its line number.

    Raises
    ------
    InputError
        If a sign or row is invalid, at the first such place.
    """
    lines = _parted(source, lines, states)
    wide = {number: len(_words(text, states)) for number, text in lines}
    size = size_of(lines[0][1]) if lines and len(set(wide.values())) > 1 else None
    if size is not None and size == (len(lines) - 1, wide[lines[-1][0]]):
        source.assume(f"line {lines[0][0]}, {shown(lines[0][1])}, is the size")
        lines = lines[1:]
    signs = {word for _, text in lines for word in _words(text, states)}
    on, off = (next((sign for sign in known if sign in signs), None) for known in (ON, OFF))
    meant: dict[str, str] = {}
    if states == 2 and on and off and signs == {on, off}:
        source.assume(f"{shown(on)} is a light that is on, {shown(off)} one that is off")
        meant = {on: "1", off: "0"}
    elif states > 2 and off and "0" not in signs:
        source.assume(f"{shown(off)} is a light that is off")
        meant = {off: "0"}
    rows: list[tuple[int, list[int]]] = []
    for number, text in lines:
        row: list[int] = []
        for word in _words(text, states):
            word = meant.get(word, word)
            whole = _WHOLE.fullmatch(word) is not None
            state = int(word.lstrip("0")[:4] or 0) if whole else states
            if state >= states:
                said = "0 and 1" if states == 2 else f"numbers from 0 to {states - 1}"
                hint = "Maybe 1 for a light that is on, and 0 for one that is off?"
                if whole:
                    hint = f"Maybe '# states: {min(state + 1, STATES_MAX)}'?"
                raise source.error(f"a row has only {said} ({shown(word)}). {hint}", number)
            row.append(state)
        if row and rows and len(row) != len(rows[0][1]):
            raise source.error(f"{len(row)} lights, the first row has {len(rows[0][1])}", number)
        if row:
            rows.append((number, row))
    return rows


def _parted(source: Source, lines: Lines, states: int) -> Lines:
    """The lines; a single line is split into several rows of equal length if possible.

    Rows are separated by slashes, bars, semicolons or brackets, or by blanks or commas that do not also separate their
    cells. The latter is recorded as an assumption.
    """
    if len(lines) != 1:
        return lines
    number, text = lines[0]
    apart = _BETWEEN.split(text) if states <= DIGITS else []
    for rows, sure in ((_ROW_ENDS.split(text), True), (apart, False)):
        parts = [row for row in rows if row.strip("[](), \t")]
        lengths = {len(_words(row, states)) for row in parts}
        if len(parts) > 1 and len(lengths) == 1 and lengths != {1}:
            if not sure:
                source.assume(f"line {number} has {len(parts)} rows of {len(parts[0])} lights")
            return [(number, row) for row in parts]
    return lines


def _words(text: str, states: int) -> list[str]:
    """The cells of a row: one sign each, or with more than ten states, words separated by blanks or commas."""
    words = [word for word in _BETWEEN.split(text) if word]
    return words if states > DIGITS else list("".join(words))


def write_board(instance: Instance) -> str:
    """The board in the format that `read_instance` accepts."""
    one, width = instance, instance.columns
    if one.buttons is not None:
        return write_json(one)
    head = [*written_head(one)]
    rows = [list(map(int, one.lights[i : i + width])) for i in range(0, one.cells, width)]
    return "\n".join([*head, *written_rows(rows, one.states)]) + "\n"


def written_head(instance: Instance) -> list[str]:
    """The headers of a board: all rules that are not the default."""
    one, width = instance, instance.columns
    head = [] if one.pattern == "plus" else [f"# pattern: {one.pattern}"]
    head += [f"# edges: {one.edges}"] if one.edges != "plain" else []
    head += [f"# states: {one.states}"] if one.states > 2 else []
    if one.target:
        rows = [list(map(int, one.target[i : i + width])) for i in range(0, one.cells, width)]
        uniform = len(set(one.target)) == 1
        head.append(f"# target: {int(one.target[0]) if uniform else '/'.join(written_rows(rows, one.states))}")
    return head


def read_solution(problem: LightsOut, source: Source) -> NDArray[np.int32]:
    """Presses from a JSON list of cells, or plain text of the same numbers; `#` and `//` begin a comment.

    On a board of several rows and columns, rows of numbers of presses per cell are also accepted.

    Raises
    ------
    InputError
        If the text has none of these forms, or names a cell that does not exist.
    """

    def parse(text: str) -> NDArray[np.int32]:
        words = [word for word in re.split(r"[\s,;]+", text) if word]
        for word in words:
            if not re.fullmatch(r"0|[1-9][0-9]{0,8}", word):
                hint = ". Maybe the numbers of the cells, from 0, instead of rows?" if set(word) <= set("01") else ""
                raise InputError(f"not a cell ({shown(word)}){hint}")
        return problem.decode([int(word) for word in words])

    def of_text(lines: Lines) -> NDArray[np.int32]:
        rows = [row for _, text in lines for row in _ROW_ENDS.split(text) if row.strip()]
        counts = _counts(problem, rows)
        return by_line(parse)(lines) if counts is None else _repeated(counts)

    def of_json(data: Any) -> NDArray[np.int32]:
        counts = _counts(problem, data if isinstance(data, list) else [])
        return problem.decode(data) if counts is None else _repeated(counts)

    return read_plan(source, of_json, of_text, most=_PLAN_BYTES_MAX, what="a list of presses")


def _counts(problem: LightsOut, rows: Sequence[Any]) -> list[int] | None:
    """Number of presses of each cell, if these are rows of such numbers in the shape of the board; else None."""
    one = problem.instance
    if one.buttons is not None or len(rows) != one.rows or 1 in (one.rows, one.columns):
        return None
    try:
        table = [read_row(row, one.states) if isinstance(row, str) else row for row in rows]
    except InputError:
        return None
    if not all(isinstance(row, list) and len(row) == one.columns for row in table):
        return None
    counts = [count for row in table for count in row]
    return counts if all(type(count) in (int, bool) and 0 <= count < one.states for count in counts) else None


def _repeated(counts: Sequence[int]) -> NDArray[np.int32]:
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)
