"""Write docs/fidelity.md and the tables of docs/reproduce.md: a comparison of matheur with the papers, row by row.

    python docs/fidelity.py

The lists `experiments/FOLDER/fidelity.toml`, one for each paper, and `experiments/fidelity.toml`, with the requirements
on the framework as a whole, hold the rows. The tables of docs/reproduce.md are between `<!-- rows: FOLDER -->` and
`<!-- end -->`; they contain the rows whose names begin with Table or Figure. The script changes nothing else there.
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
"""Sign of each status. A row differs on purpose; a row that is partly implemented needs more work."""

_MARKED = re.compile(r"(<!-- rows: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """An element of a paper, such as a table, a model or an algorithm.

    Attributes
    ----------
    row
        Description of the element.
    command
        Command that runs, shows or tests it, in a clone with matheur installed.
    status
        A key of `STATUSES`.
    note
        Difference from the paper, error in the paper that is corrected here, or reason why it is missing.
    hours
        CPU hours of the largest size, if known.
    beyond
        Whether the paper only suggests it or does not mention it.
    """

    row: str
    command: str
    status: str
    note: str = ""
    hours: float | str = ""
    beyond: bool = False

    @property
    def measured(self) -> bool:
        """Whether the element is a table or a figure of the paper."""
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
        Title and link of the paper.
    rows
        Elements of the paper.
    """

    folder: str
    name: str
    title: str
    link: str
    rows: tuple[Row, ...]


def papers() -> list[Paper]:
    """Read the lists of all papers, followed by that of the framework."""
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
    """Return the text of docs/fidelity.md."""
    return "\n".join(_page())


def _page() -> Iterator[str]:
    listed = papers()
    yield "# Row by row: the five papers\n"
    yield (
        "For each element of the papers, this page lists a command and the differences from the paper.\n"
        "`python docs/fidelity.py` writes it from the lists `experiments/FOLDER/fidelity.toml`.\n"
        "See also [how to reproduce the tables](reproduce.md).\n"
    )
    yield _table(
        ("sign", "meaning"),
        (
            ("✓", "agrees with the paper"),
            ("◐", "implemented with the differences in the note"),
            ("✗", "missing"),
            ("-", "left out on purpose"),
        ),
    )
    yield "\nHours are CPU hours of the largest size. *(beyond)* marks what a paper only suggests or omits.\n"
    yield _table(("", "rows", *dict.fromkeys(STATUSES.values())), map(_counts, listed)) + "\n"
    for paper in listed:
        yield f"## {paper.name}\n"
        yield (f"*{paper.title}*, [{paper.link}]({paper.link})." if paper.link else f"{paper.title}.") + "\n"
        yield _table(("row", "", "command", "note", "hours"), map(_cells, paper.rows)) + "\n"


def reproduce(text: str) -> str:
    """Return the text of docs/reproduce.md with new tables."""
    by_folder = {paper.folder: paper for paper in papers()}

    def table(match: re.Match[str]) -> str:
        rows = (row for row in by_folder[match[2]].rows if row.measured)
        cells = ((row.row, STATUSES[row.status], f"`{row.command}`" if row.command else "", row.note) for row in rows)
        return f"{match[1]}\n{_table(('table or figure', '', 'command', 'note'), cells)}\n\n{match[3]}"

    return _MARKED.sub(table, text)


if __name__ == "__main__":
    FIDELITY.write_text(fidelity(), encoding="utf-8")
    REPRODUCE.write_text(reproduce(REPRODUCE.read_text(encoding="utf-8")), encoding="utf-8")
