"""Rows of words, as in edge lists, adjacency matrices and adjacency lists.

Comments begin with `#`, `%` or `//` (also at the end of a row, after a blank), or with `c` if the rows are numbers. A
first line `sep=;`, which spreadsheets write, is skipped.
Words are separated by blanks or tabs, or by tabs, semicolons or commas if every row has these; words may then contain
blanks.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.methods.clique.formats.flat_rows import FlatRows
from matheur.methods.clique.formats.headers import is_title
from matheur.methods.clique.formats.whole_numbers import Numbers, digits_in, ends_in, plain_text

__all__ = ["Table", "Title", "Words", "read_table"]

_BLANK = bytes.maketrans(b",;", b"  ")
_BLANKS = bytes.maketrans(b",;\t", b"   ")
_HEAD = re.compile(rb"[ \t]*(?:#|%|//|c[ \t]|c?(?:\n|\Z))")
_BEHIND = re.compile(r"(?<!\s)\s+(?:#|%|//).*")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"|(\S+)')
_DATA = re.compile(r"(?<!\s)\s+\{[^{}]*\}$")  # attributes as networkx writes them
_PLAIN = b" \t\n,;0123456789"
_LIST = re.compile(r"[^\s:]+\s*:(?:\s|$)")
_PRINTING = bytes([*range(32, 127), *b"\t\n"])
_MARKS = (b",", b";", b"\t")
_SPECIAL = (b"#", b"%", b"//", b'"', b",", b";", b"}", b"\t")
_SEPARATED = re.compile(rb"sep=[,;\t][ \t]*\n", re.IGNORECASE)  # a first line for spreadsheets
_C_LINE = re.compile(rb"(?m)^[ \t]*c(?:\s|\Z)")
_LONG = 1_000_000  # bytes: above this size the rows are too many for a matrix, and words in Python are slow
_DIGITS = 17

Words = Numbers | list[str]


@dataclass(frozen=True, slots=True)
class Title:
    """A header in front of rows of numbers: its line, its words, and the columns that name the ends of an edge."""

    line: int
    words: list[str]
    columns: tuple[int, int]


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Rows of words without comments and empty rows.

    Attributes
    ----------
    lines, widths
        Number of the line, and number of words, of each row.
    numbers
        All words in order, if they are whole numbers without a sign or leading zeros.
    words
        Otherwise, the rows as words.
    separated
        Whether tabs, semicolons or commas separate the words, so that words may contain any other characters.
    head
        The first two rows as words, if `numbers` holds only the first two words of each row, because values that are
        not whole numbers follow them.
    title
        A header that was found in front of a long table of numbers; it is not one of the rows.
    range_end
        N of a comment `# vertices: 1 to N`, which edge lists written by matheur may have.
    """

    lines: Numbers
    widths: Numbers
    numbers: Numbers | None
    words: Sequence[list[str]] | None
    separated: bool
    range_end: int | None = None
    head: tuple[list[str], ...] = ()
    title: Title | None = None

    def __len__(self) -> int:
        return len(self.lines)

    def row(self, at: int) -> list[str]:
        """The words of a row."""
        if self.words is not None:
            return self.words[at]
        assert self.numbers is not None
        if self.head:
            return self.head[at] if at < len(self.head) else [str(one) for one in self.numbers[2 * at : 2 * at + 2]]
        first = int(self.widths[:at].sum())
        return [str(number) for number in self.numbers[first : first + int(self.widths[at])].tolist()]

    def column(self, place: int, start: int = 0) -> Words:
        """The word in this place of each row from `start` on, as numbers if the whole table consists of numbers."""
        if self.words is not None:
            if isinstance(self.words, FlatRows):
                return self.words.column(place, start)
            return [row[place] for row in self.words[start:]]
        assert self.numbers is not None
        if self.head:
            return self.numbers[2 * start + place :: 2]
        widths = self.widths[start:]
        if len(widths) and (widths == widths[0]).all():
            tail = self.numbers[len(self.numbers) - len(widths) * int(widths[0]) :]
            return tail[place :: int(widths[0])]
        first = np.cumsum(self.widths) - self.widths
        return self.numbers[first[start:] + place]

    def line(self, at: int) -> int:
        """The line number of a row."""
        return int(self.lines[at])


