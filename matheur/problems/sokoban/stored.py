"""Solutions and saved games below the levels of a collection, as written by Sokoban YASC and other programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Stored", "StoredPlans", "stored_alone", "without_comments"]

_MOVES = r"(?=[^udlrUDLR]*[udlrUDLR])[udlrUDLR0-9()\[\]{}* \t]+"
_LINE = re.compile(_MOVES)
_SURE = re.compile(r"[udlr][UDLR]|[udlrUDLR]{8}")  # unlike any word of a title
_HEADING = re.compile(
    r"(?:\w+\s+)?(?:solutions?|saved?\s*games?|snapshots?|moves|lurd)\s*[0-9]*\s*(?:[^\w\s].*)?", re.IGNORECASE
)
_FIELD = re.compile(rf"[^:=]*[:=]\s*({_MOVES})")
_UNFINISHED = re.compile(r"sav|snap", re.IGNORECASE)
_COMMENT = ";/':# \t"
_BEGIN = re.compile(r"comments?\s*:.*", re.IGNORECASE)
_END = re.compile(r"comments?[-_ ]*end\s*:?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stored:
    """Moves as written in a file.

    Attributes
    ----------
    line
        Line of the first move, from 1.
    moves
        Letters, possibly run-length encoded.
    finished
        Whether the moves are a solution, not a saved game.
    """

    line: int
    moves: str
    finished: bool


class StoredPlans:
    """Collects the plans below one level, line by line."""

    def __init__(self) -> None:
        self._found: list[tuple[int, list[str], bool]] = []
        self._heading = ""
        self._within = False

    @property
    def heading(self) -> str:
        """A heading without moves, which may be the title of the next level."""
        return self._heading

    def takes(self, number: int, raw: str) -> bool:
        """Whether a line other than a row belongs to plans: a heading (`Solution 2`, `Saved game (...)`), or moves."""
        line = raw.strip().lstrip(_COMMENT)
        within, self._within = self._within, False
        if _LINE.fullmatch(line) and (within or self._heading or _SURE.search(line)):
            self._add(number, line, within)
            return True
        if not _HEADING.fullmatch(line):
            return False
        self._heading = line
        field = _FIELD.fullmatch(line)
        if field is not None:
            self._add(number, field[1], within=False)
        return True

    def _add(self, number: int, moves: str, within: bool) -> None:
        if within:
            self._found[-1][1].append(moves)
        else:
            self._found.append((number, [moves], _UNFINISHED.search(self._heading) is None))
        self._heading, self._within = "", True

    def taken(self) -> tuple[Stored, ...]:
        """Return the plans found, and reset for the next level."""
        plans = tuple(Stored(line, re.sub(r"\s", "", "".join(parts)), over) for line, parts, over in self._found)
        self._found, self._heading, self._within = [], "", False
        return plans


def without_comments(lines: Sequence[str]) -> list[str]:
    """The lines, with blocks from `Comment:` to `Comment-End:` replaced by empty lines.

    A line `Comment: ...` without an end before the next such line is a comment by itself.
    """
    found, begin = list(lines), None
    for at, line in enumerate(lines):
        bare = line.strip().lstrip(_COMMENT)
        if _END.fullmatch(bare):
            first = at if begin is None else begin
            found[first : at + 1] = [""] * (at + 1 - first)
            begin = None
        elif _BEGIN.fullmatch(bare):
            begin = at
    return found


def stored_alone(lines: Sequence[str]) -> tuple[Stored, ...]:
    """The plans of a file without levels but with headings such as `Solution 2`; empty if there are no headings."""
    plans, headed = StoredPlans(), False
    for number, line in enumerate(without_comments(lines), start=1):
        headed = (plans.takes(number, line) and _HEADING.fullmatch(line.strip().lstrip(_COMMENT)) is not None) or headed
    return plans.taken() if headed else ()
