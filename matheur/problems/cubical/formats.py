"""Puzzles in TOML, and plans in JSON or plain text.

A puzzle::

    title = "optional"
    dimension = 4
    k = 3

    [start]
    green = 4        # a vertex is a number, bit i is coordinate i
    purple = "0001"  # or a text of its d bits, the highest coordinate first

    [target]
    green = 13
    purple = 7

Rings are numbered in the order of `[start]`. A plan is a JSON list of `"ring:vertex"`, or plain text of such words
separated by blanks, commas or semicolons, as in the data of Merleau et al. (2024).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, nearest
from matheur.problems.cubical.instance import Instance, check_cube, check_rings, misplaced
from matheur.problems.cubical.problem import Cubical
from matheur.problems.plan_text import by_line, read_plan
from matheur.problems.type_options import FileOptions

__all__ = ["BYTES_MAX", "ReadOptions", "looks_like_instance", "read_instance", "read_solution", "write_toml"]

BYTES_MAX = 100_000  # the largest puzzle, 128 rings with the longest names, needs half of it
_PLAN_BYTES_MAX = 50_000_000
_DOTS_MAX = 1000  # the time of tomllib for a dotted key is quadratic in its length
_KEYS = ("title", "dimension", "k", "start", "target")
_TABLES = ("start", "target")
_TELLING = re.compile(rb"^[ \t]*(?:\[[ \t]*)?(dimension|start|target)[ \t]*[]=.]", re.MULTILINE)
_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_LINE = re.compile(rf"(\[\s*)?({_PART}\s*(?:\.\s*{_PART}\s*)*)[]=]")
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class ReadOptions(FileOptions):
    """Options of the reader.

    Attributes
    ----------
    k
        Dimension of the faces, which replaces the value in the file; the same configurations are played with several
        values.
    """

    files: ClassVar[str] = "cubical files"

    k: int | None = None

    def __post_init__(self) -> None:
        if self.k is not None and (type(self.k) is not int or self.k < 1):
            raise ConfigurationError(f"k must be a whole number from 1 ({self.k!r})")


def looks_like_instance(source: Source) -> bool:
    """Whether at least two of `dimension`, `start` and `target` begin a line in TOML syntax."""
    if len(source.data) > BYTES_MAX:
        return False
    try:
        return len({match[1] for match in _TELLING.finditer(source.plain.replace(b"\r", b"\n"))}) >= 2
    except InputError:
        return False


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """The puzzle in a TOML file.

    Raises
    ------
    InputError
        If the file is not a valid puzzle, with the line of the key if it is known.
    """
    return _Document(source).instance(options or ReadOptions())


def write_toml(instance: Instance) -> str:
    """The puzzle in the format that `read_instance` accepts."""
    lines = [f"title = {_string(instance.title)}"] if instance.title else []
    lines += [f"dimension = {instance.dimension}", f"k = {instance.k}"]
    for table, places in (("start", instance.start), ("target", instance.target)):
        lines += ["", f"[{table}]"]
        for name, vertex in zip(instance.rings, places, strict=True):
            key = name if _BARE.fullmatch(name) else _string(name)
            lines.append(f"{key} = {vertex}")
    return "\n".join(lines) + "\n"


def read_solution(problem: Cubical, source: Source) -> NDArray[np.int32]:
    """A plan: a JSON list of `"ring:vertex"`, or plain text of the same words; `#` begins a comment.

    Raises
    ------
    InputError
        If the text has neither form, or names an unknown ring or vertex.
    """

    def parse(text: str) -> NDArray[np.int32]:
        return problem.decode([word for word in re.split(r"[\s,;]+", text) if word])

    return read_plan(source, problem.decode, by_line(parse), most=_PLAN_BYTES_MAX, comments=("#",))


class _Document:
    """A parsed file that knows the line of each key."""

    def __init__(self, source: Source) -> None:
        self.source = source
        source.limited(BYTES_MAX, "a puzzle").single("one puzzle")
        self.text = "\n".join(source.lines)
        self.data = self._parse()

    def _parse(self) -> dict[str, Any]:
        for number, line in enumerate(self.text.split("\n"), start=1):
            if line.count(".") > _DOTS_MAX and not line.lstrip().startswith("#"):
                raise InputError(f"more than {_DOTS_MAX} dots in a line", source=self.source.name, line=number)
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            place = _TOML_PLACE.search(str(error))
            message = _TOML_PLACE.sub("", str(error)).replace("\n", " ")
            hint = ". Maybe the same key twice?" if "verwrite" in message or "twice" in message else ""
            at = int(place[1]) if place and place[1] else self.text.rstrip().count("\n") + 1
            raise InputError(f"not TOML: {message}{hint}", source=self.source.name, line=at) from None
        except RecursionError:
            raise InputError("not a puzzle: nested too deeply", source=self.source.name) from None
        except ValueError:  # an invalid date, or a number of thousands of digits
            raise InputError("not TOML: a value that cannot be read", source=self.source.name) from None

    def instance(self, options: ReadOptions) -> Instance:
        """The puzzle in the document."""
        for key in self.data:
            if key not in _KEYS:
                raise self.error(f"a puzzle has no key {_show(key)}. {nearest(key[:80], _KEYS)}", key)
        title = self.data.get("title", "")
        if not isinstance(title, str):
            raise self.error(f"the title must be a text ({_show(title)})", "title")
        d = self._integer("dimension")
        with self._at("dimension"):
            check_cube(d, 1)
        k = self._integer("k") if options.k is None else options.k
        with self._at(*(("k",) if options.k is None else ())):
            check_cube(d, k)
        start, target = (self._places(table, d) for table in _TABLES)
        self._same_rings("start", start, "target", target)
        self._same_rings("target", target, "start", start)
        rings = tuple(start)
        return Instance(d, k, rings, tuple(start.values()), tuple(target[name] for name in rings), title)

    def _places(self, table: str, d: int) -> dict[str, int]:
        """Ring name to vertex, in the order of the file."""
        content = self.data.get(table)
        if not isinstance(content, dict):
            raise self._missing(table, content, "a table of rings and their vertices")
        if not content:
            raise self.error(f"the table '{table}' is empty", table)
        rings = list(content)
        for name in rings:
            with self._at(table, name):
                check_rings([name], d)
        with self._at(table):
            check_rings(rings, d)
        places = [self._vertex(content[name], table, name, d) for name in rings]
        wrong = misplaced(rings, places, 1 << d)
        if wrong is not None:
            raise self.error(f"{table}: {wrong[1]}", table, wrong[0])
        return dict(zip(rings, places, strict=True))

    def _same_rings(self, here: str, rings: dict[str, int], there: str, others: dict[str, int]) -> None:
        for name in rings:
            if name not in others:
                free = [other for other in others if other not in rings][:10]
                hint = nearest(name, free) if free else f"Maybe add it to the {there}?"
                raise self.error(f"ring '{name}' of the {here} is not in the {there}. {hint}", here, name)

    def _vertex(self, value: Any, table: str, name: str, d: int) -> int:
        if type(value) is int:
            if abs(value) >= 10**9:  # too long for a message
                raise self.error(f"{table}: ring '{name}' is on no vertex; they are 0 to {(1 << d) - 1}", table, name)
            return value
        if isinstance(value, str) and re.fullmatch(f"[01]{{{d}}}", value):
            return int(value, 2)
        hint = ""
        if isinstance(value, str):
            digits = re.fullmatch(r"[0-9]{1,3}", value)
            hint = f". Maybe {int(value)} without quotes?" if digits else f". Maybe '{'0' * (d - 1)}1'?"
        raise self.error(
            f"{table}: the vertex of ring '{name}' must be a whole number or a text of {d} bits ({_show(value)}){hint}",
            table,
            name,
        )

    def _integer(self, key: str) -> int:
        value = self.data.get(key)
        if type(value) is not int or abs(value) >= 10**9:
            raise self._missing(key, value, "a whole number")
        return value

    def _missing(self, key: str, value: Any, what: str) -> InputError:
        if key in self.data:
            return self.error(f"'{key}' must be {what} ({_show(value)})", key)
        return InputError(f"the puzzle has no '{key}', {what}", source=self.source.name)

    def error(self, message: str, *path: str) -> InputError:
        """An error at the line of a key (or of a table and key), if that line can be found."""
        return InputError(message, source=self.source.name, line=self._line(path))

    @contextmanager
    def _at(self, *path: str) -> Iterator[None]:
        """Attribute errors in the block to the line of this key."""
        try:
            yield
        except InputError as error:
            raise self.error(error.message, *path) from None

    def _line(self, path: tuple[str, ...]) -> int | None:
        """Line of the key, or else of its table (for instance, if the table is inline)."""
        table: tuple[str, ...] = ()
        found: dict[tuple[str, ...], int] = {}
        for number, line in enumerate(self.text.split("\n"), start=1):
            match = _LINE.match(line.strip())
            if match is None:
                continue
            key = _keys(match[2])
            if match[1]:
                table = key
            full = table if match[1] else table + key
            for length in range(1, len(full) + 1):
                found.setdefault(full[:length], number)
        return next((found[path[:length]] for length in range(len(path), 0, -1) if path[:length] in found), None)


def _keys(dotted: str) -> tuple[str, ...]:
    """The parts of a dotted key as TOML reads them."""
    try:
        value: Any = tomllib.loads(f"{dotted} = 0")
    except (ValueError, RecursionError):
        return ()
    parts = []
    while isinstance(value, dict):
        key, value = next(iter(value.items()))
        parts.append(key)
    return tuple(parts)


def _string(text: str) -> str:
    """A TOML basic string; lone surrogates, which cannot be encoded in a file, become question marks."""
    text = text.encode("utf-8", "replace").decode()
    return '"' + "".join(_escaped(letter) for letter in text) + '"'


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"


def _show(value: Any) -> str:
    """A value for an error message, on one line and of a readable length."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value) if abs(value) < 10**18 else "a number of more than 18 digits"
    shown = repr(value) if isinstance(value, str) else str(value)
    return shown if len(shown) <= 60 else shown[:56] + "...'"
