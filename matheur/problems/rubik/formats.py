"""Cubes and plans as text.

A cube is 54 facelets, letters U R F D L B in Kociemba's order with blanks and line ends between them or not, or a
scramble: turns from the solved cube::

    # metric: half     (optional, before the rest; quarter if it is missing)
    R U' F2 D B' L2 U R'

A plan is a JSON list of turns, or the same words in plain text.
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
from matheur.problems.rubik.instance import METRICS, Instance, Metric
from matheur.problems.rubik.problem import Rubik, parse_moves
from matheur.problems.rubik.stickers import FACES, SOLVED, turn

__all__ = ["ReadOptions", "looks_like_instance", "read_instance", "read_solution", "write_cube"]

_BYTES_MAX = 100_000
_FACELETS_MIN = 40  # letters that are meant as facelets
_HEADER = re.compile(r"#\s*metric\s*:\s*(\S+)\s*$")
_TURN = re.compile(r"[URFDLB]('2|2'|['’`23i-]?)")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options of the reader.

    Attributes
    ----------
    metric
        `quarter` or `half`, instead of what the file says.
    """

    metric: Metric | None = None

    def __post_init__(self) -> None:
        if self.metric is not None and self.metric not in METRICS:
            raise ConfigurationError(f"unknown metric {self.metric!r}. {nearest(str(self.metric), METRICS)}")

    @classmethod
    def from_mapping(cls, options: Mapping[str, Any]) -> ReadOptions:
        """The options of a command line or configuration file; an unknown key is an error."""
        known = [field.name for field in fields(cls)]
        for key in options:
            if key not in known:
                raise ConfigurationError(f"unknown option {key!r} of rubik files. {nearest(str(key), known)}")
        return cls(**options)


def _content(text: str) -> tuple[str, str | None, int]:
    """Everything but comments, the metric of the header, and its line (0 if there is none)."""
    kept, metric, line = [], None, 0
    for number, raw in enumerate(text.splitlines(), start=1):
        header = _HEADER.fullmatch(raw.strip())
        if header is not None:
            metric, line = header[1], number
        kept.append(raw.partition("#")[0])
    return "\n".join(kept), metric, line


def looks_like_instance(source: Source) -> bool:
    """Whether the content is 54 facelets, or a line of turns; never raises."""
    if len(source.data) > _BYTES_MAX:
        return False
    try:
        text, metric, _ = _content(source.text)
    except InputError:
        return False
    packed = "".join(text.split())
    if len(packed) == len(SOLVED) and set(packed) <= set(FACES):
        return True
    words = text.split()
    return bool(words) and (metric is not None or len(words) > 1) and all(_TURN.fullmatch(word) for word in words)


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """The cube in a text file.

    Raises
    ------
    InputError
        If it is neither facelets nor a scramble, or the facelets are not those of a cube.
    """
    options = options or ReadOptions()
    if len(source.data) > _BYTES_MAX:
        raise InputError(f"a cube has at most {_BYTES_MAX} bytes ({len(source.data)})", source=source.name)
    text, declared, line = _content(source.text)
    if declared is not None and declared not in METRICS:
        message = f"unknown metric {declared[:40]!r}. {nearest(declared[:40], METRICS)}"
        raise InputError(message, source=source.name, line=line)
    metric: Any = options.metric or declared or "quarter"
    packed = "".join(text.split())
    begin = next((number for number, one in enumerate(text.splitlines(), start=1) if one.strip()), None)
    if begin is None:
        raise InputError("neither facelets nor a scramble", source=source.name)
    try:
        if len(packed) >= _FACELETS_MIN and packed.isalpha() and (set(packed) <= set(FACES) or not _spaced(text)):
            wrong = next((i for i, letter in enumerate(packed) if letter not in FACES), None)
            if wrong is not None:
                raise InputError(f"sticker {wrong + 1} is {packed[wrong]!r}, not one of {' '.join(FACES)}")
            if len(packed) == len(SOLVED) or not _spaced(text):
                return Instance(packed, metric)
        facelets = SOLVED
        for number, words in enumerate(text.splitlines(), start=1):
            begin = number
            for move in parse_moves(words):
                facelets = turn(facelets, move)
        return Instance(facelets, metric)
    except InputError as error:
        raise InputError(error.message, source=source.name, line=begin) from None


def _spaced(text: str) -> bool:
    """Whether there are blanks inside a line."""
    return any(len(line.split()) > 1 for line in text.splitlines())


def write_cube(instance: Instance) -> str:
    """The cube as `read_instance` takes it."""
    header = [] if instance.metric == "quarter" else [f"# metric: {instance.metric}"]
    return "\n".join([*header, instance.facelets]) + "\n"


def read_solution(problem: Rubik, source: Source) -> NDArray[np.int32]:
    """A plan: a JSON list or text of turns, or plain text; `#` begins a comment.

    Raises
    ------
    InputError
        If it is neither, or has other words.
    """
    if len(source.data) > _BYTES_MAX:
        raise InputError(f"a plan has at most {_BYTES_MAX} bytes ({len(source.data)})", source=source.name)
    text = source.text
    try:
        if text.lstrip()[:1] in ('"', "[", "{"):
            return problem.decode(json.loads(text))
        return problem.decode(" ".join(line.partition("#")[0] for line in text.splitlines()))
    except InputError as error:
        raise error.located(source.name) from None
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", source=source.name, line=error.lineno) from None
    except (RecursionError, ValueError):
        raise InputError("not a plan", source=source.name) from None
