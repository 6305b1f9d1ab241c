"""Cubes and plans as text.

A cube is 54 facelets, a net, 20 pieces, or a scramble (turns from the solved cube)::

    # metric: half     (optional; quarter if it is missing)
    R U' F2 D B' L2 U R'

Facelets are letters U R F D L B in Kociemba's order, or other letters for six colours, with or without blanks and line
ends between them. Turns may have a label: `Scramble:`, `Solution:` or a number `1.`. Cubes may also be a text or a list
of texts in JSON. A plan is a JSON list of turns, or the same words in plain text.
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
from matheur.problems.board_text import bare_lines, claim, header_of, squeezed
from matheur.problems.plan_text import read_plan
from matheur.problems.rubik.facelets import facelets_in, refuse_other_sizes
from matheur.problems.rubik.instance import METRICS, Instance, Metric
from matheur.problems.rubik.notation import half_turns, moves_of, scramble_of
from matheur.problems.rubik.problem import Rubik
from matheur.problems.rubik.states import by_pieces, pieces_in
from matheur.problems.rubik.stickers import FACES, SOLVED, turn
from matheur.problems.rubik.turn_text import read_turns, resemble_turns, unlabelled
from matheur.problems.type_options import FileOptions

__all__ = ["ReadOptions", "looks_like_instance", "read_instance", "read_solution", "write_cube"]

_BYTES_MAX = 100_000
_KEY = "metric"
_METRICS = {
    "quarter": ("quarter", "quarter turn", "quarter turns", "quarter turn metric", "qtm"),
    "half": ("half", "half turn", "half turns", "half turn metric", "htm",
             "face", "face turn", "face turns", "face turn metric", "ftm"),
}  # fmt: skip
_SPELLINGS = {spelling: metric for metric, spellings in _METRICS.items() for spelling in spellings}


@dataclass(frozen=True, slots=True)
class ReadOptions(FileOptions):
    """Options of the reader.

    Attributes
    ----------
    metric
        Metric, `quarter` or `half`, which replaces the one in the file.
    """

    files: ClassVar[str] = "rubik files"

    metric: Metric | None = None

    def __post_init__(self) -> None:
        if self.metric is not None and self.metric not in METRICS:
            raise ConfigurationError(f"unknown metric {self.metric!r}. {nearest(str(self.metric), METRICS)}")


def looks_like_instance(source: Source) -> Recognition:
    """Confidence that the content is facelets, pieces or turns. Never raises."""
    if len(source.data) > _BYTES_MAX:
        return Recognition.NO
    try:
        packed = "".join("".join(text.split()) for _, text in _lines(source))
    except InputError:
        return Recognition.NO
    if len(packed) == len(SOLVED) and packed.isalnum() and {packed.count(one) for one in packed} == {9}:
        return Recognition.PROVED
    return claim(source, _KEY, list(_SPELLINGS), _is_cube)


def _lines(source: Source, *, keys: Sequence[str] = ()) -> list[tuple[int, str]]:
    """Lines without their comments, or the content of a text or a list of texts in JSON."""
    if source.text.lstrip()[:1] in ('"', "["):
        try:
            data = source.json
        except InputError:  # a commutator, or a list in another syntax
            data = None
        words = [data] if isinstance(data, str) else data
        if isinstance(words, list) and all(isinstance(word, str) for word in words):
            return [(1, text)] if (text := " ".join(words).strip()) else []
    return bare_lines(source, keys=keys)


def _is_cube(source: Source) -> bool:
    """Whether there are facelets, pieces or turns; a word or list of U D L R may be a plan of another puzzle."""
    lines = unlabelled(_lines(source))
    try:
        if facelets_in(lines) is not None or pieces_in(lines) is not None:
            return True
    except InputError:  # the reader will report it
        return True
    words = [word for _, text in lines for word in text.split()]
    listed = source.text.lstrip()[:1] == "["
    single = (len(words) == 1 or listed) and set("".join(words).upper()) <= set("UDLR")
    return bool(words) and not single and resemble_turns(lines)


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """The cube in a text file.

    Assumptions are recorded: colours defined by the centres if the cube is held in an unusual way, the metric of half
    turns, and the order of pieces.

    Raises
    ------
    InputError
        If the text is not facelets, pieces or a scramble, or the facelets are not those of a cube.
    """
    options = options or ReadOptions()
    source.limited(_BYTES_MAX, "a cube").single("one cube")
    header = header_of(source, _KEY, list(_SPELLINGS))
    declared = None if header is None else _metric(source, *header)
    lines = _lines(source, keys=[_KEY])
    metric: Any = options.metric or declared or "quarter"
    line = lines[0][0] if lines else None
    try:
        lines = unlabelled(lines, one="scramble")
        if not lines:
            raise InputError("neither facelets nor a scramble")
        facelets = facelets_in(lines)
        if facelets is not None:
            return Instance(facelets.named(source), metric)
        pieces = pieces_in(lines)
        if pieces is not None:
            return Instance(by_pieces(pieces, source), metric)
        refuse_other_sizes(lines)
        turns = read_turns(lines)
        if options.metric is None and declared is None and half_turns(turns):
            source.assume("quarter turns, in which a half turn such as R2 counts as two")
        if len(lines) > 1:
            source.assume(f"the turns in lines {lines[0][0]} to {lines[-1][0]} are one scramble")
        shuffled, (moves, held) = SOLVED, scramble_of(turns)
        for move in moves:
            shuffled = turn(shuffled, move)
        if held != FACES:
            source.assume(f"held as the scramble leaves it, with {held[0]} on top and {held[2]} in front")
        return Instance(shuffled, metric)
    except InputError as error:
        raise source.error(error.message, error.line or line) from None


def _metric(source: Source, value: str, line: int) -> str:
    for spelling, metric in _SPELLINGS.items():
        if squeezed(spelling) == squeezed(value):
            return metric
    raise source.error(f"unknown metric {shown(value)}. {nearest(value.lower()[:40], METRICS)}", line)


def write_cube(instance: Instance) -> str:
    """The cube in the format that `read_instance` accepts."""
    header = [] if instance.metric == "quarter" else [f"# metric: {instance.metric}"]
    return "\n".join([*header, instance.facelets]) + "\n"


def read_solution(problem: Rubik, source: Source) -> NDArray[np.int32]:
    """A plan from a JSON list or text of turns, or from plain text; `#` and `//` begin a comment.

    Raises
    ------
    InputError
        If the text has none of these forms, or contains other words.
    """

    def parse(lines: list[tuple[int, str]]) -> NDArray[np.int32]:
        return problem.spelt(moves_of(read_turns(unlabelled(lines, one="plan"))))

    commutator = re.match(r"\s*\[\s*[^\s\]\"]", source.text) is not None  # a list begins differently
    return read_plan(source, problem.decode, parse, most=_BYTES_MAX, plain=commutator)
