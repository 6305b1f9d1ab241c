"""What matheur has of the papers: docs/fidelity.md and tables of docs/reproduce.md, from lists of what the papers have.

    python docs/fidelity.py

writes both again. The lists are `experiments/FOLDER/fidelity.toml`, one for each paper, and `experiments/fidelity.toml`
for what is asked of the framework as a whole. In docs/reproduce.md the tables stand between `<!-- rows: FOLDER -->` and
`<!-- end -->`: the rows whose name begins with the word Table or Figure. Other lines of that page are left as they are.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FIDELITY", "REPRODUCE", "STATUSES", "Paper", "Row", "fidelity", "papers", "reproduce"]

ROOT = Path(__file__).resolve().parents[1]
FIDELITY = ROOT / "docs" / "fidelity.md"
REPRODUCE = ROOT / "docs" / "reproduce.md"
FOLDERS = ("eternity2", "cubical_puzzle", "ann_distance", "deepcubea", "party_building", "")
STATUSES = {"same": "✓", "differs": "◐", "partly": "◐", "missing": "✗", "not wanted": "-"}
"""Sign of each status. Where a row differs, it does so on purpose; where it is there in part, work is left."""

_MARKED = re.compile(r"(<!-- rows: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """Something that a paper has.

    Attributes
    ----------
    row
        Its name, in words.
    command
        A line that runs it, shows it or tests it, from a clone with matheur installed.
    status
        A key of `STATUSES`.
    note
        Difference from the paper, error of the paper that is mended, or why it is not there.
    hours
        CPU hours of the largest size, as far as known.
    beyond
        Whether the paper only wishes for it, or has nothing of the kind.
    """

    row: str
    command: str
    status: str
    note: str = ""
    hours: float | str = ""
    beyond: bool = False

    @property
    def measured(self) -> bool:
        """Whether it is a table or a figure of the paper."""
        return self.row.startswith(("Table", "Figure"))


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper and its rows.

    Attributes
    ----------
    folder
        Its folder in `experiments/`; empty for the framework as a whole.
    name
        Authors and year.
    title, link
        Of the paper.
    rows
        What it has.
    """

    folder: str
    name: str
    title: str
    link: str
    rows: tuple[Row, ...]


def papers() -> list[Paper]:
    """The lists of all papers, and that of the framework last."""
    found = []
    for folder in FOLDERS:
        text = (ROOT / "experiments" / folder / "fidelity.toml").read_text(encoding="utf-8")
        table = tomllib.loads(text)
        rows = tuple(Row(**row) for row in table["rows"])
        found.append(Paper(folder, table["paper"], table["title"], table["link"], rows))
    return found


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(map(_line, (head, ("---",) * len(head), *rows)))


def _counts(paper: Paper) -> tuple[str, ...]:
    signs = Counter(STATUSES[row.status] for row in paper.rows)
    return (paper.name, str(len(paper.rows)), *(str(signs[sign]) for sign in dict.fromkeys(STATUSES.values())))


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.row + (" *(beyond)*" if row.beyond else ""),
        STATUSES[row.status],
        f"`{row.command}`" if row.command else "",
        row.note,
        str(row.hours),
    )


def fidelity() -> str:
    """The text of docs/fidelity.md."""
    return "\n".join(_page())


def _page() -> Iterator[str]:
    listed = papers()
    yield "# Row by row: the five papers\n"
    yield (
        "What each paper has, where it is here, and what differs. The page is written by `python docs/fidelity.py`\n"
        "from lists, `experiments/FOLDER/fidelity.toml`. [How to reproduce tables](reproduce.md).\n"
    )
    yield _table(
        ("sign", "meaning"),
        (
            ("✓", "as the paper has it"),
            ("◐", "there, with a difference that the note names"),
            ("✗", "not there"),
            ("-", "left out on purpose"),
        ),
    )
    yield "\nHours are CPU hours of the largest size. *(beyond)* marks what a paper wishes for or does not have.\n"
    yield _table(("", "rows", *dict.fromkeys(STATUSES.values())), map(_counts, listed)) + "\n"
    for paper in listed:
        yield f"## {paper.name}\n"
        yield (f"*{paper.title}*, [{paper.link}]({paper.link})." if paper.link else f"{paper.title}.") + "\n"
        yield _table(("row", "", "command", "note", "hours"), map(_cells, paper.rows)) + "\n"


def reproduce(text: str) -> str:
    """The text of docs/reproduce.md with its tables written again."""
    by_folder = {paper.folder: paper for paper in papers()}

    def table(match: re.Match[str]) -> str:
        rows = (row for row in by_folder[match[2]].rows if row.measured)
        cells = ((row.row, STATUSES[row.status], f"`{row.command}`" if row.command else "", row.note) for row in rows)
        return f"{match[1]}\n{_table(('of the paper', '', 'command', 'note'), cells)}\n\n{match[3]}"

    return _MARKED.sub(table, text)


if __name__ == "__main__":
    FIDELITY.write_text(fidelity(), encoding="utf-8")
    REPRODUCE.write_text(reproduce(REPRODUCE.read_text(encoding="utf-8")), encoding="utf-8")
