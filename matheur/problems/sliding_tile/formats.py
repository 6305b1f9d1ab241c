"""Boards and plans as text.

A board is one line per row, numbers between blanks, 0 = blank::

    # goal: blank-first      (optional: the goal is 0 1 2 ...; blank-last: 1 2 ... 0)
    14 13 15  7
    11 12  9  5
     6  0  2  1
     4  8 10  3

Without the first line the goal is `blank-last`, unless only the other one can be reached. A plan is a text of the
letters U, D, L, R, the directions in which tiles slide, with blanks and line ends between them or not.
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
from matheur.problems.sliding_tile.instance import GOALS, MOVES, SIDE_MAX, Goal, Instance
from matheur.problems.sliding_tile.problem import SlidingTile
from matheur.problems.sliding_tile.solvability import reachable

__all__ = ["ReadOptions", "looks_like_instance", "read_instance", "read_solution", "write_board"]

_BYTES_MAX = 10_000
_PLAN_BYTES_MAX = 1 << 26
_HEADER = re.compile(r"#\s*goal\s*:\s*(\S+)\s*$")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options of the reader.

    Attributes
    ----------
    goal
        `blank-last` or `blank-first`, instead of what the file says.
    """

    goal: Goal | None = None

    def __post_init__(self) -> None:
        if self.goal is not None and self.goal not in GOALS:
            raise ConfigurationError(f"unknown goal {self.goal!r}. {nearest(str(self.goal), GOALS)}")

    @classmethod
    def from_mapping(cls, options: Mapping[str, Any]) -> ReadOptions:
        """The options of a command line or configuration file; an unknown key is an error."""
        known = [field.name for field in fields(cls)]
        for key in options:
            if key not in known:
                raise ConfigurationError(f"unknown option {key!r} of sliding-tile files. {nearest(str(key), known)}")
        return cls(**options)


def looks_like_instance(source: Source) -> bool:
    """Whether the content is lines of numbers, each from 0 on once, or begins with a goal; never raises."""
    if len(source.data) > _BYTES_MAX:
        return False
    try:
        lines = [line.strip() for line in source.text.splitlines()]
    except InputError:
        return False
    if any(_HEADER.fullmatch(line) for line in lines):
        return True
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    words = [word for row in rows for word in row]
    if len(words) < 2 or len({len(row) for row in rows}) != 1 or not all(re.fullmatch(r"[0-9]{1,3}", w) for w in words):
        return False
    return sorted(map(int, words)) == list(range(len(words)))


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """The board in a text file.

    Raises
    ------
    InputError
        If it is not one, with the line.
    """
    options = options or ReadOptions()
    if len(source.data) > _BYTES_MAX:
        raise InputError(
            f"a board has at most {SIDE_MAX} x {SIDE_MAX} tiles ({len(source.data)} bytes)", source=source.name
        )
    declared: str | None = options.goal
    rows: list[list[int]] = []
    first: dict[int, int] = {}
    for number, raw in enumerate(source.text.splitlines(), start=1):
        line = raw.strip()
        header = _HEADER.fullmatch(line)
        if header is not None:
            if header[1] not in GOALS:
                message = f"unknown goal {header[1][:40]!r}. {nearest(header[1][:40], GOALS)}"
                raise InputError(message, source=source.name, line=number)
            declared = declared or header[1]
        elif line and not line.startswith("#"):
            words = line.split()
            for word in words:
                if not re.fullmatch(r"[0-9]{1,3}", word):
                    raise InputError(f"not the number of a tile ({word[:40]!r})", source=source.name, line=number)
            if rows and len(words) != len(rows[0]):
                message = f"{len(words)} tiles, the first row has {len(rows[0])}"
                raise InputError(message, source=source.name, line=number)
            for tile in map(int, words):
                if tile in first:
                    message = f"tile {tile} is there twice, first in line {first[tile]}"
                    raise InputError(message, source=source.name, line=number)
                first[tile] = number
            rows.append([int(word) for word in words])
    if not rows:
        raise InputError("no rows of tiles", source=source.name)
    tiles = tuple(tile for row in rows for tile in row)
    size = len(rows), len(rows[0])
    wrong = next((tile for tile in tiles if tile >= len(tiles)), None)
    if wrong is not None and max(size) <= SIDE_MAX:
        message = f"tile {wrong} does not belong on a board of {len(tiles)} cells; they are 0 to {len(tiles) - 1}"
        raise InputError(message, source=source.name, line=first[wrong])
    try:
        instance = Instance(*size, tiles, declared or "blank-last")  # type: ignore[arg-type]
        if declared is None and not reachable(*size, tiles, "blank-last") and reachable(*size, tiles, "blank-first"):
            instance = Instance(*size, tiles, "blank-first")
    except InputError as error:
        raise error.located(source.name) from None
    return instance


def write_board(instance: Instance) -> str:
    """The board as `read_instance` takes it."""
    width = len(str(instance.cells - 1))
    rows = [
        " ".join(f"{tile:{width}}" for tile in instance.tiles[i : i + instance.columns])
        for i in range(0, instance.cells, instance.columns)
    ]
    return "\n".join([f"# goal: {instance.goal}", *rows]) + "\n"


def read_solution(problem: SlidingTile, source: Source) -> NDArray[np.int32]:
    """A plan: a JSON text, or plain letters; `#` begins a comment.

    Raises
    ------
    InputError
        If it is neither, or has other letters.
    """
    if len(source.data) > _PLAN_BYTES_MAX:
        raise InputError(f"a plan has at most {_PLAN_BYTES_MAX} bytes ({len(source.data)})", source=source.name)
    text = source.text
    if text.lstrip()[:1] in ('"', "[", "{"):
        try:
            return problem.decode(json.loads(text))
        except InputError as error:
            raise error.located(source.name) from None
        except json.JSONDecodeError as error:
            raise InputError(f"not JSON: {error.msg}", source=source.name, line=error.lineno) from None
        except (RecursionError, ValueError):
            raise InputError("not a plan", source=source.name) from None
    letters = []
    for number, line in enumerate(text.splitlines(), start=1):
        word = re.sub(r"[\s,;]", "", line.partition("#")[0])
        for letter in word:
            if letter not in MOVES:
                raise InputError(f"a move is one of {', '.join(MOVES)} ({letter!r})", source=source.name, line=number)
        letters.append(word)
    return problem.decode("".join(letters))
