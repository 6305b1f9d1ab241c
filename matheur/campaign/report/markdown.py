"""The report as Markdown, for READMEs: tables and links to the files of the plots, with every text escaped."""

from __future__ import annotations

import re

from matheur.campaign.report.document import Block, Cell, Figure, Listing, Paragraph, Picture, Report, Table

__all__ = ["escape_markdown", "write_markdown"]

_ROWS = 200
_SPECIAL = re.compile(r"[\\`*_\[\]<>|~$&@]|:(?=//)")
_FIRST = re.compile(r"^([-+=#]|[0-9]{1,9}(?=\.(?: |$)))")


def escape_markdown(text: str) -> str:
    r"""Escape a text: a backslash before every character that could be markup, and no line breaks.

    Examples
    --------
    >>> print(escape_markdown("a|b <script> *c* [d](e)"))
    a\|b \<script\> \*c\* \[d\](e)
    """
    inline = _inline(text)
    first = _FIRST.match(inline)
    if first is None:
        return inline
    return f"{first[1]}\\{inline[first.end() :]}" if first[1].isdigit() else f"\\{inline}"


def _inline(text: str) -> str:
    """Escape a text that does not begin a line."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def write_markdown(report: Report, *, page: str, files: str) -> str:
    """Write the report as Markdown.

    Parameters
    ----------
    report
        The report.
    page, files
        Addresses of the page and of the folder with tables and plots, relative to the Markdown file.
    """
    lines = [f"# {escape_markdown(report.title)}", "", escape_markdown(report.state), ""]
    lines += [f"- {escape_markdown(name)}: {escape_markdown(value)}" for name, value in report.facts]
    lines += ["", f"The same as a page with all runs: [{escape_markdown(page)}]({_address(page)}).", ""]
    for section in report.sections:
        if section.anchor in ("configurations", "runs"):
            continue
        lines += [f"## {escape_markdown(section.title)}", ""]
        for block in section.blocks:
            lines += [*_block(block, files), ""]
    return "\n".join(lines).rstrip() + "\n"


def _block(block: Block, files: str) -> list[str]:
    if isinstance(block, Table):
        return _table(block, files)
    if isinstance(block, Figure | Picture):
        address = _address(f"{files}/figures/{block.name}.svg")
        words = block.plot.description if isinstance(block, Figure) else block.note
        return [f"![{escape_markdown(block.title)}]({address})", "", escape_markdown(words)]
    if isinstance(block, Listing):
        return []
    assert isinstance(block, Paragraph)
    return [escape_markdown(block.text)]


def _table(table: Table, files: str) -> list[str]:
    names = [escape_markdown(column.name) for column in table.columns]
    rules = ["--:" if column.numeric else "---" for column in table.columns]
    lines = [f"| {' | '.join(names)} |", f"| {' | '.join(rules)} |"]
    lines += [f"| {' | '.join(map(_cell, row))} |" for row in table.rows[:_ROWS]]
    if len(table.rows) > _ROWS:
        address = _address(f"{files}/tables/{table.name}.csv")
        lines += ["", f"The first {_ROWS} of {len(table.rows):,} rows; [all as CSV]({address})."]
    return [*lines, "", escape_markdown(table.note)] if table.note else lines


def _cell(cell: Cell) -> str:
    text = _inline(cell.text)
    return f"**{text}**" if cell.mark == "good" and text else text


def _address(address: str) -> str:
    return address.replace(" ", "%20").replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E")