def read_table(source: Source, *, words: bool = False) -> Table:
    """The rows of a text; with `words`, rows that begin with `c` are not comments.

    Raises
    ------
    InputError
        If the file is not a text, or a word contains non-printing characters.
    """
    text = plain_text(source)
    if _SEPARATED.match(text):
        text = b"#" + text
    at, number, range_end = 0, 1, None
    while at < len(text) and _HEAD.match(text, at):
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        said = re.fullmatch(rb"# vertices: 1 to ([0-9]{1,12})", text[at:end].strip())
        range_end = int(said[1]) if said else range_end
        if re.match(rb"%[ \t]*bip\b", text[at:end].strip()):
            raise InputError("a bipartite graph whose two sides are numbered apart ('% bip')", line=number)
        at, number = end + 1, number + 1
    body = text[at:] if at else text
    title = None
    if not words and len(body) > _LONG:
        first, _, rest = body.partition(b"\n")
        title = _title(first, number)
        if title is not None:
            body, number = rest, number + 1
    if not words and not body.translate(None, _PLAIN):
        commas, semicolons = b"," in body, b";" in body
        if not (commas and semicolons) and b",," not in body and b";;" not in body:
            body = body.translate(_BLANK) if commas or semicolons else body
            values, lines, longest, padded = digits_in(body, number)
            if longest <= _DIGITS and not padded:
                fresh = np.flatnonzero(np.diff(lines, prepend=number - 1))
                widths = np.diff(np.append(fresh, len(values)))
                if title is None or (widths == len(title.words)).all():
                    return Table(lines[fresh], widths, values, None, commas or semicolons, range_end, title=title)
    if not words and len(body) > _LONG:
        found = _valued(body, number, title)
        if found is not None:
            return replace(found, range_end=range_end)
        named = None if _c_rows(text[:at], text[at:]) else _named(text[at:])
        if named is not None:
            before = 1 + text.count(b"\n", 0, at)
            return replace(named, lines=named.lines + before, range_end=range_end)
    return _in_words(source, text, range_end, words)


def _title(first: bytes, number: int) -> Title | None:
    """A line as a header of rows of numbers: words without digits, or names of the ends of an edge; else None."""
    mark = next((mark for mark in (b"\t", b";", b",") if mark in first), None)
    words = [word.strip().strip(b'"').decode("utf-8", "replace") for word in first.split(mark)]
    columns = is_title(words) if all(words) and words[0].lower() != "index" else None
    return None if columns is None else Title(number, words, columns)


def _c_rows(head: bytes, body: bytes) -> bool:
    """Whether the lines before the first row begin with the name of a vertex, `c`, as in `_without_c`."""
    marked = [len(row.split()) for row in head.split(b"\n") if _C_LINE.match(row)]
    return bool(marked) and set(marked) == {len(body.partition(b"\n")[0].split())}


def _valued(body: bytes, number: int, title: Title | None) -> Table | None:
    """A long table whose rows are two whole numbers and values of any kind; None for other rows."""
    if body.translate(None, _PRINTING) or any(mark in body for mark in _SPECIAL if mark not in _MARKS):
        return None
    found = [mark for mark in _MARKS if mark in body]
    if len(found) > 1 or (title is not None and title.columns != (0, 1)):
        return None
    if found:
        if any(2 * mark in body for mark in found):
            return None
        body = body.translate(_BLANKS)
    ends = ends_in(body, number)
    if ends is None or (found and (ends[2] != ends[2][0]).any()):
        return None
    if title is not None and ends[2].max() > len(title.words):  # the rows begin with their numbers
        return None
    head = tuple(row.decode("ascii").split() for row in body.split(b"\n", 2)[:2])
    return Table(ends[1], ends[2], ends[0], None, bool(found), None, head, title) if all(head) else None


