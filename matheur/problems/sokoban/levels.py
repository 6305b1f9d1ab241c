"""The levels in a text, delimited so that `FILE#3` is the third one whatever text is between the levels.

A row contains a wall and only signs of a level; `-` and `_` are floor, also at its beginning. Rows may be run-length
encoded (`3#-@$.2#`, several on a line, separated by `|`). A run of rows is a level if it contains a player or a box;
other lines are titles, comments, or the moves of a solution of the preceding level. Text between `Comment:` and
`Comment-End:` is a comment. An intended level keeps its number even if it cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape

from matheur.errors import InputError, printable, shown
from matheur.problems.sokoban.instance import CELLS_MAX
from matheur.problems.sokoban.run_lengths import expanded
from matheur.problems.sokoban.stored import Stored, StoredPlans, without_comments

__all__ = ["SIGNS", "Level", "split_levels"]

SIGNS = "-_ #@+$*."
_LETTERS = str.maketrans("pPbB", "@+$*")
_ENDS = "#*B"
_LINE_END = re.compile(r"\r\n|\n|\r")
_BLANK = " \t"
_COMMENTS = (";", "'", "//", "::")
_NO_RUN = re.compile(r"[0-9](?![-_#@+$*.0-9(pPbB])|[0-9]{6}")
_OTHER = re.compile(r"[^-_ #@+$*.0-9()]")
_WORD = re.compile(r"[^\W\d_]{3}")
_FIELD = re.compile(r"([A-Za-z][A-Za-z ]{0,20}?)\s*[:=]\s*(.*)")
_RULED = 3
_TITLES = ("title", "level", "name")
_XML = re.compile(
    r"<!--|-->|<Level(?=[\s>])[^<>]*>|</Level>|<L(?=[\s>])[^<>]*>([^<]*)</L>|<L(?=[\s/])[^<>]*/>", re.IGNORECASE
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_ID = re.compile(r"\bId\s*=\s*[\"']([^\"'<>]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Level:
    """Rows of a level as written in the file.

    Attributes
    ----------
    line
        Line of the first row, from 1.
    rows
        Text of the rows, possibly run-length encoded.
    title
        Title, from the text before or after the rows.
    fault
        Line and sign of the first error, or None.
    plans
        Solutions and saved games below the level.
    """

    line: int
    rows: tuple[str, ...]
    title: str
    fault: tuple[int, str] | None = None
    plans: tuple[Stored, ...] = ()

    def signs(self) -> list[str]:
        """The rows sign by sign.

        Raises
        ------
        InputError
            If the rows contain another sign or a tab of unknown width, or are too large.
        """
        if self.fault is not None:
            raise InputError(f"not part of a level ({shown(self.fault[1])})", line=self.fault[0])
        rows = _without_margin(self.rows)
        if any("\t" in row for row in rows):
            raise InputError("a tab in a row, whose width is not known. Maybe blanks, or '-' for floor?")
        found, width = list[str](), 0
        for number, row in enumerate(rows):
            found.append(
                expanded(row, CELLS_MAX, f"a level has at most {CELLS_MAX} cells, row {number} alone has more")
            )
            width = max(width, len(found[-1]))
            if len(rows) * width > CELLS_MAX:
                raise InputError(f"a level has at most {CELLS_MAX} cells ({len(rows)} x {width})")
        return found


def split_levels(text: str) -> list[Level]:
    """All levels of a text, in the order of the file."""
    if text.lstrip().startswith("<") and re.search("<L[ >]", text, re.IGNORECASE):
        return list(_in_xml(text))
    found: list[Level] = []
    block: list[tuple[int, str, str]] = []
    title, plans = "", StoredPlans()
    for number, raw in enumerate([*without_comments(_LINE_END.split(text)), ""], start=1):
        kind, line = _kind(raw.rstrip(_BLANK))
        if kind in ("row", "lettered", "fault") or (kind == "inner" and block):
            block.append((number, kind, line))
            continue
        levels = list(_levels(block, title or plans.heading))
        if levels:
            if found:
                found[-1] = replace(found[-1], plans=plans.taken())
            found += levels
            title = ""
        block = []
        if found and plans.takes(number, raw):
            continue
        about = raw.strip().lstrip(";/':# \t")
        about = about.removesuffix("'") if "'" in raw[: raw.index(about)] else about
        field = _FIELD.fullmatch(about)
        if field is None and any(map(str.isalnum, about)):
            title = about
        elif field is not None and field[1].lower() in _TITLES:
            if found and not found[-1].title and not title:
                found[-1] = replace(found[-1], title=_shown(field[2]))
            else:
                title = field[2]
    if found:
        found[-1] = replace(found[-1], plans=plans.taken())
    return found


def _kind(line: str) -> tuple[str, str]:
    """Kind of a line (`row`; `inner`, a row if between rows; `fault`, a row except for a sign; `note`) and its text.

    A row with letters for player and boxes (`lettered`) counts only within a complete level.
    """
    bare = line.lstrip(_BLANK)
    if not bare or bare.startswith(_COMMENTS):
        return "note", line
    if bare.lstrip("-_ ").startswith("#") and ";" in line:
        line = line[: line.index(";")].rstrip(_BLANK)
    signs = set(line)
    if signs <= {*SIGNS, "\t"}:
        inner = signs & set("@+$*") and (len(bare) < _RULED or len(signs) > 1)  # otherwise a ruler between levels
        return "row" if "#" in signs else "inner" if inner else "note", line
    if "#" in signs and signs <= set(SIGNS + "0123456789|()pPbB") and not _NO_RUN.search(line):
        if not signs & set("pPbB"):
            return "row", line
        if bare.lstrip("0123456789-_ (")[:1] in _ENDS and line.rstrip("|)")[-1] in _ENDS:
            return "lettered", line.translate(_LETTERS)
    walled = line.count("#") > 1 or line.endswith("#") or ("#" in signs and signs & set("@+$*"))
    if walled and not _WORD.search(line):
        return "fault", line
    return "note", line


def _levels(block: list[tuple[int, str, str]], title: str) -> Iterator[Level]:
    """The levels in a run of rows: usually one; none if it contains neither player nor box."""
    while block and block[-1][1] == "inner":
        block = block[:-1]
    for part in _apart(block):
        text = "".join(line for _, _, line in part)
        if not set(text) & set("@+$*") or all(kind == "fault" for _, kind, _ in part):
            continue
        rows = tuple(row for _, _, line in part for row in (line.split("|") if "|" in line else [line]) if row)
        whole = len(rows) >= _RULED and set(text) & set("@+") and set(text) & set("$*")
        if not whole and any(kind == "lettered" for _, kind, _ in part):
            continue
        wrong = next(((number, line) for number, kind, line in part if kind == "fault"), None)
        sign = None if wrong is None else next(sign for sign in wrong[1] if sign not in SIGNS)
        yield Level(part[0][0], rows, _shown(title), None if wrong is None or sign is None else (wrong[0], sign))
        title = ""


def _apart(block: list[tuple[int, str, str]]) -> list[list[tuple[int, str, str]]]:
    """Adjacent levels: a run of rows with several players is split between two rows that consist of walls only."""
    parts = [block]
    players = [sum(line.count(one) for one in "@+") for _, _, line in block]
    if sum(players) < 2:
        return parts
    begin, before, last = 0, False, max(at for at, count in enumerate(players) if count)
    for at in range(1, last + 1):
        before = before or players[at - 1] > 0
        walls = not (set(block[at - 1][2]) | set(block[at][2])) & set("@+$*.")
        if walls and before:
            parts[-1:] = [block[begin:at], block[at:]]
            begin, before = at, False
    return parts


def _in_xml(text: str) -> Iterator[Level]:
    """The levels of an `.slc` file, each of them `<L>` elements in a `<Level>`; entities are not expanded."""
    rows: list[str] | None = None
    end = text.rfind("]]>") + 3  # behind it, no section is closed
    text = _CDATA.sub(lambda data: escape(data[1]), text[:end]) + text[end:]
    comment, title, begin, line, counted = False, "", 1, 1, 0
    for match in _XML.finditer(text):
        tag = match[0].lower()
        if comment or tag in ("<!--", "-->"):
            comment = tag != "-->" and (comment or tag == "<!--")
        elif tag.startswith("<level"):
            named = _ID.search(match[0])
            rows, title = [], "" if named is None else unescape(named[1])
        elif tag == "</level>":
            if rows and set("".join(rows)) & set("@+$*"):
                wrong = next((sign for row in rows for sign in _NO_RUN.findall(row) + _OTHER.findall(row)), None)
                yield Level(begin, tuple(rows), _shown(title), None if wrong is None else (begin, wrong))
            rows = None
        elif rows is not None:
            if not rows:
                line += text.count("\n", counted, match.start())
                begin, counted = line, match.start()
            rows.append(unescape(match[1] or "").rstrip().translate(_LETTERS))


def _without_margin(rows: Sequence[str]) -> Sequence[str]:
    """The rows without their common leading blanks and tabs, if these contain a tab."""
    margins = [row[: len(row) - len(row.lstrip(_BLANK))] for row in rows]
    low, high = min(margins), max(margins)
    common = next((i for i, sign in enumerate(low) if i >= len(high) or high[i] != sign), len(low))
    return [row[common:] for row in rows] if "\t" in low[:common] else rows


def _shown(title: str) -> str:
    return printable(title)[:80]
