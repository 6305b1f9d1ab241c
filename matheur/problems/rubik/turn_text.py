"""Turns in common notation: sequences, repeated groups, commutators and conjugates.

`(R U R' U')3` repeats, `(R U)'` inverts, `[A, B]` is A B A' B', and `[A: B]` is A B A'; all of them can be nested. A
turn is a face (`R`), two layers (`Rw`, `r`, `2Rw`), one layer (`2R`), a slice (`M`), or the whole cube (`x`, `3Rw`,
`[r]`), followed by `'`, `2`, `3`, `i` or a power (`^-1`) if needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from matheur.errors import InputError, shown
from matheur.problems.rubik.notation import ABOUT, OPPOSITE, Turn, moves_of
from matheur.problems.rubik.stickers import MOVES

__all__ = ["TURNS_MAX", "inverse", "parse_moves", "parse_turns", "read_turns", "resemble_turns", "unlabelled"]

TURNS_MAX = 100_000
"""Largest number of turns of a sequence after expansion."""

Lines = Sequence[tuple[int | None, str]]

_SIGNS = str.maketrans({**dict.fromkeys("’‘‛`´′ʹʼˈ＇", "'"), "²": "2", "³": "3"})
_BREAK = r"(?=[\s,;:()\[\]]|$)"
_QUARTERS = rf"('2|2'|['123i]|-1?{_BREAK}|\^-?[123]|\^\{{-?[123]\}})?"
_VALUES = {"": 1, "1": 1, "2": 2, "'2": 2, "2'": 2, "-2": 2, "3": 3, "'": 3, "i": 3, "-": 3, "-1": 3, "-3": 1}
_TURN = re.compile(rf"([1-3])?([URFDLB]w?|[urfdlb]|[MESxyzXYZ]){_QUARTERS}")
_LABEL = re.compile(
    r"(?:(?:scramble|solution|plan|moves)\s*(?:[0-9]{1,6}\s*)?[:=]|[0-9]{1,6}\s*[.)])\s*", re.IGNORECASE
)
_HELD = re.compile(rf"\[\s*([urfdlb]){_QUARTERS}\s*\]")
_TIMES = re.compile(
    r"(?P<back>'|-1?(?=[\s,;:()\[\]]|$))?(?:[ \t]*[\^*×][ \t]*\{?(?P<power>-?[0-9]{1,6})\}?|[xX]?(?P<times>[0-9]{1,6})"
    r"|[ \t]+(?P<apart>[0-9]{1,6})(?=[\s,;:()\[\]]|$))?(?P<prime>')?"
)
_LENGTH = re.compile(r"\(\s*[0-9]{1,4}\s*(?:[fqhs]\*?|[FQHS]TM|moves|turns)\*?\s*\)\s*$")
_MARK = re.compile(r"%|/\*|;")
_WORDS = re.compile("[A-Za-z]{3}"), re.compile("[ac-eg-hj-kn-qtvAC-EG-KN-QTVW]")
_BETWEEN = re.compile(r"[\s;.]+")
_CLOSING = {"(": ")", "[": "]"}
_DEEP = 50
_SLICES = {"R": ("M", 3), "L": ("M", 1), "U": ("E", 3), "D": ("E", 1), "F": ("S", 1), "B": ("S", 3)}


def parse_turns(text: str, *, small: bool | None = None) -> list[Turn]:
    """The turns in a text; see `read_turns`."""
    return read_turns([(None, text)], small=small)


def parse_moves(text: str) -> list[int]:
    """Numbers of the face turns in a text; see `read_turns` and `moves_of`."""
    return moves_of(parse_turns(text))


def read_turns(lines: Lines, *, small: bool | None = None) -> list[Turn]:
    """The turns in lines of text, with groups expanded.

    A length in brackets at the end of a line, such as `(18f)`, is skipped.

    Parameters
    ----------
    lines
        Pairs of a line number for error messages (or None) and the text.
    small
        Whether lower-case letters turn two layers. None if they do so only in a text that also has capitals, since a
        text in lower case may mean faces.

    Raises
    ------
    InputError
        If a turn cannot be read, with the line, number and text of the first such turn.
    """
    texts = [_LENGTH.sub("", _without_remarks(text).strip()).translate(_SIGNS) for _, text in lines]
    reading = _Reading("\n".join(texts), [number for number, _ in lines], small)
    return reading.everything()


def _without_remarks(text: str) -> str:
    """A line without `/* ... */`, and without what follows `%`, or a `;` behind which there are words."""
    parts: list[str] = []
    at, worded, last = 0, None, text.rfind("*/")
    for mark in _MARK.finditer(text):
        begin, sign = mark.start(), mark[0]
        if begin < at or (sign == "/*" and begin > last):
            continue
        if sign == ";":
            if worded is None:  # behind later ones, there are no other words
                worded = all(word.search(text, begin) for word in _WORDS)
            if not worded:
                continue
        end = text.find("*/", begin + 2) if sign == "/*" else len(text)
        if end >= 0:
            parts.append(text[at:begin])
            at = end + 2
    return " ".join([*parts, text[at:]])


def unlabelled(lines: Sequence[tuple[int, str]], *, one: str = "") -> list[tuple[int, str]]:
    """Lines without the labels of turns: `Scramble:`, `Solution:`, or the number in a list (`1. R U`).

    Parameters
    ----------
    one
        Name of what may occur only once, such as `plan`; a second label is then rejected.

    Raises
    ------
    InputError
        If there is a second label.
    """
    labels = [number for number, text in lines if _LABEL.match(text)]
    if one and len(labels) > 1:
        hint = "Maybe a file of its own for each?"
        raise InputError(f"a second {one}, the first is in line {labels[0]}. {hint}", line=labels[1])
    bare = [(number, text[match.end() :] if (match := _LABEL.match(text)) else text) for number, text in lines]
    return [(number, text) for number, text in bare if text]


def resemble_turns(lines: Lines) -> bool:
    """Whether these are turns, not only of the whole cube; includes turns that `read_turns` rejects."""
    try:
        return bool(moves_of(read_turns(lines, small=True)))
    except InputError:
        pass
    bare = [re.sub(r"[)\]}]\s*[0-9']*|[(\[{:*]|\b[2-9](?=[A-Za-z])", " ", _LENGTH.sub("", text)) for _, text in lines]
    try:
        return bool(moves_of(read_turns([(None, text) for text in bare], small=True)))
    except InputError:
        return False


def inverse(turns: Sequence[Turn]) -> list[Turn]:
    """The turns that undo a sequence of turns."""
    return [(letter, 4 - quarters) for letter, quarters in reversed(turns)]


class _Reading:
    """Parser state of a text of turns."""

    def __init__(self, text: str, numbers: Sequence[int | None], small: bool | None) -> None:
        self.text, self.numbers = text, numbers
        self.small = re.search("[URFDLB]", text) is not None if small is None else small
        self.at, self.read = 0, 0

    def everything(self) -> list[Turn]:
        turns = self.sequence("")
        if self.here == ":":  # `F2L: R U R'` is more likely a name than a conjugate
            raise self.error("a ':' outside of brackets. Maybe [A: B] for a conjugate, or // before a comment?")
        if self.here:
            known = {")": "(", "]": "["}.get(self.here)
            raise self.error(f"a '{self.here}' without its '{known}'") if known else self.unreadable()
        return turns

    @property
    def here(self) -> str:
        return self.text[self.at : self.at + 1]

    def sequence(self, within: str, depth: int = 0) -> list[Turn]:
        """Turns up to the end of their sequence; `within` is the bracket around them."""
        found: list[Turn] = []
        while True:
            between = _BETWEEN.match(self.text, self.at)
            if between is not None:
                self.at = between.end()
            if self.here == "," and within == "":
                self.at += 1
            elif self.here in ("", ")", "]", ":", ","):
                return found
            else:
                found += self.group(depth + 1) if self.here in _CLOSING else [self.turn()]
                self.check(len(found))

    def group(self, depth: int) -> list[Turn]:
        """The content of brackets, repeated by the number after them."""
        begin, opening = self.at, self.here
        held = _HELD.match(self.text, begin)
        if held is not None:
            axis, times = ABOUT[held[1].upper()]
            self.at, self.read = held.end(), self.read + 1
            return [(axis, times * _quarters(held[2]) % 4)]
        if depth > _DEEP:
            raise self.error(f"more than {_DEEP} nested brackets")
        self.at += 1
        turns = first = self.sequence(opening, depth)
        middle, sign = self.at, self.here
        if sign == "," and opening == "(":
            raise self.error("a comma in round brackets. Maybe [A, B] for a commutator, or blanks between turns?")
        if sign in (",", ":"):
            self.at += 1
            second = self.sequence(opening, depth)
            if not self.text[begin + 1 : middle].strip() or not self.text[middle + 1 : self.at].strip():
                raise self.error(f"one side of the '{sign}' is missing", begin)
            turns = self.limited(first, second, inverse(first), inverse(second) if sign == "," else [])
            if self.here in (",", ":"):
                raise self.error("a commutator or conjugate has two parts. Maybe [A, B], [A: B], or [A: [B, C]]?")
        if self.here != _CLOSING[opening]:
            raise self.error(f"a '{opening}' without its '{_CLOSING[opening]}'", begin)
        self.at += 1
        return self.repeated(turns)

    def repeated(self, turns: list[Turn]) -> list[Turn]:
        match = _TIMES.match(self.text, self.at)
        assert match is not None  # the pattern also matches the empty string
        self.at = match.end()
        times = int(match["power"] or match["times"] or match["apart"] or 1)
        back = (match["back"] is not None) ^ (match["prime"] is not None) ^ (times < 0)
        return self.limited(*[inverse(turns) if back else turns] * min(abs(times), TURNS_MAX + 1))

    def turn(self) -> Turn:
        match = _TURN.match(self.text, self.at)
        if match is None or (match[2].islower() and match[2] not in "xyz" and not self.small):
            raise self.unreadable()
        layer, letter, quarters = int(match[1] or 0), match[2], _quarters(match[3])
        face = letter[0].upper()
        if layer and face not in ABOUT:
            raise self.unreadable()
        self.at, self.read = match.end(), self.read + 1
        wide = letter not in ("x", "y", "z") and (letter.islower() or letter.endswith("w"))
        if layer == 3 and wide:
            axis, times = ABOUT[face]
            return axis, times * quarters % 4
        if layer == 3:
            return OPPOSITE[face], 4 - quarters
        if layer == 2 and not wide:
            name, times = _SLICES[face]
            return name, times * quarters % 4
        if wide and layer != 1:
            return f"{face}w", quarters
        return (letter.lower() if face in "XYZ" else face), quarters

    def limited(self, *parts: list[Turn]) -> list[Turn]:
        self.check(sum(map(len, parts)))
        return [turn for part in parts for turn in part]

    def check(self, turns: int) -> None:
        if turns > TURNS_MAX:
            raise self.error(f"a sequence has at most {TURNS_MAX:,} turns")

    def error(self, message: str, at: int | None = None) -> InputError:
        place = self.text.count("\n", 0, self.at if at is None else at)
        return InputError(message, line=self.numbers[min(place, len(self.numbers) - 1)] if self.numbers else None)

    def unreadable(self) -> InputError:
        rest = self.text[self.at :].split("\n", 1)[0]
        return self.error(f"move {self.read + 1} cannot be read ({shown(rest, 20)}). {_hint(rest)}")


def _quarters(sign: str | None) -> int:
    """The suffix of a turn, as a number of quarters."""
    return _VALUES[(sign or "").strip("^{}")]


def _hint(rest: str) -> str:
    if rest[0] in "urfdlb":
        face = rest[0].upper()
        return f"Maybe {face} for the face, or {face}w for two layers?"
    if re.match("[4-9][A-Za-z]", rest):
        return "Maybe a cube with more layers than three?"
    if rest[0] in "mes":
        return f"Maybe {rest[0].upper()} for the slice?"
    if rest[0] in "{}<>":
        return "Maybe round brackets for a group?"
    return f"Maybe one of: {' '.join(MOVES)}"
