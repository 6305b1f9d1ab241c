"""The numbers of a QAPLIB file, exact, with the line breaks that show where something begins.

Blanks, commas and semicolons separate numbers. `#`, `//`, `%` and `!` begin comments, and so does a single `c` at the
beginning of a line; a word in brackets, such as `(OPT)`, is a comment.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import shown
from matheur.problems.decimals import decimal_parts

__all__ = ["Numbers", "matrix_text", "numbers_of", "raised", "to_scale", "with_decimals"]

_PLAIN = re.compile(r"[-+0-9\s]*", re.ASCII)
_WHOLE = re.compile(r"[-+]?[0-9]+", re.ASCII)
_COMMENT = re.compile(r"#.*|//.*|%.*|!.*|^\s*[cC](?:\s.*)?$|\([A-Za-z ]*\)")
_TIGHT = re.compile(r"[0-9],[0-9]")
_LOOSE = re.compile(r"[0-9.][ \t]+[-+.0-9]|[0-9.]\s*;")
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


@dataclass(slots=True)
class Numbers:
    """Numbers in the order of the file.

    Attributes
    ----------
    wholes, decimals
        Number i is `wholes[i] / 10**decimals[i]`.
    starts, lines
        Index of the first number of every line that has one, and the number of that line in the file, 0 if unknown.
    after_blank
        Indices of the first numbers after blank lines.
    commas
        Whether a comma separates numbers anywhere.
    """

    wholes: array[int] = field(default_factory=lambda: array("q"))
    decimals: bytearray = field(default_factory=bytearray)
    starts: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    after_blank: set[int] = field(default_factory=set)
    commas: bool = False

    def __len__(self) -> int:
        return len(self.wholes)

    def at(self, index: int) -> int | Fraction:
        """The number at an index; integers are returned as int."""
        whole, decimals = self.wholes[index], self.decimals[index]
        return Fraction(whole, 10**decimals) if decimals else whole

    def line_of(self, index: int) -> int | None:
        """The line of a number, None if unknown."""
        return self.lines[bisect_right(self.starts, index) - 1] or None

    def written(self, start: int, stop: int) -> str:
        """A range of the numbers as text for a message."""
        said = [str(self.at(index)) for index in range(start, min(stop, start + 5))]
        return ", ".join(said) + (", ..." if stop - start > 5 else "")


def numbers_of(source: Source, most: int | None = None) -> Numbers:
    """All numbers of a text; reading ends after the first line that takes their count above `most`.

    Raises
    ------
    InputError
        If the text holds anything else; the message names the line.
    """
    found = Numbers()
    blank = False
    for line, raw in enumerate(source.lines, start=1):
        text, plain = raw, _PLAIN.fullmatch(raw) is not None
        if not plain:
            text = _COMMENT.sub("", raw)
            if raw.strip() and not text.strip():
                continue  # a comment is no blank line
        if not text.strip():
            blank = True
            continue
        start = len(found)
        if not plain:
            text = _separated(text, found, source, line)
        _take(text.split(), found, source, line, plain=plain)
        if len(found) > start:
            found.starts.append(start)
            found.lines.append(line)
            if blank:
                found.after_blank.add(start)
            blank = False
        if most is not None and len(found) > most:
            break
    return found


def to_scale(numbers: Numbers, start: int, stop: int, source: Source) -> tuple[NDArray[np.int64], int]:
    """A range of the numbers as integers, and the number of decimals by which they were scaled.

    Raises
    ------
    InputError
        If a scaled number is too large; the message names its line.
    """
    wholes = np.array(numbers.wholes[start:stop], dtype=np.int64)
    behind = np.frombuffer(numbers.decimals, dtype=np.uint8)[start:stop]
    decimals = int(behind.max())
    if not decimals:
        return wholes, 0
    exact = wholes.astype(object) * np.array([10 ** (decimals - int(d)) for d in behind], dtype=object)
    large = [index for index, value in enumerate(exact) if abs(value) >= 1 << 63]
    if large:
        where = start + large[0]
        said = f"a number that is too large once all have {decimals} decimals ({numbers.written(where, where + 1)})"
        raise source.error(f"{said}. Maybe fewer decimals?", numbers.line_of(where))
    return exact.astype(np.int64), decimals


def raised(table: NDArray[np.int64], decimals: int) -> NDArray[np.int64]:
    """A scaled table with more decimals.

    Raises
    ------
    ValueError
        If a scaled number is too large.
    """
    if not decimals or not table.any():
        return table
    if max(int(table.max()), -int(table.min())) >= (1 << 62) // 10**decimals:
        raise ValueError(f"numbers that are too large once all have {decimals} more decimals")
    return table * 10**decimals


def with_decimals(value: int, decimals: int) -> str:
    """A scaled number as written in files."""
    if not decimals:
        return str(value)
    digits = str(abs(value)).rjust(decimals + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-decimals]}.{digits[-decimals:]}"


def matrix_text(matrix: NDArray[np.int64], decimals: int) -> str:
    """A scaled matrix as lines of a file."""
    rows = [[with_decimals(value, decimals) for value in row] for row in matrix.tolist()]
    width = max(len(value) for row in rows for value in row)
    return "\n".join(" ".join(value.rjust(width) for value in row) for row in rows) + "\n"


def _separated(text: str, found: Numbers, source: Source, line: int) -> str:
    """A line with blanks in place of commas and semicolons."""
    if "," not in text and ";" not in text:
        return text
    text = text.strip().rstrip(",; \t")
    if _TIGHT.search(text) and _LOOSE.search(text):
        example = _TIGHT.search(text)
        assert example is not None
        raise source.error(
            f"commas between digits ({shown(example[0])}), and other separators. Maybe decimal commas? "
            f"Write {example[0].replace(',', '.')}",
            line,
        )
    found.commas |= "," in text
    parts = re.split("[,;]", text)
    if not all(part.strip() for part in parts):
        raise source.error(f"nothing between two separators ({shown(text)})", line)
    return " ".join(parts)


def _take(words: list[str], found: Numbers, source: Source, line: int, *, plain: bool) -> None:
    """Parse the words of a line and add their numbers."""
    try:
        if plain or all(map(_WHOLE.fullmatch, words)):
            found.wholes.extend(map(int, words))
            found.decimals.extend(bytes(len(words)))
            return
    except (OverflowError, ValueError):  # more than 64 bits, thousands of digits, or signs inside
        del found.wholes[len(found.decimals) :]
    for word in words:
        parts = decimal_parts(word)
        if _WHOLE.fullmatch(word):
            if len(word) > 40 or not _LEAST <= int(word) <= _MOST:
                raise source.error(f"a number that is too large ({shown(word)})", line)
            parts = int(word), 0
        if parts is None:
            raise source.error(f"not a number ({shown(word)}){_advice(word)}", line)
        found.wholes.append(parts[0])
        found.decimals.append(parts[1])


def _advice(word: str) -> str:
    if re.fullmatch(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?", word):
        return ", or one with more than 18 digits before or behind the point"
    return ". Maybe a comment without a '#'?" if word[:1].isalpha() else ""
