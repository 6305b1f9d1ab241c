"""Rows of tiles in the various ways in which they are written.

A word is a tile: a number, or a sign for the blank. Brackets of lists, quotes and the lines of a drawn frame are
ignored. Rows may be on one line, separated by brackets or slashes, or form a single list for a square board; digits,
with `a` to `f` for 10 to 15, need no spaces between them. A blank that is only a gap is located by the columns of the
other rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["Row", "blank_sign", "one_square", "rows_of", "words_of"]

Row = tuple[int, list[str]]
"""Number of a line, and the words on it."""

BLANK = re.compile(r"[_.*-]{1,2}|[xXbB□]|-1|none|null|nil|nan|blank|empty|space|hole", re.IGNORECASE)
"""Signs and words for the blank, next to 0."""

_BETWEEN = re.compile(r"[\s,;|/\[\](){}'\"]+")
_MARKS = re.compile(r"\b(?:np\.|numpy\.)?array\b|^\s*[A-Za-z_]\w*\s*=(?=\s*[\[(])")
_FRAME = re.compile(r"(?=.*[-=+─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬]{3})[-=+|\s─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬]+")
_NESTED = re.compile(r"(?<=[\])])\s*(?:,\s*)?(?=[\[(])")
_ROW_ENDS = re.compile(r"[/;]")
_FIELDS = re.compile(r"[,;|│║]")
_DIGITS = "0123456789abcdef"
_LETTERS = frozenset("abcdefABCDEF")
_LEAST = 6  # smallest number of cells of a board written as digits without spaces


def words_of(text: str) -> list[str]:
    """The tiles on a line."""
    text = _MARKS.sub(" ", text).replace("│", "|").replace("║", "|")
    return [word for word in _BETWEEN.split(text) if word]


def blank_sign(words: Sequence[str]) -> str | None:
    """The sign of the blank, if exactly one word is such a sign or a 0."""
    found = [word for word in words if BLANK.fullmatch(word) or re.fullmatch("0+", word)]
    return found[0] if len(found) == 1 else None


def rows_of(lines: Sequence[tuple[int, str]]) -> list[Row]:
    """The rows in the given lines, with 0 for the blank; empty rows are left out."""
    lines = [(number, text) for number, text in lines if not _FRAME.fullmatch(text)]
    lines = [(number, part) for number, text in lines for part in _NESTED.split(text)]
    if len(lines) == 1 and not _FIELDS.search(lines[0][1].replace(";", "")):
        lines = [(number, part) for number, text in lines for part in _ROW_ENDS.split(text)]
    rows = [(number, text, words) for number, text in lines if (words := words_of(text))]
    sign = blank_sign([word for _, _, words in rows for word in words])
    plain = [(number, ["0" if word == sign else word for word in words]) for number, _, words in rows]
    if sign is None:
        plain = _with_gap([text for _, text, _ in rows], plain)
    return _with_digits(plain)


def _with_gap(texts: Sequence[str], rows: list[Row]) -> list[Row]:
    """The rows with the blank in place of a gap, if exactly one row lacks a word and the place can be determined."""
    lengths = [len(words) for _, words in rows]
    if len(rows) < 2 or sorted(lengths)[0] + 1 != sorted(lengths)[1] or len(set(lengths)) != 2:
        return rows
    short, width = lengths.index(min(lengths)), max(lengths)
    numbers = sorted(word for _, words in rows for word in words)
    if numbers != sorted(map(str, range(1, len(rows) * width))):
        return rows
    place = _empty_field(texts[short], width)
    if place is None:
        place = _empty_column(texts, short)
    if place is not None:
        rows = list(rows)
        number, words = rows[short]
        rows[short] = number, [*words[:place], "0", *words[place:]]
    return rows


def _empty_field(text: str, width: int) -> int | None:
    """Index of the only empty field between commas or bars, or None."""
    for part in (text, text.strip().strip("|│║")):
        fields = _FIELDS.split(part)
        empty = [place for place, field in enumerate(fields) if not words_of(field)]
        if len(fields) == width and len(empty) == 1:
            return empty[0]
    return None


def _empty_column(texts: Sequence[str], short: int) -> int | None:
    """Index of the left- or right-aligned column in which the short line has no word, or None."""
    spans = [[match.span() for match in re.finditer(r"\S+", text.expandtabs())] for text in texts]
    for side in (1, 0):
        columns = {tuple(span[side] for span in row) for number, row in enumerate(spans) if number != short}
        own = [span[side] for span in spans[short]]
        if len(columns) == 1 and set(own) < (places := set(next(iter(columns)))):
            place = next(iter(columns)).index(next(iter(places - set(own))))
            return place if place < len(own) else None  # at the end: a blank before it may have been lost
    return None


def _with_digits(rows: list[Row]) -> list[Row]:
    """Rows of one word each, split if their characters are the digits of a board (up to 16 cells), each occurring once.

    Rows of single characters are treated in the same way if there are letters among them.
    """
    every = [word for _, row in rows for word in row]
    if len(every) > len(rows) and all(len(word) == 1 for word in every) and not _LETTERS.isdisjoint(every):
        packed = [(number, ["".join(row)]) for number, row in rows]
        apart = _with_digits(packed)
        return rows if apart is packed else apart
    words = [row[0] for _, row in rows if len(row) == 1]
    signs = "".join(words).lower()
    blanks = re.findall(r"[._*x-]", signs)
    if len(blanks) == 1 and "0" not in signs:
        words, signs = [word.lower().replace(blanks[0], "0") for word in words], signs.replace(blanks[0], "0")
    if len(words) < len(rows) or len({len(word) for word in words}) != 1 or len(signs) < _LEAST or len(words[0]) == 1:
        return rows
    if sorted(signs) != list(_DIGITS[: len(signs)]):
        return rows
    texts = zip(rows, words, strict=True)
    return [(number, [str(_DIGITS.index(sign)) for sign in word.lower()]) for (number, _), word in texts]


def one_square(rows: list[Row], least: int) -> list[Row] | None:
    """A single row of at least `least` words as the rows of a square; None if they do not form a square."""
    if len(rows) != 1 or len(rows[0][1]) < least:
        return None
    number, words = rows[0]
    side = round(len(words) ** 0.5)
    if side * side != len(words):
        return None
    return [(number, words[i : i + side]) for i in range(0, len(words), side)]