def _named(body: bytes) -> Table | None:
    """A long table of words without quotes or comments, with the same number on each row; None for other texts.

    Its lines count from 0.
    """
    if body.translate(None, _PRINTING) or any(mark in body for mark in _SPECIAL if mark not in _MARKS):
        return None
    marks = [mark for mark in _MARKS if mark in body]
    if len(marks) > 1 or (marks and (b" " in body or 2 * marks[0] in body)) or b":" in body or _C_LINE.search(body):
        return None
    data = np.frombuffer(body, dtype=np.uint8)
    blank = (data <= ord(" ")) if not marks else (data <= ord(" ")) | (data == ord(marks[0]))
    starts = np.flatnonzero(~blank & np.concatenate(([True], blank[:-1])))
    lines = np.cumsum(data == ord("\n"), dtype=np.int64)[starts]
    fresh = np.flatnonzero(np.diff(lines, prepend=-1))
    widths = np.diff(np.append(fresh, len(starts)))
    # A separator at the beginning or end of a row means an empty word.
    edges = marks and (body[:1] == marks[0] or b"\n" + marks[0] in body or marks[0] + b"\n" in body)
    if not len(widths) or edges or (widths != widths[0]).any():
        return None
    words = body.translate(_BLANKS).decode("ascii").split()
    return Table(lines[fresh], widths, None, FlatRows(words, int(widths[0])), bool(marks))


def _in_words(source: Source, text: bytes, range_end: int | None, c_named: bool) -> Table:
    plain = not text.translate(None, _PRINTING)
    rows = text.decode("ascii").split("\n") if plain else source.lines
    if rows and _SEPARATED.match(f"{rows[0]}\n".encode("utf-8", "replace")):
        rows = ["", *rows[1:]]
    separator = None
    if plain and not any(mark in text for mark in _SPECIAL) and not _C_LINE.search(text):
        split = [row.split() for row in rows]
        lines = [number for number, row in enumerate(split, 1) if row]
        words = [row for row in split if row] if len(lines) < len(split) else split
    else:
        kept = _without_comments(rows, c_named)
        lines = [number for number, _ in kept]
        stripped = [row for _, row in kept]
        colons = bool(stripped) and all(map(_LIST.match, stripped))  # lists of neighbours, whatever separates these
        marks = "" if colons or not stripped else "\t;,"
        separator = next((mark for mark in marks if all(mark in row for row in stripped)), None)
        try:
            words = _split(stripped, separator)
        except csv.Error as error:
            raise InputError(f"fields cannot be told apart ({error})") from None
        if not all(words):  # rows of separators
            lines = [number for number, row in zip(lines, words, strict=True) if row]
            words = [row for row in words if row]
    if not plain:
        for number, found in zip(lines, words, strict=True):
            if not all(map(str.isprintable, found)):
                wrong = next(word for word in found if not word.isprintable())
                raise InputError(f"not a whole number or a name ({shown(wrong)})", line=number)
    widths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    return Table(np.array(lines, dtype=np.int64), widths, None, words, separator is not None, range_end)


def _without_comments(rows: list[str], c_named: bool) -> list[tuple[int, str]]:
    """The rows that are neither empty nor comments, with the numbers of their lines."""
    kept = [(number, row) for number, row in enumerate(map(str.strip, rows), 1)
            if row and row[0] not in "#%" and row[:2] != "//"]  # fmt: skip
    marked = [(number, row) for number, row in kept if row[0] == "c" and (len(row) == 1 or row[1].isspace())]
    if marked and not c_named:
        kept = _without_c(kept, {number for number, _ in marked})
    if any(mark in row for _, row in kept for mark in "#%/") and not any('"' in row for _, row in kept):
        kept = [(number, _BEHIND.sub("", row)) for number, row in kept]
    if kept and all(row[-1] == "}" for _, row in kept):
        kept = [(number, _DATA.sub("", row)) for number, row in kept]
    return kept


def _without_c(kept: list[tuple[int, str]], marked: set[int]) -> list[tuple[int, str]]:
    """The rows without comments that begin with `c`, unless `c` is the name of a vertex."""
    others = [(number, row) for number, row in kept if number not in marked]
    numeric = all(row[0].isdigit() or row[0] == "-" for _, row in others)
    if others and not numeric:
        width = len(others[0][1].split())
        if all(len(row.split()) == width for number, row in kept if number in marked):
            return kept
    return others if others else kept


def _split(lines: list[str], separator: str | None) -> list[list[str]]:
    quoted = any('"' in row for row in lines)
    if separator is None:
        if not quoted:
            return [row.replace(",", " ").replace(";", " ").split() for row in lines]
        return [[one or two for one, two in _QUOTED.findall(row)] for row in lines]
    if quoted:
        fields = [next(csv.reader([row], delimiter=separator, skipinitialspace=True)) for row in lines]
    else:
        fields = [row.split(separator) for row in lines]
    rows = [[field.strip() for field in row] for row in fields]
    for row in rows:
        while row and not row[-1]:
            row.pop()
    return rows
