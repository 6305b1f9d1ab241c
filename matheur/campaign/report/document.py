"""A report as plain data: sections of tables, plots, pictures and texts. Writers turn it into files.

All texts are plain text and may come from file names, so a writer must escape each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from matheur.campaign.report.plots import Plot

__all__ = [
    "Block",
    "Cell",
    "Column",
    "Figure",
    "Listing",
    "Paragraph",
    "Picture",
    "Report",
    "Section",
    "Sources",
    "Table",
]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Attributes
    ----------
    text
        Text for people.
    value
        Value for sorting and for programs; None for an empty cell.
    href
        Target of a link: a relative address, or `#` and an anchor of the report.
    mark
        `good`, `bad` or an empty string.
    """

    text: str
    value: int | float | str | None
    href: str | None = None
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, whether it holds numbers, and an explanation."""

    name: str
    numeric: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Sources:
    """Runs behind a plot, a table or a picture.

    Attributes
    ----------
    runs
        Rows: a label (instance and variant), the anchor of the configuration, and pairs of a seed and the address of
        its result file.
    left_out
        Number of runs beyond those that are listed.
    """

    runs: Sequence[tuple[str, str, Sequence[tuple[int, str]]]]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A table. The first column names the row.

    Attributes
    ----------
    name
        Name of its files, unique in the report; letters, digits and hyphens.
    title, note
        Texts above and below the table.
    shown
        Maximum number of rows on the page; the CSV file has all rows.
    folded
        Whether the page shows the table only on request.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    sources: Sources | None = None
    shown: int = 1000
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot with a name (unique, used for its file), a title, a note, and the runs that it shows."""

    name: str
    title: str
    plot: Plot
    note: str = ""
    sources: Sources | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn solution: the SVG, a description in words, and the run that found it."""

    name: str
    title: str
    svg: bytes
    note: str
    sources: Sources


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Preformatted text under an anchor."""

    anchor: str
    title: str
    text: str


Block: TypeAlias = Table | Figure | Picture | Paragraph | Listing


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report under an anchor."""

    anchor: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Report:
    """A report.

    Attributes
    ----------
    title, state
        Name of the campaign, and a sentence about its progress.
    facts
        Names and values for the head of the report.
    """

    title: str
    state: str
    facts: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = field(default_factory=tuple)
